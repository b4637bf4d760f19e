package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	diff "mcpdbg/recordings/compare"
	"mcpdbg/recordings/match"
	replayer "mcpdbg/recordings/replay"
	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/workspace"
)

// A State is the replay of one session. Its exported fields are set by the shell.
type State struct {
	// Launcher starts the command; nil if servers cannot be started.
	Launcher host.Launcher
	// Add shows a session, and runs what run returns in it. state is that of the new
	// session.
	Add func(c host.Context, o workspace.Opened, run func(c host.Context, state *State) tea.Cmd) tea.Cmd
	// Compare shows the comparison of two sessions, below further lines.
	Compare func(c host.Context, one, other *workspace.Workspace, opts diff.Options, extra []string) tea.Cmd
	// Slow is the time from which calls are slow; 0 means by the median.
	Slow time.Duration

	running *running // nil if none is running
}

// Running reports whether a replay runs in the session.
func (s *State) Running() bool { return s.running != nil }

// Stop cancels the running replay.
func (s *State) Stop() { s.running.stop() }

type running struct {
	of     *workspace.Workspace // the recording
	plan   *replayer.Plan
	stop   context.CancelFunc
	opened chan error // receives the result of the start
	done   atomic.Int64
	now    atomic.Pointer[string]
}

func (v *view) start(c host.Context, argv []string) tea.Cmd {
	ctx, stop := context.WithCancel(c.Host.Lifetime())
	v.starting, v.stop, v.failure = true, stop, ""
	launcher, source, opts := v.state.Launcher, v.of.Log, v.options()
	order := host.Rerun{Header: v.header, File: v.of.Path, EnvPolicy: v.env.Policy, Argv: argv, Named: v.env.Named, Values: map[string]string{}}
	for i, name := range v.names {
		if len(v.values[i].Text) > 0 {
			order.Values[name] = string(v.values[i].Text)
		}
	}
	items, named := v.items, v.isNamed()
	return func() tea.Msg {
		plan, err := replayer.New(ctx, source, opts)
		var opened workspace.Opened
		if err == nil {
			if items != nil {
				plan = plan.Choose(items, named)
			}
			order.Configure = plan.Configure
			opened, err = launcher.Again(ctx, order)
		}
		return host.Result{Then: func(c host.Context) tea.Cmd {
			v.starting = false
			switch {
			case err != nil && ctx.Err() == nil:
				v.failure = err.Error()
				return nil
			case err != nil:
				return nil
			case ctx.Err() != nil:
				return host.End(c, opened.Title, opened)
			}
			for _, f := range v.values {
				f.Wipe()
			}
			c.Host.Close(v)
			r := &running{of: v.of, plan: plan, stop: stop, opened: make(chan error, 1)}
			start := opened.Start
			opened.Start = func(ctx context.Context) error {
				err := start(ctx)
				r.opened <- err
				return err
			}
			return v.state.Add(c, opened, func(c host.Context, state *State) tea.Cmd { return state.run(ctx, c.Workspace.Session, r) })
		}}
	}
}

// run runs a replay in a new session, once that is open.
func (s *State) run(ctx context.Context, in *session.Session, r *running) tea.Cmd {
	s.running = r
	return func() tea.Msg {
		res, err := r.run(ctx, in)
		cancelled := ctx.Err() != nil
		r.stop()
		return host.Result{Then: func(c host.Context) tea.Cmd { return s.replayed(c, res, err, cancelled) }}
	}
}

// The server was not started; the user has seen why.
var errNotOpened = errors.New("the server was not started")

