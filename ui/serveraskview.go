package ui

import (
	"fmt"
	"strings"

	"mcpdbg/ui/paint"
	"mcpdbg/ui/theme"
)

// The blocks of a question: all of it, the server's words, and the answer.
const (
	blockAll = iota
	blockWords
	blockAnswer
)

// answerRoom is how many lines the answer gets at least, if there are that many.
const answerRoom = 8

// scroll is what the wheel does: it scrolls the words, or the fields if all of
// them are seen.
func (k *answering) scroll(n int) {
	if k.reading.all() && k.form != nil && !k.asText {
		k.form.Scroll(n)
		return
	}
	k.reading.by(n)
}

func (k *answering) paint(a *App) {
	r := a.below().Center(sheetWidth, a.height-2)
	width := r.Inner().W
	head := k.head(a, width-2)
	k.speak(max(width-4, 0))
	r = a.below().Center(sheetWidth, min(len(head)+k.wordsNeed()+k.answerNeed()+2, a.height-2))
	in := r.Inner()
	head = k.cutHead(head, in.H)
	all := k.size(a, blockAll, in)
	for y, row := range head {
		if y < in.H {
			l := all.Line(y)
			l.PadTo(1)
			l.Text(row.style, row.text)
		}
	}
	_, rest := in.CutTop(len(head))
	said, answer := k.divide(rest)
	k.paintJSONFoot(a, all, answer, in)
	a.canvas.Box(r, a.border(k.title(), k.right(a), true), all)
	k.paintWords(a, said)
	k.paintAnswer(a, answer)
}

// cutHead leaves out what would take all of the room for the rest, and says so.
func (k *answering) cutHead(head []askRow, height int) []askRow {
	room := max(height-3, 1) // a line of the server's words, with its border
	if k.answerNeed() > 0 {
		room = max(height/2, 1)
	}
	if len(head) <= room {
		return head
	}
	head = head[:room:room]
	head[room-1].text = "! make the screen larger: there is more to be kept in mind"
	return head
}

// size makes a block fit a part of the screen.
func (k *answering) size(a *App, i int, r paint.Rect) *paint.Lines {
	b := &k.blocks[i]
	b.Options = a.look()
	b.Resize(r.W, r.H)
	return b
}

// title says who asks for what.
func (k *answering) title() string {
	switch {
	case k.ask.ID == 0:
		return "What to answer to " + brief(k.method, inSentence)
	case k.kind.title == k.method:
		return "The server asks " + brief(k.method, inSentence)
	}
	return "The server asks " + k.kind.title
}

// right is the right side of the border: how long it has waited, and which it is.
func (k *answering) right(a *App) string {
	if k.ask.ID == 0 {
		return "from now on, without asking"
	}
	text := waits(k.ask)
	for i, q := range a.questions() {
		if n := len(a.questions()); q.ID == k.ask.ID && n > 1 && k.ask.Key == "" {
			text = fmt.Sprintf("%d of %d  ", i+1, n) + text
		}
	}
	return text
}

// head are our own words on the question: who asks, for which call, and what is
// to be kept in mind.
func (k *answering) head(a *App, width int) []askRow {
	if k.ask.ID == 0 {
		return nil
	}
	rows := ours(nil, k.about(a), a.theme.Strong, width)
	for i, text := range k.kind.warns {
		style, mark := a.theme.Warn, "! "
		if i == 0 && asksNothing(k) {
			style, mark = a.theme.Text, ""
		}
		rows = ours(rows, mark+brief(text, inSentence), style, width)
	}
	return rows
}

// asksNothing tells whether the first of the warnings is none.
func asksNothing(k *answering) bool { return k.kind.wrap != nil && k.form == nil }

// about says which server asks, and for what.
func (k *answering) about(a *App) string {
	text := a.subjectTitle() + " asks " + brief(k.method, inSentence)
	call := k.call
	if call == "" {
		call = "one call"
	}
	if k.ask.Key == "" && k.call == "" {
		return text
	}
	if at, of := a.round(k.ask); k.ask.Key != "" && of > 1 {
		return text + fmt.Sprintf(", %d of %d that %s needs: %s", at, of, brief(call, inSentence), brief(k.ask.Key, inSentence))
	}
	return text + ", for " + brief(call, inSentence)
}

