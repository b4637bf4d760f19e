package steer

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/session/tap/control"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/workspace"
)

// The actions. ActFocus is carried out by the shell.
const (
	ActFocus   = "held"
	actHold    = "hold"
	actLetAll  = "let-all-go"
	actLetGo   = "let-go"
	actDrop    = "drop"
	actEdit    = "held-edit"
	actRead    = "held-read"
	actAnswer  = "held-answer"
	actDropIt  = "drop-silently"
	actDropErr = "drop-with-error"
)

// ScopeDrop is the scope of the question how to drop a message.
const ScopeDrop = "drop"

// An Editors are the other screens that decide about a message.
type Editors struct {
	// Edit lets the user edit a line, under a title. send gets the edited line, nil if it
	// is unchanged.
	Edit func(c host.Context, title string, line []byte, send func(host.Context, []byte) tea.Cmd) tea.Cmd
	// Answer lets the user answer a held request, of which line is the whole. send gets the
	// response.
	Answer func(c host.Context, h control.Held, line []byte, send func(c host.Context, response []byte) tea.Cmd) tea.Cmd
}

// Actions are those on held messages, and on what to hold. of returns the pane of a session.
func Actions(of func(host.Context) *Pane, with Editors) []host.Action {
	selected := func(do func(host.Context, control.Held) tea.Cmd) func(host.Context) tea.Cmd {
		return func(c host.Context) tea.Cmd {
			h, ok := of(c).Current()
			if !ok {
				return nil
			}
			return host.Steer(c, func(c host.Context) tea.Cmd { return do(c, h) })
		}
	}
	some := func(c host.Context) (bool, string) {
		if ok, why := host.CanSteer(c); !ok {
			return false, why
		}
		_, ok := of(c).Current()
		return ok, "nothing is held"
	}
	request := func(c host.Context) (bool, string) {
		if ok, why := some(c); !ok {
			return false, why
		}
		h, _ := of(c).Current()
		return h.Method != "" && len(h.ID) > 0, "only a request can be answered"
	}
	edit := selected(func(c host.Context, h control.Held) tea.Cmd { return editHeld(c, h, with) })
	return []host.Action{
		{Entry: host.Entry{ID: actHold, Keys: []string{"i"}, Scope: keymap.Global, Yields: true, Title: "what to hold", Synonyms: []string{"intercept", "break", "breakpoint", "pause"}, Help: "Hold the messages of a live tap that match a filter, in both directions, until you decide about each.", Priority: 97, Enabled: host.CanSteer}, Do: askHold},
		{Entry: host.Entry{ID: actLetAll, Keys: []string{"X"}, Scope: keymap.Global, Yields: true, Title: "let all go", Synonyms: []string{"release", "resume"}, Help: "Let all held messages of a live tap go, in order, and hold no more.", Priority: 96, Enabled: canLetAll}, Do: letAll},
		{Entry: host.Entry{ID: actLetGo, Keys: []string{"a"}, Scope: Scope, Yields: true, Title: "let go", Synonyms: []string{"forward", "pass"}, Help: "Let the selected message go on, unchanged.", Priority: 100, Enabled: some}, Do: selected(func(c host.Context, h control.Held) tea.Cmd { return letGo(c, h, nil, false) })},
		{Entry: host.Entry{ID: actEdit, Keys: []string{"R"}, Scope: Scope, Yields: true, Replaces: "edit-resend", Title: "edit", Help: "Edit the selected message, and let it go on.", Priority: 99, Enabled: some}, Do: edit},
		{Entry: host.Entry{ID: actRead, Keys: []string{"enter"}, Scope: Scope, Yields: true, Replaces: host.ActOpen, Title: "read, edit", Help: "Show the whole message, and edit it.", Enabled: some}, Do: edit},
		{Entry: host.Entry{ID: actAnswer, Keys: []string{"A"}, Scope: Scope, Yields: true, Replaces: host.ActAnswer, Title: "answer it here", Help: "Answer the selected request here: the other side does not get it.", Priority: 98, Enabled: request}, Do: selected(func(c host.Context, h control.Held) tea.Cmd { return answerHeld(c, h, with) })},
		{Entry: host.Entry{ID: actDrop, Keys: []string{"d"}, Scope: Scope, Yields: true, Replaces: "watch-rest", Title: "drop", Help: "Drop the selected message: silently, or with an error for the side that waits.", Asks: "each time", Priority: 97, Enabled: some}, Do: selected(func(c host.Context, h control.Held) tea.Cmd {
			c.Host.Open(c.Workspace, &dropView{held: h})
			return nil
		})},
		{Entry: host.Entry{ID: actDropIt, Keys: []string{"d"}, Scope: ScopeDrop, Title: "silently", Help: "Drop the message.", Priority: 90}, Do: host.On(dropSilently)},
		{Entry: host.Entry{ID: actDropErr, Keys: []string{"e"}, Scope: ScopeDrop, Title: "with an error", Help: "Drop the message, and answer its side with an error.", Priority: 89, Enabled: func(c host.Context) (bool, string) {
			v, ok := c.View.(*dropView)
			return ok && len(v.held.ID) > 0, "no answer is due"
		}}, Do: host.On(dropWithError)},
		host.Override(host.Entry{Name: host.CloseName, ID: "drop-close", Scope: ScopeDrop, Keys: []string{"esc", "n", "enter", "q"}, Title: "keep it held", Help: "Close, and keep the message held.", Priority: 80}),
	}
}

