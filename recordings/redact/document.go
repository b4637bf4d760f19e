package redact

import (
	"bytes"
	"strings"

	"mcpdbg/framing"
)

// A walker finds what to remove in the strings, names and numbers of one JSON text.
type walker struct {
	*finder
	framing.Cursor
	bad     bool
	hit     rules
	message bool // pointers apply
	ids     bool // the text has ids that pair messages
	method  string
	nested  int    // enclosing strings
	prefix  string // of places
	path    [][]byte
	edits   []edit
	awsID   bool // the previous string is the id of an AWS key
}

// element represents any index in a path.
var element = []byte("*")

// A treatment applies to a value and everything inside it. The zero value means that it
// is searched.
type treatment struct {
	rule   string // removes each leaf; "" for none
	bools  bool   // true is removed too
	id     bool   // the value pairs messages
	schema string // key whose schema the value is
}

// document is not ok if the text is not JSON.
func (w *walker) document() ([]edit, bool) {
	w.value(treatment{})
	return w.edits, w.Peek() == 0 && !w.bad && w.At == len(w.Data)
}

func (w *walker) fail() { w.bad, w.At = true, len(w.Data) }

func (w *walker) value(f treatment) {
	switch w.Peek() {
	case '{':
		w.object(f)
	case '[':
		w.array(f)
	case '"':
		w.stringLeaf(f)
	default:
		w.otherLeaf(f)
	}
}

func (w *walker) object(f treatment) {
	w.At++
	if w.Accept('}') {
		return
	}
	var entry pair
	for !w.bad {
		inside, from := w.text()
		name := w.decoded(inside)
		w.path = append(w.path, name)
		if w.hit != 0 {
			w.add(outward(inside, w.inText(name, "", maxNested)), from)
		}
		if !w.Accept(':') {
			w.fail()
			return
		}
		own := w.memberTreatment(f, name)
		if own.rule == "" && w.hit&(ruleKeys|ruleEscapes) != 0 {
			w.paired(&entry, name, own)
		} else {
			w.value(own)
		}
		w.path = w.path[:len(w.path)-1]
		if w.Accept('}') {
			return
		}
		if !w.Accept(',') {
			w.fail()
		}
	}
}

func (w *walker) array(f treatment) {
	w.At++
	if w.Accept(']') {
		return
	}
	option := "" // key of the option in the previous element
	w.path = append(w.path, element)
	for !w.bad {
		w.Peek()
		from, own := w.At, w.pointed(f)
		if option != "" && own.rule == "" && !bytes.HasPrefix(w.Data[from:], []byte(`"--`)) {
			own = treatment{rule: "key " + option}
		}
		w.value(own)
		option = w.optionKey(w.Data[from:w.At])
		if w.Accept(']') {
			break
		}
		if !w.Accept(',') {
			w.fail()
		}
	}
	w.path = w.path[:len(w.path)-1]
}

// optionKey returns the key of an argument --name, whose value is the next element.
func (w *walker) optionKey(raw []byte) string {
	if len(raw) < 3 || len(raw) > longestName || raw[0] != '"' || raw[1] != '-' || bytes.IndexByte(raw, '=') >= 0 {
		return ""
	}
	return w.key(bytes.TrimLeft(raw[1:len(raw)-1], "-"))
}

func (w *walker) memberTreatment(f treatment, name []byte) treatment {
	if f = w.pointed(f); f.rule != "" {
		return f
	}
	if f.schema != "" {
		switch string(name) {
		case "default", "const", "enum", "examples":
			return treatment{rule: "key " + f.schema}
		}
	}
	if w.hit&(ruleKeys|ruleEscapes) == 0 {
		return f
	}
	key, first := w.key(name), w.Peek()
	if key == "" || w.keys.weak[key] && (first == '{' || first == '[') {
		return f
	}
	if first == '{' && w.inProperties() {
		return treatment{schema: key}
	}
	return treatment{rule: "key " + key}
}

// inProperties reports whether the member is an argument in a JSON schema.
func (w *walker) inProperties() bool {
	if len(w.path) < 2 {
		return false
	}
	switch string(w.path[len(w.path)-2]) {
	case "properties", "patternProperties", "$defs", "definitions":
		return true
	}
	return false
}

