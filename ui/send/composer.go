package send

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/form"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/workspace"
)

type viewKind uint8

// A form and its JSON are two views of the same arguments; the other two have their own
// texts.
const (
	messageView viewKind = iota // one message, as JSON
	formView                    // fields, of a tool, a prompt or a template
	jsonView                    // the content of the form, as JSON
	rawView                     // any bytes, written with escapes
)

// A Composer is where messages are written. It keeps its content when it is closed.
type Composer struct {
	options ComposerOptions
	open    bool
	view    viewKind
	place   paint.Rect // with its border; empty while it is closed
	block   paint.Lines

	area    kit.TextBox // messageView
	json    kit.TextBox // jsonView
	raw     kit.TextBox // rawView
	target  *callee     // of form and JSON; nil if there was none yet
	form    *form.Form
	drawn   int    // number of ids given to drafts
	fresh   uint64 // revision of the form when it was opened
	saving  bool   // a timer to save drafts is running
	refused string // not sent because of problems; sent the second time
	instead *instead

	completing completing
	recalling  recalling
	texts      map[string][]string // earlier ones of the fields, by JSON Pointer, newest first
	drafts     *drafts
	kept       map[string]time.Time // when the draft on the screen was written, by its name
}

// ComposerOptions are what the composer needs of its surroundings.
type ComposerOptions struct {
	// Drafts is the folder where drafts are stored; "" keeps them in memory.
	Drafts string
	// ReadCatalog returns a command that reads the responses in the log for a list and
	// returns a host.Result; nil if there are none.
	ReadCatalog func(host.Context, *workspace.CatalogList) tea.Cmd
	// CommandLine returns the mcpdbg command line that makes a request again.
	CommandLine func(h session.Header, method string, params []byte) (string, error)
}

// An instead gets the message in place of the server.
type instead struct {
	title string
	text  string // as it was
	raw   string // the same, as raw bytes
	shown string // the raw bytes that were made of the text last
	take  func(host.Context, []byte) tea.Cmd

	area, bytes string // of the person, as they were before
}

const (
	messageHint = `{"jsonrpc":"2.0","id":"mine","method":"tools/call","params":{"name":"...","arguments":{}}}`
	jsonHint    = `{}`
	rawHint     = `{"jsonrpc":"2.0","id":1,"method":"ping"}\n   as bytes: \n \r \t \\ \xff \u00e9`
)

// NewComposer returns the closed composer of a session, with its drafts.
func NewComposer(w *workspace.Workspace, o ComposerOptions) *Composer {
	p := &Composer{options: o, area: kit.NewTextBox(messageHint), json: kit.NewTextBox(jsonHint), raw: kit.NewTextBox(rawHint), drafts: openDrafts(o.Drafts, w.Title, w.Shown.Source.Header())}
	p.kept = map[string]time.Time{}
	for name, box := range map[string]*kit.TextBox{draftMessage: &p.area, draftRaw: &p.raw} {
		if text := p.drafts.of(name).Text; text != "" {
			box.SetValue(text)
			p.kept[name] = time.UnixMilli(p.drafts.of(name).Used)
		}
	}
	return p
}

// IsOpen reports whether the composer is on the screen.
func (p *Composer) IsOpen() bool { return p.open }

// Height returns how many rows the composer needs, 0 for the usual ones of a text.
func (p *Composer) Height() int {
	const borders = 2
	if p.instead != nil {
		return math.MaxInt
	}
	switch p.view {
	case formView:
		return max(p.form.Height(), 1) + borders
	case jsonView:
		return math.MaxInt
	}
	return 0
}

// Text is the text that is edited, nil in a form.
func (p *Composer) Text() *kit.TextBox {
	switch p.view {
	case messageView:
		return &p.area
	case jsonView:
		return &p.json
	case rawView:
		return &p.raw
	}
	return nil
}

// Scope is the scope in the action table of the view.
func (p *Composer) Scope() string {
	if p.view == formView {
		return ScopeComposerForm
	}
	return ScopeComposerText
}

var _ filling = (*Composer)(nil)

// Form is the form, nil if there was none yet.
func (p *Composer) Form() *form.Form { return p.form }

// Edited requests completions and saves the draft, a while later.
func (p *Composer) Edited(c host.Context) tea.Cmd {
	return tea.Batch(p.suggestLater(c), p.keepLater(c))
}

// Suggested saves the draft. The server is not asked to complete its own
// completion.
func (p *Composer) Suggested(c host.Context) tea.Cmd {
	text, _ := p.form.Text(p.form.Path())
	p.completing.asked = p.form.Path() + "\x00" + text
	return p.keepLater(c)
}

// Beyond does nothing: a form has no buttons.
func (p *Composer) Beyond(host.Context) {}

// Finish sends the form.
func (p *Composer) Finish(c host.Context) tea.Cmd {
	if ok, reason := host.CanReach(c); !ok {
		c.Host.Warn("not sent: " + reason)
		return nil
	}
	return p.send(c)
}

// Move moves between the fields.
func (p *Composer) Move(c host.Context, way string) tea.Cmd { return moveField(c, way) }

