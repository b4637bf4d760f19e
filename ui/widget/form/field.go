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

func (fl *field) presetAll() {
	fl.preset = true
	for _, child := range fl.children {
		child.presetAll()
	}
}

func (fl *field) isDefault(v *value) bool {
	return fl.spec.def != nil && fl.spec.def.equal(v)
}

func (fl *field) setText(text string, raw []byte) {
	fl.text, fl.raw, fl.preset = text, raw, false
}

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
