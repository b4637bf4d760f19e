package diagnosis

import (
	"fmt"
	"slices"
	"strings"
)

// An End is the end of a process, with its likeliest cause.
type End struct {
	Run     uint16 // the process, as in Problem.Run
	Attempt int    // processes started since the last one that was ready share it
	How     string // how the process ended, such as "exited with code 3"
	Cause   Cause
	N       uint64 // number of the entry of Cause.Row, 0 if there is none
}

// sameCause reports whether what ended e also ended another process of the same attempt,
// such as a probe and the start that followed it.
func (e *End) sameCause(o *End) bool {
	return e.Attempt == o.Attempt && e.How == o.How && e.Cause.ID == o.Cause.ID && e.Cause.Advice == o.Cause.Advice
}

// consequences are the rules whose problems follow from what ended their process.
var consequences = []string{"PRC03", "PRC04", "PRC06", "PRC08", "RPC19"}

// MayFollow reports whether a problem follows from the cause of the end of its process,
// if that is known.
func (p *Problem) MayFollow() bool {
	return p.AtEnd && slices.Contains(consequences, p.Rule.ID)
}

// An Item is a problem that is to be grouped.
type Item struct {
	End      *End // what the problem follows from, nil for nothing
	Rule     string
	Severity Severity
	Located  bool // in the contents of a message
	Detail   string
	Count    int  // occurrences
	Various  bool // as Problem.Various
}

// A Group is what counts as one problem: the consequences of one cause, a flood of one
// rule, or a problem by itself.
type Group struct {
	End      *End     // whose consequences they are, nil for none
	Severity Severity // the worst
	Items    []int    // indexes of the items, ascending
	Count    int      // occurrences
	Various  bool     // not all of them have the same detail
}

// Follows reports whether the group is the consequences of a cause.
func (g *Group) Follows(c Cause) bool {
	return g.End != nil && g.End.Cause.ID == c.ID && g.End.Cause.Row == c.Row
}

// IsFlood reports whether the group is a flood, which is shown as its first item.
func (g *Group) IsFlood() bool { return g.End == nil && len(g.Items) > 1 }

// maxAlike is how many problems of one rule and severity about whole lines count one by
// one. More are a flood, which is one problem.
const maxAlike = 10

// Groups groups the problems of a log by the causes of the ends of its processes. Of
// several ends with the same cause in one attempt the group has the last.
func Groups(found []Problem, ends []End) []Group {
	last := make(map[uint16]*End, len(ends))
	for i := range ends {
		at := &ends[i]
		for j := len(ends) - 1; j > i; j-- {
			if at.sameCause(&ends[j]) {
				at = &ends[j]
				break
			}
		}
		last[ends[i].Run] = at
	}
	items := make([]Item, len(found))
	for i := range found {
		p := &found[i]
		items[i] = Item{Rule: p.Rule.ID, Severity: p.Severity, Located: p.Where != (Location{}), Detail: p.Detail, Count: p.Count, Various: p.Various}
		if p.MayFollow() {
			items[i].End = last[p.Run]
		}
	}
	return Fold(items)
}

// Fold groups problems, in the order of the first of each group.
func Fold(items []Item) []Group {
	type kind struct {
		end      *End
		rule     string
		severity Severity
	}
	kindOf := func(i Item) kind {
		if i.End != nil {
			return kind{end: i.End}
		}
		return kind{rule: i.Rule, severity: i.Severity}
	}
	alike := map[kind]int{}
	for _, i := range items {
		if !i.Located {
			alike[kindOf(i)]++
		}
	}
	var groups []Group
	known := map[kind]int{} // index of the group
	for n, i := range items {
		k := kindOf(i)
		at, joins := known[k]
		if joins = joins && !i.Located; !joins {
			at = len(groups)
			groups = append(groups, Group{End: i.End, Severity: i.Severity})
			if i.End != nil || !i.Located && alike[k] > maxAlike {
				known[k] = at
			}
		}
		g := &groups[at]
		g.Items, g.Count, g.Severity = append(g.Items, n), g.Count+i.Count, max(g.Severity, i.Severity)
		g.Various = g.Various || i.Various || i.Detail != items[g.Items[0]].Detail
	}
	return groups
}

// CountGroups counts each group as one problem of its severity.
func CountGroups(groups []Group) Count {
	var c Count
	for i := range groups {
		c.add(groups[i].Severity, 1)
	}
	return c
}

// RuleNames names the rules of some of the problems, each once with the number of its
// problems if it has several.
func RuleNames(found []Problem, items []int) string {
	var order []*Rule
	count := map[*Rule]int{}
	for _, i := range items {
		if rule := found[i].Rule; count[rule] == 0 {
			order = append(order, rule)
		}
		count[found[i].Rule]++
	}
	names := make([]string, len(order))
	for i, rule := range order {
		names[i] = rule.ID + " " + rule.Title
		if n := count[rule]; n > 1 {
			names[i] += fmt.Sprintf(" (%d)", n)
		}
	}
	return strings.Join(names, ", ")
}
