package send

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// responseLeast is the minimum height of the response as JSON in lines, if there is room.
const responseLeast = 8

// inSentence is how many bytes of a server's text may be in a sentence of ours.
const inSentence = 200

// A button is a way to answer: the last fields of a question.
type button struct {
	title, action string
	press         func(host.Context, *answerView) tea.Cmd
}

func (v *answerView) buttons() []button {
	all := []button{{"Accept", actAnswerSend, acceptAnswer}}
	if v.request.ID != 0 {
		all = append(all, button{"Decline", actAnswerDecline, func(c host.Context, v *answerView) tea.Cmd { return v.sendFixed(c, v.kind.decline) }})
	}
	if v.request.ID != 0 && v.kind.cancel != nil {
		all = append(all, button{"Dismiss", actAnswerCancel, func(c host.Context, v *answerView) tea.Cmd { return v.sendFixed(c, v.kind.cancel) }})
	}
	return append(all, button{"Later", actAnswerLater, func(c host.Context, v *answerView) tea.Cmd { c.Host.Close(v); return nil }})
}

// noButton is the button of a question while a field or a text has the focus.
const noButton = -1

// step moves between the buttons, and before the first one to the fields.
func (v *answerView) step(c host.Context, by int) {
	v.button = min(v.button+by, len(v.buttons())-1)
	if v.button < 0 && !v.hasFields() {
		v.button = 0
	}
	c.Host.Redraw()
}

// hasFields reports whether a field or a text can have the focus.
func (v *answerView) hasFields() bool { return v.asText || v.form != nil && v.form.Rows() > 0 }

// A place is where a part of a question was drawn, from the first line of the dialog.
type place struct{ from, lines int }

// Press handles a click on a button or a field.
func (v *answerView) Press(c host.Context, x, y int) (cmd tea.Cmd, hit bool) {
	in := v.block.Place()
	x, y = x-in.X, y-in.Y
	if _, h := v.block.Size(); y < h && (y == v.foot || y == v.foot+1) {
		at := buttonsFrom
		for _, b := range v.buttons() {
			if x >= at && x < at+buttonCells(b) {
				return b.press(c, v), true
			}
			at += buttonCells(b) + 2
		}
	}
	if !v.asText && v.form != nil && v.form.SelectLine(y-v.response.from) {
		v.button = noButton
		return nil, true
	}
	return nil, false
}

// buttonsFrom is the column of the first button.
const buttonsFrom = 1

func buttonCells(b button) int { return len("[  ]") + len(b.title) }

// Scroll handles the wheel: it scrolls the server's text, or the fields if the whole text
// is visible.
func (v *answerView) Scroll(n int) {
	if v.words.All() && v.form != nil && !v.asText {
		v.form.Scroll(n)
		return
	}
	v.words.By(n)
}

func (v *answerView) Draw(c host.Context) {
	screen := c.Host.Screen()
	r := screen.Body().Center(kit.DialogWidth, screen.Height-2)
	width := r.Inner().W
	head := v.head(c, width-2)
	if v.kind.write != nil && (v.text.width != width-4 || v.text.rows == nil) {
		v.text = requestText{width: max(width-4, 0)}
		v.kind.write(&v.text)
	}
	foot := 2 // the buttons and their keys
	if v.call != "" {
		foot++
	}
	need, response := len(v.text.rows), 0
	if need > 0 {
		need++
	}
	switch {
	case v.asText:
		response = max(responseLeast, strings.Count(v.json.Value(), "\n")+4)
	case v.form != nil:
		response = v.form.Height()
	}
	const gap = 1
	r = screen.Body().Center(kit.DialogWidth, min(len(head)+need+response+gap+foot+2, screen.Height-2))
	in := r.Inner()
	out := c.Block(&v.block, in)
	if in.Empty() {
		return
	}
	free := in.H - foot
	if free < min(4, len(head)+need+response) { // the buttons alone
		foot = min(1, in.H)
		free = in.H - foot
	}
	y := v.paintHead(out, head, free, response > 0)
	if free -= y; free > response && y+need+response < in.H-foot {
		free -= gap
	}
	text := min(need, max(free-response, free-max(min(response, responseLeast), free*3/5)))
	if response == 0 {
		text = min(need, free)
	}
	if text < 2 {
		text = 0
	}
	v.paintText(c, out, y, text)
	v.response = place{y + text, max(min(response, free-text), 0)}
	v.paintResponse(screen, out, v.response)
	v.foot = in.H - foot
	v.paintButtons(c, out)
	c.Dialog(v.Scope(), r, v.title(c), v.right(c), out)
}

// paintHead paints the warnings, and returns how many lines they take.
func (v *answerView) paintHead(out *paint.Lines, head []kit.Row, height int, fields bool) int {
	room := max(height-3, 1) // one line of the server's text
	if fields {
		room = max(height/2, 1)
	}
	if room = min(room, height); len(head) > room {
		head = slices.Clone(head[:max(room, 0)])
		if room > 0 {
			head[room-1].Text = "! enlarge the terminal to read the remaining warnings"
		}
	}
	for y, row := range head {
		l := out.Line(y)
		l.PadTo(1)
		l.Text(row.Style, row.Text)
	}
	return len(head)
}

