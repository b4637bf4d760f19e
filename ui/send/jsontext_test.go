package send

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/form"
	"mcpdbg/ui/widget/paint"
)

func TestPosition(t *testing.T) {
	text := []byte("ab\nc")
	for n, want := range [][2]int{{1, 1}, {1, 1}, {1, 2}, {1, 3}, {2, 1}} {
		line, col := textPosition(text, n)
		require.Equal(t, want, [2]int{line, col}, n)
	}
}

func TestStatus(t *testing.T) {
	th := &paint.Theme{}
	status := func(text string, problems []form.Problem, err error) string {
		said, _ := jsonStatus(th, []byte(text), problems, err)
		return said
	}
	missing := []form.Problem{{Path: "/a/b", Text: "is required"}, {Path: "/c", Text: "is required"}}
	require.Equal(t, "valid", status("{}", nil, nil))
	require.Equal(t, "! cannot be checked: broken schema", status("{}", nil, errors.New("broken schema")))
	require.Equal(t, "x 2:6: /a/b: is required  (and 1 more)", status("{\n\"a\": {}}", missing, nil))
	require.Equal(t, "x 1:3: invalid character ',' looking for beginning of object key string", status("{ ,", missing[:1], nil))
}

func TestSpread(t *testing.T) {
	require.Equal(t, "{\n  \"a\": 1\n}", spreadJSON([]byte(`{"a":1}`)))
	require.Equal(t, `{"a"`, spreadJSON([]byte(`{"a"`)))
	long := "[" + strings.Repeat("1,", kit.MaxDraftLines) + "1]"
	require.Equal(t, long, spreadJSON([]byte(long)))
}
