package form

import "slices"

// Add adds an item to the list under the cursor, at its end or after the item under the
// cursor, moves there, and reports whether there is a list.
func (f *Form) Add() bool {
	list, at := f.current().field.listAt()
	if list == nil || f.crowded(list, len(list.children)+1) {
		return false
	}
	f.give(list)
	item := f.newField(list, "", list.spec.items, true)
	list.children = slices.Insert(list.children, at, item)
	f.fill(item)
	list.folded, item.folded = false, false
	f.changed()
	f.moveTo(f.rowOf(row{item, noOption}))
	return true
}

// listAt returns the list that a field is or is in, and where to add an item. It is nil
// without one, and without a field.
func (fl *field) listAt() (list *field, at int) {
	if fl == nil {
		return nil, 0
	}
	if fl.is() == kindList {
		return fl, len(fl.children)
	}
	for ; fl.parent != nil; fl = fl.parent {
		if fl.parent.is() == kindList {
			return fl.parent, 1 + slices.Index(fl.parent.children, fl)
		}
	}
	return nil, 0
}

// Remove removes the item under or around the cursor, or a member that the schema does
// not name, and reports whether there was one. Other fields can only be cleared. The
// cursor moves to the next item, or else to the previous one.
func (f *Form) Remove() bool {
	fl := f.current().field.removable()
	if fl == nil {
		return false
	}
	all := fl.parent.children
	i := slices.Index(all, fl)
	next := fl.parent
	switch {
	case i+1 < len(all):
		next = all[i+1]
	case i > 0:
		next = all[i-1]
	}
	f.cursor = f.rowOf(row{next, noOption})
	f.fields -= 1 + count(fl.children)
	fl.parent.children = slices.Delete(slices.Clone(all), i, i+1)
	f.changed()
	return true
}

// removable returns the item or the unknown member that a field is or is in. It is nil
// without one, and without a field.
func (fl *field) removable() *field {
	for ; fl != nil && fl.parent != nil; fl = fl.parent {
		if fl.extra || fl.parent.is() == kindList {
			return fl
		}
	}
	return nil
}

// Clear makes the field under the cursor absent, so that it is not sent. An absent field
// becomes an empty string or list, or an object that holds only what the schema prefills.
func (f *Form) Clear() {
	fl := f.current().field
	if fl == nil {
		return
	}
	if fl.state != absent {
		f.clear(fl)
	} else if fl.is() == kindText || fl.foldable() {
		f.give(fl)
	}
	f.changed()
}

// Null makes the field under the cursor null, whether or not the schema allows it, and a
// null field absent.
func (f *Form) Null() {
	fl := f.current().field
	if fl == nil {
		return
	}
	was := fl.String()
	f.clear(fl)
	if was != "null" {
		f.give(fl)
		f.set(fl, &value{kind: 'n', raw: []byte("null")})
	}
	f.changed()
}

// Info is what can be done with the row under the cursor.
type Info struct {
	Typed     bool // characters are typed into a text
	InEditor  bool // only an editor can change the text
	Absent    bool
	Null      bool
	CanAdd    bool // Add has a list
	CanRemove bool // Remove has something to remove
}

// Info describes the row under the cursor. Without rows it is zero.
func (f *Form) Info() Info {
	fl := f.current().field
	if fl == nil {
		return Info{}
	}
	list, _ := fl.listAt()
	return Info{
		Typed: fl.typed(), InEditor: fl.typed() && f.write(fl) == inEditor, Absent: fl.state == absent, Null: fl.state == null,
		CanAdd: list != nil, CanRemove: fl.removable() != nil,
	}
}