// wordsNeed is how many lines show all that the server says, with their border.
func (k *answering) wordsNeed() int {
	if n := len(k.words.rows); n > 0 {
		return n + 2
	}
	return 0
}

// answerNeed is how many lines show all of the answer.
func (k *answering) answerNeed() int {
	const panel = 7 // of a form, with a blank line before it
	switch {
	case k.asText:
		return max(answerRoom, strings.Count(k.json.Value(), "\n")+4)
	case k.form != nil:
		return max(answerRoom, k.form.Rows()+panel)
	}
	return 0
}

// inSentence is how many bytes of a server's text stand in a sentence of ours.
const inSentence = 200

// divide gives the server's words and the answer their places: where there is
// not enough for both, the answer first gets what it needs at least.
func (k *answering) divide(r paint.Rect) (said, answer paint.Rect) {
	least := min(answerRoom, k.answerNeed())
	need := min(k.wordsNeed(), max(r.H-k.answerNeed(), r.H-max(least, r.H*3/5)))
	if least == 0 {
		need = min(k.wordsNeed(), r.H)
	}
	if need < 3 {
		need = 0
	}
	return r.CutTop(need)
}

// speak lays the server's words out for a width.
func (k *answering) speak(width int) {
	if k.kind.words == nil || k.words.width == width && k.words.rows != nil {
		return
	}
	k.words = words{width: width}
	k.kind.words(&k.words)
}

// paintWords draws the server's words in a box of their own.
func (k *answering) paintWords(a *App, r paint.Rect) {
	in := r.Inner()
	if in.Empty() {
		k.reading.fit(0, 0)
		return
	}
	k.reading.fit(in.H, len(k.words.rows))
	from, to := k.reading.shown()
	right := ""
	if !k.reading.all() {
		right = fmt.Sprintf("%d-%d of %d  %s", from+1, to, k.reading.lines, a.keyOf(actAnswerDown))
	}
	out := k.size(a, blockWords, in)
	k.words.paint(out, a.theme, from)
	f := a.border("the server says", right, false)
	f.TitleStyle = a.theme.Warn
	a.canvas.Box(r, f, out)
}

// paintAnswer draws the fields, or the JSON.
func (k *answering) paintAnswer(a *App, r paint.Rect) {
	if r.Empty() {
		return
	}
	switch {
	case k.asText:
		_, foot := k.foot(r)
		area := r
		area.H -= foot
		out := k.size(a, blockAnswer, area)
		k.json.setSize(area.W, area.H)
		k.json.paint(a, out, area.H)
		a.canvas.Draw(area, out)
	case k.form != nil:
		k.form.SetTheme(a.theme)
		k.form.SetSize(r.W, r.H)
		k.form.Paint(&k.blocks[blockAnswer], true)
		a.canvas.Draw(r, &k.blocks[blockAnswer])
	}
}

// foot is where the line below the JSON is.
func (k *answering) foot(r paint.Rect) (y, lines int) {
	if !k.asText || r.H < 3 {
		return 0, 0
	}
	return r.Y + r.H - 1, 1
}

// paintJSONFoot says below the JSON what is wrong with it.
func (k *answering) paintJSONFoot(a *App, all *paint.Lines, r, in paint.Rect) {
	y, lines := k.foot(r)
	if lines == 0 {
		return
	}
	said, style := k.says(a.theme)
	l := all.Line(y - in.Y)
	l.PadTo(1)
	l.Text(style, said)
}

func (k *answering) says(th *theme.Theme) (string, theme.Style) {
	text := []byte(k.json.Value())
	switch {
	case len(text) > maxChecked:
		return tooLongToCheck, th.Warn
	case !isObject(text):
		return "x an answer is one JSON object", th.Error
	case member(text, "error") != nil:
		return "an error is given", th.Warn
	}
	problems, err := k.kind.problems(k.form, text)
	return jsonSays(th, text, problems, err)
}
