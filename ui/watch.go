package ui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/recordings/rerun"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/theme"
)

// A Watch has the server of a session started again when files change. Its
// functions are called from goroutines of the interface.
type Watch struct {
	// What says what is watched.
	What string
	// Doing says what is run before the server is started again, such as "runs
	// make: main.go changed"; "" while nothing is. It must not block.
	Doing func() string
	// Next waits for a change and says what it was, such as "main.go changed". An
	// error ends the watch.
	Next func(context.Context) (cause string, err error)
	// Again starts the server again for a cause and asks it the same. A *BuildError
	// leaves the server as it was.
	Again func(ctx context.Context, cause string) (*rerun.Round, error)
	// Rest sends what the last round did not, because it may have side effects.
	Rest func(context.Context) (*rerun.Round, error)
	// Always has calls of tools sent in each round from now on, and sends them.
	Always func(ctx context.Context, tools []string) (*rerun.Round, error)
}

// A watching is a Watch at work on a subject.
type watching struct {
	*Watch
	ctx     context.Context // ends when the subject is shown no more
	paused  bool
	busy    bool // a round is under way
	next    string
	cause   string      // of the last round
	held    []string    // what the last round did not send: it may have side effects
	tools   []string    // those of held that are tools
	failed  bool        // it has not come to its end
	outcome outcome     // of one that has
	unbuilt *BuildError // why the last one did not begin

	restarts atomic.Int64
}

// filesChanged says that files have changed.
type filesChanged struct{ cause string }

// listen sends changes until the subject is gone or the watch ends.
func (w *watching) listen(send func(filesChanged)) {
	for {
		cause, err := w.Next(w.ctx)
		if err != nil {
			return
		}
		send(filesChanged{cause})
	}
}

// filesChanged begins a round, or notes that one is due: one, however much
// changes till then.
func (a *App) filesChanged(cause string) tea.Cmd {
	w := a.watching
	if w == nil {
		return nil
	}
	w.next = cause
	switch {
	case w.paused:
		a.say(cause + "; " + a.keyOf(actWatchPause) + " goes on with the watch")
	case w.busy || a.starting:
		a.say(cause + ": once more when the server is there")
	}
	a.stale = true
	return a.dueRound()
}

// dueRound begins the round that is due, if one can begin now.
func (a *App) dueRound() tea.Cmd {
	w := a.watching
	if w == nil || w.next == "" || w.paused || w.busy || a.starting {
		return nil
	}
	cause := w.next
	w.next = ""
	return a.restartFor(cause)
}

// restartFor begins a round with another process.
func (a *App) restartFor(cause string) tea.Cmd {
	w := a.watching
	return a.runRound(cause, func(ctx context.Context) (*rerun.Round, error) {
		round, err := w.Again(ctx, cause)
		if err == nil {
			w.restarts.Add(1)
		}
		return round, err
	})
}

// runRound runs a round in the background. What starts a server is held off
// meanwhile.
func (a *App) runRound(cause string, run func(context.Context) (*rerun.Round, error)) tea.Cmd {
	w := a.watching
	ctx, stop := context.WithCancel(w.ctx)
	w.busy, w.cause, a.starting, a.stop, a.stale = true, cause, true, stop, true
	return func() tea.Msg {
		round, err := run(ctx)
		stop()
		return result{then: func(a *App) tea.Cmd { return a.roundOver(round, err) }}
	}
}

// maxHeldText is how much is said of calls that were not re-sent, in characters.
const maxHeldText = 40

