package filter

import "mcpdbg/session"

const (
	// maxRead is how much of one message is looked at, in bytes.
	maxRead = 16 << 20
	// headRead is how much of a message is read to find its id.
	headRead = 4096
)

// A Matcher is a Filter over one log. It remembers what it found out about
// methods, so it belongs to one goroutine.
type Matcher struct {
	filter  *Filter
	source  session.Source
	methods [][]verdict // by word and number of the method; unread: not looked at yet
}

// Over returns a matcher of the filter over a log. A nil filter matches every
// row.
func (f *Filter) Over(source session.Source) *Matcher {
	m := &Matcher{filter: f, source: source}
	if f != nil {
		m.methods = make([][]verdict, f.words)
	}
	return m
}

// Match tells whether a row passes. It reads the message if the row alone does
// not decide; a message that cannot be read has no text.
func (m *Matcher) Match(r session.Row) bool {
	passes, decided := m.Quick(r)
	if decided {
		return passes
	}
	msg := message{source: m.source, row: r}
	for _, words := range m.filter.alternatives {
		if m.all(words, &msg) {
			return true
		}
	}
	return false
}

// Quick is Match by the row alone: decided is false if the message has to be
// read.
func (m *Matcher) Quick(r session.Row) (passes, decided bool) {
	if m.filter == nil {
		return true, true
	}
	result := no
	for _, words := range m.filter.alternatives {
		switch m.quick(words, r) {
		case yes:
			return true, true
		case unread:
			result = unread
		}
	}
	return false, result == no
}

func (m *Matcher) quick(words []word, r session.Row) verdict {
	result := yes
	for _, w := range words {
		switch m.look(w, r) {
		case no:
			return no
		case unread:
			result = unread
		}
	}
	return result
}

func (m *Matcher) look(w word, r session.Row) verdict {
	v := w.test.row(m, w.index, r)
	if w.not {
		return v.negated()
	}
	return v
}

func (m *Matcher) all(words []word, msg *message) bool {
	for _, w := range words {
		v := m.look(w, msg.row)
		if v == unread {
			v = verdictOf(w.test.message(msg) != w.not)
		}
		if v == no {
			return false
		}
	}
	return true
}

// method asks a question about the name of a method, once for each word.
func (m *Matcher) method(index int, id uint16, ask func(name string) bool) bool {
	known := m.methods[index]
	for int(id) >= len(known) {
		known = append(known, unread)
	}
	m.methods[index] = known
	if known[id] == unread {
		known[id] = verdictOf(id != 0 && ask(m.source.Method(id)))
	}
	return known[id] == yes
}

// latency returns the microseconds between a row and its partner.
func (m *Matcher) latency(r session.Row) (took int64, ok bool) {
	if r.Pair == 0 {
		return 0, false
	}
	var partner [1]session.Row
	if m.source.Rows(int(r.Pair)-1, partner[:]) == 0 {
		return 0, false
	}
	took = r.T - partner[0].T
	return max(took, -took), true
}

// A message reads what a row stands for, once and as much as is asked for.
type message struct {
	source session.Source
	row    session.Row
	text   []byte
	read   bool
}

func (msg *message) bytes() []byte {
	if !msg.read {
		msg.read = true
		e, err := msg.source.Entry(msg.row, maxRead)
		switch {
		case err != nil:
		case e.Kind.IsStream():
			msg.text = e.Payload
		default:
			msg.text = []byte(session.Describe(&e))
		}
	}
	return msg.text
}

// id returns the raw id of a message. That of a long response is read from its
// request, which is short as a rule.
func (msg *message) id() []byte {
	e, err := msg.source.Entry(msg.row, headRead)
	if err == nil && e.Cut && msg.row.Pair != 0 {
		var partner [1]session.Row
		if msg.source.Rows(int(msg.row.Pair)-1, partner[:]) == 1 {
			e, err = msg.source.Entry(partner[0], headRead)
		}
	}
	if err == nil && e.Cut {
		e, err = msg.source.Entry(msg.row, maxRead)
	}
	if err != nil || e.Cut {
		return nil
	}
	return e.Msg.ID.Of(e.Payload)
}
