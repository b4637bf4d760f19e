package form

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheckOfServer(t *testing.T) {
	problems, unchecked, err := Check([]byte(`{"type":"object","properties":{"a":{"type":"integer","pattern":"(?=x)"}}}`), []byte(`{"a":"b"}`))
	require.NoError(t, err)
	require.Equal(t, []Problem{{Path: "/a", Text: "is a string, not an integer"}}, problems)
	require.Equal(t, []string{"(?=x)"}, unchecked)

	long := `"` + strings.Repeat("x", maxValue-2) + `"`
	problems, _, err = Check([]byte(`{"type":"string"}`), []byte(long))
	require.NoError(t, err)
	require.Empty(t, problems)
	_, _, err = Check([]byte(`{"type":"string"}`), []byte(long+" "))
	require.ErrorIs(t, err, errTooLong)
	_, _, err = Check([]byte(long), []byte(`1`))
	require.ErrorIs(t, err, errTooLong, "a schema has a lower limit")
}
