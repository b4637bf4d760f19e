package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"

	"mcpdbg/internal/wording"
	"mcpdbg/recordings/match"
	"mcpdbg/session/mcp"
)

// A noteKind is the key by which notifications are counted.
type noteKind struct{ method, level, logger string }

// strayLines replaces the method for stdout lines that are not messages.
const strayLines = "(stray lines)"

const maxNoteKinds = 1 << 12

func (s *scanner) note(it *match.Item) {
	kind := noteKind{method: it.Method}
	if it.Method == mcp.MethodLogMessage {
		params := it.Msg.RawParams()
		kind.level, _ = match.Text(match.Member(params, "level"))
		kind.logger, _ = match.Text(match.Member(params, "logger"))
	}
	if _, ok := s.notes[kind]; !ok && len(s.notes) == maxNoteKinds {
		kind = noteKind{method: "(others)"}
	}
	s.notes[kind]++
}

func (c *comparer) notes() {
	c.i, c.j, c.label, c.about, c.counts = alone, alone, label{}, nil, false
	counts := maps.Clone(c.a.notes)
	maps.Copy(counts, c.b.notes)
	kinds := slices.Collect(maps.Keys(counts))
	sort.Slice(kinds, func(i, j int) bool {
		a, b := kinds[i], kinds[j]
		return cmp.Or(cmp.Compare(a.method, b.method), cmp.Compare(a.level, b.level), cmp.Compare(a.logger, b.logger)) < 0
	})
	for _, kind := range kinds {
		a, b := c.a.notes[kind], c.b.notes[kind]
		if a == b {
			continue
		}
		c.place = len(c.a.records)
		c.label = label{method: kind.method, subject: joined(kind.level, kind.logger)}
		if rule := c.rules.For(c.label.method, c.label.subject).Rule([]string{"notes"}); rule.Action == match.ActionIgnore {
			c.ignored(rule)
			continue
		}
		c.report(Difference{Class: ClassNotes, Change: changeChanged, Pointer: "/notes"}, fmt.Append(nil, a), fmt.Append(nil, b))
	}
}

func joined(level, logger string) string {
	if logger == "" {
		return level
	}
	return level + " " + logger
}

func (r *record) tell(value []byte) {
	v, err := strconv.ParseFloat(string(value), 64)
	if err != nil || r.flags&progressed != 0 && v < r.last {
		r.flags |= falls
	}
	r.last = v
	r.flags |= progressed
}

// progress compares whether there was progress, whether it ever decreased, and its last
// value, but not the number of notifications.
func (c *comparer) progress(a, b *record) {
	says := func(r *record) string {
		switch {
		case r.flags&progressed == 0:
			return "none"
		case r.flags&falls != 0:
			return "not rising"
		}
		return "up to " + strconv.FormatFloat(r.last, 'g', -1, 64)
	}
	if (a.flags|b.flags)&progressed == 0 {
		return
	}
	if x, y := says(a), says(b); x != y {
		c.report(Difference{Class: ClassProgress, Change: changeChanged, Pointer: "/progress"}, []byte(x), []byte(y))
	}
}

// A client takes the first response, so that duplicates do not show in the values.
func (c *comparer) duplicates(a, b *record) {
	if a.duplicates == b.duplicates || (a.flags&b.flags)&answered == 0 {
		return
	}
	says := func(r *record) []byte { return []byte(wording.Plural(int(r.duplicates)+1, "response")) }
	c.report(Difference{Class: ClassDuplicate, Change: changeChanged, Pointer: "/duplicate"}, says(a), says(b))
}
