package form

import (
	"slices"
	"strings"
)

// Choose selects the next or previous option of the field under the cursor, and reports
// whether it has any.
func (f *Form) Choose(by int) bool {
	fl := f.current().field
	if fl == nil || !fl.chosen() {
		return false
	}
	n := len(fl.spec.options)
	at := fl.choice + by
	switch {
	case fl.choice < 0 && fl.is() == kindBool && by > 0:
		at = 1 // a switch is usually toggled to turn it on
	case fl.choice < 0 && by > 0:
		at = 0
	case fl.choice < 0:
		at = n - 1
		if fl.is() == kindBool {
			at = 0
		}
	}
	return f.choose(fl, (at%n+n)%n)
}

func (f *Form) choose(fl *field, i int) bool {
	f.give(fl)
	fl.choice = i
	f.changed()
	return true
}

// Toggle does what the space bar does outside of texts: it selects the next option, adds
// a value to a set or removes it, or folds and unfolds.
func (f *Form) Toggle() bool {
	r := f.current()
	switch {
	case r.field == nil:
		return false
	case r.option != noOption:
		f.pick(r.field, r.option)
		return true
	case r.field.chosen():
		return f.Choose(1)
	}
	return f.ToggleFold()
}

func (f *Form) pick(fl *field, i int) {
	f.give(fl)
	if i >= len(fl.spec.options) {
		f.cursor-- // its row disappears
		gone := fl.unlisted()[i-len(fl.spec.options)]
		fl.picked = slices.DeleteFunc(slices.Clone(fl.picked), func(v *value) bool { return v == gone })
		f.changed()
		return
	}
	v := fl.spec.options[i].value
	if fl.holds(i) {
		fl.picked = slices.DeleteFunc(slices.Clone(fl.picked), v.equal)
	} else {
		fl.picked = append(slices.Clone(fl.picked), v)
	}
	f.changed()
}

func (fl *field) holds(option int) bool {
	return option >= len(fl.spec.options) ||
		slices.ContainsFunc(fl.picked, fl.spec.options[option].value.equal)
}

// jump moves to the next option that begins with the characters typed recently, or else
// with text.
func (f *Form) jump(text string) bool {
	fl := f.current().field
	if len(fl.spec.options) == 0 || fl.asJSON {
		return false
	}
	from := fl.choice
	if fl.is() == kindSet {
		from = f.current().option
	}
	so := f.typedAhead + text
	i := fl.begins(so, max(from, 0))
	if i < 0 || so == text {
		so = text
		i = fl.begins(so, from+1)
	}
	if i < 0 {
		return true
	}
	if fl.is() == kindSet {
		fl.folded = false
		f.rebuild()
		f.moveTo(f.rowOf(row{fl, i}))
	} else {
		f.choose(fl, i)
	}
	f.typedAhead = so
	return true
}

// begins returns the first option whose label or value begins with text, from an index on
// and wrapping around, or -1.
func (fl *field) begins(text string, from int) int {
	text = strings.ToLower(text)
	n := len(fl.spec.options)
	for k := range n {
		i := (from + k) % n
		o := fl.spec.options[i]
		if strings.HasPrefix(strings.ToLower(o.label), text) || strings.HasPrefix(strings.ToLower(optionText(o.value)), text) {
			return i
		}
	}
	return -1
}
