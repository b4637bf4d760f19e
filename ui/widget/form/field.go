package form

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"mcpdbg/internal/wording"
)

// state distinguishes the meanings of an empty text.
type state uint8

const (
	absent state = iota
	null
	given
)

type field struct {
	spec     *spec
	parent   *field // nil for the root
	key      string
	extra    bool // a member that the schema does not name
	required bool
	depth    int

	state  state
	asJSON bool // the value does not fit the kind

	text        string // of a text, a number, or JSON
	raw         []byte // what text was read from, until it is changed
	cursor      int
	preset      bool   // text is an unedited default of the schema
	checkedText string // the text that valid refers to
	valid       bool

	choice   int // index of the option, or -1
	picked   []*value
	children []*field
	made     bool
	folded   bool
}

func (fl *field) is() kind {
	if fl.asJSON {
		return kindJSON
	}
	return fl.spec.kind
}

func (fl *field) typed() bool {
	switch fl.is() {
	case kindJSON, kindText, kindInteger, kindNumber:
		return true
	}
	return false
}

func (fl *field) chosen() bool { return fl.is() == kindBool || fl.is() == kindChoice }

func (fl *field) foldable() bool {
	switch fl.is() {
	case kindSet, kindList, kindObject:
		return true
	}
	return false
}

func (f *Form) newField(parent *field, key string, v *value, required bool) *field {
	fl := &field{spec: f.schema.spec(v), parent: parent, key: key, required: required, choice: -1}
	if parent != nil {
		fl.depth = parent.depth + 1
	}
	f.fields++
	fl.folded = fl.foldable() && parent != nil
	return fl
}

func (f *Form) crowded(fl *field, parts int) bool {
	return fl.depth >= maxDepth || parts > maxParts || f.fields+parts > maxFields
}

// fill gives a field its default, or an empty object or list if it is required.
func (f *Form) fill(fl *field) {
	switch def := fl.spec.def; {
	case def != nil:
		f.set(fl, def)
		fl.presetAll()
	case fl.required && fl.foldable():
		f.give(fl)
		fl.folded = false
	}
}

func (fl *field) presetAll() {
	fl.preset = true
	for _, child := range fl.children {
		child.presetAll()
	}
}

func (fl *field) isDefault(v *value) bool {
	return fl.spec.def != nil && fl.spec.def.equal(v)
}

// give makes a field and its parents present, with as little content as possible.
func (f *Form) give(fl *field) {
	for ; fl != nil && fl.state != given; fl = fl.parent {
		fl.state = given
		if fl.is() == kindObject {
			for _, child := range f.children(fl) {
				if child.state == absent {
					f.fill(child)
				}
			}
		}
	}
}

// children returns the members or items of a field, made on first use.
func (f *Form) children(fl *field) []*field {
	if fl.is() != kindObject || fl.made {
		return fl.children
	}
	if f.crowded(fl, len(fl.spec.props)) {
		f.showJSON(fl)
		return nil
	}
	fl.made = true
	for _, p := range fl.spec.props {
		fl.children = append(fl.children, f.newField(fl, p.key, p.schema, p.required))
	}
	return fl.children
}

func (f *Form) showJSON(fl *field) {
	fl.asJSON = true
	if fl.state == given && fl.text == "" {
		fl.text = "{}"
	}
}

func (f *Form) clear(fl *field) {
	f.fields -= count(fl.children)
	fl.state, fl.asJSON = absent, false
	fl.text, fl.raw, fl.cursor, fl.checkedText, fl.preset = "", nil, 0, "", false
	fl.choice, fl.picked = -1, nil
	fl.children, fl.made = nil, false
}

func count(all []*field) int {
	n := len(all)
	for _, fl := range all {
		n += count(fl.children)
	}
	return n
}

// set gives a field a value. If its kind cannot show it, the field becomes JSON text.
func (f *Form) set(fl *field, v *value) {
	f.clear(fl)
	fl.state = given
	fits := true
	switch fl.spec.kind {
	case kindJSON:
		fits = false
	case kindText:
		if fits = v.kind == '"'; fits {
			fl.setText(v.text, v.raw)
		}
	case kindInteger, kindNumber:
		if fits = v.kind == '0'; fits {
			fl.setText(string(v.raw), nil)
		}
	case kindBool, kindChoice:
		fl.choice = indexOf(fl.spec.options, v)
		fits = fl.choice >= 0
	case kindSet:
		fl.picked = v.items
		fits = v.kind == '[' && len(v.items) <= maxParts
	case kindList:
		fits = v.kind == '[' && f.setItems(fl, v.items)
	case kindObject:
		fits = v.kind == '{' && f.setMembers(fl, v.members)
	}
	if fits {
		fl.preset = fl.isDefault(v)
		return
	}
	f.clear(fl)
	if v.kind == 'n' && fl.spec.kind != kindJSON {
		fl.state = null
		return
	}
	fl.state = given
	fl.asJSON = true
	fl.setText(string(v.raw), nil)
	fl.preset = fl.isDefault(v)
}

