package compare

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sort"
	"sync"
	"time"

	"mcpdbg/recordings/match"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// A Comparison is a report with the compared exchanges, for inspecting them one by
// one. It keeps about 80 bytes for each exchange. It is safe for concurrent use; the
// sources must stay open.
type Comparison struct {
	Report *Report

	mu     sync.Mutex
	c      *comparer
	pairs  []pair
	firsts []*Difference
}

// A pair takes 20 bytes.
type pair struct {
	i, j  int32
	place int32
	first int32 // in firsts, from 1; 0 for none
	kind  PairKind
}

// A PairKind is the result for an exchange.
type PairKind uint8

// The results for an exchange.
const (
	Same      PairKind = iota // no difference that counts
	Different                 // a difference that counts
	OnlyA                     // missing in the second session
	OnlyB                     // missing in the first session
)

// A Pair is an exchange of both sessions or only one of them. All pages of a list are
// one exchange.
type Pair struct {
	Kind       PairKind
	HasIgnored bool // there are differences, but none that counts
	Method     string
	Subject    string // the tool, prompt or resource
	FromServer bool
	A, B       *End        // nil in the session that does not have it
	First      *Difference // the first that counts; nil beyond the first 1,000 of a comparison
}

// An End is the position and result of an exchange in one session.
type End struct {
	Request  int // row
	Response int // row; 0 if there is none
	Failed   bool
	Answered bool
	Took     time.Duration // what the server took; 0 without a response
}

// notedOnly marks pairs whose differences do not count.
const notedOnly PairKind = 1 << 7

// Explore is like Compare, but keeps the exchanges.
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
	c.pairs, out.firsts = nil, c.firsts
	sort.SliceStable(out.pairs, func(i, j int) bool {
		a, b := &out.pairs[i], &out.pairs[j]
		return cmp.Compare(a.place, b.place) < 0
	})
	report := *c.finish() // a copy: Look reuses the comparer's own
	out.Report = &report
	return out, nil
}

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
	if c.reported && p.kind == Same {
		p.kind |= notedOnly
	}
	if c.first != nil {
		c.firsts = append(c.firsts, c.first)
		p.first = int32(len(c.firsts))
	}
	*c.pairs = append(*c.pairs, p)
}

// Len returns the number of pairs.
func (c *Comparison) Len() int { return len(c.pairs) }

// Kind returns the kind of a pair; it is cheaper than Pair.
func (c *Comparison) Kind(n int) PairKind { return c.pairs[n].kind &^ notedOnly }

// Pair returns a pair, numbered from 0 in the order of the first session.
func (c *Comparison) Pair(n int) Pair {
	p := c.pairs[n]
	out := Pair{Kind: p.kind &^ notedOnly, HasIgnored: p.kind&notedOnly != 0}
	var l label
	if p.j != alone {
		r := &c.c.b.records[p.j]
		l, out.B = c.c.b.labelOf(r), c.c.b.end(int(p.j))
	}
	if p.i != alone {
		r := &c.c.a.records[p.i]
		l, out.A = c.c.a.labelOf(r), c.c.a.end(int(p.i))
	}
	out.Method, out.Subject, out.FromServer = l.method, l.subject, !l.fromClient
	if p.first > 0 {
		out.First = c.firsts[p.first-1]
	}
	return out
}

// Find returns the pair of a difference in the report.
func (c *Comparison) Find(d *Difference) (pair int, ok bool) {
	if d.i == alone && d.j == alone {
		return 0, false
	}
	for n, p := range c.pairs {
		if p.i == d.i && p.j == d.j {
			return n, true
		}
	}
	return 0, false
}

// Page returns the row of the response with the list item at or above a place, in the
// second session if b. It is not ok if the pair is not a list of several pages.
func (c *Comparison) Page(n int, b bool, place match.Pointer) (row int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, first := c.c.a, int(c.pairs[n].i)
	if b {
		s, first = c.c.b, int(c.pairs[n].j)
	}
	path := place.Tokens()
	if first == alone || len(s.pages[first]) == 0 || len(path) < 3 {
		return 0, false
	}
	kind, _ := mcp.ListOf(s.labelOf(&s.records[first]).method)
	list, err := s.list(first, kind)
	if err != nil {
		return 0, false
	}
	page, ok := list.page[path[2]]
	return int(s.records[page].responseRow), ok
}

func (s *side) end(record int) *End {
	r := &s.records[record]
	e := &End{Request: int(r.row), Failed: r.flags&failed != 0, Answered: r.flags&answered != 0}
	if e.Answered {
		e.Response, e.Took = int(r.responseRow), time.Duration(s.serverTime(record))*time.Microsecond
	}
	return e
}

// A Look is the detailed comparison of one pair.
type Look struct {
	// A and B are the documents that the pointers of the differences refer to:
	// canonical objects with params, and result or error, where list items are
	// members by name. A document is nil if its session lacks the exchange.
	A, B        []byte
	Differences []Difference
	Masked      []Masked
}

// ErrTooLong is the error of Comparison.Look for messages over its limit.
var ErrTooLong = errors.New("messages too long to compare side by side")

// Look compares one pair again and returns both of its sides. If the messages have
// more than limit bytes in total, the error is ErrTooLong.
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

// readable converts a document to a string if it contains a value that could not be made
// canonical, such as one that is nested too deep.
func readable(document []byte) []byte {
	if document == nil {
		return nil
	}
	if _, err := match.AppendCanonical(nil, document); err != nil {
		return match.AppendText(nil, string(document))
	}
	return document
}

func (s *side) length(number int) (n int64) {
	if number == alone {
		return 0
	}
	for _, page := range append([]int{number}, s.pages[number]...) {
		r := &s.records[page]
		for _, at := range []uint32{r.row, r.responseRow} {
			row, _ := session.RowAt(s.src, int(at))
			n += int64(row.Len)
		}
	}
	return n
}

// document returns the request and response of a record as one canonical object.
func (s *side) document(number int, rules *match.Rules) ([]byte, error) {
	if number == alone {
		return nil, nil
	}
	r := &s.records[number]
	params, err := s.params(r, rules)
	if err != nil {
		return nil, err
	}
	response, err := s.shownResponse(number)
	if err != nil || response == nil {
		return slices.Concat([]byte(`{"params":`), params, []byte("}")), err
	}
	if r.flags&failed != 0 { // sorted by name, as in all canonical objects
		return slices.Concat([]byte(`{"error":`), response, []byte(`,"params":`), params, []byte("}")), nil
	}
	return slices.Concat([]byte(`{"params":`), params, []byte(`,"result":`), response, []byte("}")), nil
}

// shownResponse returns the result or error of a record, nil without a response; that of
// a list has the items of all pages by name.
func (s *side) shownResponse(number int) ([]byte, error) {
	r := &s.records[number]
	if r.flags&answered == 0 {
		return nil, nil
	}
	l := s.labelOf(r)
	kind, isList := mcp.ListOf(l.method)
	if !isList || !l.fromClient || r.flags&failed != 0 {
		return s.value(r)
	}
	list, err := s.list(number, kind)
	if err != nil {
		return nil, err
	}
	out := match.AppendText([]byte("{"), kind.Member)
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
