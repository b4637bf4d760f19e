package redact

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A copy needs at most the memory of twice the longest line, even if nothing is freed.
func TestMemoryOfLongLines(t *testing.T) {
	if underRace {
		t.Skip("the race detector makes a sync.Pool drop buffers at random")
	}
	const size = 4 << 20
	number, text := strings.Repeat("7", size), strings.Repeat("some text ", size/10)
	const message, line = `"k":"stdout","seq":1,"m":{"jsonrpc":"2.0","method":"x","params":{`, `"k":"stderr","seq":1,"raw":"`
	allocated := func(entry string, removed int) uint64 {
		path := filepath.Join(t.TempDir(), "in.jsonl")
		require.NoError(t, os.WriteFile(path, []byte(`{"mcpdbg":1,"id":"01KAJJMHZZ3W9T5K6VQ8X1Y2ZB","tool":"t","start":"2026-11-21T10:00:00.000000Z","placement":"local","argv":[]}`+"\n"+
			`{"n":1,"t":0,`+entry+"}\n"+strings.Repeat(`{"n":2,"t":0,"k":"stderr","seq":2,"raw":"a short line"}`+"\n", 10_000)), 0o600))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		report, err := Copy(t.Context(), path, nil, Default())
		runtime.ReadMemStats(&after)
		require.NoError(t, err)
		require.Equal(t, removed, report.Removed)
		return after.TotalAlloc - before.TotalAlloc
	}
	base := allocated(line+`x"`, 0)
	for name, c := range map[string]struct {
		entry   string
		removed int
	}{
		"a number":              {message + `"n":` + number + "}}", 0},
		"a number, removed":     {message + `"password":` + number + "}}", 1},
		"a text":                {message + `"text":"` + text + `"}}`, 0},
		"a text with a secret":  {message + `"text":"` + text + " password=hunter2 " + text[:size/2] + `"}}`, 1},
		"a line":                {line + text + `"`, 0},
		"a line with a secret":  {line + text + " password=hunter2 " + text[:size/2] + `"`, 1},
		"a text with an escape": {message + `"text":"\n` + text + `"}}`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			require.LessOrEqual(t, allocated(c.entry, c.removed)-base, uint64(2*len(c.entry)+1<<20))
		})
	}
}
