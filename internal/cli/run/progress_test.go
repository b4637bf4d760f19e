package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestProgressText(t *testing.T) {
	for params, want := range map[string]string{
		`{"progress":2,"total":4,"message":"step 2"}`: "progress 2 of 4 (50%): step 2",
		`{"progress":0.30000000000000004}`:            "progress 0.3",
		`{"progress":999,"total":1000}`:               "progress 999 of 1000 (99%)",
		`{"progress":5,"total":4}`:                    "progress 5 of 4",
		`{"progress":1e300,"total":0}`:                "progress 1e+300 of 0",
		`{"progress":"half","message":"x"}`:           "progress",
		`{"message":"x"}`:                             "progress",
		`[]`:                                          "progress",
	} {
		require.Equal(t, want, progressText(json.RawMessage(params)), params)
	}
}

// progressAt prints progress at the given times and returns what was printed.
func progressAt(width func() int, every time.Duration, times ...time.Duration) string {
	var out bytes.Buffer
	p := &progressPrinter{out: &out, width: width, every: every}
	p.start()
	for i, at := range times {
		time.Sleep(at)
		p.update(json.RawMessage(fmt.Sprintf(`{"progress":%d,"message":"\u001b[2J a long text"}`, i+1)))
		synctest.Wait()
	}
	p.end()
	return out.String()
}

func TestProgressIsThrottled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const line = "mcpdbg: progress %d: \\u001b[2J a long text\n"
		got := progressAt(nil, time.Second, 0, 10*time.Millisecond, 10*time.Millisecond, 2*time.Second, 10*time.Millisecond)
		require.Equal(t, fmt.Sprintf(line+line+line, 1, 3, 4), got)
	})
	synctest.Test(t, func(t *testing.T) {
		require.Empty(t, progressAt(nil, time.Second))
	})
}

func TestProgressIsOneLineOfATerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := progressAt(func() int { return 24 }, time.Second, 0, 2*time.Second)
		require.Equal(t, "\r\x1b[Kmcpdbg: progress 1: …"+"\r\x1b[Kmcpdbg: progress 2: …"+"\r\x1b[K", got)
	})
	synctest.Test(t, func(t *testing.T) {
		require.Empty(t, progressAt(func() int { return 24 }, time.Second), "nothing to clear")
	})
}
