// Package compare compares two sessions with a server.
//
// [Compare] reads both once and keeps a small record of each exchange: the hashes of
// its match key (see package match) and its response, and the positions of both.
// Exchanges are paired by match key, those with the same key in order, and the rest by
// method and tool; the pages of a list are one exchange. Only responses whose bytes
// differ are read again and compared by value: items of lists by name, JSON in text as
// JSON, other text by lines. Values that change with each run, such as times and ids,
// are equal if their types are; the user's rules can ignore more.
//
// Quoted text in a [Report] comes from servers: it must be sanitized before it is
// written to a terminal.
package compare

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"mcpdbg/recordings/match"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// Options are the options of a comparison. The zero value is ready to use.
type Options struct {
	// Rules are the user's rules, nil for none.
	Rules *match.Rules
	// Notes makes different counts of log messages and change notifications count.
	Notes bool
	// MaxTime is the longest time that the server may take for responses of a
	// method, or of one tool, as in tools/call:report, in the second session, including
	// the handshake. Others are not checked.
	MaxTime map[string]time.Duration
	// MaxSlowdown limits the median time of the server for a method and tool in the
	// second session to a multiple of that in the first; 0 means no limit. An
	// increase below minSlowdown never counts.
	MaxSlowdown float64
	// Envelope makes versions and cache hints count.
	Envelope bool
	// OtherParams compares the responses to requests with different params, too.
	OtherParams bool
	// Exact makes values of responses count that usually differ from call to call, such
	// as times and ids.
	Exact bool
	// Partial means that only some requests were sent: notifications and stray lines,
	// which no request causes for certain, are not counted.
	Partial bool
	// Skip reports whether a request of the first session is skipped, for example
	// because it was not sent to the second. SkipB is the same for the second.
	Skip, SkipB func(match.Ref) bool
}

// Compare compares two sessions: the responses to requests, requests that only one
// side has, and the servers' requests. Responses to equal requests are compared in
// order; ids, times and the number of progress notifications do not count.
//
// Sources are read up to their end when Compare is called, each entry at least once;
// only pairs whose bytes differ are read again. Memory is about 64 bytes for each
// exchange, plus the largest entry of either session. A report holds at most 1,000
// differences and 2,000 groups, and counts the rest.
func Compare(ctx context.Context, a, b session.Source, opts Options) (*Report, error) {
	c, err := newComparer(ctx, a, b, opts)
	if err != nil {
		return nil, err
	}
	if err := c.compare(); err != nil {
		return nil, err
	}
	return c.finish(), nil
}

func newComparer(ctx context.Context, a, b session.Source, opts Options) (*comparer, error) {
	c := &comparer{ctx: ctx, opts: opts, rules: baseRules(opts.Rules)}
	c.begin()
	var err error
	if c.a, err = scan(ctx, a, c.rules, opts.Skip); err != nil {
		return nil, fmt.Errorf("the first session: %w", err)
	}
	if c.b, err = scan(ctx, b, c.rules, opts.SkipB); err != nil {
		return nil, fmt.Errorf("the second session: %w", err)
	}
	return c, nil
}

func (c *comparer) begin() {
	c.out, c.label = Report{}, label{}
	c.groups, c.masks, c.ignores = map[groupKey]int{}, map[maskKey]int{}, map[match.Rule]int{}
	c.calls, c.abouts = map[label]*Call{}, map[label]match.Applied{}
}

type comparer struct {
	ctx   context.Context
	opts  Options
	rules *match.Rules
	a, b  *side
	out   Report

	groups  map[groupKey]int // indexes in out.Groups
	masks   map[maskKey]int  // indexes in out.Masked
	ignores map[match.Rule]int
	calls   map[label]*Call
	abouts  map[label]match.Applied
	origins [2]map[usePlace]string // see carried; nil until needed

	// The current pair; alone for a missing record.
	label    label
	about    match.Applied
	i, j     int
	pageA    int // of a list: the page in question, else i
	pageB    int
	place    int // in the order of the first session
	counts   bool
	reported bool // has a difference, whether it counts or not

	unaligned match.Pointer // an array, until a difference in it is reported

	first *Difference // of the current pair, that counts

	pairs  *[]pair // if not nil, collects the compared pairs
	firsts []*Difference
}

type maskKey struct {
	typ             string
	guess           bool
	method, subject string
	pointer         match.Pointer
}

