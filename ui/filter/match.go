package filter

import "mcpdbg/session"

const (
	// maxRead is how much of one message is looked at, in bytes.
	maxRead = 16 << 20
	// headRead is how much of a message is read to find its id.
	headRead = 4096
)

// A Matcher is a Filter over one log. It remembers what it found out, so it
// belongs to one goroutine.
type Matcher struct {
	filter  *Filter
	source  session.Source
	lines   session.IntoReader // of source
	methods [][]Verdict        // by word and number of the method; unread: not looked at yet
	alike   [256]known         // what was found out about rows that are alike
	rough   bool               // only what is true of all such rows is asked

	searched []sought      // of the words with a text that can be searched
	at       int           // of the row that is looked at, in what was found; -1: nothing was
	unread   []session.Row // rows that were searched
	places   []int         // of them, among those that Rows was given

	number int    // of the row that is looked at
	spans  []span // by word, of rows with some numbers

	calls [256]knownCall    // the last ones, by the number of their row
	tools map[string]string // the names of tools

	texts, heads []byte // memory for the messages that are read
	from         int    // number of the first row of near
	near         []session.Row
	again        [1]session.Row
}

// known is a verdict about all rows with the same fields.
type known struct {
	fields  uint64
	verdict Verdict
	valid   bool
}

// fieldsOf are the fields of a row that most rows have in common with others:
// whether it has a partner, but not which.
func fieldsOf(r *session.Row) uint64 {
	fields := uint64(r.Method) | uint64(r.Run)<<16 | uint64(r.Kind)<<32 | uint64(r.Msg)<<40 | uint64(r.State)<<48 | uint64(r.Flags)<<56
	if r.Pair != 0 {
		fields |= paired
	}
	return fields
}

// paired is a bit of the fields that no state of a row has.
const paired = 1 << 55

// Over returns a matcher of the filter over a log. A nil filter matches every
// row.
func (f *Filter) Over(source session.Source) *Matcher {
	m := &Matcher{filter: f, source: source, lines: session.InOrder(source), at: -1}
	if f != nil {
		m.methods = make([][]Verdict, f.words)
		m.spans = make([]span, f.words)
		m.searched = f.sought()
	}
	return m
}

// Match tells whether the row with a number passes. It reads the message if the
// row alone does not decide; a message that cannot be read has no text.
func (m *Matcher) Match(number int, r session.Row) bool {
	switch m.quick(number, &r) {
	case Yes:
		return true
	case No:
		return false
	}
	return m.Read(number, r)
}

// Read is Match for a row of which Rows said Unread.
func (m *Matcher) Read(number int, r session.Row) bool {
	m.number = number
	msg := message{matcher: m, row: r}
	for _, words := range m.filter.alternatives {
		if m.all(words, &msg) {
			return true
		}
	}
	return false
}

// Rows says of each of some rows, the first with the number from, what it alone
// says: into verdicts, which must be as long. Of rows that are alike only the
// first is thought about.
func (m *Matcher) Rows(from int, rows []session.Row, verdicts []Verdict) {
	verdicts = verdicts[:len(rows)]
	if m.filter == nil {
		for i := range verdicts {
			verdicts[i] = Yes
		}
		return
	}
	m.from, m.near = from, rows
	beside := m.filter.beside
	for i := range rows {
		fields := fieldsOf(&rows[i])
		slot := &m.alike[(fields*spread)>>56]
		v := slot.verdict
		if slot.fields != fields || !slot.valid || beside && v == Unread {
			v = m.quick(from+i, &rows[i])
		}
		verdicts[i] = v
	}
	m.search(rows, verdicts)
	m.near = nil
}

// Searches tells whether Rows looks for a text in the messages.
func (m *Matcher) Searches() bool { return len(m.searched) > 0 }

// spread is an odd number that makes every bit of a product depend on many of
// the factor: 2^64 divided by the golden ratio.
const spread = 0x9e3779b97f4a7c15