func canLetAll(c host.Context) (bool, string) {
	if ok, why := host.CanSteer(c); !ok {
		return false, why
	}
	s := &c.Workspace.Tap.State
	return s.Holding != "" || len(s.Held) > 0, "nothing is held"
}

// askHold asks for the filter of messages to hold.
func askHold(c host.Context) tea.Cmd {
	return host.Steer(c, func(c host.Context) tea.Cmd {
		c.Host.Prompt(c.Workspace, host.Prompt{
			Label: "hold", Hint: "tool:delete method:initialize dir:in; empty holds no more", Text: c.Workspace.Tap.State.Holding, Complete: filter.Complete,
			Check: func(text string) error {
				_, err := filter.Parse(text)
				return err
			},
			Accept: func(c host.Context, text string) (tea.Cmd, error) {
				if _, err := filter.Parse(text); err != nil {
					return nil, err
				}
				if text == "" {
					return letAll(c), nil
				}
				return host.Order(c, "hold", "holding "+text, func(ctx context.Context, link workspace.TapLink) error { return link.Hold(ctx, text) }, nil), nil
			},
		})
		return nil
	})
}

func letAll(c host.Context) tea.Cmd {
	return host.Steer(c, func(c host.Context) tea.Cmd {
		return host.Order(c, "let go", "nothing is held any more", func(ctx context.Context, link workspace.TapLink) error { return link.Hold(ctx, "") }, nil)
	})
}

// letGo lets a message go on, edited if line is not nil. It asks about an edit that the
// other side could not match, or an order that could break it.
func letGo(c host.Context, h control.Held, line []byte, force bool) tea.Cmd {
	name, _ := describe(&h)
	done := "let go: " + name
	if line != nil {
		done = "let go, edited: " + name
	}
	link, ctx := c.Workspace.Tap.Link, c.Host.Lifetime()
	if link == nil {
		return nil
	}
	return func() tea.Msg {
		err := link.LetGo(ctx, h.N, line, force)
		asks := !force && (errors.Is(err, control.ErrCutsPair) || errors.Is(err, control.ErrOvertakes))
		if !asks {
			return host.Result{What: "let go", Text: done, Err: err, Then: func(c host.Context) tea.Cmd { return c.Panes().Refresh() }}
		}
		return host.Result{Then: func(c host.Context) tea.Cmd {
			c.Host.Confirm(c.Workspace, &host.Dialog{
				Title: "Let it go all the same?", No: "keep it held", Lines: []string{err.Error() + "."},
				Yes: func(c host.Context) tea.Cmd { return letGo(c, h, line, true) },
			})
			return nil
		}}
	}
}

