package ui

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/form"
	"mcpdbg/ui/paint"
)

// An answering is an overlay in which a person answers what a server asks, or
// writes what its policy is to answer. It never comes up by itself, and it looks
// like what it is: the server's words, in a box of their own. What mcpdbg itself
// asks has a double frame.
type answering struct {
	ask    session.Ask // ID is 0 for a policy
	method string
	kind   questionKind
	call   string // of ours that it belongs to, if that is known

	form    *form.Form // nil if there are no fields
	json    textBox    // the answer as JSON
	asText  bool
	refused string // what was not sent because of problems: the next time it is

	words   words
	reading scroll         // of the words
	blocks  [3]paint.Lines // as they were painted last
}

// serverAsks is what a subject remembers of questions of its server.
type serverAsks struct {
	delayed []session.Ask              // what policies answer later, oldest first
	open    map[uint64]*answering      // those that were looked at, with what is written
	given   map[string]json.RawMessage // by method, the last answer
	canned  map[string]json.RawMessage // by method, what was canned last
	done    map[uint64]int             // by the entry of a round, how many were answered
}

func newServerAsks() serverAsks {
	return serverAsks{open: map[uint64]*answering{}, given: map[string]json.RawMessage{}, canned: map[string]json.RawMessage{}, done: map[uint64]int{}}
}

// newAnswering makes the overlay for a question.
func (a *App) newAnswering(q session.Ask) *answering {
	k := &answering{ask: q, method: q.Method, call: a.callOf(q.Parent)}
	k.begin(a, questionOf(q.Method, q.Params, a.asks.given[q.Method], a.folder()))
	return k
}

// folder is where the server was started, "" if that is not known.
func (a *App) folder() string {
	h := a.source.Header()
	if h.Cwd != "" || h.Placement != "local" {
		return h.Cwd
	}
	folder, _ := os.Getwd() // where it is not known none is proposed
	return folder
}

// begin takes what the question needs to be answered.
func (k *answering) begin(a *App, kind questionKind) {
	k.kind, k.json = kind, newTextBox("a result, or an object with the one member error")
	if kind.wrap == nil {
		k.asText = true
		k.json.SetValue(spread(kind.text))
	}
	if kind.schema != nil {
		k.form = form.New(kind.schema, form.Options{Theme: a.theme, Text: a.look()})
		if kind.value != nil {
			_ = k.form.SetJSON(kind.value) // it is JSON
		}
		for path, suggestions := range kind.suggest {
			k.form.SetSuggestions(path, suggestions)
		}
	}
	k.focus()
}

// focus gives the keys to the text, or takes them away.
func (k *answering) focus() {
	k.json.area.Blur()
	if k.asText {
		k.json.area.Focus()
	}
}

// scope is the part of the action table that is in force.
func (k *answering) scope() string {
	if k.asText {
		return scopeAnswerText
	}
	return scopeAnswer
}

func (k *answering) typed(a *App, msg tea.Msg) tea.Cmd {
	if !k.asText {
		if k.form != nil {
			a.typeField(k.form, msg)
		}
		return nil
	}
	cmd, err := k.json.update(msg)
	if err != nil {
		a.complain(err.Error() + ": ctrl+e opens it in your editor")
	}
	return cmd
}

// forPerson are those that no policy answers by itself.
func forPerson(asks []session.Ask) []session.Ask {
	var waiting []session.Ask
	for _, a := range asks {
		if a.Due.IsZero() {
			waiting = append(waiting, a)
		}
	}
	return waiting
}

// questions are those that can be answered now: those that wait for the person
// first.
func (s *subject) questions() []session.Ask { return slices.Concat(s.waiting, s.asks.delayed) }

// round tells which of the questions of one call this is, of how many; 1 of 1 if
// it came alone. In the modern era one result of a call asks all of them.
func (s *subject) round(q session.Ask) (at, of int) {
	at = s.asks.done[q.N] + 1
	of = at - 1
	for _, other := range s.questions() {
		if other.N == q.N {
			of++
		}
	}
	return at, max(of, at)
}

// waitsForAnswer tells whether there is anything to answer, in any session.
func waitsForAnswer(a *App) (bool, string) {
	for _, s := range a.subjects {
		if len(s.questions()) > 0 {
			return true, ""
		}
	}
	if a.session == nil {
		return false, "nobody waits, " + noServer(a)
	}
	return false, "no server waits for an answer"
}

