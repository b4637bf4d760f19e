package compare

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// minSlowdown is the least growth of a median that counts as a slowdown, in
// microseconds: smaller changes are within the noise of the machine.
const minSlowdown = 1000

// slow reports a response of the second session for which the server took longer than
// the limit of its method.
func (c *comparer) slow(record int) {
	limit, ok := c.opts.MaxTime[c.label.method]
	b := &c.b.records[record]
	if took := time.Duration(c.b.serverTime(record)) * time.Microsecond; ok && b.flags&answered != 0 && c.label.fromClient && took > limit {
		c.report(Difference{Class: ClassTime, Change: changeChanged, Pointer: "/time"}, nil, []byte(took.String()+", limit "+limit.String()))
	}
}

// slowdowns reports methods and tools whose median response time grew too much in the
// second session. Handshakes are skipped: whether they include the server's start
// depends on the probe.
func (c *comparer) slowdowns() {
	if c.opts.MaxSlowdown <= 0 {
		return
	}
	tookA, tookB := c.a.tookBySubject(), c.b.tookBySubject()
	for _, l := range slices.SortedFunc(maps.Keys(tookB), compareLabels) {
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

func compareLabels(a, b label) int {
	return cmp.Or(cmp.Compare(a.method, b.method), cmp.Compare(a.subject, b.subject))
}

// tookBySubject returns the response times of the server by method and subject.
func (s *side) tookBySubject() map[label][]uint32 {
	out := map[label][]uint32{}
	for i := range s.records {
		if r := &s.records[i]; r.flags&answered != 0 && r.flags&handshake == 0 && s.labelOf(r).fromClient {
			out[s.labelOf(r)] = append(out[s.labelOf(r)], s.serverTime(i))
		}
	}
	return out
}
