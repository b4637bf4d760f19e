package watch

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
	"mcpdbg/internal/wording"
	replayer "mcpdbg/recordings/replay"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/workspace"
)

// A State is the watch over files of one session, if it has one.
type State struct {
	files *workspace.Watch // nil if no files are watched
	// compare shows the comparison of a round that was run for a cause.
	compare func(c host.Context, round *replayer.Round, cause string) tea.Cmd

	ctx     context.Context // ends when the session is removed from the screen
	paused  bool
	busy    bool // a round is running
	next    string
	cause   string   // of the last round
	unsent  []string // calls that the last round did not re-send: they may have side effects
	tools   []string // those in unsent that are tools
	failed  bool     // the last round failed
	outcome outcome  // of the last round that succeeded

	restarts atomic.Int64
}

// New returns the state of a session that watches files, or none if files is nil. It ends
// with ctx. compare shows the comparison of a round.
func New(ctx context.Context, files *workspace.Watch, compare func(c host.Context, round *replayer.Round, cause string) tea.Cmd) *State {
	return &State{ctx: ctx, files: files, compare: compare}
}

// Listen sends a message for each change until the session is removed or the watch
// ends. It runs on a goroutine of its own.
func (s *State) Listen(send func(host.Message)) {
	if s.files == nil {
		return
	}
	for {
		cause, err := s.files.Next(s.ctx)
		if err != nil {
			return
		}
		send(changed{s, cause})
	}
}

type changed struct {
	watch *State
	cause string
}

// Deliver starts a round, or marks one as due: a single one, however many changes
// follow.
func (m changed) Deliver(c host.Context) tea.Cmd {
	s := m.watch
	s.next = m.cause
	switch {
	case s.paused:
		c.Host.Notify(m.cause + "; " + c.Host.Key(actPause) + " resumes the watch")
	case s.busy || c.Workspace.Starting:
		c.Host.Notify(m.cause + ": another restart follows")
	}
	c.Host.Redraw()
	return s.Due(c)
}

// Due starts the round that is due, if possible.
func (s *State) Due(c host.Context) tea.Cmd {
	if s.next == "" || s.paused || s.busy || c.Workspace.Starting {
		return nil
	}
	cause := s.next
	s.next = ""
	return s.restartFor(c, cause)
}

func (s *State) restartFor(c host.Context, cause string) tea.Cmd {
	return s.runRound(c, cause, func(ctx context.Context) (*replayer.Round, error) {
		round, err := s.files.Again(ctx, cause)
		if err == nil {
			s.restarts.Add(1)
		}
		return round, err
	})
}

// runRound runs a round in the background. Other starts of a server are blocked
// in the meantime.
func (s *State) runRound(c host.Context, cause string, run func(context.Context) (*replayer.Round, error)) tea.Cmd {
	ctx, stop := context.WithCancel(s.ctx)
	s.busy, s.cause, c.Workspace.Starting, c.Workspace.Stop = true, cause, true, stop
	c.Host.Redraw()
	return func() tea.Msg {
		round, err := run(ctx)
		stop()
		return host.Result{Then: func(c host.Context) tea.Cmd { return s.roundOver(c, round, err) }}
	}
}

// maxUnsentText is the maximum length of the list of calls that were not re-sent,
// in characters.
const maxUnsentText = 40

func (s *State) roundOver(c host.Context, round *replayer.Round, err error) tea.Cmd {
	s.busy, s.failed, c.Workspace.Unbuilt, c.Workspace.Starting = false, err != nil, nil, false
	c.Host.Redraw()
	if errors.As(err, &c.Workspace.Unbuilt) {
		s.cause = c.Workspace.Unbuilt.Cause
	}
	// The text of an open dialog about a round or a start is out of date.
	c.Host.Dismiss(c.Workspace, host.AboutWatch)
	if err == nil {
		c.Host.Dismiss(c.Workspace, host.AboutStart)
	}
	c.Workspace.Shown.Causes.Summary.Fresh = false
	cmd := c.Panes().Refresh()
	if err != nil {
		c.Host.Warn(s.cause + ": " + roundError(err))
		return tea.Batch(cmd, s.Due(c))
	}
	s.cause, s.unsent, s.tools, s.outcome = round.Cause, round.Held, round.Tools, outcomeOf(c, round)
	text := round.Summary()
	var keys []string
	if round.Differs() {
		text = whatChanged(round)
		keys = append(keys, c.Host.Key(host.ActCompare)+" shows it")
	}
	if len(s.unsent) > 0 {
		keys = append(keys, c.Host.Key(actRest)+" sends "+wording.Clip(strings.Join(s.unsent, ", "), maxUnsentText, wording.Dots))
	}
	if len(s.tools) > 0 {
		keys = append(keys, c.Host.Key(actAlways)+" always")
	}
	lead := s.cause
	if len(keys) > 0 {
		lead += "; " + strings.Join(keys, ", ")
	}
	c.Host.Notify(lead + ": " + text)
	if round.Report != nil {
		cmd = tea.Batch(cmd, s.compare(c, round, s.cause))
	}
	return tea.Batch(cmd, s.Due(c))
}

