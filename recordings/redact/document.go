package redact

import (
	"bytes"
	"strings"
)

// A walker goes through one JSON text and finds what is to be removed in its
// strings, names and numbers. Bytes that it does not remove are not touched.
type walker struct {
	*finder
	b       []byte
	i       int
	bad     bool
	hit     rules
	message bool   // it is a message: pointers apply
	ids     bool   // it has ids that messages are paired by, as messages do
	method  string // of the message
	nested  int    // how many strings are around it
	prefix  string // of places
	path    [][]byte
	edits   []edit
	awsID   bool // the string before is the id of an AWS key
}

// element stands for any index in a path.
var element = []byte("*")

// A fate is what becomes of a value and of all that is in it. The zero fate is
// to be searched.
type fate struct {
	rule   string // by which each leaf is removed; "" for none
	bools  bool   // also true
	id     bool   // it is one that messages are paired by
	schema string // the key that it is the schema of
}

// document returns the edits of the whole text; not ok if it is no JSON.
func (w *walker) document() ([]edit, bool) {
	w.value(fate{})
	w.space()
	return w.edits, !w.bad && w.i == len(w.b)
}

func (w *walker) fail() { w.bad, w.i = true, len(w.b) }

func (w *walker) space() {
	for w.i < len(w.b) && (w.b[w.i] == ' ' || w.b[w.i] == '\t' || w.b[w.i] == '\n' || w.b[w.i] == '\r') {
		w.i++
	}
}

// take reads c, if it is next.
func (w *walker) take(c byte) bool {
	w.space()
	if w.i < len(w.b) && w.b[w.i] == c {
		w.i++
		return true
	}
	return false
}

