package compare

import (
	"slices"

	"mcpdbg/recordings/match"
)

// pairRedacted pairs requests whose params are the same apart from those in the places where
// one of the sessions has redacted text. rest are the records of b without a partner; it
// returns the remaining ones.
func (c *comparer) pairRedacted(partners, rest []int32) ([]int32, error) {
	first := c.a.without(partners)
	rules := map[label]*match.Rules{}
	for _, of := range []struct {
		*side
		numbers []int32
	}{{c.a, first}, {c.b, rest}} {
		for _, number := range of.numbers {
			r := &of.records[number]
			if r.flags&redacted == 0 {
				continue
			}
			params, err := of.params(r, c.rules)
			if err != nil {
				return nil, err
			}
			l := of.labelOf(r)
			if rules[l] == nil {
				rules[l] = &match.Rules{List: slices.Clone(c.rules.List)}
			}
			match.RedactedPlaces(params, func(path []string) {
				if len(rules[l].List) < len(c.rules.List)+maxRedacted {
					rules[l].Add(match.Rule{Action: match.ActionMask, Type: match.TypeAny, Pointer: general(append([]string{"params"}, path...))})
				}
			})
		}
	}
	if len(rules) == 0 {
		return rest, nil
	}
	var failure error
	type what struct {
		label
		key uint64
	}
	left := pairBy(partners, first, rest, func(s *side, number int32) what {
		r := &s.records[number]
		l := s.labelOf(r)
		if rules[l] == nil {
			return what{l, r.key}
		}
		m, err := match.Read(s.src, s.request(r), nil)
		if err != nil {
			failure = err
			return what{}
		}
		key, _ := match.AppendKey(nil, l.method, m.RawParams(), rules[l])
		return what{l, match.Hash(key)}
	}, c.a, c.b)
	return left, failure
}

// maxRedacted is the most places of redacted text that are masked in the params of a tool.
const maxRedacted = 64