// Back closes the composer and keeps its content.
func (p *Composer) Back(c host.Context) tea.Cmd {
	p.close(c)
	return p.Save()
}

// Place gives the composer its rectangle, empty while it is closed.
func (p *Composer) Place(r paint.Rect) {
	p.place = r
	p.fit()
}

func (p *Composer) fit() {
	r := p.place.Inner()
	if r.Empty() {
		return
	}
	for _, b := range []*kit.TextBox{&p.area, &p.json, &p.raw} {
		b.SetSize(r.W, r.H-footLines(r.H))
	}
	if p.form != nil {
		p.form.SetSize(r.W, r.H)
	}
}

// footLines returns how many of h lines are for problems and suggestions
// below a text.
func footLines(h int) int { return kit.Between(0, h-3, 2) }

// Update takes a key or pasted text.
func (p *Composer) Update(c host.Context, msg tea.Msg) tea.Cmd {
	c.Host.Redraw()
	if p.view == formView {
		if !typeInForm(c, p.form, msg) {
			return nil
		}
		p.recalling = recalling{}
		return p.Edited(c)
	}
	before := p.Text().Value()
	cmd, err := p.Text().Update(msg)
	if err != nil {
		c.Host.Warn(err.Error() + ": ctrl+e opens it in your editor")
	}
	if p.Text().Value() != before {
		p.completing.tokens, p.recalling = nil, recalling{}
		cmd = tea.Batch(cmd, p.keepLater(c))
	}
	return cmd
}

// Draw paints the composer.
func (p *Composer) Draw(c host.Context) {
	screen := c.Host.Screen()
	p.block.Options = screen.Look()
	in := p.place.Inner()
	p.paint(screen, &p.block, in.W, in.H)
	left, right := p.titles(c)
	c.Dialog(p.Scope(), p.place, left, right, &p.block)
}

func (p *Composer) paint(screen *kit.Screen, out *paint.Lines, w, h int) {
	out.Resize(w, h)
	if p.view == formView {
		p.form.SetTheme(screen.Theme)
		p.form.Paint(out, 0, true)
		if p.form.Rows() == 0 {
			out.Line(0).Text(screen.Theme.Dim, "   takes no arguments: enter sends it")
		}
		return
	}
	foot := footLines(h)
	p.Text().Paint(screen, out, 0, h-foot)
	if foot > 0 {
		said, style := p.says(screen.Theme, w-1)
		l := out.Line(h - 1)
		l.PadTo(1)
		l.Text(style, said)
	}
	if foot > 1 && len(p.completing.tokens) > 0 {
		l := out.Line(h - 2)
		l.PadTo(1)
		l.Text(screen.Theme.Accent, "tab ")
		for _, token := range p.completing.tokens {
			l.Text(paint.Style{}, " ")
			l.Text(screen.Theme.Text, token)
		}
	}
}

// The text on the screen is a draft of an earlier time; "" if it is not.
func (p *Composer) keptNote(c host.Context) string {
	at, ok := p.kept[p.draftName()]
	if !ok {
		return ""
	}
	layout, now := "15:04", time.Now()
	if at.Format(time.DateOnly) != now.Format(time.DateOnly) {
		layout = "2006-01-02 15:04"
	}
	key := actClear
	if p.view == formView {
		key = inComposerForm + actClear
	}
	return "kept from " + at.Format(layout) + ", " + c.Host.Key(key) + " clears"
}

// titleEnd is the cells after the right title: a space, a line and the corner.
const titleEnd = 3

var viewNames = [...]string{formView: "form", jsonView: "json", messageView: "message", rawView: "raw"}

// viewsOf returns the views of a call or a message, in the order in which one follows the
// other.
func viewsOf(target *callee) []viewKind {
	if target == nil {
		return []viewKind{messageView, rawView}
	}
	return []viewKind{formView, jsonView, messageView, rawView}
}

// titles returns the subject, and at the right the views of it, its state and its age,
// as far as there is room.
func (p *Composer) titles(c host.Context) (left, right string) {
	left, state := p.subject(c.Workspace)
	dot := paint.Glyph(c.Host.Screen().Look(), " · ", " * ")
	for _, view := range viewsOf(p.target) {
		name := viewNames[view]
		if view == p.view {
			name = "[" + name + "]"
		}
		right = strings.TrimSpace(right + " " + name)
	}
	for _, more := range []string{state, p.keptNote(c)} {
		if more != "" && termsafe.Width(right+dot+more) <= p.place.W-kit.TitleLeast {
			right += dot + more
		}
	}
	return left, right
}