func (w *walker) pointed(f treatment) treatment {
	if w.ids && w.idsHit && w.at(idPlaces) {
		return treatment{rule: "pointer id", id: true}
	}
	if w.ids && w.progress && w.at(progressPlaces) {
		return treatment{rule: "pointer progressToken", id: true}
	}
	if w.message && w.at(envelope) {
		return treatment{}
	}
	if f.rule != "" || !w.message {
		return f
	}
	for i := range w.pointers {
		p := &w.pointers[i]
		if w.reached(p.parts) && p.applies(w.method) {
			return treatment{rule: "pointer " + p.text, bools: true}
		}
	}
	return f
}

func (w *walker) reached(parts []string) bool {
	if len(parts) != len(w.path) {
		return false
	}
	for i, part := range parts {
		if part != "*" && part != string(w.path[i]) {
			return false
		}
	}
	return true
}

func (w *walker) at(places [][]string) bool {
	for _, place := range places {
		if w.reached(place) {
			return true
		}
	}
	return false
}

// text returns the content of a string, and where it begins.
func (w *walker) text() (inside []byte, from int) {
	inside = w.Text()
	if inside == nil || w.Cut {
		w.fail()
		return nil, w.At
	}
	return inside, w.At - len(inside) - 1
}

func (w *walker) decoded(inside []byte) []byte {
	if bytes.IndexByte(inside, '\\') < 0 {
		return inside
	}
	return unquoted(make([]byte, 0, len(inside)), inside)
}

func (w *walker) stringLeaf(f treatment) {
	inside, from := w.text()
	if len(inside) == 0 || f.rule == "" && w.hit == 0 {
		return
	}
	text := w.decoded(inside)
	if f.rule != "" && w.sparedBy(f.rule, text) {
		f = treatment{}
	}
	switch {
	case isMark(text):
	case f.id:
		w.add([]edit{{from: 0, to: len(inside), text: w.mark(text, idLetters), rule: f.rule, place: w.place()}}, from)
	case f.rule != "":
		w.add([]edit{{from: 0, to: len(inside), text: w.mark(text, markLetters), rule: f.rule, place: w.place()}}, from)
	default:
		edits := w.inText(text, w.prefix, w.nested)
		if w.afterID(text) {
			edits = []edit{{from: 0, to: len(text), text: w.mark(text, markLetters), rule: awsPattern}}
		}
		for i := range edits {
			edits[i].place = w.place()
		}
		w.add(outward(inside, edits), from)
	}
}

// otherLeaf reads a number, true, false or null.
func (w *walker) otherLeaf(f treatment) {
	token := w.Token()
	if len(token) == 0 || strings.IndexByte("-0123456789tfn", token[0]) < 0 {
		w.fail()
		return
	}
	from := w.At - len(token)
	text, rule := "", f.rule
	switch token[0] {
	case 'n', 'f':
	case 't':
		if f.bools {
			text = "false"
		}
	default:
		if f.rule == "" || w.sparedBy(f.rule, token) {
			rule = w.isValue(token)
			f.id = w.ids && (w.at(idPlaces) || w.at(progressPlaces))
		}
		if rule != "" {
			text = w.zero(token, f)
		}
	}
	if text != "" && text != string(token) {
		w.add([]edit{{from: 0, to: len(token), text: text, rule: rule, place: w.place()}}, from)
	}
}

// zero returns the replacement for a number, of the same type.
func (w *walker) zero(token []byte, f treatment) string {
	switch {
	case f.id:
		return w.number(token)
	case bytes.ContainsAny(token, ".eE"):
		return "0.0"
	}
	return "0"
}

// isValue returns the rule of the value that a number matches, or "".
func (w *walker) isValue(token []byte) string {
	if name := w.given.Find(token); name != "" {
		return givenRule(name)
	}
	if w.hit&ruleValues == 0 {
		return ""
	}
	for i := range w.literals {
		if l := &w.literals[i]; !l.word && bytes.Contains(token, l.text) {
			return l.rule
		}
	}
	return ""
}

// add adds edits that are relative to offset from.
func (w *walker) add(edits []edit, from int) {
	for i := range edits {
		if edits[i].place == "" {
			edits[i].place = w.place()
		}
	}
	w.edits = append(w.edits, shifted(edits, from)...)
}

const longestPlace = 200

// place describes the current position, without secrets.
func (w *walker) place() string {
	var b strings.Builder
	b.WriteString(w.prefix)
	for _, name := range w.path {
		b.WriteByte('/')
		b.Write(apply(nil, name, w.inText(name, "", maxNested)))
		if b.Len() > longestPlace {
			return b.String()[:longestPlace] + "…"
		}
	}
	return b.String()
}
