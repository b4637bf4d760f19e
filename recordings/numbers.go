package recordings

import (
	"cmp"
	"slices"
)

// maxRanges is the most ranges that a numbers holds, at 16 bytes each.
const maxRanges = 1 << 20

// numbers is a set of sequence numbers from 1 on. Its memory is bounded: scattered
// means that there were too many ranges to keep and the set is unknown.
type numbers struct {
	ranges    []numberRange
	scattered bool
}

type numberRange struct{ from, to uint64 }

// add adds the numbers from from to to. Numbers arrive nearly in order, so most
// ranges continue the last one.
func (s *numbers) add(from, to uint64) {
	if from == 0 || to < from || s.scattered {
		return
	}
	if last := len(s.ranges) - 1; last >= 0 {
		r := &s.ranges[last]
		if from >= r.from && from-1 <= r.to {
			r.to = max(r.to, to)
			return
		}
	}
	if len(s.ranges) == maxRanges {
		s.merge()
		s.scattered = len(s.ranges) > maxRanges/2
	}
	s.ranges = append(s.ranges, numberRange{from, to})
}

// merge sorts the ranges and joins adjacent ones.
func (s *numbers) merge() {
	slices.SortFunc(s.ranges, func(a, b numberRange) int { return cmp.Compare(a.from, b.from) })
	merged := s.ranges[:0]
	for _, r := range s.ranges {
		if last := len(merged) - 1; last >= 0 && r.from-1 <= merged[last].to {
			merged[last].to = max(merged[last].to, r.to)
			continue
		}
		merged = append(merged, r)
	}
	s.ranges = merged
}

// holes returns the missing ranges between 1 and the last number.
func (s *numbers) holes() (missing []numberRange) {
	if s.scattered {
		return nil
	}
	s.merge()
	next := uint64(1)
	for _, r := range s.ranges {
		if r.from > next {
			missing = append(missing, numberRange{next, r.from - 1})
		}
		next = r.to + 1
	}
	return missing
}
