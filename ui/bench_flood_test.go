package ui

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"runtime/metrics"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/traffic"
)

// A stopwatch wraps the model and measures how long it blocks the goroutine of
// the program.
type stopwatch struct {
	*App
	longest time.Duration
	seen    func(*sessionScreen) // after each message
}

func (s *stopwatch) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	begin := time.Now()
	_, cmd := s.App.Update(msg)
	s.longest = max(s.longest, time.Since(begin))
	s.seen(s.visible)
	return s, cmd
}

func (s *stopwatch) View() tea.View {
	begin := time.Now()
	defer func() { s.longest = max(s.longest, time.Since(begin)) }()
	return s.App.View()
}

// BenchmarkFlood has a server send 100,000 notifications during one call, and
// then a result of 100 MB, with the traffic on the screen. It reports the
// longest time that the program took for one message or frame, which may be 100
// ms, and the peak memory use, without the memory in use before and without the
// one copy of the result: 100 MB.
func BenchmarkFlood(b *testing.B) {
	const notifications, size = 100_000, 100_000_000
	result := append([]byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"`), bytes.Repeat([]byte("0123456789"), size/10)...)
	result = append(result, "\"}]}}\n"...)
	for b.Loop() {
		s, x := newSession(b, newLog(b), func(p *fakeProcess, m message) {
			if m.Method != "tools/call" {
				return
			}
			for range notifications {
				p.Out(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"one of very many, and no end in sight"}}`)
			}
			const chunk = 64 << 10
			for at := 0; at < len(result); at += chunk {
				p.Journal.Output(executor.Stdout, result[at:min(at+chunk, len(result))])
			}
		})
		require.NoError(b, s.Open(b.Context()))
		runtime.GC()
		before := heap()
		w, peak := watchFlood(b, s)
		b.ReportMetric(float64(w.longest.Microseconds())/1000, "longest-ms")
		b.ReportMetric(float64(peak-before-size)/1e6, "MB-more")
		x.Latest().CloseStdin()
	}
}

// watchFlood runs the program over a session with a call, until the response is
// on the screen.
func watchFlood(b *testing.B, s *session.Session) (w *stopwatch, peak int64) {
	ctx, cancel := context.WithCancel(b.Context())
	shown := make(chan struct{})
	once := sync.OnceFunc(func() { close(shown) })
	w = &stopwatch{App: newApp(ctx, Options{Session: s, Settings: Settings{View: traffic.Wire.String()}})} // the response is the last row
	w.seen = func(sc *sessionScreen) {
		if title, _ := sc.detail.Titles(); title != "3 Detail" && sc.ws.Selected.Row.Len > 90_000_000 {
			once()
		}
	}
	in, keys := io.Pipe()
	program := tea.NewProgram(w, tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithInput(in), tea.WithOutput(io.Discard),
		tea.WithWindowSize(200, 60), tea.WithColorProfile(colorprofile.TrueColor), tea.WithEnvironment([]string{"TERM=xterm-256color"}))
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = program.Run() })
	wg.Go(func() { pump(ctx.Done(), s.Log(), func() { program.Send(changed{}) }) })
	wg.Go(func() {
		for ctx.Err() == nil {
			peak = max(peak, heap())
			time.Sleep(5 * time.Millisecond)
		}
	})
	program.Send(tea.KeyPressMsg{Code: 'G', Text: "G"}) // selects the last row, instead of the overview
	_, err := s.Send(ctx, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"flood"}}`))
	require.NoError(b, err)
	select {
	case <-shown:
	case <-time.After(time.Minute):
		b.Error("the response was not shown")
	}
	cancel()
	require.NoError(b, keys.Close())
	wg.Wait()
	return w, peak
}

// heap returns the memory in use.
func heap() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
