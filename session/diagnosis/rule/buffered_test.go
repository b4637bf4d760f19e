package rule

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
)

const (
	bufferedProbe  = `"k":"stdin","m":{"jsonrpc":"2.0","id":"mcpdbg-1","method":"server/discover"}`
	bufferedInit   = `"k":"stdin","m":{"jsonrpc":"2.0","id":"mcpdbg-2","method":"initialize"}`
	bufferedAnswer = `"k":"stdout","seq":1,"m":{"jsonrpc":"2.0","id":"mcpdbg-1","error":{"code":-32601,"message":"Method not found"}}`
	bufferedNext   = `"k":"stdout","seq":2,"m":{"jsonrpc":"2.0","id":"mcpdbg-2","error":{"code":-32602,"message":"Unsupported"}}`
	bufferedNoise  = `"k":"stdout","seq":1,"raw":"ready"`
	bufferedGiveUp = `"k":"state","state":"timed-out","of":1,"id":"mcpdbg-1"`
	bufferedStop   = `"k":"state","state":"stopping"`
	bufferedEOF    = `"k":"phase","phase":"close-stdin","took_us":10000`
)

// TestBufferedResponses checks that PRC07 is reported if only closing stdin brought
// the response, but not if the response came first or the server is only slow.
func TestBufferedResponses(t *testing.T) {
	for _, test := range []struct {
		name     string
		rest     []line // the first request is at 0; the exit is 9 ms after the last line but one
		buffered bool
	}{
		{"refused late", []line{{900_000, bufferedAnswer}, {910_100, bufferedEOF}}, false},
		{"refused late, on a machine that is busy", []line{{900_000, bufferedAnswer}, {959_000, bufferedEOF}}, false},
		{"refused in the same microsecond", []line{{900_000, bufferedAnswer}, {910_000, bufferedEOF}}, false},
		{"given up, then two answers at once, and refused", []line{{700_000, bufferedGiveUp}, {700_000, bufferedInit},
			{900_000, bufferedAnswer}, {900_000, bufferedNext}, {910_100, bufferedEOF}}, false},
		{"stopped", []line{{900_000, bufferedStop}, {901_000, bufferedAnswer}}, true},
		{"stopped early", []line{{400_000, bufferedStop}, {401_000, bufferedAnswer}}, false},
		{"stopped, and only slow", []line{{900_000, bufferedStop}, {946_000, bufferedAnswer}}, false},
		{"stopped late, and only slow", []line{{30_000_000, bufferedStop}, {30_600_000, bufferedAnswer}}, false},
		{"answered, then stopped", []line{{900_000, bufferedAnswer}, {900_001, bufferedStop}}, false},
		{"given up", []line{{900_000, bufferedGiveUp}, {901_000, bufferedAnswer}, {912_000, bufferedEOF}}, true},
		{"given up, and its entry comes later", []line{{900_000, bufferedGiveUp}, {901_000, bufferedAnswer}, {931_000, bufferedEOF}}, true},
		{"given up, and answered long before the end", []line{{700_000, bufferedGiveUp}, {800_000, bufferedAnswer}, {910_000, bufferedEOF}}, false},
		{"noise before", []line{{100_000, bufferedNoise}, {900_000, bufferedStop}, {901_000, bufferedAnswer}}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			rules := found(checked(t, append([]line{{0, bufferedProbe}}, test.rest...)))
			require.Equal(t, test.buffered, strings.Contains(strings.Join(rules, "\n"), "PRC07"), "%q", rules)
		})
	}
}

// A line is an entry of a recording, without its number, at a time.
type line struct {
	t    int64
	text string
}

// checked returns the problems of a recording of one process that exits with code 0.
func checked(t *testing.T, lines []line) *Checker {
	t.Helper()
	last := lines[len(lines)-1].t
	lines = append([]line{{0, `"k":"start","process":"p"`}}, lines...)
	lines = append(lines, line{last, `"k":"exited","seq":9,"code":0`}, line{last, `"k":"closed","seq":10`}, line{last, `"k":"end"`})
	var b strings.Builder
	b.WriteString(header)
	for i, l := range lines {
		fmt.Fprintf(&b, "{\"n\":%d,\"t\":%d,%s}\n", i+1, l.t, l.text)
	}
	path := filepath.Join(t.TempDir(), "rec.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
	rec, err := recordings.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rec.Close()) })
	l := New(rec)
	advance(t, l)
	return l
}
