package compare

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"mcpdbg/recordings/match"
	"mcpdbg/session"
)

// A Comparison is a report with the exchanges that it was made of, for who wants
// to look at them one by one. It keeps about 80 bytes an exchange. Any goroutine
// may use it; the sources must stay open.
type Comparison struct {
	Report *Report

	mu    sync.Mutex
	c     *comparer
	pairs []pair
}

// A pair is what was compared, in 16 bytes.
type pair struct {
	i, j  int32
	place int32
	kind  PairKind
}

// A PairKind says what became of an exchange.
type PairKind uint8

// The kinds.
const (
	Same      PairKind = iota // but for what does not count
	Different                 // in something that counts
	OnlyA                     // the second session does not have it
	OnlyB                     // the first one does not
)

// A Pair is an exchange that both sessions have, or one of them. All pages of a
// list are one.
type Pair struct {
	Kind       PairKind
	Noted      bool // there are differences, of which none counts
	Method     string
	Subject    string // the tool, prompt or resource
	FromServer bool
	A, B       *End // nil in the session that does not have it
}

// An End is where an exchange stands in one session.
type End struct {
	Request  int // row
	Answer   int // row; 0 without one
	Failed   bool
	Answered bool
	Took     time.Duration // 0 without an answer
}

// notedOnly marks pairs that are the same with differences that do not count.
const notedOnly PairKind = 1 << 7

// Explore is Compare for who wants to look into the exchanges, too.
func Explore(ctx context.Context, a, b session.Source, opts Options) (*Comparison, error) {
	c, err := newComparer(ctx, a, b, opts)
	if err != nil {
		return nil, err
	}
	out := &Comparison{c: c}
	c.pairs = &out.pairs
	if err := c.compare(); err != nil {
		return nil, err
	}
	c.pairs = nil
	slices.SortStableFunc(out.pairs, func(a, b pair) int { return cmp.Compare(a.place, b.place) })
	report := *c.finish() // Look uses the comparer's own
	out.Report = &report
	return out, nil
}

// notePair keeps what was compared.
func (c *comparer) notePair() {
	p := pair{i: int32(c.i), j: int32(c.j), place: int32(c.place)}
	switch {
	case c.j == alone:
		p.kind = OnlyA
	case c.i == alone:
		p.kind = OnlyB
	case c.counts:
		p.kind = Different
	}
	if c.told && p.kind == Same {
		p.kind |= notedOnly
	}
	*c.pairs = append(*c.pairs, p)
}

// Len is how many pairs there are.
func (c *Comparison) Len() int { return len(c.pairs) }

// Kind is the kind of a pair; it costs less than Pair.
func (c *Comparison) Kind(n int) PairKind { return c.pairs[n].kind &^ notedOnly }

// Pair returns a pair, numbered from 0 in the order of the first session.
func (c *Comparison) Pair(n int) Pair {
	p := c.pairs[n]
	out := Pair{Kind: p.kind &^ notedOnly, Noted: p.kind&notedOnly != 0}
	var l label
	if p.j != alone {
		r := &c.c.b.records[p.j]
		l, out.B = c.c.b.labelOf(r), r.end()
	}
	if p.i != alone {
		r := &c.c.a.records[p.i]
		l, out.A = c.c.a.labelOf(r), r.end()
	}
	out.Method, out.Subject, out.FromServer = l.method, l.subject, !l.fromClient
	return out
}

func (r *record) end() *End {
	e := &End{Request: int(r.row), Failed: r.flags&failed != 0, Answered: r.flags&answered != 0}
	if e.Answered {
		e.Answer, e.Took = int(r.answerRow), time.Duration(r.took)*time.Microsecond
	}
	return e
}

// A Look is one pair, looked into.
type Look struct {
	// A and B are what the pointers of the differences go into: canonical
	// objects with params, and result or error; the items of a list stand under
	// their names. nil where a session does not have the exchange.
	A, B        []byte
	Differences []Difference
	Masked      []Masked
}

// ErrTooLong is the error of Comparison.Look for messages over its limit.
var ErrTooLong = errors.New("the messages are too long to be looked into side by side")

// Look compares one pair once more and returns both of its sides. Messages of
// more than limit bytes are not read: that is ErrTooLong.
func (c *Comparison) Look(ctx context.Context, n, limit int) (*Look, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.pairs[n]
	i, j := int(p.i), int(p.j)
	if c.c.a.length(i)+c.c.b.length(j) > int64(limit) {
		return nil, ErrTooLong
	}
	c.c.ctx = ctx
	c.c.begin()
	c.c.turnTo(i, j, 0)
	if err := c.c.pair(); err != nil {
		return nil, err
	}
	c.c.done()
	look := &Look{Differences: c.c.out.Differences, Masked: c.c.out.Masked}
	var err error
	if look.A, err = c.c.a.document(i, c.c.rules); err != nil {
		return nil, err
	}
	if look.B, err = c.c.b.document(j, c.c.rules); err != nil {
		return nil, err
	}
	look.A, look.B = readable(look.A), readable(look.B)
	return look, nil
}

// readable is a document, as a text if it holds what could not be made canonical,
// such as a value that is nested too deep.
func readable(document []byte) []byte {
	if document == nil {
		return nil
	}
	if _, err := match.AppendCanonical(nil, document); err != nil {
		return match.AppendText(nil, string(document))
	}
	return document
}

// length is how many bytes the messages of a record have, all pages of a list.
func (s *side) length(number int) (n int64) {
	if number == alone {
		return 0
	}
	var row [1]session.Row
	for _, page := range append([]int{number}, s.pages[number]...) {
		r := &s.records[page]
		for _, at := range []uint32{r.row, r.answerRow} {
			if s.src.Rows(int(at), row[:]) == 1 {
				n += int64(row[0].Len)
			}
		}
	}
	return n
}

// document is what was asked and answered, as one canonical object.
func (s *side) document(number int, rules *match.Rules) ([]byte, error) {
	if number == alone {
		return nil, nil
	}
	r := &s.records[number]
	params, err := s.params(r, rules)
	if err != nil {
		return nil, err
	}
	answer, err := s.shownAnswer(number)
	if err != nil || answer == nil {
		return slices.Concat([]byte(`{"params":`), params, []byte("}")), err
	}
	if r.flags&failed != 0 { // in the order of their names, as all canonical objects are
		return slices.Concat([]byte(`{"error":`), answer, []byte(`,"params":`), params, []byte("}")), nil
	}
	return slices.Concat([]byte(`{"params":`), params, []byte(`,"result":`), answer, []byte("}")), nil
}

// shownAnswer is the result or error of a record, nil without; that of a list has
// the items of all pages, under their names.
func (s *side) shownAnswer(number int) ([]byte, error) {
	r := &s.records[number]
	if r.flags&answered == 0 {
		return nil, nil
	}
	l := s.labelOf(r)
	member, isList := listMember(l.method)
	if !isList || !l.fromClient || r.flags&failed != 0 {
		return s.value(r)
	}
	list, err := s.list(number, member)
	if err != nil {
		return nil, err
	}
	out := match.AppendText([]byte("{"), member)
	out = append(out, ":{"...)
	for i, name := range list.names {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(match.AppendText(out, name), ':')
		out = append(out, list.items[name]...)
	}
	out = append(out, '}')
	if rest := list.rest[1:]; len(rest) > 1 {
		out = append(append(out, ','), rest...)
		return out, nil
	}
	return append(out, '}'), nil
}
