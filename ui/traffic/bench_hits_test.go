package traffic

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/widget/filter"
)

// A hitTimer runs commands and delivers their results, as the program does, until
// something is on the screen.
type hitTimer struct {
	*stage
	queue []tea.Cmd
}

// until runs the commands that follow from cmd until done, and returns how long
// that took. A batch is run one after the other, which is slower than the program.
func (h *hitTimer) until(cmd tea.Cmd, done func() bool) time.Duration {
	begin := time.Now()
	h.queue = append(h.queue[:0], cmd)
	for len(h.queue) > 0 && !done() {
		next := h.queue[0]
		h.queue = h.queue[1:]
		if next == nil {
			continue
		}
		switch msg := next().(type) {
		case nil:
		case tea.BatchMsg:
			h.queue = append(h.queue, msg...)
		case host.Message:
			h.queue = append(h.queue, msg.Deliver(h.Context()))
		}
	}
	h.settle()
	_ = h.Frame()
	return time.Since(begin)
}

// BenchmarkFirstHit searches and filters a million rows with a single match, in
// the middle, and reports how long it takes until it is on the screen.
func BenchmarkFirstHit(b *testing.B) {
	log := uitest.NewLog(b)
	uitest.AppendTraffic(b, log, 500_000)
	needle := uitest.TrafficEntry(1)
	needle.Payload = []byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"the needle"}}`)
	needle.Msg = framing.Scan(needle.Payload)
	require.NoError(b, log.Append([]session.Entry{needle}))
	uitest.AppendTraffic(b, log, 500_000)
	for _, view := range []View{Wire, Exchanges} {
		s := onLog(b, log, view)
		h := &hitTimer{stage: s}
		lists := s.lists
		b.Run(view.String()+"/search", func(b *testing.B) {
			var took time.Duration
			for b.Loop() {
				s.act(kit.Top)
				require.NoError(b, lists.SetSearch("the needle"))
				took += h.until(lists.Start(TrafficList), func() bool { return lists.Finding == nil })
				require.Equal(b, 500_000, s.cursor())
			}
			b.ReportMetric(float64(took.Microseconds())/1000/float64(b.N), "first-ms")
		})
		for _, text := range []string{"the needle", "n:500001"} {
			b.Run(view.String()+"/filter "+text, func(b *testing.B) {
				var took time.Duration
				for b.Loop() {
					f, err := filter.Parse(text)
					require.NoError(b, err)
					took += h.until(lists.Traffic.SetFilter(f), func() bool { return lists.Traffic.Len() > 0 })
					require.Equal(b, 1, lists.Traffic.Len())
				}
				b.ReportMetric(float64(took.Microseconds())/1000/float64(b.N), "first-ms")
			})
		}
	}
}