type outcome struct {
	text  string // a few words
	style paint.Style
}

// Responses count as unchanged only if all requests were sent.
func outcomeOf(c host.Context, round *replayer.Round) outcome {
	th := c.Host.Screen().Theme
	o := outcome{style: th.Good}
	switch {
	case round.Result.Lost != nil:
		return outcome{"server gone", th.Failed}
	case round.Report == nil:
		o.text = "nothing to compare"
	case round.Differs():
		o.text = "differs"
		if n := round.Report.Compared - round.Report.Equal; n > 0 {
			o.text = fmt.Sprintf("%d changed", n)
		}
	case round.Unsent() > 0: // which is more important than unchanged responses
	case round.Older:
		o.text = "same responses to the last " + wording.Counted(round.Sent(), "call")
	default:
		o.text = "same responses"
	}
	if n := round.Unsent(); n > 0 {
		if o.text != "" {
			o.text += ", "
		}
		o.text += wording.Counted(n, "call") + " not re-sent"
		if len(round.Held) > 0 {
			o.text += " (" + c.Host.Key(actRest) + ")"
		}
		o.style = th.Odd
	}
	return o
}

func whatChanged(round *replayer.Round) string {
	if changes := round.Changes(); len(changes) == 1 && round.Unsent() == 0 {
		return changes[0]
	}
	return round.Summary()
}

// roundError describes in one line why a round failed: the rest is on the screen.
func roundError(err error) string {
	var open *session.OpenError
	switch {
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.As(err, &open):
		return "not started; the next change tries again: " + open.Error()
	}
	return err.Error()
}

// Part returns the header part for the watch and its last outcome.
func (s *State) Part(c host.Context) kit.Part {
	if s.files == nil {
		return kit.Part{}
	}
	th := c.Host.Screen().Theme
	p := kit.Part{Text: "WATCH", Style: th.Good, Priority: 72}
	switch {
	case s.paused:
		p.Text, p.Style = "WATCH paused", th.Odd
		return p
	case s.busy:
		p.Text, p.Short, p.Style = "WATCH ... "+s.cause, "WATCH ...", th.Odd
		if s.files.Doing != nil && s.files.Doing() != "" {
			p.Text, p.Short = "WATCH "+s.files.Doing(), "WATCH building"
		}
	case c.Workspace.Unbuilt != nil:
		p.Text, p.Short, p.Style = "WATCH build failed: "+s.cause, "WATCH build failed", th.Failed
	case s.failed:
		p.Text, p.Short, p.Style = "WATCH failed: "+s.cause, "WATCH failed", th.Failed
	case s.cause != "":
		p.Short = fmt.Sprintf("WATCH %d %s", s.restarts.Load(), s.outcome.text)
		p.Text, p.Style = fmt.Sprintf("WATCH %d %s: %s", s.restarts.Load(), s.cause, s.outcome.text), s.outcome.style
	}
	return p
}

// pause pauses or resumes the watch; changes in the meantime count on
// resuming.
func (s *State) pause(c host.Context) tea.Cmd {
	s.paused = !s.paused
	if s.paused {
		c.Host.Notify("watch paused; " + c.Host.Key(actPause) + " resumes it")
	} else {
		c.Host.Notify("watching " + s.files.What)
	}
	return s.Due(c)
}

func (s *State) runNow(c host.Context) tea.Cmd {
	s.next = ""
	return s.restartFor(c, "on request")
}

func (s *State) sendUnsent(c host.Context) tea.Cmd {
	c.Host.Confirm(c.Workspace, &host.Dialog{
		Title: "Send calls that may have side effects?",
		Lines: []string{strings.Join(s.unsent, ", "), "", mayHaveEffects},
		No:    "send nothing",
		Yes:   func(c host.Context) tea.Cmd { return s.runRound(c, s.cause, s.files.Rest) },
	})
	return nil
}

const mayHaveEffects = "Not marked read-only: this may change anything the server can access, such as files and accounts."