// answerNow is what the action means while a server waits.
func answerNow(a *App) string {
	for _, s := range a.subjects {
		if len(s.waiting) > 0 {
			return "answer the server"
		}
	}
	return ""
}

// answer opens the oldest question: of the session on the screen, or else of
// another one, which is then shown.
func (a *App) answer() tea.Cmd {
	for _, list := range []func(*subject) []session.Ask{
		func(s *subject) []session.Ask { return s.waiting },
		func(s *subject) []session.Ask { return s.asks.delayed },
	} {
		for _, s := range append([]*subject{a.subject}, a.subjects...) {
			if open := list(s); len(open) > 0 {
				if s != a.subject {
					a.show(s)
				}
				a.openQuestion(open[0])
				return nil
			}
		}
	}
	return nil
}

// openQuestion opens a question as it was left, with its row selected behind it.
func (a *App) openQuestion(q session.Ask) {
	k := a.asks.open[q.ID]
	if k == nil {
		k = a.newAnswering(q)
		a.asks.open[q.ID] = k
	}
	if row, ok := a.rowOf(q.N); ok {
		a.showAnswer(row)
		a.notice = notice{} // that a filter hides it does not matter here
	}
	a.push(k)
}

// otherQuestion goes to the next question, and behind the last to the first.
func (a *App) otherQuestion(k *answering) tea.Cmd {
	open := a.questions()
	i := slices.IndexFunc(open, func(q session.Ask) bool { return q.ID == k.ask.ID })
	a.remove(k)
	a.openQuestion(open[(i+1)%len(open)])
	return nil
}

// callOf is our call of an entry in a few words, "" if it is not known.
func (a *App) callOf(n uint64) string {
	number, ok := a.rowOf(n)
	if !ok {
		return ""
	}
	row, ok := a.rows.at(number)
	if !ok {
		return ""
	}
	e, err := a.source.Entry(row, maxDraft)
	if err != nil || e.Msg.Kind != framing.Request {
		return a.source.Method(row.Method)
	}
	params := e.Msg.Params.Of(e.Payload)
	name := ""
	for _, key := range []string{"name", "uri"} {
		if value := member(params, key); value != nil && name == "" {
			_ = json.Unmarshal(value, &name) // what is no text is no name
		}
	}
	return strings.TrimSpace(a.source.Method(row.Method) + " " + name)
}

// jumpToCall selects our call that a question belongs to.
func (a *App) jumpToCall(k *answering) tea.Cmd {
	if row, ok := a.rowOf(k.ask.Parent); ok {
		a.remove(k)
		a.selectTraffic(row)
		return nil
	}
	a.complain("the server does not say to which call it belongs")
	return nil
}

// written is the answer as it is now, if it is to be given.
func (k *answering) written(a *App) (answer json.RawMessage, ok bool) {
	if !k.asText {
		if k.form == nil {
			return k.kind.wrap(nil), true
		}
		value, ok := a.fieldsValue(k.form, &k.refused)
		if !ok {
			return nil, false
		}
		return k.kind.wrap(value), true
	}
	text := k.json.Value()
	if !isObject([]byte(text)) {
		a.complain("not sent: an answer is one JSON object")
		return nil, false
	}
	problems, _ := k.kind.problems(k.form, []byte(text))
	if len(problems) > 0 && !a.insisted(&k.refused, text, placed([]byte(text), problems[0])) {
		return nil, false
	}
	return json.RawMessage(text), true
}

// accept gives what is written.
func (a *App) accept(k *answering) tea.Cmd {
	answer, ok := k.written(a)
	if !ok {
		return nil
	}
	return a.give(k, answer)
}

// acceptAlways gives what is written, from now on without the person.
func (a *App) acceptAlways(k *answering) tea.Cmd {
	answer, ok := k.written(a)
	if !ok {
		return nil
	}
	changed := a.setCanned(k.method, answer)
	if k.ask.ID == 0 {
		a.remove(k)
		return changed
	}
	return tea.Batch(a.give(k, answer), changed)
}

