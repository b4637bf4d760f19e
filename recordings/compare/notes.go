package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"mcpdbg/recordings/match"
	"mcpdbg/session/mcp"
)

// A noteKind is the key by which server notifications are counted.
type noteKind struct{ method, level, logger string }

// strayLines replaces the method when lines of stdout that are not messages are
// counted.
const strayLines = "(stray lines)"

// maxNoteKinds is the most kinds of notification that are counted separately.
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

// notes compares the numbers of notifications of each kind.
func (c *comparer) notes() {
	c.i, c.j, c.label, c.about, c.counts = alone, alone, label{}, nil, false
	kinds := maps.Clone(c.a.notes)
	maps.Copy(kinds, c.b.notes)
	for _, kind := range slices.SortedFunc(maps.Keys(kinds), func(a, b noteKind) int {
		return cmp.Or(cmp.Compare(a.method, b.method), cmp.Compare(a.level, b.level), cmp.Compare(a.logger, b.logger))
	}) {
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
