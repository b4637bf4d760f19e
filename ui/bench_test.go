package ui

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/traffic"
	"mcpdbg/ui/uitest"
)

// frames are the actions of the benchmarks and of the allocation test before
// each frame.
var frames = []struct {
	name  string
	first []string // actions before all frames
	step  func(d *driver, i int)
	most  float64 // allocations
}{
	{"nothing new", nil, func(*driver, int) {}, 0},
	{"pending clock", nil, func(d *driver, _ int) { d.canvas.markAll() }, 60},
	{"cursor", nil, moveCursor, 110},
	{"page", nil, turnPage, 100},
	{"cursor, with the waterfall", []string{actZoom}, moveCursor, 100},
	{"page, with the waterfall", []string{actZoom}, turnPage, 100},
	{"cursor, in the time waterfall", []string{"waterfall"}, moveIn("waterfall", kit.Up, kit.Down), 100},
	{"page, in the time waterfall", []string{"waterfall"}, moveIn("waterfall", kit.PageUp, kit.PageDown), 60 * allocsOfRow},
	{"cursor, in the sequence", []string{"sequence"}, moveIn("sequence", kit.Up, kit.Down), 100},
	{"page, in the sequence", []string{"sequence"}, moveIn("sequence", kit.PageUp, kit.PageDown), 60 * allocsOfRow},
	{"cursor, in the latencies", []string{"latency"}, moveIn("latency", kit.Up, kit.Down), 100},
	{"dialog, unchanged", []string{"palette"}, func(d *driver, _ int) { d.canvas.markAll() }, allocsOfDialog},
	{"dialog, cursor", []string{"palette"}, func(d *driver, i int) { d.do("palette-" + []string{kit.Up, kit.Down}[i/20%2]) }, allocsOfDialog},
	{"dialog, typed", []string{"palette"}, typeAndDelete, allocsOfDialog},
}

// allocsOfDialog limits the allocations of a key in a dialog, and of a frame behind one.
const allocsOfDialog = 1500

func typeAndDelete(d *driver, i int) {
	if i%2 == 0 {
		d.write("e")
	} else {
		d.take(tea.KeyPressMsg{Code: tea.KeyBackspace})
	}
}

// moveIn moves in a tab of the time view.
func moveIn(tab, up, down string) func(d *driver, i int) {
	return func(d *driver, i int) { d.do("time-" + tab + "-" + []string{up, down}[i/20%2]) }
}

func moveCursor(d *driver, i int) { d.do([]string{kit.Up, kit.Down}[i/20%2]) }

func turnPage(d *driver, i int) { d.do([]string{kit.PageUp, kit.PageDown}[i/20%2]) }

// TestFrameAllocations limits the allocations of a frame of 200 by 60. Summaries
// are made once for each row; a row that was painted before costs nothing.
func TestFrameAllocations(t *testing.T) {
	log := newLog(t)
	uitest.AppendTraffic(t, log, 3_000)
	for _, view := range []traffic.View{traffic.Wire, traffic.Exchanges} {
		for _, f := range frames {
			t.Run(view.String()+"/"+f.name, func(t *testing.T) {
				d := drive(t, Options{Source: log, Settings: Settings{View: view.String(), Theme: themeDark}}, 200, 60)
				d.do(f.first...)
				for d.visible.ws.Shown.Problems.Rows < log.Len() {
					d.pull() // until the header no longer shows how much of the log is checked
				}
				i := 0
				allocs := testing.AllocsPerRun(40, func() {
					f.step(d, i)
					d.content()
					i++
				})
				most := f.most
				if strings.HasPrefix(f.name, "page") {
					most = 60 * allocsOfRow
				}
				require.LessOrEqual(t, allocs, most)
			})
		}
	}
}

// allocsOfRow limits the allocations for a row of the exchanges that was not
// painted before: the summaries of its request and its response.
const allocsOfRow = 40

func BenchmarkFrame200x60(b *testing.B) {
	log := newLog(b)
	uitest.AppendTraffic(b, log, 1_000_000)
	for _, view := range []traffic.View{traffic.Wire, traffic.Exchanges} {
		for _, f := range frames {
			b.Run(view.String()+"/"+f.name, func(b *testing.B) {
				d := drive(b, Options{Source: log, Settings: Settings{View: view.String(), Theme: themeDark}}, 200, 60)
				d.do(f.first...)
				d.content()
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					f.step(d, i)
					d.content()
				}
			})
		}
	}
}

// A probe wraps the model and measures the time from a key to its frame.
type probe struct {
	*App
	sent  chan time.Time
	took  []time.Duration
	frame bool // the next frame is that of a key
	begin time.Time
}

func (p *probe) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(tea.KeyPressMsg); ok {
		p.begin, p.frame = <-p.sent, true
	}
	_, cmd := p.App.Update(msg)
	return p, cmd
}

func (p *probe) View() tea.View {
	v := p.App.View()
	if p.frame {
		p.took, p.frame = append(p.took, time.Since(p.begin)), false
	}
	return v
}

// BenchmarkKeyToFrame measures the time from a key to its frame while a million
// rows a second arrive. The program paints for a terminal of 200x60.
func BenchmarkKeyToFrame(b *testing.B) {
	for _, rate := range []int{0, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("rows=%d", rate), func(b *testing.B) { keyToFrame(b, rate) })
	}
}

func keyToFrame(b *testing.B, rate int) {
	log := newLog(b)
	ctx, cancel := context.WithCancel(b.Context())
	app := newApp(ctx, Options{Source: log})
	p := &probe{App: app, sent: make(chan time.Time, 1)}
	in, keys := io.Pipe()
	program := tea.NewProgram(p, tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithInput(in), tea.WithOutput(io.Discard),
		tea.WithWindowSize(200, 60), tea.WithColorProfile(colorprofile.TrueColor), tea.WithEnvironment([]string{"TERM=xterm-256color"}))
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = program.Run() })
	wg.Go(func() { pump(ctx.Done(), log, func() { program.Send(changed{}) }) })
	rows := 0
	if rate > 0 {
		wg.Go(func() { rows = produce(ctx, log, rate) })
	}
	begin := time.Now()
	ticker := time.NewTicker(5 * time.Millisecond)
	for i := 0; b.Loop(); i++ {
		<-ticker.C
		p.sent <- time.Now()
		program.Send(tea.KeyPressMsg{Code: rune("kj"[i/50%2]), Text: "kj"[i/50%2:][:1]})
	}
	took := time.Since(begin)
	cancel()
	require.NoError(b, keys.Close())
	wg.Wait()
	slices.Sort(p.took)
	b.ReportMetric(float64(p.took[len(p.took)/2].Microseconds()), "p50-us")
	b.ReportMetric(float64(p.took[len(p.took)*99/100].Microseconds()), "p99-us")
	b.ReportMetric(float64(rows)/took.Seconds(), "rows/s")
}

// produce appends rows at a rate until ctx is done, and returns their number.
func produce(ctx context.Context, log session.Log, rate int) int {
	batch := make([]session.Entry, rate/1000)
	for i := range batch {
		batch[i] = uitest.TrafficEntry(2*i + 1)
		batch[i].Msg.Kind = framing.Notification // nothing to pair
	}
	rows, begin := 0, time.Now()
	for ctx.Err() == nil {
		due := int(time.Since(begin).Seconds() * float64(rate))
		if rows >= due {
			time.Sleep(time.Millisecond)
			continue
		}
		for i := range batch {
			batch[i].N, batch[i].T = 0, 0
		}
		if log.Append(batch) != nil {
			return rows
		}
		rows += len(batch)
	}
	return rows
}
