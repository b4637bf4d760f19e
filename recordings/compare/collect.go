package compare

import (
	"cmp"
	"sort"
	"strings"

	"mcpdbg/recordings/match"
)

// report adds a difference of the current pair unless a rule ignores it. a and b are the
// values to show, nil for none.
func (c *comparer) report(d Difference, a, b []byte) {
	if d.Pointer != "" {
		if rule := c.about.Rule(d.Pointer.Tokens()); rule.Action == match.ActionIgnore {
			c.ignored(rule)
			return
		}
	}
	d.Method, d.Subject, d.From, d.order = c.label.method, c.label.subject, c.label.from(), c.place
	d.i, d.j = int32(c.i), int32(c.j)
	if c.unaligned != "" && strings.HasPrefix(string(d.Pointer), string(c.unaligned)+"/") {
		d.Note, c.unaligned = "elements of "+string(c.unaligned)+" are compared by index: too many differ to align them", ""
	}
	d.Counts = c.countsClass(d.Class)
	c.reported = true
	switch {
	case !d.Counts:
	case d.Class == ClassTime:
		c.out.OverLimit++
	case d.Class == ClassNotes:
		c.out.NotesDiffer++
	default:
		c.counts = true
	}
	c.out.Differs = c.out.Differs || d.Counts
	key := groupKey{d.Class, d.Method, d.Subject, d.From, general(d.Pointer.Tokens()), d.Change}
	at, known := c.groups[key]
	first := d.Counts && (c.out.First == nil || d.order < c.out.First.order)
	keep := len(c.out.Differences) < maxDifferences
	if known && !first && !keep {
		c.out.Groups[at].Count++
		c.out.More++
		return // it is not shown
	}
	if d.more != nil {
		d.more(&d)
		d.more = nil
	}
	if c.j != alone {
		d.B, d.Arguments = c.b.at(&c.b.records[c.pageB]), c.b.arguments(&c.b.records[c.j])
	}
	if c.i != alone {
		d.A, d.Arguments = c.a.at(&c.a.records[c.pageA]), c.a.arguments(&c.a.records[c.i])
	}
	show(&d.A, a)
	show(&d.B, b)
	if first {
		c.out.First = &d
	}
	if d.Counts && c.first == nil {
		c.first = &d
	}
	switch {
	case keep:
		c.out.Differences = append(c.out.Differences, d)
	default:
		c.out.More++
	}
	switch {
	case known:
		g := &c.out.Groups[at]
		if g.Count++; len(g.others) < maxOthers {
			g.others = append(g.others, d)
		}
	case len(c.out.Groups) < maxGroups:
		c.groups[key] = len(c.out.Groups)
		c.out.Groups = append(c.out.Groups, Group{
			Class: d.Class, Counts: d.Counts, Method: d.Method, Subject: d.Subject, From: d.From,
			Pointer: key.pointer, Change: d.Change, Count: 1, Example: d,
		})
	default:
		c.out.MoreGroups++
	}
}

func show(s **Side, value []byte) {
	if value == nil {
		return
	}
	if *s == nil {
		*s = &Side{}
	}
	(*s).Value = excerpt(value)
}

func (c *comparer) countsClass(class Class) bool {
	switch class {
	case ClassOrder:
		return false
	case ClassNotes:
		return c.opts.Notes
	case ClassEnvelope:
		return c.opts.Envelope
	}
	return true
}

// masked counts two different values of the same type, which may be a guess.
func (c *comparer) masked(typ string, guess bool, path []string, a, b []byte) {
	key := maskKey{typ, guess, c.label.method, c.label.subject, general(path)}
	at, known := c.masks[key]
	switch {
	case known:
		c.out.Masked[at].Count++
	case len(c.out.Masked) < maxMasked:
		c.masks[key] = len(c.out.Masked)
		m := Masked{Type: typ, Guess: guess, Method: key.method, Subject: key.subject, Pointer: key.pointer, Count: 1, A: excerpt(a), B: excerpt(b)}
		textA, okA := match.Text(a)
		textB, okB := match.Text(b)
		if guess && okA && okB {
			m.Text = placeOf(textA, textB, true)
		}
		if guess {
			m.Arguments = c.a.arguments(&c.a.records[c.i])
		}
		c.out.Masked = append(c.out.Masked, m)
	default:
		c.out.MoreMasked++
	}
}

func (c *comparer) ignored(rule match.Rule) { c.ignores[rule]++ }

func (c *comparer) finish() *Report {
	r := &c.out
	r.A, r.B = c.a.summary(), c.b.summary()
	sort.SliceStable(r.Groups, func(i, j int) bool {
		a, b := &r.Groups[i], &r.Groups[j]
		return cmp.Or(-cmp.Compare(number(a.Counts), number(b.Counts)), cmp.Compare(a.Example.order, b.Example.order)) < 0
	})
	sort.SliceStable(r.Differences, func(i, j int) bool {
		a, b := &r.Differences[i], &r.Differences[j]
		return cmp.Compare(a.order, b.order) < 0
	})
	for rule, count := range c.ignores {
		r.Ignored = append(r.Ignored, Ignored{rule.String(), count})
	}
	sort.Slice(r.Ignored, func(i, j int) bool {
		a, b := &r.Ignored[i], &r.Ignored[j]
		return cmp.Compare(a.Rule, b.Rule) < 0
	})
	for _, call := range c.calls {
		r.Calls = append(r.Calls, *call)
	}
	sort.Slice(r.Calls, func(i, j int) bool {
		a, b := &r.Calls[i], &r.Calls[j]
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Subject, b.Subject)) < 0
	})
	r.Timing, r.TimesCount = timing(c.a, c.b), len(c.opts.MaxTime) > 0 || c.opts.MaxSlowdown > 0
	r.Groups, r.Differences, r.Masked = notNil(r.Groups), notNil(r.Differences), notNil(r.Masked)
	r.Ignored, r.Timing, r.Calls = notNil(r.Ignored), notNil(r.Timing), notNil(r.Calls)
	return r
}

// notNil returns [] instead of null in JSON.
func notNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (s *side) summary() Session {
	header, stats := s.src.Header(), s.src.Stats()
	further := 0
	for _, pages := range s.pages {
		further += len(pages)
	}
	return Session{
		ID: header.ID, Argv: header.Argv, Entries: s.src.Len(), Runs: stats.Runs, Exchanges: len(s.records), Pages: further, Servers: s.servers, start: header.Start,
	}
}
