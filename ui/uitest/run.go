package uitest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/grid"
	"mcpdbg/ui/workspace"
)

// A Run is a smoke run over many targets that a test controls. Its methods may be called
// while the interface reads it.
type Run struct {
	Rows    []grid.Row
	Facts   []grid.Fact    // about each target
	Sum     grid.Totals    // except the numbers that can be counted
	Source  session.Source // of every recording
	Fails   error          // of opening
	Stopped int            // how often it was stopped
	Opened  []int          // targets whose recording was opened
	Fresh   []int          // targets whose server was started

	mu      sync.Mutex
	changed chan struct{}
	t       testing.TB
}

var (
	farPhases  = []string{"resolve", "connect", "host-key", "auth", "start", "handshake", "list", "scenario", "shutdown"}
	herePhases = farPhases[4:]
)

// NewRun returns a run over n hosts, none of them started.
func NewRun(t testing.TB, n int) *Run {
	r := &Run{t: t, changed: make(chan struct{}), Sum: grid.Totals{Newest: -1}}
	for i := range n {
		row := grid.Row{Host: fmt.Sprintf("host-%03d.example", i+1), Server: "everything", Phases: farPhases}
		if i == 0 {
			row.Host, row.Phases = "local", herePhases
		}
		r.Rows = append(r.Rows, row)
	}
	return r
}

// Len implements grid.Source.
func (r *Run) Len() int { return len(r.Rows) }

// Row implements grid.Source.
func (r *Run) Row(i int) grid.Row {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.Rows[i]
}

// About implements grid.Source.
func (r *Run) About(i int) []grid.Fact {
	if r.Rows[i].State == grid.Waiting {
		return nil
	}
	return append([]grid.Fact{{Label: "server", Text: "mcp-servers/everything 2.0.0, 2025-11-25"}, {Label: "times", Text: "connect 81 ms, auth 40 ms, start 12 ms"}}, r.Facts...)
}

