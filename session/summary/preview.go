package summary

import "strconv"

// How much of a value a preview shows: of the value itself, of its members, and
// of theirs.
var previewMembers = [...]int{5, 2, 0}

const (
	previewText     = 60 // bytes of a string
	previewElements = 3  // elements of an array
)

// preview appends a value as {name: "echo", title: "Echo tool", …}. Below the
// last level, objects are {…} and arrays […].
func (l *line) preview(r *reader, level int) {
	switch r.kind() {
	case '{':
		l.object(r, level)
	case '[':
		l.array(r, level)
	case '"':
		l.quote(r.str(), previewText)
	case 0:
		l.add(dots)
	default:
		l.text(str{r.scalar(), true}, previewText)
	}
}

func (l *line) object(r *reader, level int) {
	l.add("{")
	n, shown := 0, previewMembers[level]
	for name := range r.members() {
		if n++; n > shown || l.full {
			continue
		}
		if n > 1 {
			l.add(", ")
		}
		l.text(str{name, true}, previewText)
		l.add(": ")
		l.preview(r, level+1)
	}
	if n > shown || r.end {
		if shown > 0 && n > 0 {
			l.add(", ")
		}
		l.add(dots)
	}
	l.add("}")
}

func (l *line) array(r *reader, level int) {
	if previewMembers[level] == 0 {
		l.closedArray(r)
		return
	}
	l.add("[")
	n := 0
	for range r.elements() {
		if n++; n > previewElements || l.full {
			continue
		}
		if n > 1 {
			l.add(", ")
		}
		l.preview(r, level+1)
	}
	if r.end {
		l.separateIn("[", ", ")
		l.add(dots)
	} else if n > previewElements {
		l.add(", " + dots + " " + strconv.Itoa(n-previewElements) + " more")
	}
	l.add("]")
}

func (l *line) closedArray(r *reader) {
	n := 0
	for range r.elements() {
		n++
	}
	if n == 0 && !r.end {
		l.add("[]")
		return
	}
	l.add("[" + dots + "]")
}

// separateIn appends a separator, unless the line ends with the bracket that
// opens.
func (l *line) separateIn(bracket, by string) {
	if n := len(l.b); n == 0 || l.b[n-1] != bracket[0] {
		l.add(by)
	}
}

// previewValue appends the preview of a value that is the whole summary, without
// the members that say nothing about the request.
func (l *line) previewValue(r *reader, empty string) {
	if r.kind() != '{' {
		l.preview(r, 0)
		l.rest(r)
		return
	}
	n := 0
	for name := range r.members() {
		switch string(name) {
		case "_meta", "resultType", "ttlMs", "cacheScope":
			continue
		}
		if n++; n > previewMembers[0] || l.full {
			continue
		}
		if n == 1 {
			l.add("{")
		} else {
			l.add(", ")
		}
		l.text(str{name, true}, previewText)
		l.add(": ")
		l.preview(r, 1)
	}
	switch {
	case n > previewMembers[0] || n > 0 && r.end:
		l.add(", " + dots + "}")
	case n > 0:
		l.add("}")
	case r.end:
		l.rest(r)
	default:
		l.add(empty)
	}
}

// pairs appends the members of an object as a=1 b="x".
func (l *line) pairs(r *reader) {
	if k := r.kind(); k != '{' {
		if k != 0 && k != 'n' {
			l.preview(r, 0)
		}
		return
	}
	for name := range r.members() {
		if l.full {
			continue
		}
		l.separate(" ")
		l.text(str{name, true}, previewText)
		l.add("=")
		if r.kind() == '"' {
			l.quote(r.str(), argumentText)
		} else {
			l.preview(r, 1)
		}
	}
	if r.end {
		l.separate(" ")
		l.add(dots)
	}
}