func (v *answerView) title(c host.Context) string {
	switch {
	case v.request.ID == 0:
		return "Canned response to " + wording.Clip(v.method, inSentence, wording.Dots)
	case v.from != "":
		return v.from + " sends " + wording.Clip(v.method, inSentence, wording.Dots)
	case v.kind.title == v.method:
		return c.Workspace.FullTitle() + " sends " + wording.Clip(v.method, inSentence, wording.Dots)
	}
	return c.Workspace.FullTitle() + " asks " + v.kind.title
}

// right returns the right side of the title: how long the request has waited, and
// its number.
func (v *answerView) right(c host.Context) string {
	if v.request.ID == 0 {
		return "sent without confirmation"
	}
	text := waitText(v.request)
	for i, q := range c.Workspace.Requests() {
		if n := len(c.Workspace.Requests()); q.ID == v.request.ID && n > 1 && v.request.Key == "" {
			text = fmt.Sprintf("%d of %d  ", i+1, n) + text
		}
	}
	return text
}

// head returns the warnings about a request, wrapped.
func (v *answerView) head(c host.Context, width int) (rows []kit.Row) {
	if v.request.ID == 0 {
		return nil
	}
	for i, text := range v.kind.warns {
		style, mark := c.Host.Screen().Theme.Odd, "! "
		if i == 0 && v.kind.wrap != nil && v.form == nil { // a URL: the first is only information
			style, mark = c.Host.Screen().Theme.Text, ""
		}
		rows = addText(rows, mark+wording.Clip(text, inSentence, wording.Dots), style, width)
	}
	return rows
}

func addText(rows []kit.Row, text string, style paint.Style, width int) []kit.Row {
	for line := range strings.Lines(text) {
		rows = kit.AddRows(rows, "", strings.TrimRight(line, "\n"), style, width)
	}
	return rows
}

func (v *answerView) paintText(c host.Context, out *paint.Lines, y, height int) {
	if height == 0 {
		v.words = kit.Text{}
		return
	}
	screen := c.Host.Screen()
	shown := v.words.Paint(out, y+1, height-1, len(v.text.rows), func(l *paint.Line, i int) { v.text.paint(l, screen, i) })
	l := out.Line(y)
	l.Text(screen.Theme.Odd, " The "+cmp.Or(v.from, "server")+" says:")
	if shown != "" {
		l.Text(screen.Theme.Dim, "   "+shown+", "+c.Host.Key(actAnswerDown))
	}
}

// paintResponse paints the fields, or the JSON and its problem.
func (v *answerView) paintResponse(screen *kit.Screen, out *paint.Lines, at place) {
	switch {
	case at.lines == 0:
	case v.asText:
		rows := at.lines
		if rows > 2 {
			rows--
			status, style := v.status(screen.Theme)
			l := out.Line(at.from + rows)
			l.PadTo(1)
			l.Text(style, status)
		}
		w, _ := out.Size()
		v.json.SetSize(w, rows)
		v.json.Paint(screen, out, at.from, rows)
	default:
		v.form.SetTheme(screen.Theme)
		w, _ := out.Size()
		v.form.SetSize(w, at.lines)
		v.form.Paint(out, at.from, v.button == noButton)
	}
}

// paintButtons paints the buttons with their keys below, and the call for which the server
// asks, with the place of the question among those of the call.
func (v *answerView) paintButtons(c host.Context, out *paint.Lines) {
	th := c.Host.Screen().Theme
	_, h := out.Size()
	var lines []*paint.Line
	for y := v.foot; y < h; y++ {
		lines = append(lines, out.Line(y))
	}
	if len(lines) == 0 {
		return
	}
	at := buttonsFrom
	for i, b := range v.buttons() {
		lines[0].PadTo(at)
		lines[0].Enter(th.Cursor(true).If(i == v.button))
		lines[0].Text(th.Accent, "[ "+b.title+" ]")
		lines[0].Leave()
		if len(lines) > 1 {
			lines[1].PadTo(at + 2)
			lines[1].Text(th.Dim, c.Host.Key(b.action))
		}
		at += buttonCells(b) + 2
	}
	if len(lines) > 2 {
		when := v.when
		if at, of := v.state.position(c.Workspace, v.request); v.request.Key != "" && of > 1 {
			when += fmt.Sprintf(", %d of %d: %s", at, of, termsafe.Truncate(v.request.Key, inSentence, wording.Dots))
		}
		lines[2].PadTo(1)
		lines[2].Text(th.Dim, termsafe.Truncate(v.call, lines[2].Room()-termsafe.Width(when)-1, c.Host.Screen().Look().Ellipsis)+when)
	}
}

func (v *answerView) status(th *paint.Theme) (string, paint.Style) {
	text := []byte(v.json.Value())
	switch {
	case len(text) > MaxChecked:
		return TooLongToCheck, th.Odd
	case !isObject(text):
		return "x a response must be a JSON object", th.Failed
	case member(text, "error") != nil:
		return "this is an error response", th.Odd
	}
	problems, err := v.kind.problems(v.form, text)
	return jsonStatus(th, text, problems, err)
}