// Totals implements grid.Source.
func (r *Run) Totals() grid.Totals {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.Sum
	causes := map[string]int{}
	for i := range r.Rows {
		switch r.Rows[i].State {
		case grid.Waiting:
			t.Waiting++
		case grid.Running:
			t.Running++
		case grid.Passed:
			t.Passed++
		case grid.Unsure:
			t.Unsure++
		case grid.Failed:
			t.Failed++
			causes[r.Rows[i].Cause]++
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

// Changed implements grid.Source.
func (r *Run) Changed() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed
}

// Set changes the run and signals the change.
func (r *Run) Set(change func(r *Run)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(r)
	close(r.changed)
	r.changed = make(chan struct{})
}

// Begin starts targets, up to one.
func (r *Run) Begin(upTo int) {
	r.Set(func(r *Run) {
		for i := range r.Rows[:upTo+1] {
			if row := &r.Rows[i]; row.State == grid.Waiting {
				row.State, row.Phase, row.Attempt = grid.Running, farPhases[i%5+4], 1
				row.Took, row.InPhase = time.Duration(i%7)*400*time.Millisecond, time.Duration(i%5)*time.Second
				row.Recording = fmt.Sprintf("/state/mcpdbg/recordings/smoke/%s.jsonl", row.Host)
			}
		}
		r.Sum.Newest = upTo
	})
}

// End ends targets: most pass.
func (r *Run) End(from, to int) {
	r.Set(func(r *Run) {
		for i := from; i < to; i++ {
			row := &r.Rows[i]
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

// Finish ends the whole run.
func (r *Run) Finish() {
	r.Set(func(r *Run) {
		for i := range r.Rows {
			if row := &r.Rows[i]; !row.State.Ended() {
				row.State, row.Message = grid.Cancelled, "the run was ended"
			}
		}
		r.Sum.Over, r.Sum.OK = true, true
		for i := range r.Rows {
			r.Sum.OK = r.Sum.OK && (r.Rows[i].State == grid.Passed || r.Rows[i].State == grid.Unsure)
		}
		r.Sum.Facts = []grid.Fact{{Label: "json", Text: "smoke.json"}, {Label: "junit", Text: "report.xml: no space left on device", Bad: true}, {Label: "exit code", Text: "1"}}
	})
}

// Grid returns the run as the interface gets it.
func (r *Run) Grid() *host.GridRun {
	return &host.GridRun{
		Source: r, Title: "npx -y @modelcontextprotocol/server-everything stdio",
		Open: func(_ context.Context, i int) (workspace.Opened, error) {
			r.Opened = append(r.Opened, i)
			return workspace.Opened{Source: r.Source, Title: r.Rows[i].Host + ".jsonl"}, r.Fails
		},
		StartNew: func(_ context.Context, i int) (workspace.Opened, error) {
			r.Fresh = append(r.Fresh, i)
			if r.Fails != nil {
				return workspace.Opened{}, r.Fails
			}
			s := NewSession(r.t, &Server{Serve: Echo})
			return workspace.Opened{Session: s, Title: "everything (" + r.Rows[i].Host + ")", Start: s.Open}, nil
		},
		Stop: func() { r.Stopped++ },
	}
}

// Halfway is a run of 200 targets, half finished.
func Halfway(t testing.TB) *Run {
	r := NewRun(t, 200)
	r.Begin(159)
	r.End(0, 143)
	r.Sum.Took = 7 * time.Second
	r.Rows[150].Attempt = 2
	r.Rows[154].FailedIn = "auth"
	return r
}

// SomeItems returns items that a Launcher may find.
func SomeItems() host.Home {
	return host.Home{
		Items: []host.Item{
			{Kind: host.ServerItem, Key: "1", Name: "everything", From: "Claude Desktop ~/.config/Claude/claude_desktop_config.json", Where: "local", Command: "npx -y @modelcontextprotocol/server-everything stdio"},
			{Kind: host.ServerItem, Key: "2", Name: "weather", From: "VS Code .vscode/mcp.json", Where: "build-7", Command: "weather --key ${KEY}", Notes: []string{"an unknown variable ${input:x} was left"}, Inputs: []host.Input{
				{ID: "region", Description: "Where to look", Options: []string{"eu", "us"}, Default: "eu"},
				{ID: "key", Description: "The key of the service", Secret: true},
			}},
			{Kind: host.ServerItem, Key: "3", Name: "remote", From: "Cursor ~/.cursor/mcp.json", Where: "", Command: "https://example.com/mcp", Blocked: "HTTP is not supported yet"},
			{Kind: host.RecordingItem, Key: "4", Name: "files", When: began.Add(-3 * time.Minute)},
			{Kind: host.RecordingItem, Key: "5", Name: "weather", When: began.Add(-2 * time.Hour)},
			{Kind: host.RecordingItem, Key: "7", Name: "everything", When: began.Add(-4 * time.Hour)},
			{Kind: host.RecordingItem, Key: "8", Name: "everything", When: began.Add(-4*time.Hour - 5*time.Minute)},
			{Kind: host.RecordingItem, Key: "9", Name: "notes", When: began.Add(-100 * 24 * time.Hour)},
			{Kind: host.DemoItem, Key: "6", Name: "demo server", Where: "local", Command: "mcpdbg demo-server"},
		},
		Notes: []string{"~/.codex/config.toml can't be read: line 3: a key without a value"},
	}
}

// began is the time at which tests begin.
var began = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// lookedAt has what the files of the recordings say.
var lookedAt = map[string]host.Item{
	"4": {Name: "files --root /srv", Where: "local", Command: "/usr/bin/files --root /srv", Words: []string{"--ssh", "build-7", "/usr/bin/files", "--root", "/s r v"}, Size: 18_637, Live: true},
	"5": {Name: "build-7: weather", Where: "build-7", Command: "weather", Size: 1_200_000, Long: 90 * time.Second, Counted: true, Sent: 400, Received: 12, Errors: 3, Verdict: "the server exited with code 1 before it answered, after 1 ms"},
	"7": {Name: "server-everything stdio", Where: "local", Command: "npx -y @modelcontextprotocol/server-everything stdio", Size: 9_000, Long: 2 * time.Second, Counted: true, Sent: 8, Received: 11, Verdict: host.VerdictOK},
	"8": {Name: "server-everything stdio", Where: "local", Command: "npx -y @modelcontextprotocol/server-everything stdio", Size: 9_000, Long: time.Second, Counted: true, Sent: 8, Received: 11, Verdict: host.VerdictOK},
	"9": {Name: "notes", Where: "local", Command: "notes", Size: 200, Counted: true, Errors: 1},
}

// Look returns an item of SomeItems with what its file says; whole adds the likeliest
// cause.
func Look(item host.Item, whole bool) host.Item {
	looked := lookedAt[item.Key]
	looked.Kind, looked.Key, looked.When, looked.From = item.Kind, item.Key, item.When, "~/recordings/"+item.Key+".jsonl"
	if !whole {
		looked.Verdict = ""
	}
	return looked
}
