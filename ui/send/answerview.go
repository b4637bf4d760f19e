package send

import (
	"fmt"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
)

// The blocks of a request: the whole view, the server's text, and the response.
const (
	blockAll = iota
	blockText
	blockResponse
)

// responseLeast is the minimum height of the response in lines, if there is room.
const responseLeast = 8

// Scroll handles the wheel: it scrolls the server's text, or the fields if the
// whole text is visible.
func (v *answerView) Scroll(n int) {
	if v.words.All() && v.form != nil && !v.asText {
		v.form.Scroll(n)
		return
	}
	v.words.By(n)
}

func (v *answerView) Draw(c host.Context) {
	r := c.Host.Screen().Body().Center(kit.SheetWidth, c.Host.Screen().Height-2)
	width := r.Inner().W
	head := v.head(c, width-2)
	v.layOut(max(width-4, 0))
	r = c.Host.Screen().Body().Center(kit.SheetWidth, min(len(head)+v.textHeight()+v.responseHeight()+2, c.Host.Screen().Height-2))
	in := r.Inner()
	head = v.cutHead(head, in.H)
	all := c.Block(&v.blocks[blockAll], in)
	for y, row := range head {
		if y < in.H {
			l := all.Line(y)
			l.PadTo(1)
			l.Text(row.Style, row.Text)
		}
	}
	_, rest := in.CutTop(len(head))
	text, response := v.divide(rest)
	v.paintJSONFoot(c, all, response, in)
	c.Dialog(v.Scope(), r, v.title(), v.right(c), all)
	v.paintText(c, text)
	v.paintResponse(c, response)
}

func (v *answerView) cutHead(head []kit.Row, height int) []kit.Row {
	room := max(height-3, 1) // one line of the server's text, with its border
	if v.responseHeight() > 0 {
		room = max(height/2, 1)
	}
	if len(head) <= room {
		return head
	}
	head = head[:room:room]
	head[room-1].Text = "! enlarge the terminal to read the remaining warnings"
	return head
}

func (v *answerView) title() string {
	switch {
	case v.request.ID == 0:
		return "Canned response to " + wording.Clip(v.method, inSentence, wording.Dots)
	case v.kind.title == v.method:
		return "Server request: " + wording.Clip(v.method, inSentence, wording.Dots)
	}
	return "The server asks " + v.kind.title
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

func (v *answerView) head(c host.Context, width int) []kit.Row {
	if v.request.ID == 0 {
		return nil
	}
	rows := addText(nil, v.about(c), c.Host.Screen().Theme.Strong, width)
	for i, text := range v.kind.warns {
		style, mark := c.Host.Screen().Theme.Odd, "! "
		if i == 0 && v.opensURL() {
			style, mark = c.Host.Screen().Theme.Text, ""
		}
		rows = addText(rows, mark+wording.Clip(text, inSentence, wording.Dots), style, width)
	}
	return rows
}

// The first of the warnings is only information: a request to open a URL has no fields.
func (v *answerView) opensURL() bool { return v.kind.wrap != nil && v.form == nil }

func (v *answerView) about(c host.Context) string {
	text := c.Workspace.FullTitle() + " sent " + wording.Clip(v.method, inSentence, wording.Dots)
	call := v.call
	if call == "" {
		call = "a call"
	}
	if v.request.Key == "" && v.call == "" {
		return text
	}
	if at, of := v.state.position(c.Workspace, v.request); v.request.Key != "" && of > 1 {
		return text + fmt.Sprintf(", %d of %d that %s needs: %s", at, of, wording.Clip(call, inSentence, wording.Dots), wording.Clip(v.request.Key, inSentence, wording.Dots))
	}
	return text + ", for " + wording.Clip(call, inSentence, wording.Dots)
}

func (v *answerView) textHeight() int {
	if n := len(v.text.rows); n > 0 {
		return n + 1
	}
	return 0
}

func (v *answerView) responseHeight() int {
	const panel = 7 // the frame and help of a form, with a blank line before it
	switch {
	case v.asText:
		return max(responseLeast, strings.Count(v.json.Value(), "\n")+4)
	case v.form != nil:
		return max(responseLeast, v.form.Rows()+panel)
	}
	return 0
}

// inSentence is how many bytes of a server's text may be in a sentence of ours.
const inSentence = 200

// If there is too little room for both, the response gets its minimum first.
func (v *answerView) divide(r paint.Rect) (text, response paint.Rect) {
	least := min(responseLeast, v.responseHeight())
	need := min(v.textHeight(), max(r.H-v.responseHeight(), r.H-max(least, r.H*3/5)))
	if least == 0 {
		need = min(v.textHeight(), r.H)
	}
	if need < 2 {
		need = 0
	}
	return r.CutTop(need)
}

func (v *answerView) layOut(width int) {
	if v.kind.write == nil || v.text.width == width && v.text.rows != nil {
		return
	}
	v.text = requestText{width: width}
	v.kind.write(&v.text)
}

func (v *answerView) paintText(c host.Context, r paint.Rect) {
	if r.Empty() {
		v.words = kit.Text{}
		return
	}
	screen, out := c.Host.Screen(), c.Block(&v.blocks[blockText], r)
	shown := v.words.Paint(out, 1, r.H-1, len(v.text.rows), func(l *paint.Line, i int) { v.text.paint(l, screen, i) })
	l := out.Line(0)
	l.Text(screen.Theme.Odd, " The server says:")
	if shown != "" {
		l.Text(screen.Theme.Dim, "   "+shown+", "+c.Host.Key(actAnswerDown))
	}
	screen.Canvas.Draw(r, out)
}

func (v *answerView) paintResponse(c host.Context, r paint.Rect) {
	if r.Empty() {
		return
	}
	switch {
	case v.asText:
		_, foot := v.foot(r)
		area := r
		area.H -= foot
		out := c.Block(&v.blocks[blockResponse], area)
		v.json.SetSize(area.W, area.H)
		v.json.Paint(c.Host.Screen(), out, area.H)
		c.Host.Screen().Canvas.Draw(area, out)
	case v.form != nil:
		v.form.SetTheme(c.Host.Screen().Theme)
		v.form.SetSize(r.W, r.H)
		v.form.Paint(&v.blocks[blockResponse], true)
		c.Host.Screen().Canvas.Draw(r, &v.blocks[blockResponse])
	}
}

func (v *answerView) foot(r paint.Rect) (y, lines int) {
	if !v.asText || r.H < 3 {
		return 0, 0
	}
	return r.Y + r.H - 1, 1
}

func (v *answerView) paintJSONFoot(c host.Context, all *paint.Lines, r, in paint.Rect) {
	y, lines := v.foot(r)
	if lines == 0 {
		return
	}
	status, style := v.status(c.Host.Screen().Theme)
	l := all.Line(y - in.Y)
	l.PadTo(1)
	l.Text(style, status)
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

func addText(rows []kit.Row, text string, style paint.Style, width int) []kit.Row {
	for line := range strings.Lines(text) {
		rows = kit.AddRows(rows, "", strings.TrimRight(line, "\n"), style, width)
	}
	return rows
}