// roundOver shows what a round came to.
func (a *App) roundOver(round *rerun.Round, err error) tea.Cmd {
	w := a.watching
	w.busy, w.failed, w.unbuilt, a.starting, a.stale = false, err != nil, nil, false, true
	if errors.As(err, &w.unbuilt) {
		w.cause = w.unbuilt.Cause
	}
	if a.dialog != nil && (a.dialog.aboutWatch || err == nil && a.dialog.failedStart) {
		a.dialog = nil // it tells of what was
	}
	a.trouble.told.fresh = false
	cmd := a.refresh()
	if err != nil {
		a.complain(w.cause + ": " + roundError(err))
		return tea.Batch(cmd, a.dueRound())
	}
	w.cause, w.held, w.tools, w.outcome = round.Cause, round.Held, round.Tools, a.outcomeOf(round)
	text := round.Summary()
	var keys []string
	if round.Differs() {
		text = whatChanged(round)
		keys = append(keys, a.keyOf(actCompare)+" shows it")
	}
	if len(w.held) > 0 {
		keys = append(keys, a.keyOf(actWatchRest)+" sends "+brief(strings.Join(w.held, ", "), maxHeldText))
	}
	if len(w.tools) > 0 {
		keys = append(keys, a.keyOf(actWatchAlways)+" always")
	}
	lead := w.cause
	if len(keys) > 0 {
		lead += "; " + strings.Join(keys, ", ")
	}
	a.say(lead + ": " + text)
	if round.Report != nil {
		cmd = tea.Batch(cmd, a.showRound(round))
	}
	return tea.Batch(cmd, a.dueRound())
}

// An outcome is what a round came to, for the header.
type outcome struct {
	text  string // a few words
	style theme.Style
}

// outcomeOf is what a round came to. Answers are the same only if all were asked
// for.
func (a *App) outcomeOf(round *rerun.Round) outcome {
	o := outcome{style: a.theme.OK}
	switch {
	case round.Result.Lost != nil:
		return outcome{"server gone", a.theme.Error}
	case round.Report == nil:
		o.text = "nothing to compare"
	case round.Differs():
		o.text = "differs"
		if n := round.Report.Compared - round.Report.Equal; n > 0 {
			o.text = fmt.Sprintf("%d changed", n)
		}
	case round.Unsent() > 0: // which counts for more than what is the same
	case round.Older:
		o.text = "same answers to the last " + howMany(round.Sent(), "call")
	default:
		o.text = "same answers"
	}
	if n := round.Unsent(); n > 0 {
		if o.text != "" {
			o.text += ", "
		}
		o.text += howMany(n, "call") + " not re-sent"
		if len(round.Held) > 0 {
			o.text += " (" + a.keyOf(actWatchRest) + ")"
		}
		o.style = a.theme.Warn
	}
	return o
}

// whatChanged is the change of a round that has but one, else their number.
func whatChanged(round *rerun.Round) string {
	if changes := round.Changes(); len(changes) == 1 && round.Unsent() == 0 {
		return changes[0]
	}
	return round.Summary()
}

// roundError says in a line why a round has failed: the rest is on the screen.
func roundError(err error) string {
	var open *session.OpenError
	switch {
	case errors.Is(err, context.Canceled):
		return "given up"
	case errors.As(err, &open):
		return "not started, the next change tries again: " + open.Error()
	}
	return err.Error()
}

// showRound makes the comparison of a round the one that compare goes to. One of
// the round before that is on the screen gives way to it.
func (a *App) showRound(round *rerun.Round) tea.Cmd {
	s := a.subject
	v := &comparing{
		a: s, b: s, logs: [2]session.Source{round.Before, round.After}, names: [2]string{"before", "after " + a.watching.cause},
		opts: round.Options, said: []string{round.Summary(), round.Times()}, file: "mcpdbg.rules", beside: besideView{pair: -1}, round: true,
	}
	v.makeTables(a)
	if was, ok := a.top().(*comparing); ok && was.round && was.a == s {
		v.list, v.only, v.reveal, v.rules, v.file = was.list, was.only, was.reveal, was.rules, was.file
		was.giveUp()
		a.remove(was)
		a.push(v)
	}
	a.compared = v
	return v.compare(a)
}

