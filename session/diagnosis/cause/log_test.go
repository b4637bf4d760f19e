package cause

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/index"
)

// open opens a recorded log; see testdata/record.sh.
func open(t *testing.T, name string) *recordings.Recording {
	t.Helper()
	r, err := recordings.Open(filepath.Join("testdata", name+".jsonl"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

// written returns a log of the given entries, which lack n.
func written(t *testing.T, entries ...string) *recordings.Recording {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"mcpdbg":1,"id":"x","tool":"test","start":"2026-11-21T10:00:00Z","placement":"local","argv":["npx","-y","a-server"]}` + "\n")
	for i, e := range entries {
		fmt.Fprintf(&b, `{"n":%d,%s}`+"\n", i+1, e)
	}
	path := filepath.Join(t.TempDir(), "written.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
	r, err := recordings.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	require.Zero(t, r.Warnings())
	return r
}

// growing is a recording that grows row by row, so that the state of a request
// changes at the row that changes it.
type growing struct {
	*recordings.Recording
	index index.Index
}

// grow adds the next row. It returns false at the end.
func (g *growing) grow(t *testing.T) bool {
	t.Helper()
	var row [1]session.Row
	if g.Recording.Rows(g.index.Len(), row[:]) == 0 {
		return false
	}
	e, err := g.Entry(row[0], 0)
	require.NoError(t, err)
	require.NoError(t, g.index.Add(&e, row[0].Off, int(row[0].Len)))
	g.index.Publish()
	return true
}

// until grows the log up to the first row whose line has text in it.
func (g *growing) until(t *testing.T, text string) {
	t.Helper()
	for g.grow(t) {
		var row [1]session.Row
		g.Rows(g.Len()-1, row[:])
		line := make([]byte, row[0].Len)
		_, err := g.ReadLine(row[0], line, 0)
		require.NoError(t, err)
		if strings.Contains(string(line), text) {
			return
		}
	}
	require.Fail(t, "no such row", text)
}

func (g *growing) Len() int                             { return g.index.Len() }
func (g *growing) Rows(from int, dst []session.Row) int { return g.index.Rows(from, dst) }
func (g *growing) Method(id uint16) string              { return g.index.Method(id) }

// now reads a whole log and returns its causes.
func now(src session.Source, live *Live) []diagnosis.Cause {
	tracker := New(src)
	for tracker.Advance(100) {
	}
	return tracker.Now(live)
}

func ids(causes []diagnosis.Cause) []string {
	names := []string{}
	for _, v := range causes {
		names = append(names, v.ID)
	}
	return names
}

// lineOf returns the line of the log that is the evidence of v.
func lineOf(t *testing.T, src session.Source, v diagnosis.Cause) string {
	t.Helper()
	var row [1]session.Row
	require.Equal(t, 1, src.Rows(v.Row, row[:]), "%s has no evidence", v.ID)
	line := make([]byte, row[0].Len)
	_, err := src.ReadLine(row[0], line, 0)
	require.NoError(t, err)
	return string(line)
}