// subject returns the name of the message that is edited, and its state.
func (p *Composer) subject(w *workspace.Workspace) (title, state string) {
	if p.view == formView || p.view == jsonView {
		title = map[string]string{workspace.MemberPrompts: "Prompt ", workspace.MemberTemplates: "Read "}[p.target.item.Member]
		title = cmp.Or(title, "Call ") + p.target.item.Key
		if p.target.isTask(w) {
			title += " as a task"
		}
		if state = p.target.unlisted(w); state == "" && p.view == formView {
			state = formState(p.form)
		}
		return title, state
	}
	if p.instead != nil {
		title = p.instead.title
	}
	if p.view == rawView {
		return cmp.Or(title, "Raw bytes"), ""
	}
	text := strings.TrimSpace(p.area.Value())
	switch {
	case len(text) > kit.MaxDraft:
		state = wording.Size(int64(len(p.area.Long))) + ", not checked"
	case text == "":
		state = "empty"
	default:
		if m := framing.Scan([]byte(text)); m.Valid() {
			state = m.Kind.String()
		} else {
			state = "not JSON"
		}
	}
	return cmp.Or(title, "Message"), state
}

// formState returns how many fields of a form need something, "" for none.
func formState(f *form.Form) string {
	problems, err := f.Problems()
	switch {
	case err != nil:
		return "not checked"
	case len(problems) > 0:
		return wording.Thousands(len(problems)) + " to fix"
	}
	return ""
}

// nextID differs from the session's own ids, which are mcpdbg-N.
func (p *Composer) nextID() string {
	p.drawn++
	return fmt.Sprintf(`"ui-%d"`, p.drawn)
}

// EditLine opens the composer with a line that take gets in place of the server, nil if it is
// sent as it was.
func (p *Composer) EditLine(c host.Context, title string, line []byte, take func(host.Context, []byte) tea.Cmd) tea.Cmd {
	p.keepDraft()
	p.instead = &instead{title: title, take: take, area: p.area.Value(), bytes: p.raw.Value()}
	p.target, p.form, p.view, p.refused, p.completing = nil, nil, messageView, "", completing{}
	p.raw.SetValue(escapeBytes(line))
	if framing.Scan(line).Valid() {
		p.area.SetValue(spreadJSON(line))
	} else {
		p.view = rawView
		p.area.SetValue(string(line))
	}
	p.instead.text, p.instead.raw, p.instead.shown = p.area.Value(), p.raw.Value(), p.raw.Value()
	p.show(c)
	return nil
}

// Compose opens the composer with the message as it was left, or a new draft.
func (p *Composer) Compose(c host.Context) tea.Cmd {
	if p.view = messageView; strings.TrimSpace(p.area.Value()) == "" {
		p.area.SetValue(p.draft(c))
	}
	p.show(c)
	return nil
}

func (p *Composer) show(c host.Context) {
	p.open = true
	for _, b := range []*kit.TextBox{&p.area, &p.json, &p.raw} {
		b.Area.Blur()
	}
	if b := p.Text(); b != nil {
		b.Area.Focus()
	}
	p.fit()
	c.Host.Redraw()
}

func (p *Composer) close(c host.Context) {
	if i := p.instead; i != nil { // what the client said does not stay on the disk
		p.area.SetValue(i.area)
		p.raw.SetValue(i.bytes)
	}
	p.open, p.instead = false, nil
	p.completing = completing{}
	p.keepDraft()
	c.Host.Redraw()
}

func (p *Composer) draft(c host.Context) string {
	params := ""
	if server := c.Workspace.Status.Server; server.Era == mcp.Modern {
		params = `,"params":{"_meta":` + modernMeta(server.Protocol) + `}`
	}
	return `{"jsonrpc":"2.0","id":` + p.nextID() + `,"method":"` + mcp.MethodToolsList + `"` + params + `}`
}

func modernMeta(protocol string) string {
	return fmt.Sprintf(`{%q:%q,%q:{"name":"mcpdbg","version":""},%q:{}}`,
		mcp.MetaProtocolVersion, protocol, mcp.MetaClientInfo, mcp.MetaClientCapabilities)
}

func withID(line []byte, m framing.Message, id string) []byte {
	if m.Kind != framing.Request {
		return line
	}
	return append(append(bytes.Clone(line[:m.ID.Start]), id...), line[m.ID.End:]...)
}

// Click selects the field at a cell of the screen, or the view that the title names there.
func (p *Composer) Click(c host.Context, x, y int) tea.Cmd {
	if y == p.place.Y {
		_, right := p.titles(c)
		at := x - (p.place.X + p.place.W - titleEnd - termsafe.Width(right))
		for _, view := range viewsOf(p.target) {
			if from := strings.Index(right, viewNames[view]); at >= from && at < from+len(viewNames[view]) {
				if p.view == jsonView && view == formView { // not through the message, which is kept
					if _, ok := toForm(p, c); ok {
						p.view = formView
						p.show(c)
					}
					return nil
				}
				for range viewsOf(p.target) {
					if p.view != view {
						p.otherView(c)
					}
				}
			}
		}
		return nil
	}
	if p.view != formView || !p.form.SelectLine(y-p.place.Inner().Y) {
		return nil
	}
	c.Host.Redraw()
	return p.suggestLater(c)
}

// Scroll scrolls the fields.
func (p *Composer) Scroll(c host.Context, lines int) {
	if p.view == formView {
		p.form.Scroll(lines)
		c.Host.Redraw()
	}
}