func (c *comparer) compare() error {
	partners := align(c.a.records, c.b.records)
	rest, err := c.pairUp(partners, single(partners, c.b.records))
	if err != nil {
		return err
	}
	places := make([]int, len(c.b.records)) // positions of the partners of b's records in a
	for i, j := range partners {
		if j != alone {
			places[j] = i
		}
		if c.a.records[i].flags&page != 0 {
			continue
		}
		if i%1024 == 0 && c.ctx.Err() != nil {
			return context.Cause(c.ctx)
		}
		c.turnTo(i, int(j), i)
		if err := c.pair(); err != nil {
			return err
		}
	}
	place, next := 0, 0
	for j := range c.b.records {
		place = max(place, places[j])
		if next < len(rest) && int(rest[next]) == j {
			next++
			c.turnTo(alone, j, place)
			if err := c.pair(); err != nil {
				return err
			}
		}
	}
	c.done() // what follows is about no pair
	c.slowdowns()
	if !c.opts.Partial {
		c.notes()
	}
	return nil
}

func (c *comparer) turnTo(i, j, place int) {
	c.done()
	c.i, c.j, c.place, c.counts, c.reported, c.first = i, j, place, false, false, nil
	c.pageA, c.pageB, c.unaligned = i, j, ""
	if i != alone {
		c.label = c.a.labelOf(&c.a.records[i])
	} else {
		c.label = c.b.labelOf(&c.b.records[j])
	}
	about, ok := c.abouts[c.label]
	if !ok {
		about = c.rules.For(c.label.method, c.label.subject)
		c.abouts[c.label] = about
	}
	c.about = about
	call := c.calls[c.label]
	if call == nil {
		call = &Call{Method: c.label.method, Subject: c.label.subject, From: c.label.from()}
		c.calls[c.label] = call
	}
	if j != alone {
		call.Took += int64(c.b.records[j].took)
		call.Person += int64(c.b.person[j])
	}
	if i != alone && j != alone {
		call.Compared++
		c.out.Compared++
	}
}

func (c *comparer) done() {
	call := c.calls[c.label]
	switch {
	case call == nil:
	case c.counts:
		call.Differ++
	case c.i != alone && c.j != alone:
		c.out.Equal++
	}
	if call != nil && c.pairs != nil {
		c.notePair()
	}
}

// pair compares two records, or reports the only one.
func (c *comparer) pair() error {
	switch {
	case c.beyond():
		c.out.NotCompared++
		return nil
	case c.j == alone:
		return c.single(ClassMissing, changeRemoved, c.a, c.i)
	case c.i == alone:
		return c.single(ClassExtra, changeAdded, c.b, c.j)
	}
	a, b := &c.a.records[c.i], &c.b.records[c.j]
	if a.key != b.key {
		if same, err := c.params(a, b); err != nil || !same && !c.opts.OtherParams {
			return err
		}
	}
	if a.flags&handshake != 0 && (a.flags^b.flags)&modern != 0 {
		x, y := []byte(mcp.Legacy), []byte(mcp.Modern)
		if a.flags&modern != 0 {
			x, y = y, x
		}
		c.report(Difference{Class: ClassEra, Change: changeChanged, Pointer: "/era"}, x, y)
		return nil
	}
	c.progress(a, b)
	c.duplicates(a, b)
	c.slow(c.j)
	if !c.label.fromClient {
		return nil // the response is the client's
	}
	if x, y := outcome(a), outcome(b); x != y {
		c.report(Difference{Class: ClassOutcome, Change: changeChanged, Pointer: "/outcome"}, c.a.ended(a, x), c.b.ended(b, y))
		return nil
	}
	if a.flags&answered == 0 {
		return nil
	}
	if kind, isList := mcp.ListOf(c.label.method); isList && a.flags&failed == 0 {
		if a.response == b.response && len(c.a.pages[c.i]) == 0 && len(c.b.pages[c.j]) == 0 {
			return nil
		}
		return c.lists(kind, c.i, c.j)
	}
	if a.response == b.response {
		return nil
	}
	return c.responses(a, b)
}

// beyond reports whether the current record is alone because the other side has only a part
// of a session, such as the output of a filter: a handshake, or a list of which it has no
// page.
func (c *comparer) beyond() bool {
	one, other, i := c.a, c.b, c.i
	switch {
	case c.j != alone && c.i != alone:
		return false
	case c.i == alone:
		one, other, i = c.b, c.a, c.j
	}
	_, isList := mcp.ListOf(c.label.method)
	if one.records[i].flags&handshake == 0 && !isList || !one.shaken {
		return false
	}
	_, listed := other.numbers[c.label]
	return !other.shaken && (!isList || !listed)
}

