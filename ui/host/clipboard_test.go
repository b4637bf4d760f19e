package host

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPasteable(t *testing.T) {
	require.Equal(t, `{"a":"é漢"}`, pasteable(`{"a":"é漢"}`))
	require.Equal(t, "[201~rm\t", pasteable("\x1b[201~rm\t\r\n\u009b\u202e\xff"))
}