func (r *running) run(ctx context.Context, s *session.Session) (*replayer.Result, error) {
	select {
	case err := <-r.opened:
		if err != nil {
			return nil, errNotOpened
		}
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	s.Note("replay of "+r.of.Log.Header().ID, "")
	return r.plan.Run(ctx, s, r.progress)
}

// progress receives a step of the replay, on another goroutine.
func (r *running) progress(e replayer.Event) {
	switch e.Step {
	case replayer.StepSettled:
		r.done.Add(1)
	case replayer.StepSent:
		it := r.plan.Items()[e.Item]
		text := strings.TrimSpace(it.Method + " " + it.Tool)
		r.now.Store(&text)
	}
}

func (s *State) replayed(c host.Context, res *replayer.Result, err error, cancelled bool) tea.Cmd {
	r := s.running
	s.running = nil
	c.Host.Redraw()
	cmd := c.Panes().Refresh()
	switch {
	case errors.Is(err, errNotOpened):
		return cmd
	case cancelled:
		c.Host.Warn(fmt.Sprintf("run again cancelled after %d of %d messages", r.done.Load(), len(r.plan.Items())))
		return cmd
	case err != nil:
		c.Host.Warn("run again: " + err.Error())
		return cmd
	}
	opts := diff.Options{Partial: r.plan.Partial(), Skip: r.plan.SkipRecorded(res), SkipB: res.SkipLive()}
	opts.Rules = ruleList(res.Rules())
	return tea.Batch(cmd, s.Compare(c, r.of, c.Workspace, opts, outcome(r.plan, res)))
}

// unsent names the tools that were not called.
func unsent(plan *replayer.Plan, res *replayer.Result) string {
	var tools []string
	for i, o := range res.Outcomes {
		if tool := plan.Items()[i].Tool; o.Status == replayer.Skipped && strings.HasSuffix(o.Why, "as read-only") && tool != "" && !slices.Contains(tools, tool) {
			tools = append(tools, tool)
		}
	}
	if len(tools) == 0 {
		return ""
	}
	more := ""
	if len(tools) > shownTools {
		tools, more = tools[:shownTools], ", …"
	}
	return " (" + strings.Join(tools, ", ") + more + ": not marked read-only)"
}

// shownTools is how many tools that were not called are named.
const shownTools = 3

func outcome(plan *replayer.Plan, res *replayer.Result) []string {
	var parts []string
	for _, status := range []replayer.Status{replayer.Answered, replayer.Sent, replayer.Unanswered, replayer.Missing, replayer.Lost, replayer.Skipped} {
		n := res.Count(status)
		if status == replayer.Skipped {
			n -= plan.Unchosen()
		}
		if n > 0 {
			name := map[replayer.Status]string{replayer.Missing: "timed out", replayer.Skipped: "not sent", replayer.Lost: "lost", replayer.Unanswered: "unanswered as recorded"}[status]
			if name == "" {
				name = status.String()
			}
			parts = append(parts, fmt.Sprintf("%s %s", wording.Thousands(n), name))
		}
	}
	lines := []string{"run again: " + strings.Join(parts, ", ") + unsent(plan, res)}
	if n := len(res.Variables); n > 0 {
		lines[0] += fmt.Sprintf("; %s values carried over", wording.Thousands(n))
	}
	if n := len(res.NewServerRequests); n > 0 {
		lines[0] += fmt.Sprintf("; %s server requests without a recorded response", wording.Thousands(n))
	}
	if n := len(res.MissingServerRequests); n > 0 {
		lines[0] += fmt.Sprintf("; %s recorded server requests not repeated", wording.Thousands(n))
	}
	if res.EraDiffers() {
		lines = append(lines, "the server speaks another revision of the protocol than the recording")
	}
	if res.Lost != nil {
		lines = append(lines, "connection lost: "+res.Lost.Error())
	}
	return lines
}

// Paint paints the progress of the running replay, and the key that cancels it.
func (s *State) Paint(c host.Context, l *paint.Line) {
	r, th := s.running, c.Host.Screen().Theme
	l.Text(th.Accent, " > ")
	l.Text(th.Strong, "run again")
	done, all := int(r.done.Load()), len(r.plan.Items())
	l.Text(paint.Style{}, "  ")
	c.Host.Screen().PaintProgress(l, float64(done)/float64(max(all, 1)))
	l.Text(th.Text, fmt.Sprintf("  %s of %s", wording.Thousands(done), wording.Thousands(all)))
	if now := r.now.Load(); now != nil {
		l.Text(th.Dim, "  "+*now)
	}
	l.Text(paint.Style{}, "  ")
	l.Text(th.Accent, c.Host.Key(host.ActBack))
	l.Text(th.Text, " cancels")
}

// ruleList returns nil if there are no rules.
func ruleList(rules []match.Rule) *match.Rules {
	if len(rules) == 0 {
		return nil
	}
	return &match.Rules{List: rules}
}