func (c *comparer) single(class Class, change Change, s *side, number int) error {
	params, err := s.params(&s.records[number], c.rules)
	if err != nil {
		return err
	}
	d := Difference{Class: class, Change: change, Pointer: match.Pointer("/" + string(class))}
	if class == ClassMissing {
		c.report(d, params, nil)
	} else {
		c.report(d, nil, params)
	}
	return nil
}

func outcome(r *record) string {
	switch {
	case r.flags&answered == 0:
		return "no response (" + cmp.Or(r.state.String(), session.ReqPending.String()) + ")"
	case r.flags&failed != 0:
		return "error"
	}
	return "result"
}

// ended returns an outcome to show: for an error its code and message.
func (s *side) ended(r *record, outcome string) []byte {
	if r.flags&failed == 0 {
		return []byte(outcome)
	}
	value, err := s.value(r)
	if err != nil {
		return []byte(outcome)
	}
	return bytes.TrimSpace(fmt.Appendf(nil, "%s %s %s", outcome, match.Member(value, "code"), match.Member(value, "message")))
}

func (c *comparer) responses(a, b *record) error {
	valueA, err := c.a.value(a)
	if err != nil {
		return err
	}
	valueB, err := c.b.value(b)
	if err != nil {
		return err
	}
	class, base := ClassResult, "result"
	if a.flags&failed != 0 {
		class, base = ClassError, "error"
	}
	c.values(class, []string{base}, valueA, valueB)
	return nil
}

// params compares the params of requests with different keys, and reports whether they
// are equal after all.
func (c *comparer) params(a, b *record) (same bool, err error) {
	paramsA, err := c.a.params(a, c.rules)
	if err != nil {
		return false, err
	}
	paramsB, err := c.b.params(b, c.rules)
	if err != nil {
		return false, err
	}
	c.values(ClassParams, []string{"params"}, paramsA, paramsB)
	return !c.counts, nil // nothing else was compared so far
}

// pairUp finds partners for records without one: those that are the same but for redacted
// text, then the k-th request with a label that follows the same request in both sessions,
// then the k-th one with a label. It returns the remaining records of b.
func (c *comparer) pairUp(partners []int32, rest []int32) ([]int32, error) {
	rest, err := c.pairRedacted(partners, rest)
	if err != nil || len(rest) == 0 {
		return rest, err
	}
	type what struct {
		label
		handshake bool
		after     int32
	}
	before := c.preceding(partners)
	key := func(s *side, number int32) what {
		r := &s.records[number]
		return what{s.labelOf(r), r.flags&handshake != 0, before[s][number]}
	}
	rest = pairBy(partners, c.a.without(partners), rest, key, c.a, c.b)
	return pairBy(partners, c.a.without(partners), rest, func(s *side, number int32) what {
		k := key(s, number)
		k.after = 0
		return k
	}, c.a, c.b), nil
}

// preceding returns for each record of both sessions the last one before it that has a
// partner, as a number in the first session.
func (c *comparer) preceding(partners []int32) map[*side][]int32 {
	inA, inB := make([]int32, len(c.a.records)), make([]int32, len(c.b.records))
	for j := range inB {
		inB[j] = alone
	}
	last := int32(alone)
	for i, j := range partners {
		if inA[i] = last; j != alone {
			inB[j], last = int32(i), int32(i)
		}
	}
	last = alone
	for j, i := range inB {
		if inB[j] = last; i != alone {
			last = i
		}
	}
	return map[*side][]int32{c.a: inA, c.b: inB}
}

// pairBy pairs the k-th record with a key in the first session with the k-th one in the
// second. It returns the remaining ones of the second.
func pairBy[K comparable](partners, first, second []int32, key func(s *side, number int32) K, a, b *side) []int32 {
	waiting := map[K][]int32{}
	for _, j := range second {
		k := key(b, j)
		waiting[k] = append(waiting[k], j)
	}
	for _, i := range first {
		k := key(a, i)
		if q := waiting[k]; len(q) > 0 {
			partners[i], waiting[k] = q[0], q[1:]
		}
	}
	var left []int32
	for _, q := range waiting {
		left = append(left, q...)
	}
	slices.Sort(left)
	return left
}

// without returns the records without a partner.
func (s *side) without(partners []int32) (numbers []int32) {
	for i, j := range partners {
		if j == alone && s.records[i].flags&page == 0 {
			numbers = append(numbers, int32(i))
		}
	}
	return numbers
}
