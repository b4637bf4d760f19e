package detail

import (
	"context"
	"time"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/form"
	"mcpdbg/ui/widget/jsontree"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
)

const (
	// maxExpression is the longest expression that can be typed, in characters.
	maxExpression = 4096
	// maxTyped is the largest message for which an expression runs while it is typed,
	// in bytes.
	maxTyped = 16 << 20
	// typedPause is the time after the last key before an expression runs.
	typedPause = 150 * time.Millisecond
)

// The actions of the jq bar.
const (
	actJQ         = "jq"
	actJQKeep     = "jq-keep"
	actJQComplete = "jq-complete"
	actJQCopy     = "jq-copy"
)

// ScopeJQ is the scope of the jq bar.
const ScopeJQ = "jq"

// jqActions are those of the jq bar; see Actions for of.
func jqActions(of func(host.Context) *Pane) []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: actJQ, Keys: []string{"|"}, Scope: keymap.Global, Title: "jq query", Help: "Query the message with a jq expression and see the result while typing: select, filter, extract or transform values, as with JSONPath.", Priority: 30, Enabled: host.HasSelection}, Do: func(c host.Context) tea.Cmd {
			c.Panes().OpenDetail()
			return of(c).openJQ(c)
		}},
		{Entry: host.Entry{ID: actJQKeep, Keys: []string{"enter"}, Scope: ScopeJQ, Title: "keep result", Help: "Keep the result in the pane and leave the line; run the expression if it has no result yet.", Priority: 90}, Do: host.On(func(c host.Context, b *jqBar) tea.Cmd { return b.keepResult(c) })},
		{Entry: host.Entry{ID: actJQComplete, Keys: []string{"tab"}, Scope: ScopeJQ, Title: "complete", Help: "Complete the name of a member, or list the names.", Priority: 85}, Do: host.On(func(c host.Context, b *jqBar) tea.Cmd { return b.complete(c) })},
		{Entry: host.Entry{ID: actJQCopy, Keys: []string{"ctrl+y"}, Scope: ScopeJQ, Title: "copy expression", Help: "Copy the expression to the terminal's clipboard (OSC 52).", Priority: 70}, Do: host.On(func(_ host.Context, b *jqBar) tea.Cmd {
			expression := b.input.Value()
			return func() tea.Msg { return host.Clipboard(expression, "jq", expression, "", false) }
		})},
		{Entry: host.Entry{ID: "jq-clear", Keys: []string{"ctrl+u"}, Scope: ScopeJQ, Title: "empty", Help: "Empty the line.", Yields: true}, Do: host.On(func(c host.Context, b *jqBar) tea.Cmd { return b.set(c, "") })},
		{Entry: host.Entry{ID: "jq-earlier", Keys: []string{"up"}, Scope: ScopeJQ, Title: "earlier", Help: "Recall an earlier expression.", Yields: true}, Do: host.On(func(c host.Context, b *jqBar) tea.Cmd { return b.set(c, b.pane.queries.Step(-1, b.input.Value())) })},
		{Entry: host.Entry{ID: "jq-later", Keys: []string{"down"}, Scope: ScopeJQ, Title: "later", Help: "Recall a later expression.", Yields: true}, Do: host.On(func(c host.Context, b *jqBar) tea.Cmd { return b.set(c, b.pane.queries.Step(1, b.input.Value())) })},
		host.Override(host.Entry{Name: host.CloseName, ID: "jq-drop", Scope: ScopeJQ, Title: "drop result", Help: "Leave the line and show the message again.", Priority: 80}),
	}
}

// A line in which a jq expression is typed, with the result in place of the message. It
// has the keys while it is open; afterwards the result and the line stay until another
// row or view is shown.
type jqBar struct {
	pane    *Pane
	open    bool
	input   textinput.Model
	origin  *jsontree.Tree // the message
	message *queried

	number int                // of the text: it grows with each change
	stop   context.CancelFunc // ends what runs for the text
	shown  jqResult           // the latest result; without doc, the message is shown
	of     int                // the number of the text that shown is for
	used   string             // and the text
	keeps  bool               // the line closes when the result is there

	status string
	bad    bool // the status is an error
	offers string
}

// openJQ opens the bar over the tree of the message, or over a result that was kept.
func (d *Pane) openJQ(c host.Context) tea.Cmd {
	var cmd tea.Cmd
	if d.jq == nil && (!d.showsTree() || d.pair != nil) {
		cmd = d.setView(viewTree)
	}
	switch {
	case d.loading:
		d.later = d.openJQ
		return cmd
	case d.entry == nil:
		c.Host.Notify("the message is still being read")
		return cmd
	case !d.showsTree():
		c.Host.Warn("jq: the row is not a JSON message")
		return cmd
	case d.jq == nil:
		d.jq = newJQBar(d)
	}
	d.jq.open, d.changed = true, true
	d.resize()
	c.Host.Open(c.Workspace, d.jq)
	return cmd
}

func newJQBar(d *Pane) *jqBar {
	b := &jqBar{pane: d, origin: d.tree, message: &queried{doc: d.document()}, stop: func() {}}
	example := ".result.content[0]"
	if framing.Member(b.message.doc, "params") != (framing.Span{}) {
		example = ".params"
	}
	b.input = form.NewInput(maxExpression, example)
	if len(b.message.doc) > maxTyped {
		b.says(wording.Size(int64(len(b.message.doc)))+": enter runs the expression", false)
	}
	return b
}

