package form

import (
	"slices"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/widget/termsafe"
)

// noOption marks the row of a field.
const noOption = -1

// A row is a line of the form: a field, or a possible value of a set. Values that are not
// among its options follow them.
type row struct {
	field  *field
	option int
}

func (f *Form) rebuild() {
	at := f.current()
	f.rows = f.rows[:0]
	if f.root.is() == kindObject {
		for _, child := range f.children(f.root) {
			f.rows = f.appendRows(f.rows, child)
		}
	} else {
		f.rows = f.appendRows(f.rows, f.root)
	}
	f.labels, f.folds, f.explained = 0, false, false
	for _, r := range f.rows {
		width := f.indent(r) + termsafe.Width(short(f.label(r)))
		if r.field.starred() {
			width += 2
		}
		f.labels, f.folds = max(f.labels, width), f.folds || r.field.foldable()
		f.explained = f.explained || r.field.spec.description != ""
	}
	f.moveTo(f.rowOf(at))
}

// rowOf returns the index of a row, or the cursor if the row is gone.
func (f *Form) rowOf(at row) int {
	for i, r := range f.rows {
		if r == at {
			return i
		}
	}
	return f.cursor
}

// current returns the row under the cursor, without a field if there are no rows.
func (f *Form) current() row {
	if f.cursor >= len(f.rows) {
		return row{option: noOption}
	}
	return f.rows[f.cursor]
}

// typing returns the field under the cursor if it is edited by typing, or nil.
func (f *Form) typing() *field {
	if fl := f.current().field; fl != nil && fl.typed() {
		return fl
	}
	return nil
}

// unlisted returns the values of a set that are not among its options.
func (fl *field) unlisted() []*value {
	var out []*value
	for _, v := range fl.picked {
		if indexOf(fl.spec.options, v) < 0 {
			out = append(out, v)
		}
	}
	return out
}

// Rows returns the number of rows.
func (f *Form) Rows() int { return len(f.rows) }

// Next moves to the next row and reports whether there is one.
func (f *Form) Next() bool { return f.step(1) }

func (f *Form) step(by int) bool {
	if to := f.cursor + by; to < 0 || to >= len(f.rows) {
		return false
	}
	f.moveTo(f.cursor + by)
	return true
}

// AtEnd reports whether there is no row after the current one.
func (f *Form) AtEnd() bool { return f.cursor >= len(f.rows)-1 }

// Page moves by n pages.
func (f *Form) Page(n int) { f.moveTo(f.cursor + n*max(f.visible()-1, 1)) }

// Scroll scrolls the rows under the cursor by n, like a mouse wheel.
func (f *Form) Scroll(n int) {
	h := f.visible()
	f.top = max(min(f.top+n, len(f.rows)-h), 0)
	f.moveTo(min(max(f.cursor, f.top), f.top+h-1))
}

// SelectLine moves to a line of the screen, from its top, and reports whether there is a
// row.
func (f *Form) SelectLine(y int) bool {
	if y < 0 || y >= f.visible() || f.top+y >= len(f.rows) {
		return false
	}
	f.moveTo(f.top + y)
	return true
}

// Select moves to the field at a path (a JSON Pointer), unfolding its parents, and
// reports whether there is one, or else to the nearest one on the way.
func (f *Form) Select(path string) bool {
	fl, found := f.nearest(path)
	for up := fl.parent; up != nil; up = up.parent {
		up.folded = false
	}
	f.rebuild()
	if i := f.rowOf(row{fl, noOption}); i < len(f.rows) && f.rows[i].field == fl {
		f.moveTo(i)
		return found
	}
	return false
}

// toFirst moves to the first row that needs something, or else the first.
func (f *Form) toFirst() {
	found := f.found()
	f.moveTo(max(slices.IndexFunc(f.rows, func(r row) bool { return len(found.of[r.field]) > 0 || found.below[r.field] > 0 && r.field.folded }), 0))
}

func (f *Form) moveTo(i int) {
	if i != f.cursor {
		f.typedAhead = ""
	}
	f.cursor = min(max(i, 0), max(len(f.rows)-1, 0))
	h := max(f.visible(), 1)
	f.top = min(max(f.top, f.cursor-h+1), f.cursor)
	f.top = max(min(f.top, len(f.rows)-h), 0)
}

// ToggleFold folds or unfolds the field under the cursor, and reports whether
// it can be folded.
func (f *Form) ToggleFold() bool {
	fl := f.current().field
	if fl == nil || !fl.foldable() {
		return false
	}
	return f.Fold(!fl.folded)
}

// Fold folds or unfolds the field under the cursor, or the one that contains
// it, and reports whether that changed anything.
func (f *Form) Fold(fold bool) bool {
	fl := f.current().field
	for fold && fl != nil && (!fl.foldable() || fl.folded) {
		fl = fl.parent
	}
	if fl == nil || !fl.foldable() || fl.folded == fold || fl == f.root && fl.is() == kindObject {
		return false
	}
	fl.folded = fold
	f.cursor = f.rowOf(row{fl, noOption})
	f.rebuild()
	return true
}

// Path returns the JSON Pointer of the field under the cursor; of the set for one of its
// options.
func (f *Form) Path() string {
	if fl := f.current().field; fl != nil {
		return fl.path()
	}
	return ""
}

func short(text string) string {
	return wording.ClipValid(text, 200, "")
}