// quick is what a row alone says.
func (m *Matcher) quick(number int, r *session.Row) Verdict {
	if m.filter == nil {
		return Yes
	}
	fields := fieldsOf(r)
	slot := &m.alike[(fields*spread)>>56]
	if slot.fields != fields || !slot.valid {
		m.rough = true
		*slot = known{fields, m.any(*r), true}
		m.rough = false
	}
	if slot.verdict == Unread && m.filter.beside {
		m.number = number
		return m.any(*r)
	}
	return slot.verdict
}

// any asks all alternatives about a row.
func (m *Matcher) any(r session.Row) Verdict {
	result := No
	for _, words := range m.filter.alternatives {
		switch m.each(words, r) {
		case Yes:
			return Yes
		case Unread:
			result = Unread
		}
	}
	return result
}

// each asks all words of an alternative about a row.
func (m *Matcher) each(words []word, r session.Row) Verdict {
	result := Yes
	for _, w := range words {
		switch m.look(w, r) {
		case No:
			return No
		case Unread:
			result = Unread
		}
	}
	return result
}

func (m *Matcher) look(w word, r session.Row) Verdict {
	v := w.test.row(m, w.index, r)
	if v == Unread && m.at >= 0 {
		v = m.found(w.index)
	}
	if w.not {
		return v.negated()
	}
	return v
}

func (m *Matcher) all(words []word, msg *message) bool {
	for _, w := range words {
		v := m.look(w, msg.row)
		if v == Unread {
			v = verdictOf(w.test.message(msg) != w.not)
		}
		if v == No {
			return false
		}
	}
	return true
}

// method asks a question about the name of a method, once for each word.
func (m *Matcher) method(index int, id uint16, ask func(name string) bool) bool {
	known := m.methods[index]
	for int(id) >= len(known) {
		known = append(known, Unread)
	}
	m.methods[index] = known
	if known[id] == Unread {
		known[id] = verdictOf(id != 0 && ask(m.source.Method(id)))
	}
	return known[id] == Yes
}

// latency returns the microseconds between a row and its partner.
func (m *Matcher) latency(r session.Row) (took int64, ok bool) {
	partner, ok := m.partner(r)
	took = r.T - partner.T
	return max(took, -took), ok
}

// keptText is how much memory is kept to read messages; longer ones get their
// own.
const keptText = 16 << 10

// A message reads what a row stands for, once and as much as is asked for. What
// it returns is good until the next message.
type message struct {
	matcher *Matcher
	row     session.Row
	text    []byte
	read    bool
}

func (msg *message) bytes() []byte {
	if !msg.read {
		msg.read = true
		m := msg.matcher
		if m.texts == nil {
			m.texts = make([]byte, 0, keptText)
		}
		e, err := m.lines.EntryInto(msg.row, maxRead, m.texts)
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

// entry reads the entry of a row: limit bytes of its payload, or a few more. It
// is good until the next call.
func (m *Matcher) entry(row session.Row, limit int) (session.Entry, error) {
	if m.heads == nil {
		m.heads = make([]byte, 0, keptText)
	}
	return m.lines.EntryInto(row, limit, m.heads)
}

// partner returns the other half of a request and its response.
func (m *Matcher) partner(r session.Row) (session.Row, bool) {
	if r.Pair == 0 {
		return session.Row{}, false
	}
	number := int(r.Pair) - 1
	if i := number - m.from; i >= 0 && i < len(m.near) {
		return m.near[i], true
	}
	ok := m.source.Rows(number, m.again[:]) == 1
	return m.again[0], ok
}

// id returns the raw id of a message. That of a long response is read from its
// request, which is short as a rule.
func (msg *message) id() []byte {
	m := msg.matcher
	e, err := m.entry(msg.row, headRead)
	if err == nil && e.Cut {
		if partner, ok := m.partner(msg.row); ok {
			e, err = m.entry(partner, headRead)
		}
	}
	if err == nil && e.Cut {
		e, err = m.entry(msg.row, maxRead)
	}
	if err != nil || e.Cut {
		return nil
	}
	return e.Msg.ID.Of(e.Payload)
}
