package ui

import (
	"bytes"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/traffic"
)

// largeResult is the result of a tool of about n bytes: half of it a text, half of
// it a list of small objects.
func largeResult(n int) []byte {
	var b bytes.Buffer
	b.Grow(n + 1<<10)
	b.WriteString(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"`)
	for b.Len() < n/2 {
		b.WriteString(`some words of text, \"quoted\" and with\nline breaks `)
	}
	b.WriteString(`"}],"structuredContent":{"list":[`)
	for b.Len() < n {
		b.WriteString(`{"uri":"res://logs/1","mimeType":"text/plain","size":188,"tags":["a","b"]},`)
	}
	b.WriteString(`0],"last":"found"}}}`)
	return b.Bytes()
}

// A keyTimer presses keys and measures how long each one blocks the program: its
// own message with its frame, and those of the results of its commands, which run
// elsewhere.
type keyTimer struct {
	*driver
	slowest time.Duration
	key     string // the slowest one
}

func (k *keyTimer) press(key string) {
	msg := tea.KeyPressMsg{Code: rune(key[0]), Text: key}
	switch key {
	case "enter":
		msg = tea.KeyPressMsg{Code: tea.KeyEnter}
	case "esc":
		msg = tea.KeyPressMsg{Code: tea.KeyEscape}
	case "end":
		msg = tea.KeyPressMsg{Code: tea.KeyEnd}
	case "pgdown":
		msg = tea.KeyPressMsg{Code: tea.KeyPgDown}
	}
	k.handle(key, msg)
}

func (k *keyTimer) handle(key string, msg tea.Msg) {
	if batch, ok := msg.(tea.BatchMsg); ok {
		for _, cmd := range batch {
			k.follow(key, cmd)
		}
		return
	}
	begin := time.Now()
	_, cmd := k.Update(msg)
	_ = k.View()
	if took := time.Since(begin); took > k.slowest {
		k.slowest, k.key = took, key
	}
	k.follow(key, cmd)
}

func (k *keyTimer) follow(key string, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	if msg := cmd(); msg != nil {
		k.handle(key, msg)
	}
}

// largeKeys are the keys that are pressed on a large result: they go through each
// view, search in it and run a query.
func largeKeys() (keys []string) {
	move := []string{"j", "pgdown", "end", "G", "g", "+", "j", "+", "pgdown", "/", "f", "o", "u", "n", "d", "enter", "n", "N", "esc"}
	keys = append(keys, "enter")
	for range 6 {
		keys = append(append(keys, move...), "v")
	}
	for _, c := range "|.result.structuredContent.list[5]" {
		keys = append(keys, string(c))
	}
	return append(keys, "enter", "j", "esc", "esc", "z", "j", "k")
}

// BenchmarkLargeResult presses keys on a large result in the detail. It reports
// the slowest key, which may take 50 ms for 10 MB and 150 ms for 100 MB, and the
// peak memory use, which may be 250 MB for 100 MB, without that before.
func BenchmarkLargeResult(b *testing.B) {
	for _, size := range []int{10_000_000, 100_000_000} {
		b.Run(fmt.Sprintf("%d MB", size/1_000_000), func(b *testing.B) {
			log := newLog(b)
			for _, e := range []session.Entry{
				{Kind: session.KindStdin, Payload: []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"big"}}`)},
				{Kind: session.KindStdout, Seq: 1, Payload: largeResult(size)},
			} {
				e.EOL, e.Msg = framing.LF, framing.Scan(e.Payload)
				require.NoError(b, log.Append([]session.Entry{e}))
			}
			for b.Loop() {
				runtime.GC()
				before := heap()
				k := &keyTimer{}
				peak := peakOf(func() {
					k.driver = drive(b, Options{Source: log, Settings: Settings{View: traffic.Exchanges.String()}}, 120, 36)
					for _, key := range largeKeys() {
						k.press(key)
					}
				})
				b.ReportMetric(float64(k.slowest.Microseconds())/1000, "slowest-ms")
				b.ReportMetric(float64(peak-before)/1e6, "MB")
				b.Logf("slowest key: %s", k.key)
			}
		})
	}
}

// peakOf returns the most memory in use while do runs.
func peakOf(do func()) (peak int64) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			peak = max(peak, heap())
			select {
			case <-done:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	})
	do()
	close(done)
	wg.Wait()
	return peak
}
