package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/recordings/compare"
	"mcpdbg/recordings/replay"
	"mcpdbg/session"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/theme"
)

// Again is a command that a recording tells of, to be started once more.
type Again struct {
	// Header is that of the recording: where it ran.
	Header session.Header
	// File is the path of the recording, as Opened.File has it; "" for a session.
	File string
	// EnvPolicy is which variables the process got besides named ones, as the
	// recording says; "" if it does not.
	EnvPolicy string
	// Argv is the command, in which values that are in no recording stand as
	// ${NAME}.
	Argv []string
	// Values are what the person gave for names; those of Named without one are
	// taken from this environment.
	Values map[string]string
	// Named are the variables that the process is given by name.
	Named []string
	// Configure has the last word on the session.
	Configure func(*session.Config)
}

// A replaying is a replay under way, in the session that it made.
type replaying struct {
	of     *subject // the recording
	plan   *replay.Plan
	stop   context.CancelFunc
	opened chan error // the end of the start
	done   atomic.Int64
	now    atomic.Pointer[string]
}

// startAgain has the command started, and the plan run in the new session.
func (a *App) startAgain(g *again, argv []string) tea.Cmd {
	ctx, stop := context.WithCancel(a.ctx)
	g.starting, g.stop, g.wrong = true, stop, ""
	launcher, source, opts := a.opts.Launcher, g.of.log, g.options()
	order := Again{Header: g.header, File: g.of.path, EnvPolicy: g.env.Policy, Argv: argv, Named: g.env.Named, Values: map[string]string{}}
	for i, name := range g.names {
		if len(g.values[i].text) > 0 {
			order.Values[name] = string(g.values[i].text)
		}
	}
	return func() tea.Msg {
		plan, err := replay.New(ctx, source, opts)
		var opened Opened
		if err == nil {
			order.Configure = plan.Configure
			opened, err = launcher.Again(ctx, order)
		}
		return result{then: func(a *App) tea.Cmd {
			g.starting = false
			switch {
			case err != nil && ctx.Err() == nil:
				g.wrong = err.Error()
				return nil
			case err != nil:
				return nil
			case ctx.Err() != nil:
				return a.end(&subject{title: opened.Title, session: opened.Session, release: opened.Close})
			}
			for _, f := range g.values {
				f.wipe()
			}
			a.remove(g)
			return a.addReplay(ctx, &replaying{of: g.of, plan: plan, stop: stop, opened: make(chan error, 1)}, opened)
		}}
	}
}

// addReplay shows the new session, and runs the plan in it once it is open.
func (a *App) addReplay(ctx context.Context, r *replaying, opened Opened) tea.Cmd {
	start := opened.Start
	opened.Start = func(ctx context.Context) error {
		err := start(ctx)
		r.opened <- err
		return err
	}
	added := a.add(opened)
	s := a.subject
	s.replay = r
	return tea.Batch(added, s.tagged(func() tea.Msg {
		res, err := r.run(ctx, s.session)
		given := ctx.Err() != nil
		r.stop()
		return result{then: func(a *App) tea.Cmd { return a.replayed(s, res, err, given) }}
	}))
}

// errNotOpened says that the server was not started; that is told already.
var errNotOpened = errors.New("the server was not started")

// run waits for the session and replays.
func (r *replaying) run(ctx context.Context, s *session.Session) (*replay.Result, error) {
	select {
	case err := <-r.opened:
		if err != nil {
			return nil, errNotOpened
		}
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	s.Note("replay of "+r.of.log.Header().ID, "")
	return r.plan.Run(ctx, s, r.heard)
}

// heard takes a step of the replay, on another goroutine.
func (r *replaying) heard(e replay.Event) {
	switch e.Step {
	case replay.StepSettled:
		r.done.Add(1)
	case replay.StepSent:
		it := r.plan.Items()[e.Item]
		text := strings.TrimSpace(it.Method + " " + it.Tool)
		r.now.Store(&text)
	}
}

// replayed shows what a replay came to: the comparison with the recording.
func (a *App) replayed(s *subject, res *replay.Result, err error, given bool) tea.Cmd {
	r := s.replay
	s.replay, a.stale = nil, true
	cmd := a.refresh()
	switch {
	case errors.Is(err, errNotOpened):
		return cmd
	case given:
		a.complain(fmt.Sprintf("the replay was given up after %d of %d", r.done.Load(), len(r.plan.Items())))
		return cmd
	case err != nil:
		a.complain("replay: " + err.Error())
		return cmd
	}
	opts := compare.Options{Skip: r.plan.LeftOut(res), SkipB: res.Added()}
	opts.Rules = ruleList(res.Rules())
	return tea.Batch(cmd, a.compareWith(r.of, s, opts, saidOf(r.plan, res)))
}

// saidOf tells what a replay came to besides its answers.
func saidOf(plan *replay.Plan, res *replay.Result) []string {
	var parts []string
	for _, status := range []replay.Status{replay.Answered, replay.Sent, replay.Unanswered, replay.Missing, replay.Lost, replay.Skipped} {
		if n := res.Count(status); n > 0 {
			name := map[replay.Status]string{replay.Missing: "not answered in time", replay.Skipped: "held back", replay.Lost: "lost", replay.Unanswered: "unanswered as recorded"}[status]
			if name == "" {
				name = status.String()
			}
			parts = append(parts, fmt.Sprintf("%s %s", paint.Thousands(n), name))
		}
	}
	said := []string{"replayed: " + strings.Join(parts, ", ")}
	if n := len(res.Variables); n > 0 {
		said[0] += fmt.Sprintf("; %s values carried over", paint.Thousands(n))
	}
	if n := len(res.Asked); n > 0 {
		said[0] += fmt.Sprintf("; the server asked %s things that the recording has no answer to", paint.Thousands(n))
	}
	if n := len(res.Unasked); n > 0 {
		said[0] += fmt.Sprintf("; it did not ask %s things that it had asked", paint.Thousands(n))
	}
	if res.EraDiffers() {
		said = append(said, fmt.Sprintf("the server speaks the %s era, the recorded one spoke the %s era", res.Live, res.Recorded))
	}
	if res.Lost != nil {
		said = append(said, "lost: "+res.Lost.Error())
	}
	return said
}

// paint paints how far a replay is, and the key that ends it.
func (r *replaying) paint(a *App, l *paint.Line) {
	l.Text(a.theme.Request, " > ")
	l.Text(a.theme.Strong, "replay")
	done, all := int(r.done.Load()), len(r.plan.Items())
	const cells = 20
	full := between(0, done*cells/max(all, 1), cells)
	l.Text(theme.Style{}, "  ")
	l.Text(a.theme.OK, "["+strings.Repeat("#", full)+strings.Repeat("-", cells-full)+"] ")
	l.Text(a.theme.Text, fmt.Sprintf("%s of %s", paint.Thousands(done), paint.Thousands(all)))
	if now := r.now.Load(); now != nil {
		l.Text(a.theme.Dim, "  "+*now)
	}
	l.Text(theme.Style{}, "  ")
	l.Text(a.theme.Key, a.keyOf(actBack))
	l.Text(a.theme.Text, " gives up")
}
