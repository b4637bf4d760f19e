package filter

import (
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/elements"
	"mcpdbg/session/exchange"
)

const (
	// maxRead is how many bytes of a message are read.
	maxRead = 16 << 20
	// headRead is how many bytes of a message are read to find its id.
	headRead = 4096
)

// A Matcher is a Filter over one log. It caches results, so it must be used by
// one goroutine only.
type Matcher struct {
	filter  *Filter
	source  session.Source
	lines   session.IntoReader
	batches *elements.Source // source, if it has rows for the elements of batches
	methods [][]Verdict      // by word and number of the method; Unread: not yet known
	alike   [256]known       // verdicts about rows with equal fields
	rough   bool             // decide only what holds for all rows with these fields

	searched []needle
	at       int // of the current row in the search results; -1: not searched
	unread   []session.Row
	places   []int

	number int
	batch  int    // row of the batch that it is an element of, plus one, or 0
	spans  []span // by word: rows with certain numbers

	times  *exchange.Table // of source, once needed
	slow   int64           // see slowTest; 0: unknown
	judged int             // rows of the log when slow was computed

	calls [256]knownCall
	tools map[string]string

	texts, heads []byte
	from         int // number of the first row in near
	near         []session.Row
	again        [1]session.Row
}

type known struct {
	fields  uint64
	verdict Verdict
	valid   bool
}

// fieldsOf returns the fields that many rows share: whether a row has a partner, but not
// which.
func fieldsOf(r *session.Row) uint64 {
	fields := uint64(r.Method) | uint64(r.Run)<<16 | uint64(r.Kind)<<32 | uint64(r.Msg)<<40 | uint64(r.State)<<48 | uint64(r.Flags)<<56
	if r.Paired() {
		fields |= paired
	}
	return fields
}

// paired is a bit that no state of a row has.
const paired = 1 << 55

// Matcher returns a matcher of the filter over a log. A nil filter matches every
// row.
func (f *Filter) Matcher(source session.Source) *Matcher {
	m := &Matcher{filter: f, source: source, at: -1}
	if s, ok := source.(*elements.Source); ok && f != nil && !f.namesBatches() {
		m.batches = s.Own()
		m.source = m.batches
	}
	m.lines = session.InOrder(m.source)
	if f != nil {
		m.methods = make([][]Verdict, f.words)
		m.spans = make([]span, f.words)
		m.searched = f.needles()
	}
	return m
}

// Match reports whether the row with a number passes. It reads the message if the row
// does not decide; an unreadable message has no text.
func (m *Matcher) Match(number int, r session.Row) bool {
	switch m.quick(number, &r) {
	case Yes:
		return true
	case No:
		return m.hasElements(&r) && m.elementMatches(number)
	}
	return m.Read(number, r)
}

// Read is like Match, for a row for which Rows returned Unread.
func (m *Matcher) Read(number int, r session.Row) bool {
	return m.read(number, r) || m.hasElements(&r) && m.elementMatches(number)
}

func (m *Matcher) read(number int, r session.Row) bool {
	m.number = number
	msg := message{matcher: m, row: r}
	for _, words := range m.filter.alternatives {
		if m.all(words, &msg) {
			return true
		}
	}
	return false
}

// Rows decides about rows from number from on, by the rows alone, and stores the results
// in verdicts, of the same length. Of rows with equal fields only the first is tested.
func (m *Matcher) Rows(from int, rows []session.Row, verdicts []Verdict) {
	verdicts = verdicts[:len(rows)]
	if m.filter == nil {
		for i := range verdicts {
			verdicts[i] = Yes
		}
		return
	}
	m.from, m.near = from, rows
	contextual := m.filter.contextual
	for i := range rows {
		fields := fieldsOf(&rows[i])
		slot := &m.alike[(fields*spread)>>56]
		v := slot.verdict
		if slot.fields != fields || !slot.valid || contextual && v == Unread {
			v = m.quick(from+i, &rows[i])
		}
		verdicts[i] = v
	}
	m.search(rows, verdicts)
	for i := range rows {
		if verdicts[i] == No && m.hasElements(&rows[i]) {
			verdicts[i] = Unread
		}
	}
	m.near = nil
}

// Searches reports whether Rows searches the messages for a text.
func (m *Matcher) Searches() bool { return len(m.searched) > 0 }