// give answers the question, and goes to the next one of the same call.
func (a *App) give(k *answering, answer json.RawMessage) tea.Cmd {
	if k.ask.ID == 0 {
		return a.acceptAlways(k)
	}
	a.remove(k)
	delete(a.asks.open, k.ask.ID)
	if err := a.session.Answer(k.ask.ID, answer); err != nil {
		if errors.Is(err, session.ErrNoAsk) {
			a.observe()
			a.complain(err.Error())
			return nil
		}
		a.asks.open[k.ask.ID] = k
		a.push(k)
		a.complain(err.Error())
		return nil
	}
	a.asks.given[k.method] = slices.Clone(answer)
	a.asks.done[k.ask.N]++
	a.observe()
	a.say(brief(k.method, inSentence) + ": answered")
	for _, q := range a.questions() {
		if q.N == k.ask.N && k.ask.Key != "" {
			a.openQuestion(q)
			return nil
		}
	}
	delete(a.asks.done, k.ask.N)
	return nil
}

// giveFixed gives one of the answers that are always the same.
func (a *App) giveFixed(k *answering, answer json.RawMessage) tea.Cmd {
	if answer == nil {
		return nil
	}
	return a.give(k, answer)
}

// otherAnswerView changes between the fields, or the question alone, and the
// answer as JSON. Nothing of what is written is lost.
func (a *App) otherAnswerView(k *answering) tea.Cmd {
	if !k.asText {
		var value []byte
		if k.form != nil {
			value, _ = k.form.JSON() // a wrong text stands there as a string
		}
		k.json.SetValue(spread(k.kind.wrap(value)))
		k.asText = true
		k.focus()
		return nil
	}
	value, ok := k.kind.unwrap([]byte(k.json.Value()))
	if ok && k.form != nil {
		ok = k.form.SetJSON(value) == nil
	}
	if !ok {
		a.complain("only JSON can hold this answer; " + a.keyOf(actAnswerText+actAnswerSend) + " sends it")
		return nil
	}
	k.asText = false
	k.focus()
	return nil
}

// editAnswer opens the field, or the JSON, in the person's editor.
func (a *App) editAnswer(k *answering) tea.Cmd {
	then := func(*App) tea.Cmd { return nil }
	switch {
	case k.asText:
		return a.editBox(&k.json, ".json", then)
	case k.form != nil:
		return a.editField(k.form, then)
	}
	return nil
}

// copyAddress copies the address that the server wants the person to go to.
func (a *App) copyAddress(k *answering) tea.Cmd {
	var asked struct {
		URL string `json:"url"`
	}
	_ = json.Unmarshal(k.ask.Params, &asked) // it was looked at before
	return func() tea.Msg { return toClipboard("the address", asked.URL, false) }
}

// tendAnswers closes questions that nobody waits for any more.
func (a *App) tendAnswers() {
	x := &a.asks
	x.delayed = a.session.Delayed()
	if len(x.open) == 0 {
		return
	}
	left := map[uint64]bool{}
	for _, q := range a.questions() {
		left[q.ID] = true
	}
	for id, k := range x.open {
		if left[id] {
			continue
		}
		delete(x.open, id)
		for _, o := range a.overlays {
			if o.overlay == overlay(k) {
				a.remove(k)
				a.complain(a.endOf(k.ask))
				break
			}
		}
	}
}

// endOf tells what became of a question that the person did not answer.
func (a *App) endOf(q session.Ask) string {
	const latest = 256 // rows in which it must be
	for row := a.source.Len() - 1; row >= max(a.source.Len()-latest, 0); row-- {
		var rows [1]session.Row
		if a.source.Rows(row, rows[:]) == 0 || rows[0].Kind != session.KindAct {
			continue
		}
		e, err := a.source.Entry(rows[0], maxDraft)
		var body session.ActBody
		if err != nil || e.DecodeBody(&body) != nil || body.Of != q.N || body.Key != q.Key {
			continue
		}
		switch body.Act {
		case session.ActWithdrawn:
			return "not answered: " + body.Detail
		case session.ActAnswer:
			return "answered by its policy: " + body.Detail
		}
	}
	if !q.Due.IsZero() {
		return brief(q.Method, inSentence) + ": its policy has answered"
	}
	return brief(q.Method, inSentence) + ": " + session.ErrNoAsk.Error()
}

// waits says how long a question has waited, or how long its policy lets it.
func waits(q session.Ask) string {
	if !q.Due.IsZero() {
		return fmt.Sprintf("its policy answers in %d s", int(max(time.Until(q.Due), 0).Round(time.Second).Seconds()))
	}
	return fmt.Sprintf("waits for you %d s", int(max(time.Since(q.Since), 0).Seconds()))
}
