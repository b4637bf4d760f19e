package compare

import (
	"cmp"
	"slices"
	"sort"

	"mcpdbg/internal/wording"
	"mcpdbg/recordings/match"
)

// Learn proposes rules from comparisons of sessions that should be the same, such as
// consecutive runs of one server: what changed there does not matter. It ignores
// values only; a missing exchange or a different outcome is not learned.
func Learn(reports ...*Report) []match.Rule {
	var rules []match.Rule
	for _, r := range reports {
		for _, g := range r.Groups {
			if g.Counts && isValue(g.Class) {
				rules = append(rules, ruleFor(g))
			}
		}
	}
	return tidy(rules)
}

// Accept returns rules under which the sessions of a report do not differ: one
// for each group that counts.
func (r *Report) Accept() []match.Rule {
	var rules []match.Rule
	for _, g := range r.Groups {
		if g.Counts {
			rules = append(rules, ruleFor(g))
		}
	}
	return tidy(rules)
}

func isValue(class Class) bool {
	switch class {
	case ClassResult, ClassError, ClassParams, ClassProgress, ClassNotes, ClassEnvelope:
		return true
	}
	return false
}

func ruleFor(g Group) match.Rule {
	return match.Rule{Action: match.ActionIgnore, Method: methodOf(g.Method, g.Subject), Pointer: g.Pointer}
}

// methodOf returns a method and a subject as rules name them.
func methodOf(method, subject string) string { return method + wording.IfAny(":", subject) }

// tidy sorts rules and drops those that another one covers.
func tidy(rules []match.Rule) []match.Rule {
	sort.Slice(rules, func(i, j int) bool {
		a, b := &rules[i], &rules[j]
		return cmp.Or(cmp.Compare(a.Method, b.Method), cmp.Compare(a.Pointer, b.Pointer)) < 0
	})
	var out []match.Rule
	for _, rule := range rules {
		covered := slices.ContainsFunc(out, func(have match.Rule) bool {
			return have.Method == rule.Method && match.Covers(have.Pointer, rule.Pointer)
		})
		if !covered {
			out = append(out, rule)
		}
	}
	return out
}
