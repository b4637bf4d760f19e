package compare

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"time"

	"mcpdbg/session/mcp"
)

func timing(a, b *side) []Timing {
	tookA, tookB := a.took(), b.took()
	all := maps.Clone(tookA)
	maps.Copy(all, tookB)
	var out []Timing
	for l := range all {
		if l.kind != inSession && (tookA[l] == nil || tookB[l] == nil) {
			continue // the time of only one side includes the server's start
		}
		t := Timing{Method: l.method, Subject: l.subject, From: l.from(), A: times(tookA[l]), B: times(tookB[l])}
		if t.A.Count > 0 && t.B.Count > 0 {
			t.P50, t.P95 = ratio(t.A.P50, t.B.P50), ratio(t.A.P95, t.B.P95)
		}
		out = append(out, t)
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := &out[i], &out[j]
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Method, b.Method), compareSubjects(a, b)) < 0
	})
	return out
}

// compareSubjects sorts a method before its subjects, and these by how much slower they became.
func compareSubjects(a, b *Timing) int {
	if a.Subject == "" || b.Subject == "" {
		return cmp.Compare(a.Subject, b.Subject)
	}
	return cmp.Or(-cmp.Compare(a.P95, b.P95), cmp.Compare(a.Subject, b.Subject))
}

// A timed is the key by which times are grouped.
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

// took returns the times of each method, and of each of its tools and prompts.
func (s *side) took() map[timed][]uint32 {
	out := map[timed][]uint32{}
	for i := range s.records {
		r := &s.records[i]
		if r.flags&answered == 0 {
			continue
		}
		l := timed{label: s.labelOf(r)}
		switch {
		case r.flags&probed != 0:
			l.kind = laterShake
		case r.flags&handshake != 0:
			l.kind = firstShake
		}
		took := s.serverTime(i)
		if l.subject != "" {
			if l.method == mcp.MethodToolsCall || l.method == mcp.MethodPromptsGet {
				out[l] = append(out[l], took)
			}
			l.subject = ""
		}
		out[l] = append(out[l], took)
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

// minSlowdown is in microseconds: smaller changes are within the noise of the machine.
const minSlowdown = 1000

// slow reports a response of the second session that took longer than the limit of its
// tool or method.
func (c *comparer) slow(record int) {
	if len(c.opts.MaxTime) == 0 {
		return
	}
	limit, ok := c.opts.MaxTime[c.label.method+":"+c.label.subject]
	if !ok {
		limit, ok = c.opts.MaxTime[c.label.method]
	}
	b := &c.b.records[record]
	if took := time.Duration(c.b.serverTime(record)) * time.Microsecond; ok && b.flags&answered != 0 && c.label.fromClient && took > limit {
		c.report(Difference{Class: ClassTime, Change: changeChanged, Pointer: "/time"}, nil, []byte(took.String()+", limit "+limit.String()))
	}
}

// slowdowns reports methods and tools whose median response time grew too much.
// Handshakes are skipped: whether they include the server's start depends on the probe.
func (c *comparer) slowdowns() {
	if c.opts.MaxSlowdown <= 0 {
		return
	}
	tookA, tookB := c.a.tookBySubject(), c.b.tookBySubject()
	labels := slices.Collect(maps.Keys(tookB))
	sort.Slice(labels, func(i, j int) bool {
		a, b := labels[i], labels[j]
		return cmp.Or(cmp.Compare(a.method, b.method), cmp.Compare(a.subject, b.subject)) < 0
	})
	for _, l := range labels {
		a, b := times(tookA[l]), times(tookB[l])
		if a.Count == 0 || b.P50-a.P50 < minSlowdown || ratio(a.P50, b.P50) <= c.opts.MaxSlowdown {
			continue
		}
		c.i, c.j, c.label, c.counts, c.place = alone, alone, l, false, len(c.a.records)
		c.about = c.rules.For(l.method, l.subject)
		c.report(Difference{Class: ClassTime, Change: changeChanged, Pointer: "/time"},
			[]byte("median "+micros(a.P50)), []byte("median "+micros(b.P50)+", "+FormatRatio(ratio(a.P50, b.P50))+"x"))
	}
}

func (s *side) tookBySubject() map[label][]uint32 {
	out := map[label][]uint32{}
	for i := range s.records {
		if r := &s.records[i]; r.flags&answered != 0 && r.flags&handshake == 0 && s.labelOf(r).fromClient {
			out[s.labelOf(r)] = append(out[s.labelOf(r)], s.serverTime(i))
		}
	}
	return out
}
