package logs

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/console"
	"mcpdbg/recordings"
	"mcpdbg/session/diagnosis/rule"
)

// writeFaulty writes a recording of size bytes with problems all over it.
func writeFaulty(t *testing.T, size int) string {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(`{"mcpdbg":1,"id":"01KAJJMHZZ3W9T5K6VQ8X1Y2ZB","tool":"test","start":"2026-11-21T10:00:00Z","placement":"local","argv":["x"]}` + "\n")
	b.WriteString(`{"n":1,"t":0,"k":"start","process":"p"}` + "\n")
	n, seq := 1, 0
	add := func(kind, rest string, args ...any) {
		n++
		at := ""
		if kind != "stdin" {
			seq++
			at = fmt.Sprintf(`,"seq":%d`, seq)
		}
		fmt.Fprintf(&b, `{"n":%d,"t":%d,"k":"%s"%s,`+rest+"}\n", append([]any{n, n * 40, kind, at}, args...)...)
	}
	text := strings.Repeat("text ", 60)
	for i := 0; b.Len() < size; i++ {
		add("stdin", `"m":{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t","arguments":{"x":"%s"}}}`, i, text)
		switch i % 7 {
		case 1:
			add("stdout", `"m":{"jsonrpc":"2.0","id":"%d","result":{"content":[]}}`, i) // an id of another type
		case 2:
			add("stdout", `"why":"not-json","raw":"%s"`, text)
		case 3:
			add("stdout", `"m":{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text"}]}}`, i-1) // late, and wrong
		case 4: // no response
		default:
			add("stdout", `"m":{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"}]}}`, i, text)
		}
	}
	add("exited", `"code":0`)
	n++
	fmt.Fprintf(&b, `{"n":%d,"t":%d,"k":"end","entries":%d}`+"\n", n, n*40, n)
	path := filepath.Join(t.TempDir(), "faulty.jsonl")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	return path
}

// TestCheckAgreesWithWholeRecording compares checking while a recording is being read
// with checking it afterwards: without a stored index, with one, and for a torn file.
func TestCheckAgreesWithWholeRecording(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, size := range []int{10 << 10, 12 << 20} {
		path := writeFaulty(t, size)
		for _, torn := range []bool{false, false, true} {
			if torn {
				require.NoError(t, os.Truncate(path, int64(size/2)))
			}
			rec, checker, err := Check(t.Context(), path, NewMeter(&console.Env{}, "checking"), nil)
			require.NoError(t, err)
			whole, err := recordings.Open(path)
			require.NoError(t, err)
			want := rule.Check(t.Context(), whole)
			require.Greater(t, len(want.Problems()), 3)
			require.Equal(t, want.Problems(), checker.Problems())
			require.Equal(t, want.Count(), checker.Count())
			require.Equal(t, want.Checked(), checker.Checked())
			require.Equal(t, want.Gaps(), checker.Gaps())
			wantRows, _ := want.Progress()
			rows, unread := checker.Progress()
			require.Equal(t, wantRows, rows)
			require.Zero(t, unread)
			require.NoError(t, rec.Close())
			require.NoError(t, whole.Close())
		}
	}
}

func TestCheckStops(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rec, _, err := Check(ctx, writeFaulty(t, 8<<20), NewMeter(&console.Env{}, "checking"), nil)
	if err == nil { // it was read in time
		require.NoError(t, rec.Close())
		return
	}
	require.ErrorIs(t, err, context.Canceled)
	_, _, err = Check(t.Context(), filepath.Join(t.TempDir(), "missing"), NewMeter(&console.Env{}, "checking"), nil)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestMeter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		env := &console.Env{Stderr: &out, StderrWidth: func() int { return 60 }}
		m := NewMeter(env, "checking calls.jsonl")
		first := m.Part(100)
		first.To(50)
		require.Empty(t, out.String(), "the first half second shows nothing")
		time.Sleep(firstShown)
		first.To(60)
		second := m.Part(100)
		second.To(10) // within the same tenth of a second
		time.Sleep(shownEach)
		second.To(1000) // no more than its size
		require.Equal(t, clearLine+"mcpdbg: checking calls.jsonl: 60 %"+clearLine+"mcpdbg: checking calls.jsonl: 80 %", out.String())
		m.Close()
		require.True(t, strings.HasSuffix(out.String(), clearLine))

		out.Reset()
		env.StderrWidth = nil // not a terminal
		m = NewMeter(env, "checking")
		time.Sleep(time.Hour)
		m.Part(100).To(50)
		m.Close()
		require.Empty(t, out.String())
	})
}