// sendAlways confirms before it calls a tool in every round: the tool of the selected
// row, if that call was not re-sent, else all tools that were not.
func (s *State) sendAlways(c host.Context) tea.Cmd {
	tools := s.tools
	if tool := selectedTool(c.Workspace); slices.Contains(tools, tool) {
		tools = []string{tool}
	}
	lines := []string{strings.Join(tools, ", "), "", mayHaveEffects, "", "Applies until mcpdbg exits; --watch-tool NAME does it from the start."}
	if len(tools) > 1 {
		lines = append(lines, "To choose one tool, select a row that calls it first.")
	}
	c.Host.Confirm(c.Workspace, &host.Dialog{
		Title: "Re-send these calls after every change?",
		Lines: lines,
		No:    "send nothing",
		Yes: func(c host.Context) tea.Cmd {
			return s.runRound(c, s.cause, func(ctx context.Context) (*replayer.Round, error) { return s.files.Always(ctx, tools) })
		},
	})
	return nil
}

// selectedTool returns the tool that the selected row calls, or whose response it
// is; "" if there is none.
func selectedTool(w *workspace.Workspace) string {
	number := w.Selected.Number
	if row, ok := w.Shown.Rows.At(number); ok && row.Msg != framing.Request && row.Paired() {
		number, _ = row.Partner()
	}
	row, ok := w.Shown.Rows.At(number)
	if !w.Selected.OK || !ok || w.Shown.Source.Method(row.Method) != mcp.MethodToolsCall || row.Len > workspace.InlineLimit {
		return ""
	}
	e, err := w.Shown.Source.Entry(row, 0)
	if err != nil {
		return ""
	}
	var params struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal(e.Msg.Params.Of(e.Payload), &params) // without a name it is not a tool call
	return params.Name
}

func (s *State) canWatch(host.Context) (bool, string) {
	return s.files != nil, "no files are watched: start with mcpdbg --watch GLOB"
}

func (s *State) canRunNow(c host.Context) (bool, string) {
	if ok, why := s.canWatch(c); !ok {
		return false, why
	}
	return host.CanRestart(c)
}

func (s *State) canSendUnsent(c host.Context) (bool, string) {
	if ok, why := s.canRunNow(c); !ok {
		return false, why
	}
	if len(s.unsent) == 0 {
		return false, "every call was re-sent"
	}
	return host.CanSend(c)
}

func (s *State) canSendAlways(c host.Context) (bool, string) {
	if ok, why := s.canSendUnsent(c); !ok {
		return false, why
	}
	return len(s.tools) > 0, "every tool call was re-sent"
}

// The actions on a watch over files.
const (
	actPause  = "watch-pause"
	actNow    = "watch-now"
	actRest   = "watch-rest"
	actAlways = "watch-always"
)

// Actions returns the actions on a watch. of returns the state of a session.
func Actions(of func(host.Context) *State) []host.Action {
	do := func(do func(*State, host.Context) tea.Cmd) func(host.Context) tea.Cmd {
		return func(c host.Context) tea.Cmd { return do(of(c), c) }
	}
	can := func(can func(*State, host.Context) (bool, string)) func(host.Context) (bool, string) {
		return func(c host.Context) (bool, string) { return can(of(c), c) }
	}
	title := func(c host.Context) string { return of(c).pauseTitle() }
	return []host.Action{
		{Entry: host.Entry{ID: actPause, Keys: []string{"Z"}, Scope: keymap.Global, Title: "pause watching", Help: "Pause restarts on file changes, or resume them: then also for files changed meanwhile.", Enabled: can((*State).canWatch), CurrentTitle: title}, Do: do((*State).pause)},
		{Entry: host.Entry{ID: actNow, Keys: []string{"ctrl+w"}, Scope: keymap.Global, Title: "restart and re-send", Help: "Do the same as after a file change: restart the server, re-send the last requests, and compare the responses.", Enabled: can((*State).canRunNow)}, Do: do((*State).runNow)},
		{Entry: host.Entry{ID: actRest, Keys: []string{"d"}, Scope: keymap.Global, Title: "send calls not re-sent", Help: "Send the calls that were not re-sent after a change because they may have side effects, and compare.", Asks: "each time", Enabled: can((*State).canSendUnsent)}, Do: do((*State).sendUnsent)},
		{Entry: host.Entry{ID: actAlways, Keys: []string{"ctrl+y"}, Scope: keymap.Global, Title: "always re-send this tool", Help: "Re-send calls of the tool in the selected row after every change from now on, even if they may have side effects; if the row calls none of them, calls of all tools that were not re-sent.", Asks: "each time", Enabled: can((*State).canSendAlways)}, Do: do((*State).sendAlways)},
	}
}

func (s *State) pauseTitle() string {
	if s.paused {
		return "resume watching"
	}
	return ""
}