// spread is an odd number that makes every bit of a product depend on many bits of the
// factor: 2^64 divided by the golden ratio.
const spread = 0x9e3779b97f4a7c15

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
	if slot.verdict == Unread && m.filter.contextual {
		m.number = number
		return m.any(*r)
	}
	return slot.verdict
}

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

func (m *Matcher) each(words []word, r session.Row) Verdict {
	result := Yes
	for _, w := range words {
		switch m.decide(w, r) {
		case No:
			return No
		case Unread:
			result = Unread
		}
	}
	return result
}

func (m *Matcher) decide(w word, r session.Row) Verdict {
	v := w.test.row(m, w.index, r)
	if v == Unread && m.at >= 0 {
		v = m.found(w)
	}
	if w.not {
		return v.negated()
	}
	return v
}

func (m *Matcher) all(words []word, msg *message) bool {
	for _, w := range words {
		v := m.decide(w, msg.row)
		if v == Unread {
			v = verdictOf(w.test.message(msg) != w.not)
		}
		if v == No {
			return false
		}
	}
	return true
}

// method tests the name of a method, once for each word and method.
func (m *Matcher) method(index int, id uint16, test func(name string) bool) bool {
	known := m.methods[index]
	for int(id) >= len(known) {
		known = append(known, Unread)
	}
	m.methods[index] = known
	if known[id] == Unread {
		known[id] = verdictOf(id != 0 && test(m.source.Method(id)))
	}
	return known[id] == Yes
}

// latency returns the server's microseconds for the request at a row, or for that of the
// response there.
func (m *Matcher) latency(r session.Row) (took int64, ok bool) {
	partner, ok := m.partner(r)
	if !ok {
		return 0, false
	}
	number, request, response := m.number, r, partner
	if at, _ := m.paired(r).Partner(); at < number {
		number, request, response = at, partner, r
	}
	if request.Kind != session.KindStdin {
		return 0, false // the server waited
	}
	if m.times == nil {
		m.times = exchange.NewTable(m.source)
	}
	return m.times.Times(number, request, response).Server, true
}

// keptText is the size of the buffers kept for messages; longer ones get their own.
const keptText = 16 << 10

// A message reads the message of a row, at most once and only as much as needed. Its
// results are valid until the next message.
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
			msg.text = []byte(EventText(&e) + "\n" + session.Describe(&e))
		}
	}
	return msg.text
}

// entry reads limit bytes of a row's payload, or a few more, valid until the next call.
func (m *Matcher) entry(row session.Row, limit int) (session.Entry, error) {
	if m.heads == nil {
		m.heads = make([]byte, 0, keptText)
	}
	return m.lines.EntryInto(row, limit, m.heads)
}

func (m *Matcher) partner(r session.Row) (session.Row, bool) {
	number, ok := m.paired(r).Partner()
	if !ok {
		return session.Row{}, false
	}
	if i := number - m.from; i >= 0 && i < len(m.near) {
		return m.near[i], true
	}
	ok = m.source.Rows(number, m.again[:]) == 1
	return m.again[0], ok
}

// id returns the raw id of a message. That of a long response is read from its request,
// which is usually short.
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

// namesBatches reports whether a word is kind:batch, which is about batches and not their
// elements.
func (f *Filter) namesBatches() bool {
	return f.has(func(t test) bool {
		k, ok := t.(kindTest)
		return ok && slices.Contains(k.kinds, framing.Batch)
	})
}

// hasElements reports whether a row is a batch whose elements have rows: it passes if one
// of them does.
func (m *Matcher) hasElements(r *session.Row) bool {
	return r.Msg == framing.Batch && m.batches != nil
}

func (m *Matcher) elementMatches(number int) bool {
	m.batch = number + 1
	defer func() {
		m.batch = 0
		m.batches.Forget()
	}()
	for _, element := range m.batches.Numbers(number) {
		if row, ok := session.RowAt(m.source, element); ok && m.read(element, row) {
			return true
		}
	}
	return false
}

// paired returns the current row; for a partner in a batch, with the row of the element.
func (m *Matcher) paired(r session.Row) session.Row {
	if m.batches == nil || m.number >= elements.First {
		return r
	}
	return m.batches.Paired(m.number, r)
}
