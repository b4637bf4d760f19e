package ui

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"mcpdbg/ui/uitest"

	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/grid"
	"mcpdbg/ui/workspace"
)

// A fakeRun is a run over targets that a test controls.
type fakeRun struct {
	mu      sync.Mutex
	rows    []grid.Row
	about   []grid.Fact
	totals  grid.Totals // except those that can be counted
	changed chan struct{}
	stopped int
	fails   error
	opened  []int
	fresh   []int
	source  session.Source // of every recording
	t       testing.TB
}

var (
	farPhases  = []string{"resolve", "connect", "host-key", "auth", "start", "handshake", "list", "scenario", "shutdown"}
	herePhases = farPhases[4:]
)

// newFakeRun returns a run over n hosts, none of them started.
func newFakeRun(t testing.TB, n int) *fakeRun {
	r := &fakeRun{t: t, changed: make(chan struct{}), totals: grid.Totals{Newest: -1}}
	for i := range n {
		row := grid.Row{Host: fmt.Sprintf("host-%03d.example", i+1), Server: "everything", Phases: farPhases}
		if i == 0 {
			row.Host, row.Phases = "local", herePhases
		}
		r.rows = append(r.rows, row)
	}
	return r
}

func (r *fakeRun) Len() int { return len(r.rows) }

func (r *fakeRun) Row(i int) grid.Row {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rows[i]
}

func (r *fakeRun) About(i int) []grid.Fact {
	if r.rows[i].State == grid.Waiting {
		return nil
	}
	return append([]grid.Fact{{Label: "server", Text: "mcp-servers/everything 2.0.0, 2025-11-25 legacy"}, {Label: "times", Text: "connect 81 ms, auth 40 ms, start 12 ms"}}, r.about...)
}

func (r *fakeRun) Totals() grid.Totals {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.totals
	causes := map[string]int{}
	for i := range r.rows {
		switch r.rows[i].State {
		case grid.Waiting:
			t.Waiting++
		case grid.Running:
			t.Running++
		case grid.Passed:
			t.Passed++
		case grid.Failed:
			t.Failed++
			causes[r.rows[i].Cause]++
		case grid.Cancelled:
			t.Cancelled++
		}
	}
	for _, name := range []string{"connect", "auth", "handshake", "timeout"} {
		if n := causes[name]; n > 0 {
			t.Causes = append(t.Causes, grid.Count{Name: name, N: n})
		}
	}
	return t
}

func (r *fakeRun) Changed() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed
}

// set changes the run and signals the change.
func (r *fakeRun) set(change func(r *fakeRun)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(r)
	close(r.changed)
	r.changed = make(chan struct{})
}

// begin starts targets, up to one.
func (r *fakeRun) begin(upTo int) {
	r.set(func(r *fakeRun) {
		for i := range r.rows[:upTo+1] {
			if row := &r.rows[i]; row.State == grid.Waiting {
				row.State, row.Phase, row.Attempt = grid.Running, farPhases[i%5+4], 1
				row.Took, row.InPhase = time.Duration(i%7)*400*time.Millisecond, time.Duration(i%5)*time.Second
				row.Recording = fmt.Sprintf("/state/mcpdbg/recordings/smoke/%s.jsonl", row.Host)
			}
		}
		r.totals.Newest = upTo
	})
}

// end ends targets: most pass.
func (r *fakeRun) end(from, to int) {
	r.set(func(r *fakeRun) {
		for i := from; i < to; i++ {
			row := &r.rows[i]
			row.State, row.Phase, row.Took = grid.Passed, "", time.Duration(i*37%9000)*time.Millisecond
			row.Message = "12 tools, 3 resources"
			switch i % 12 {
			case 3:
				row.State, row.Phase, row.Cause, row.Message = grid.Failed, "connect", "connect", "dial tcp 10.0.0.7:22: connect: connection refused"
			case 5:
				row.State, row.Phase, row.Cause, row.Message = grid.Failed, "auth", "auth", "no login as deploy: publickey was refused"
			case 9:
				row.State, row.Phase, row.Cause, row.Message = grid.Failed, "handshake", "timeout", "no answer to initialize in 30 s"
			}
		}
	})
}

// over ends the whole run.
func (r *fakeRun) over() {
	r.set(func(r *fakeRun) {
		for i := range r.rows {
			if row := &r.rows[i]; !row.State.Ended() {
				row.State, row.Message = grid.Cancelled, "the run was ended"
			}
		}
		r.totals.Over = true
		r.totals.Facts = []grid.Fact{{Label: "json", Text: "smoke.json"}, {Label: "junit", Text: "report.xml: no space left on device", Bad: true}, {Label: "exit code", Text: "1"}}
	})
}

func (r *fakeRun) run() *host.GridRun {
	return &host.GridRun{
		Source: r, Title: "npx -y @modelcontextprotocol/server-everything stdio",
		Open: func(_ context.Context, i int) (workspace.Opened, error) {
			r.opened = append(r.opened, i)
			return workspace.Opened{Source: r.source, Title: r.rows[i].Host + ".jsonl"}, r.fails
		},
		StartNew: func(_ context.Context, i int) (workspace.Opened, error) {
			r.fresh = append(r.fresh, i)
			if r.fails != nil {
				return workspace.Opened{}, r.fails
			}
			s, _ := newSession(r.t, newLog(r.t), echo)
			return workspace.Opened{Session: s, Title: "everything (" + r.rows[i].Host + ")", Start: s.Open}, nil
		},
		Stop: func() { r.stopped++ },
	}
}

// halfway is a run of 200 targets, half finished.
func halfway(t testing.TB) *fakeRun {
	r := newFakeRun(t, 200)
	r.begin(159)
	r.end(0, 143)
	r.totals.Took = 7 * time.Second
	r.rows[150].Attempt = 2
	r.rows[154].FailedIn = "auth"
	return r
}

func TestGridFrames(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}, {40, 10}} {
		for _, color := range []bool{true, false} {
			r := halfway(t)
			d := drive(t, Options{Grid: r.run(), Settings: Settings{ASCII: size[0] == 60}, NoColor: !color}, size[0], size[1])
			name := fmt.Sprintf("%dx%d", size[0], size[1])
			if !color {
				name += "-nocolor"
			}
			requireExact(t, d.content(), size[0], size[1])
			uitest.Golden(t, "grid-middle-"+name, d.content())
			r.begin(199)
			r.end(143, 200)
			r.totals.Took = 31 * time.Second
			r.over()
			d.take(gridChanged{})
			requireExact(t, d.content(), size[0], size[1])
			uitest.Golden(t, "grid-end-"+name, d.content())
		}
	}
}
