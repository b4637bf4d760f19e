package summary

// A state is what a result says about a request that has not ended with it: a
// round of the modern era, which needs input, or a task.
type state struct {
	kind, id, status, text str
	asked                  []byte // what the server asks for, as text; nil: nothing
	task                   bool
}

func (s *state) read(r *reader, name []byte) {
	switch string(name) {
	case "resultType":
		s.kind = r.str()
	case "taskId":
		s.id = r.str()
	case "status":
		s.status = r.str()
	case "statusMessage":
		s.text = r.str()
	case "inputRequests":
		keys := line{max: argumentText}
		for key := range r.members() {
			keys.separate(", ")
			keys.text(str{key, true}, nameText)
		}
		s.asked = keys.b
	case "task":
		s.task = r.kind() == '{'
		for name := range r.members() {
			s.read(r, name)
		}
	}
}

// pending appends the state of a request that the result has not ended, and reports
// whether it is one.
func (s *state) pending(l *line) bool {
	switch {
	case string(s.kind.raw) == "input_required":
		s.input(l)
	case s.task, string(s.kind.raw) == "task":
		s.named(l)
	default:
		return false
	}
	return true
}

func (s *state) input(l *line) {
	l.add("input required")
	if len(s.asked) > 0 {
		l.add(": " + string(s.asked))
	}
}

func (s *state) named(l *line) {
	l.add("task")
	if len(s.id.raw) > 0 {
		most := shortID
		if len(s.id.raw) <= longestID {
			most = longestID
		}
		l.add(" ")
		l.text(s.id, most)
	}
	if len(s.status.raw) > 0 {
		l.add(" ")
		s.write(l)
	}
}

func (s *state) write(l *line) {
	if len(s.asked) > 0 {
		s.input(l)
		return
	}
	if string(s.status.raw) == inputRequired {
		l.add("input required")
	} else {
		l.text(s.status, nameText)
	}
	if len(s.text.raw) > 0 {
		l.separate(": ")
		l.text(s.text, mainText)
	}
}