// watchPart says in the header that files are watched, and what came of it.
func (a *App) watchPart() part {
	w := a.watching
	if w == nil {
		return part{}
	}
	p := part{text: "WATCH", style: a.theme.OK, priority: 72}
	switch {
	case w.paused:
		p.text, p.style = "WATCH paused", a.theme.Warn
		return p
	case w.busy:
		p.text, p.short, p.style = "WATCH ... "+w.cause, "WATCH ...", a.theme.Warn
		if w.Doing != nil && w.Doing() != "" {
			p.text, p.short = "WATCH "+w.Doing(), "WATCH builds"
		}
	case w.unbuilt != nil:
		p.text, p.short, p.style = "WATCH not built: "+w.cause, "WATCH not built", a.theme.Error
	case w.failed:
		p.text, p.short, p.style = "WATCH failed: "+w.cause, "WATCH failed", a.theme.Error
	case w.cause != "":
		p.short = fmt.Sprintf("WATCH %d %s", w.restarts.Load(), w.outcome.text)
		p.text, p.style = fmt.Sprintf("WATCH %d %s: %s", w.restarts.Load(), w.cause, w.outcome.text), w.outcome.style
	}
	return p
}

// pauseWatch pauses the watch, or goes on: then with what has changed meanwhile.
func (a *App) pauseWatch() tea.Cmd {
	w := a.watching
	w.paused = !w.paused
	if w.paused {
		a.say("the watch is paused; " + a.keyOf(actWatchPause) + " goes on")
	} else {
		a.say("watches " + w.What)
	}
	return a.dueRound()
}

// watchNow runs a round without a change.
func (a *App) watchNow() tea.Cmd {
	w := a.watching
	w.next = ""
	return a.restartFor("asked for")
}

// watchRest asks before it sends what may change something.
func (a *App) watchRest() tea.Cmd {
	a.dialog = &dialog{
		title: "Send calls that may have side effects?",
		lines: []string{strings.Join(a.watching.held, ", "), "", mayHaveEffects},
		yes:   func(a *App) tea.Cmd { return a.runRound(a.watching.cause, a.watching.Rest) },
	}
	return nil
}

const mayHaveEffects = "Not marked read-only: this may change anything the server can access, such as files and accounts."

// watchAlways asks before a tool is called in every round: the one of the selected
// row, if that was not re-sent, else all that were not.
func (a *App) watchAlways() tea.Cmd {
	tools := a.watching.tools
	if tool := a.selectedTool(); slices.Contains(tools, tool) {
		tools = []string{tool}
	}
	lines := []string{strings.Join(tools, ", "), "", mayHaveEffects, "", "Applies until mcpdbg exits; --watch-tool NAME does it from the start."}
	if len(tools) > 1 {
		lines = append(lines, "To choose one tool, select a row that calls it first.")
	}
	a.dialog = &dialog{
		title: "Re-send these calls after every change?",
		lines: lines,
		yes: func(a *App) tea.Cmd {
			always := a.watching.Always
			return a.runRound(a.watching.cause, func(ctx context.Context) (*rerun.Round, error) { return always(ctx, tools) })
		},
	}
	return nil
}

// selectedTool is the tool that the selected row calls, or answers a call of; "" if
// there is none.
func (a *App) selectedTool() string {
	number := a.selected.number
	if row, ok := a.rows.at(number); ok && row.Msg != framing.Request && row.Pair != 0 {
		number = int(row.Pair) - 1
	}
	row, ok := a.rows.at(number)
	if !a.selected.ok || !ok || a.source.Method(row.Method) != mcp.MethodToolsCall || row.Len > loadInline {
		return ""
	}
	e, err := a.source.Entry(row, 0)
	if err != nil {
		return ""
	}
	var params struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal(e.Msg.Params.Of(e.Payload), &params) // without a name it is not a tool call
	return params.Name
}

func canWatch(a *App) (bool, string) {
	return a.watching != nil, "no files are watched: mcpdbg --watch GLOB"
}

func canWatchNow(a *App) (bool, string) {
	if ok, why := canWatch(a); !ok {
		return false, why
	}
	return canRestart(a)
}

func canWatchRest(a *App) (bool, string) {
	if ok, why := canWatchNow(a); !ok {
		return false, why
	}
	if len(a.watching.held) == 0 {
		return false, "every call was re-sent"
	}
	return canSend(a)
}

func canWatchAlways(a *App) (bool, string) {
	if ok, why := canWatchRest(a); !ok {
		return false, why
	}
	return len(a.watching.tools) > 0, "every tool call was re-sent"
}
