package session_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/rectest"
	"mcpdbg/session"
)

// TestCursorAhead reads the same entries whether or not they are decoded ahead, also if
// that begins and ends on the way.
func TestCursorAhead(t *testing.T) {
	t.Parallel()
	lines := []string{rectest.Started}
	for n := range 2000 {
		size := n
		if n%700 == 1 {
			size = 1 << 20 // more than is decoded at once
		}
		lines = append(lines, fmt.Sprintf(`< {"method":"n","params":{"n":%d,"text":"%s"}}`, n, strings.Repeat("x", size)))
	}
	src := rectest.Session(t, lines...)
	read := func(each func(c *session.Cursor, number int)) (all []string) {
		c := session.NewCursor(src)
		c.Limit = 1 << 19
		for c.Next() {
			number, row := c.Row()
			e, err := c.Entry()
			require.NoError(t, err)
			all = append(all, fmt.Sprint(number, row.Off, e.N, e.Cut, e.Msg, string(e.Payload)))
			each(c, number)
		}
		number, _ := c.Row()
		e, err := c.Entry()
		require.NoError(t, err)
		require.Equal(t, uint64(number)+1, e.N, "the last row stays current")
		c.Settle()
		return all
	}
	want := read(func(*session.Cursor, int) {})
	require.Len(t, want, src.Len())
	got := read(func(c *session.Cursor, number int) {
		switch number % 600 {
		case 0:
			c.Ahead()
		case 500:
			c.Settle()
		}
	})
	require.Len(t, got, len(want))
	for i := range want {
		require.Equal(t, want[i], got[i])
	}
}