func (w *walker) value(f fate) {
	w.space()
	if w.i >= len(w.b) {
		w.fail()
		return
	}
	switch w.b[w.i] {
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

func (w *walker) object(f fate) {
	w.i++
	if w.take('}') {
		return
	}
	var entry pair
	for !w.bad {
		w.space()
		from, to := w.token()
		name := w.decoded(w.b[from:to])
		w.path = append(w.path, name)
		if w.hit != 0 {
			w.add(outward(w.b[from:to], w.inText(name, "", maxNested)), from)
		}
		if !w.take(':') {
			w.fail()
			return
		}
		w.space()
		own := w.memberFate(f, name)
		if own.rule == "" && w.hit&(ruleKeys|ruleEscapes) != 0 {
			w.paired(&entry, name, own)
		} else {
			w.value(own)
		}
		w.path = w.path[:len(w.path)-1]
		if w.take('}') {
			return
		}
		if !w.take(',') {
			w.fail()
		}
	}
}

func (w *walker) array(f fate) {
	w.i++
	if w.take(']') {
		return
	}
	option := "" // the key that the element before is an option of
	w.path = append(w.path, element)
	for !w.bad {
		w.space()
		from, own := w.i, w.pointed(f)
		if option != "" && own.rule == "" && !bytes.HasPrefix(w.b[from:], []byte(`"--`)) {
			own = fate{rule: "key " + option}
		}
		w.value(own)
		option = w.optionKey(w.b[from:w.i])
		if w.take(']') {
			break
		}
		if !w.take(',') {
			w.fail()
		}
	}
	w.path = w.path[:len(w.path)-1]
}

// optionKey is the key that an argument --name gives the next one.
func (w *walker) optionKey(raw []byte) string {
	if len(raw) < 3 || len(raw) > longestName || raw[0] != '"' || raw[1] != '-' || bytes.IndexByte(raw, '=') >= 0 {
		return ""
	}
	return w.key(bytes.TrimLeft(raw[1:len(raw)-1], "-"))
}

// memberFate is the fate of the member that was just read the name of.
func (w *walker) memberFate(f fate, name []byte) fate {
	if f = w.pointed(f); f.rule != "" {
		return f
	}
	if f.schema != "" {
		switch string(name) {
		case "default", "const", "enum", "examples":
			return fate{rule: "key " + f.schema}
		}
	}
	if w.hit&(ruleKeys|ruleEscapes) == 0 {
		return f
	}
	key := w.key(name)
	if key == "" {
		return f
	}
	if w.i < len(w.b) && w.b[w.i] == '{' && w.inProperties() {
		return fate{schema: key}
	}
	return fate{rule: "key " + key}
}

// inProperties tells whether the member stands in a JSON schema as the name of
// an argument.
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

// pointed is the fate of the value at the path.
func (w *walker) pointed(f fate) fate {
	if w.ids && w.idsHit && w.at(idPlaces) {
		return fate{rule: "pointer id", id: true}
	}
	if w.ids && w.progress && w.at(progressPlaces) {
		return fate{rule: "pointer progressToken", id: true}
	}
	if w.message && w.at(envelope) {
		return fate{}
	}
	if f.rule != "" || !w.message {
		return f
	}
	for i := range w.pointers {
		p := &w.pointers[i]
		if w.reached(p.parts) && p.applies(w.method) {
			return fate{rule: "pointer " + p.text, bools: true}
		}
	}
	return f
}

// reached tells whether the path is that of the parts.
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

// at tells whether the path is one of the places.
func (w *walker) at(places [][]string) bool {
	for _, place := range places {
		if w.reached(place) {
			return true
		}
	}
	return false
}

// token reads a string and returns where its inside is.
func (w *walker) token() (from, to int) {
	if w.i >= len(w.b) || w.b[w.i] != '"' {
		w.fail()
		return w.i, w.i
	}
	w.i++
	from = w.i
	for w.i < len(w.b) {
		n := bytes.IndexByte(w.b[w.i:], '"')
		if n < 0 {
			break
		}
		w.i += n + 1
		if !escapedAt(w.b[from : w.i-1]) {
			return from, w.i - 1
		}
	}
	w.fail()
	return w.i, w.i
}

// escapedAt tells whether what follows text is escaped by its last bytes.
func escapedAt(text []byte) bool {
	n := len(text)
	for n > 0 && text[n-1] == '\\' {
		n--
	}
	return (len(text)-n)%2 == 1
}

// decoded is what the inside of a string stands for.
func (w *walker) decoded(inside []byte) []byte {
	if bytes.IndexByte(inside, '\\') < 0 {
		return inside
	}
	return unquoted(nil, inside)
}

func (w *walker) stringLeaf(f fate) {
	from, to := w.token()
	if w.bad || from == to || f.rule == "" && w.hit == 0 {
		return
	}
	text := w.decoded(w.b[from:to])
	switch {
	case isMark(text), f.rule != "" && w.sparedBy(f.rule, text):
	case f.id:
		w.add([]edit{{from: 0, to: to - from, text: w.mark(text, idLetters), rule: f.rule, place: w.place()}}, from)
	case f.rule != "":
		w.add([]edit{{from: 0, to: to - from, text: w.mark(text, markLetters), rule: f.rule, place: w.place()}}, from)
	default:
		edits := w.inText(text, w.prefix, w.nested)
		if w.afterID(text) {
			edits = []edit{{from: 0, to: len(text), text: w.mark(text, markLetters), rule: awsPattern}}
		}
		for i := range edits {
			edits[i].place = w.place()
		}
		w.add(outward(w.b[from:to], edits), from)
	}
}

// otherLeaf reads a number, true, false or null.
func (w *walker) otherLeaf(f fate) {
	from := w.i
	for w.i < len(w.b) && strings.IndexByte(",]} \t\r\n", w.b[w.i]) < 0 {
		w.i++
	}
	token := w.b[from:w.i]
	if len(token) == 0 {
		w.fail()
		return
	}
	text, rule := "", f.rule
	switch token[0] {
	case 'n', 'f':
	case 't':
		if f.bools {
			text = "false"
		}
	default:
		switch {
		case f.rule == "":
			rule = w.isValue(token)
			f.id = w.ids && (w.at(idPlaces) || w.at(progressPlaces))
		case w.sparedBy(f.rule, token):
			rule = ""
		}
		if rule != "" {
			text = w.zero(token, f)
		}
	}
	if text != "" && text != string(token) {
		w.add([]edit{{from: 0, to: len(token), text: text, rule: rule, place: w.place()}}, from)
	}
}

// zero stands for a number: another one of its type.
func (w *walker) zero(token []byte, f fate) string {
	switch {
	case f.id:
		return w.number(token)
	case bytes.ContainsAny(token, ".eE"):
		return "0.0"
	}
	return "0"
}

// isValue is the name of the value that a number is.
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

// add takes edits of the bytes from offset from on.
func (w *walker) add(edits []edit, from int) {
	for i := range edits {
		if edits[i].place == "" {
			edits[i].place = w.place()
		}
	}
	w.edits = append(w.edits, shifted(edits, from)...)
}

// longestPlace is how long a place in a report can be.
const longestPlace = 200

// place names where the walker is, without a secret in it.
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