func (*jqBar) Scope() string { return ScopeJQ }

func (b *jqBar) Update(c host.Context, msg tea.Msg) tea.Cmd {
	before := b.input.Value()
	var cmd tea.Cmd
	b.input, cmd = b.input.Update(msg)
	b.pane.changed = true
	if b.input.Value() == before {
		return cmd
	}
	return tea.Batch(cmd, b.changed(c))
}

func (b *jqBar) set(c host.Context, expression string) tea.Cmd {
	b.input.SetValue(expression)
	b.input.CursorEnd()
	return b.changed(c)
}

// Draw implements host.View: the pane paints the bar.
func (*jqBar) Draw(host.Context) {}

// Back implements host.Stepping: it shows the message again.
func (b *jqBar) Back(c host.Context) tea.Cmd {
	b.close(c)
	d := b.pane
	d.jq, d.tree = nil, b.origin
	d.tree.SetTheme(d.theme)
	d.resize()
	return nil
}

func (b *jqBar) close(c host.Context) {
	b.stop()
	b.pane.queries.Add(b.input.Value())
	b.open, b.pane.changed = false, true
	c.Host.Close(b)
}

// No key has been pressed for a while.
type typedPauseOver struct {
	bar    *jqBar
	number int
}

// Deliver runs the expression, unless it has changed.
func (msg typedPauseOver) Deliver(c host.Context) tea.Cmd {
	if b := msg.bar; b.open && b.number == msg.number {
		return b.run(c, typing)
	}
	return nil
}

func (b *jqBar) changed(c host.Context) tea.Cmd {
	b.stop()
	b.number++
	b.keeps, b.offers, b.pane.changed = false, "", true
	switch {
	case b.input.Value() == "":
		b.says("", false)
		b.show(jqResult{})
		return nil
	case len(b.message.doc) > maxTyped:
		b.says("enter runs the expression", false)
		return nil
	}
	return c.Host.After(typedPause, typedPauseOver{b, b.number})
}

// begin returns a context that ends when the text changes or the bar is closed.
func (b *jqBar) begin(c host.Context) context.Context {
	b.stop()
	ctx, stop := context.WithCancel(c.Host.Lifetime())
	b.stop = stop
	return ctx
}

type evaluated struct {
	bar    *jqBar
	number int
	result jqResult
}

func (b *jqBar) run(c host.Context, limit effort) tea.Cmd {
	ctx, number, expression := b.begin(c), b.number, b.input.Value()
	b.says("running", false)
	return func() tea.Msg { return evaluated{b, number, b.message.query(ctx, expression, limit)} }
}

// Deliver shows the result, unless the expression has changed.
func (msg evaluated) Deliver(c host.Context) tea.Cmd {
	b, r := msg.bar, msg.result
	if b.number != msg.number || !b.open {
		return nil
	}
	b.stop()
	if r.err != nil {
		b.keeps = false
		b.says("jq: "+r.err.Error(), true)
		return nil
	}
	b.says(r.summary, false)
	b.show(r)
	if b.keeps {
		b.close(c)
		b.pane.resize()
	}
	return nil
}

// show shows a result in the pane; without a document, the message.
func (b *jqBar) show(r jqResult) {
	d := b.pane
	b.shown, b.of, b.used = r, b.number, b.input.Value()
	d.tree = b.origin
	if r.doc != nil {
		d.tree = jsontree.New(r.doc, d.theme, d.look)
	}
	d.resize()
	if _, h := d.inner(); r.doc != nil {
		d.tree.UnfoldToFit(h)
	}
}

// keepResult leaves the line with the result, once it is there; without a text, the
// message again.
func (b *jqBar) keepResult(c host.Context) tea.Cmd {
	switch {
	case b.input.Value() == "":
		return b.Back(c)
	case b.shown.doc != nil && b.of == b.number:
		b.close(c)
		b.pane.resize()
		return nil
	}
	b.keeps = true
	return b.run(c, asked)
}

func (b *jqBar) says(text string, bad bool) {
	b.status, b.bad, b.pane.changed = text, bad, true
}

// path returns the expression for a value in the shown result.
func (b *jqBar) path(inner string) string {
	whole := b.used
	switch {
	case b.shown.doc == nil:
		return inner
	case !b.shown.single:
		whole = "[" + whole + "]"
	}
	if inner == "." {
		return whole
	}
	return whole + " | " + inner
}

// lines returns the number of lines that the bar takes of h; a nil bar takes none.
func (b *jqBar) lines(h int) int {
	if b == nil {
		return 0
	}
	if b.open {
		return min(2, h)
	}
	return min(1, h)
}

// paint paints the bar into lines of a block from y on; a nil bar has none.
func (b *jqBar) paint(out *paint.Lines, y, lines int) {
	if b == nil {
		return
	}
	th := b.pane.theme
	if lines > 0 {
		l := out.Line(y)
		l.Text(th.Accent, "jq> ")
		if b.open {
			form.PaintInput(l, &b.input, l.Room())
		} else {
			l.Text(th.Text, b.used)
			l.Text(th.Dim, "   "+b.shown.summary)
		}
	}
	if lines > 1 {
		l := out.Line(y + 1)
		switch {
		case b.offers != "":
			l.Text(th.Dim, b.offers)
		case b.bad:
			l.Text(th.Failed, b.status)
		default:
			l.Text(th.Dim, b.status)
		}
	}
}
