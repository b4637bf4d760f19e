package compare

import (
	"cmp"
	"maps"
	"slices"
)

// timing compares the response times by method.
func timing(a, b *side) []Timing {
	tookA, tookB := a.took(), b.took()
	all := maps.Clone(tookA)
	maps.Copy(all, tookB)
	var out []Timing
	for l := range all {
		if l.kind != inSession && (tookA[l] == nil || tookB[l] == nil) {
			continue // the time of only one side includes the server's start
		}
		t := Timing{Method: l.method, From: l.from(), A: times(tookA[l]), B: times(tookB[l])}
		if t.A.Count > 0 && t.B.Count > 0 {
			t.P50, t.P95 = ratio(t.A.P50, t.B.P50), ratio(t.A.P95, t.B.P95)
		}
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b Timing) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Method, b.Method))
	})
	return out
}

// A timed is the key by which times are grouped: a method, and for a handshake whether
// it came after a probe.
type timed struct {
	label
	kind timeKind
}

type timeKind uint8

const (
	inSession  timeKind = iota
	firstShake          // includes the server's start
	laterShake          // after a probe, which waited for the start
)

// took returns the response times of a side by method, without the subject: what the
// server took.
func (s *side) took() map[timed][]uint32 {
	out := map[timed][]uint32{}
	for i := range s.records {
		r := &s.records[i]
		if r.flags&answered == 0 {
			continue
		}
		l := timed{label: s.labelOf(r)}
		l.subject = ""
		switch {
		case r.flags&probed != 0:
			l.kind = laterShake
		case r.flags&handshake != 0:
			l.kind = firstShake
		}
		out[l] = append(out[l], s.serverTime(i))
	}
	return out
}

func times(took []uint32) Times {
	if len(took) == 0 {
		return Times{}
	}
	slices.Sort(took)
	at := func(percent int) int64 { return int64(took[(len(took)*percent+99)/100-1]) } // the nearest rank
	return Times{Count: len(took), P50: at(50), P95: at(95)}
}

func ratio(a, b int64) float64 { return float64(b) / float64(max(a, 1)) }