// withLine calls do with the whole line of a message.
func withLine(c host.Context, h control.Held, do func(host.Context, []byte) tea.Cmd) tea.Cmd {
	if !h.Cut {
		return do(c, h.Line)
	}
	link, ctx := c.Workspace.Tap.Link, c.Host.Lifetime()
	return func() tea.Msg {
		line, err := link.Line(ctx, h.N)
		return host.Result{What: "read the message", Err: err, Then: func(c host.Context) tea.Cmd {
			if err != nil {
				return nil
			}
			return do(c, line)
		}}
	}
}

func editHeld(c host.Context, h control.Held, with Editors) tea.Cmd {
	name, _ := describe(&h)
	return withLine(c, h, func(c host.Context, line []byte) tea.Cmd {
		return with.Edit(c, "Held "+name, line, func(c host.Context, edited []byte) tea.Cmd { return letGo(c, h, edited, false) })
	})
}

func answerHeld(c host.Context, h control.Held, with Editors) tea.Cmd {
	return withLine(c, h, func(c host.Context, line []byte) tea.Cmd {
		return with.Answer(c, h, line, func(c host.Context, response []byte) tea.Cmd {
			return host.Order(c, "answer", "answered here", func(ctx context.Context, link workspace.TapLink) error {
				return link.Answer(ctx, h.N, host.AnswerBody(response))
			}, nil)
		})
	})
}

// A dropView asks how to drop a message.
type dropView struct {
	held  control.Held
	block paint.Lines
}

// Scope implements host.View.
func (*dropView) Scope() string { return ScopeDrop }

// Update ignores other keys.
func (*dropView) Update(host.Context, tea.Msg) tea.Cmd { return nil }

// Draw paints the question.
func (v *dropView) Draw(c host.Context) {
	screen, h := c.Host.Screen(), &v.held
	name, _ := describe(h)
	text := "It is a notification: no answer is due."
	switch {
	case len(h.ID) == 0 && h.Method == "":
		text = "It is not a single message: a side may wait for an answer."
	case len(h.ID) == 0:
	case h.ToServer == (h.Method == ""):
		text = "The server waits for the answer."
	case h.Limit > 0:
		text = "The client waits for the answer, " + wording.Time(h.Limit) + " at most."
	default:
		text = "The client waits for the answer, up to a limit that is not known."
	}
	width := min(kit.DialogWidth, screen.Width-2)
	rows := termsafe.Wrap(text, width-4)
	r := screen.Body().Center(width, len(rows)+2)
	c.Block(&v.block, r.Inner())
	for i, row := range rows {
		l := v.block.Line(i)
		l.PadTo(1)
		l.Text(screen.Theme.Text, row)
	}
	c.Dialog(ScopeDrop, r, "Drop "+wording.Clip(name, maxFilter, wording.Dots)+"?", "", &v.block)
}

func dropSilently(c host.Context, v *dropView) tea.Cmd {
	c.Host.Close(v)
	return host.Order(c, "drop", "dropped", func(ctx context.Context, link workspace.TapLink) error { return link.Drop(ctx, v.held.N) }, nil)
}

// dropError is the error that the side gets that waits for a dropped message.
const dropError = `"error":{"code":-32603,"message":"Dropped in mcpdbg.","data":{"mcpdbg":"dropped"}}`

func dropWithError(c host.Context, v *dropView) tea.Cmd {
	c.Host.Close(v)
	h := v.held
	return host.Order(c, "drop", "dropped, with an error", func(ctx context.Context, link workspace.TapLink) error {
		if h.Method != "" {
			return link.Answer(ctx, h.N, []byte(dropError))
		}
		return link.LetGo(ctx, h.N, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%s}`, h.ID, dropError), false)
	}, nil)
}
