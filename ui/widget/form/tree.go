package form

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A tree is the value as fields: what the form knows without rows and a cursor.
type tree struct {
	schema *schema
	root   *field
	fields int // in the tree
}

func (t *tree) reset() {
	t.fields = 0
	t.root = t.newField(nil, "", t.schema.root, true)
}

func (t *tree) newField(parent *field, key string, v *value, required bool) *field {
	fl := &field{spec: t.schema.spec(v), parent: parent, key: key, required: required, choice: -1}
	if parent != nil {
		fl.depth = parent.depth + 1
	}
	t.fields++
	fl.folded = fl.foldable() && parent != nil
	return fl
}

func (t *tree) crowded(fl *field, parts int) bool {
	return fl.depth >= maxDepth || parts > maxParts || t.fields+parts > maxFields
}

// fill gives a field its default, or an empty object or list if it is required.
func (t *tree) fill(fl *field) {
	switch def := fl.spec.def; {
	case def != nil:
		t.set(fl, def)
		fl.presetAll()
	case fl.required && fl.foldable():
		t.give(fl)
		fl.folded = false
	}
}

// give makes a field and its parents present, with as little content as possible.
func (t *tree) give(fl *field) {
	for ; fl != nil && fl.state != given; fl = fl.parent {
		fl.state = given
		if fl.is() == kindObject {
			for _, child := range t.children(fl) {
				if child.state == absent {
					t.fill(child)
				}
			}
		}
	}
}

// children returns the members or items of a field, made on first use.
func (t *tree) children(fl *field) []*field {
	if fl.is() != kindObject || fl.made {
		return fl.children
	}
	if t.crowded(fl, len(fl.spec.props)) {
		t.showJSON(fl)
		return nil
	}
	fl.made = true
	for _, p := range fl.spec.props {
		fl.children = append(fl.children, t.newField(fl, p.key, p.schema, p.required))
	}
	return fl.children
}

func (t *tree) showJSON(fl *field) {
	fl.asJSON = true
	if fl.state == given && fl.text == "" {
		fl.text = "{}"
	}
}

func (t *tree) clear(fl *field) {
	t.fields -= count(fl.children)
	fl.state, fl.asJSON = absent, false
	fl.text, fl.raw, fl.checkedText, fl.preset = "", nil, "", false
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
func (t *tree) set(fl *field, v *value) {
	t.clear(fl)
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
		fits = v.kind == '[' && t.setItems(fl, v.items)
	case kindObject:
		fits = v.kind == '{' && t.setMembers(fl, v.members)
	}
	if fits {
		fl.preset = fl.isDefault(v)
		return
	}
	t.clear(fl)
	if v.kind == 'n' && fl.spec.kind != kindJSON {
		fl.state = null
		return
	}
	fl.state = given
	fl.asJSON = true
	fl.setText(string(v.raw), nil)
	fl.preset = fl.isDefault(v)
}

func (t *tree) setItems(fl *field, items []*value) bool {
	if t.crowded(fl, len(items)) {
		return false
	}
	for _, item := range items {
		child := t.newField(fl, "", fl.spec.items, true)
		fl.children = append(fl.children, child)
		t.set(child, item)
		child.folded = false
	}
	return true
}

// setMembers also adds a row for each member that the schema does not name, or repeated.
func (t *tree) setMembers(fl *field, members []member) bool {
	if t.crowded(fl, len(fl.spec.props)+len(members)) {
		return false
	}
	known := map[string]*field{}
	for _, child := range t.children(fl) {
		known[child.key] = child
	}
	for _, m := range members {
		child := known[m.key]
		if child == nil {
			child = t.newField(fl, m.key, nil, false)
			child.extra = true
			fl.children = append(fl.children, child)
		}
		delete(known, m.key)
		t.set(child, m.value)
		child.folded = child.foldable() && len(m.value.raw) > foldedFrom
	}
	return true
}

// foldedFrom is the size in bytes of JSON from which a field starts folded.
const foldedFrom = 1 << 10

func (t *tree) setText(fl *field, text string) error {
	switch {
	case fl.is() == kindText:
		t.give(fl)
		fl.setText(text, nil)
	case strings.TrimSpace(text) == "":
		t.clear(fl)
	case fl.typed():
		t.give(fl)
		fl.setText(strings.TrimSpace(text), nil)
	case fl.chosen():
		i := fl.option(text)
		if i < 0 {
			return fmt.Errorf("%q is not one of the options", text)
		}
		t.give(fl)
		fl.choice = i
	default:
		v, err := parse([]byte(text))
		if err != nil {
			return err
		}
		t.give(fl)
		t.set(fl, v)
	}
	return nil
}

func (t *tree) appendJSON(dst []byte, bad func(*field)) []byte {
	if t.root.state == absent {
		return append(dst, "{}"...)
	}
	return t.root.appendJSON(dst, bad)
}

func (t *tree) at(path string) *field {
	if fl, found := t.nearest(path); found {
		return fl
	}
	return nil
}

// nearest returns the field at a path, or the last one on the way to it.
func (t *tree) nearest(path string) (fl *field, found bool) {
	fl = t.root
	for _, part := range tokens(path) {
		child := t.child(fl, part)
		if child == nil {
			return fl, false
		}
		fl = child
	}
	return fl, true
}

func (t *tree) child(fl *field, part string) *field {
	children := t.children(fl)
	if fl.is() == kindList {
		for _, child := range children {
			if strconv.Itoa(child.index()) == part && child.state != absent {
				return child
			}
		}
		return nil
	}
	for _, child := range children {
		if child.key == part {
			return child
		}
	}
	return nil
}

// label returns the name of a member, the index of an item, or the label of an
// option.
func (t *tree) label(r row) string {
	fl := r.field
	switch {
	case r.option >= len(fl.spec.options):
		if extra := fl.unlisted(); r.option-len(fl.spec.options) < len(extra) {
			return optionText(extra[r.option-len(fl.spec.options)])
		}
		return ""
	case r.option >= 0:
		return fl.spec.options[r.option].label
	case fl.parent == nil:
		return "value"
	case fl.parent.is() == kindList:
		return strconv.Itoa(slices.Index(fl.parent.children, fl))
	}
	return fl.key
}

func (t *tree) indent(r row) int {
	depth := r.field.depth
	if t.root.is() == kindObject {
		depth--
	}
	if r.option != noOption {
		depth++
	}
	return 2 * min(max(depth, 0), maxDepth)
}

// appendRows appends the rows of a field and of what is in it, unless it is folded.
func (t *tree) appendRows(dst []row, fl *field) []row {
	dst = append(dst, row{fl, noOption})
	if fl.folded {
		return dst
	}
	switch fl.is() {
	case kindSet:
		for i := range len(fl.spec.options) + len(fl.unlisted()) {
			dst = append(dst, row{fl, i})
		}
	case kindList, kindObject:
		for _, child := range t.children(fl) {
			dst = t.appendRows(dst, child)
		}
	}
	return dst
}