func (fl *field) setText(text string, raw []byte) {
	fl.text, fl.raw, fl.cursor, fl.preset = text, raw, len(text), false
}

func (f *Form) setItems(fl *field, items []*value) bool {
	if f.crowded(fl, len(items)) {
		return false
	}
	for _, item := range items {
		child := f.newField(fl, "", fl.spec.items, true)
		fl.children = append(fl.children, child)
		f.set(child, item)
		child.folded = false
	}
	return true
}

// setMembers also adds a row for each member that the schema does not name, or repeated.
func (f *Form) setMembers(fl *field, members []member) bool {
	if f.crowded(fl, len(fl.spec.props)+len(members)) {
		return false
	}
	known := map[string]*field{}
	for _, child := range f.children(fl) {
		known[child.key] = child
	}
	for _, m := range members {
		child := known[m.key]
		if child == nil {
			child = f.newField(fl, m.key, nil, false)
			child.extra = true
			fl.children = append(fl.children, child)
		}
		delete(known, m.key)
		f.set(child, m.value)
		child.folded = child.foldable() && len(m.value.raw) > foldedFrom
	}
	return true
}

// foldedFrom is the size in bytes of JSON from which a field starts folded.
const foldedFrom = 1 << 10

// appendJSON appends the value of a field that is not absent. A field with invalid text
// is passed to bad and appended as a string.
func (fl *field) appendJSON(dst []byte, bad func(*field)) []byte {
	if fl.state == null {
		return append(dst, "null"...)
	}
	switch fl.is() {
	case kindText:
		if fl.raw != nil {
			return append(dst, fl.raw...)
		}
		return appendString(dst, fl.text)
	case kindJSON, kindInteger, kindNumber:
		if fl.wellFormed() {
			return appendCompact(dst, []byte(fl.text))
		}
		if !fl.loose() {
			bad(fl)
		}
		return appendString(dst, fl.text)
	case kindBool, kindChoice:
		if fl.choice < 0 {
			return append(dst, "null"...)
		}
		return fl.spec.options[fl.choice].value.compact(dst)
	case kindSet:
		dst = append(dst, '[')
		for i, v := range fl.picked {
			dst = v.compact(comma(dst, i))
		}
		return append(dst, ']')
	}
	return fl.appendParts(dst, bad)
}

func (fl *field) appendParts(dst []byte, bad func(*field)) []byte {
	open, end := byte('{'), byte('}')
	if fl.is() == kindList {
		open, end = '[', ']'
	}
	dst = append(dst, open)
	n := 0
	for _, child := range fl.children {
		if child.state == absent {
			continue
		}
		dst = comma(dst, n)
		n++
		if fl.is() == kindObject {
			dst = append(appendString(dst, child.key), ':')
		}
		dst = child.appendJSON(dst, bad)
	}
	return append(dst, end)
}

func (fl *field) size() int {
	n := len(fl.key) + len(fl.text)
	for _, v := range fl.picked {
		n += len(v.raw)
	}
	for _, child := range fl.children {
		n += child.size()
	}
	return n
}

// loose reports whether text that is not JSON is a string.
func (fl *field) loose() bool { return fl.spec.kind == kindJSON && fl.spec.loose }

// wellFormed reports whether the text is valid JSON, and a number where one is required.
func (fl *field) wellFormed() bool {
	if fl.checkedText != fl.text {
		fl.checkedText, fl.valid = fl.text, wellFormed(fl.text, fl.is() == kindJSON)
	}
	return fl.valid
}

func wellFormed(text string, any bool) bool {
	v, err := parse([]byte(text))
	return err == nil && (any || v.kind == '0' && len(v.raw) == len(text)) && json.Valid([]byte(text))
}

func comma(dst []byte, i int) []byte {
	if i > 0 {
		return append(dst, ',')
	}
	return dst
}

func appendString(dst []byte, text string) []byte {
	out, err := jsontext.AppendQuote(dst, text)
	if err != nil { // not UTF-8
		out, _ = jsontext.AppendQuote(dst, string([]rune(text)))
	}
	return out
}

// index returns the index of an item in the JSON, without absent items.
func (fl *field) index() int {
	n := 0
	for _, other := range fl.parent.children {
		if other == fl {
			break
		}
		if other.state != absent {
			n++
		}
	}
	return n
}

func (fl *field) path() string {
	var parts []string
	for ; fl.parent != nil; fl = fl.parent {
		if fl.parent.is() == kindList {
			parts = append(parts, strconv.Itoa(fl.index()))
		} else {
			parts = append(parts, fl.key)
		}
	}
	slices.Reverse(parts)
	return wording.Pointer(parts...)
}
