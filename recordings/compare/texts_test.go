package compare

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSameButVolatile(t *testing.T) {
	long := strings.Repeat("some more words ", 100)
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"created at 8:01:47 PM", "created at 11:59:02 AM", true},
		{"created at 8:01:47 PM.", "created at 8:01:47 AM.", true},
		{"Sat, 21 Nov 2026 10:00:00 GMT", "Mon, 23 Jan 2027 10:00:00 GMT", true},
		{"it took 12ms, 3 items", "it took 1.5 s, 3 items", true},
		{"it took 12ms, 3 items", "it took 12ms, 4 items", false},
		{"pid 12 on port 8080", "pid 13 on port 8081", true},
		{"http://127.0.0.1:4000/x", "http://127.0.0.1:4001/x", true},
		{"wrote /tmp/abc/out.txt", "wrote /tmp/def/out.txt", true},
		{"wrote /home/abc", "wrote /home/def", false},
		{"id 7d444840-9dc0-11d1-b245-5ffdce74fad2 ok", "id 00000000-9dc0-11d1-b245-5ffdce74fad2 ok", true},
		{"id 7d444840-9dc0-11d1-b245-5ffdce74fad2 ok", "id none ok", false},
		{long + "10:00:00 " + long, long + "10:00:01 " + long, true},
		{long + "10 " + long, long + "11 " + long, false},
		{"", "10:00:00", false},
		{"count 5", "count 6", false},
	} {
		same, _ := sameButVolatile(c.a, c.b)
		require.Equal(t, c.same, same, "%s | %s", c.a, c.b)
		same, _ = sameButVolatile(c.b, c.a)
		require.Equal(t, c.same, same, "%s | %s", c.b, c.a)
	}
}

func TestExcerptsAreShort(t *testing.T) {
	require.Equal(t, `"short"`, excerpt([]byte(`"short"`)))
	blob := excerpt([]byte(`"` + strings.Repeat("QUJD", 1000) + `"`))
	require.Regexp(t, `^3000 bytes, xxh64 [0-9a-f]{16}$`, blob)
	require.Regexp(t, `^"é+… \(6002 bytes\)$`, excerpt([]byte(`"`+strings.Repeat("é", 3000)+`"`)))
}

func TestLineDiffIsBounded(t *testing.T) {
	lines := lineDiff(strings.Repeat("a\n", 500), strings.Repeat("b\n", 500))
	require.Len(t, lines, maxLines+1)
	require.Equal(t, "and 977 more lines", lines[maxLines])
}
