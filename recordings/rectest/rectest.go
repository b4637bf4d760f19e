// Package rectest makes recordings for the tests of packages that read them, and validates
// JUnit XML for the tests of packages that write it.
package rectest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
)

// Session returns a recording made of lines: see File.
func Session(t testing.TB, lines ...string) *recordings.Recording {
	t.Helper()
	r, err := recordings.Open(File(t, lines...))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	require.Zero(t, r.Warnings())
	return r
}

// File writes a recording made of lines, and returns its path. A line that begins with > is
// a message of the client, one with < a message of the server; others are members of an
// entry.
func File(t testing.TB, lines ...string) string {
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
	return path
}

// Started is the line of a start entry.
const Started = `"k":"start","process":"mcp-stdio-1"`

// Calls writes a recording of calls, some of them in flight at the same time, some
// failing and some slow, and returns the path of its file. The same seed gives the same
// recording.
func Calls(t testing.TB, calls int, seed uint64) string {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(`{"mcpdbg":1,"id":"x","tool":"test","start":"2026-11-21T10:00:00Z","placement":"local","argv":["server"]}` + "\n")
	random := rand.New(rand.NewPCG(seed, 0))
	n, seq, at := 1, 0, 0
	fmt.Fprintf(&b, `{"n":1,"t":0,%s}`+"\n", Started)
	var open []int
	for id := 0; id < calls || len(open) > 0; {
		at += random.IntN(60_000)
		n++
		if id < calls && len(open) < 4 && random.IntN(2) == 0 {
			fmt.Fprintf(&b, `{"n":%d,"t":%d,"k":"stdin","m":{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a"}}}`+"\n", n, at, id)
			open = append(open, id)
			id++
			continue
		}
		if len(open) == 0 {
			n--
			continue
		}
		seq++
		i := random.IntN(len(open))
		answer := [...]string{`"result":{}`, `"result":{"isError":true,"content":[]}`, `"error":{"code":-1,"message":"no"}`}[random.IntN(3)]
		fmt.Fprintf(&b, `{"n":%d,"t":%d,"k":"stdout","seq":%d,"m":{"jsonrpc":"2.0","id":%d,%s}}`+"\n", n, at, seq, open[i], answer)
		open = append(open[:i], open[i+1:]...)
	}
	path := filepath.Join(t.TempDir(), "calls.jsonl")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	return path
}

// SlowErrors reads a recording of Calls with only a JSON decoder, and returns the entry
// numbers of calls that failed and took longer than the given time: their requests and
// responses, in order.
func SlowErrors(t testing.TB, path string, longer time.Duration) []int {
	t.Helper()
	type entry struct {
		N, T int
		M    struct {
			ID     int
			Method string
			Error  json.RawMessage
			Result struct{ IsError bool }
		}
	}
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	requests, wanted, last := map[int]entry{}, map[int]bool{}, 0
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		var e entry
		require.NoError(t, json.Unmarshal(lines.Bytes(), &e))
		last = max(last, e.N)
		if e.M.Method != "" {
			requests[e.M.ID] = e
			continue
		}
		failed := e.M.Error != nil || e.M.Result.IsError
		if request := requests[e.M.ID]; failed && e.T-request.T > int(longer.Microseconds()) {
			wanted[request.N], wanted[e.N] = true, true
		}
	}
	var rows []int
	for n := 1; n <= last; n++ {
		if wanted[n] {
			rows = append(rows, n)
		}
	}
	return rows
}
