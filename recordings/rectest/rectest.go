// Package rectest makes recordings for the tests of packages that read them.
package rectest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
)

// Session returns a recording made of lines. A line that begins with > is a message of
// the client, one with < a message of the server; others are members of an entry.
func Session(t testing.TB, lines ...string) *recordings.Recording {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"mcpdbg":1,"id":"x","tool":"test","start":"2026-11-21T10:00:00Z","placement":"local","argv":["server"]}` + "\n")
	seq := 0
	for i, line := range lines {
		fmt.Fprintf(&b, `{"n":%d,"t":%d,`, i+1, i*1000)
		switch line[0] {
		case '>':
			fmt.Fprintf(&b, `"k":"stdin","m":%s}`, line[2:])
		case '<':
			seq++
			fmt.Fprintf(&b, `"k":"stdout","seq":%d,"m":%s}`, seq, line[2:])
		default:
			fmt.Fprintf(&b, `%s}`, line)
		}
		b.WriteByte('\n')
	}
	path := filepath.Join(t.TempDir(), "written.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
	r, err := recordings.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	require.Zero(t, r.Warnings())
	return r
}

// Started is the line of a start entry.
const Started = `"k":"start","process":"mcp-stdio-1"`
