package traffic

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/widget/filter"
)

// BenchmarkFilter filters a million rows by fields of the index, and by text.
func BenchmarkFilter(b *testing.B) {
	log := uitest.NewLog(b)
	uitest.AppendTraffic(b, log, 1_000_000)
	for _, text := range []string{"err", "method:tools/* dir:in", "nothing like that"} {
		b.Run(text, func(b *testing.B) {
			f, err := filter.Parse(text)
			require.NoError(b, err)
			s := onLog(b, log, Wire)
			b.ReportAllocs()
			for b.Loop() {
				s.Run(s.traffic.SetFilter(f))
			}
			require.Equal(b, 100, s.traffic.Percent)
		})
	}
}

// inMemory is a log of prepared rows, as the index keeps them, without bytes.
type inMemory struct {
	session.Source
	rows []session.Row
}

func (m *inMemory) Len() int { return len(m.rows) }
func (m *inMemory) Rows(from int, dst []session.Row) int {
	return copy(dst, m.rows[min(from, len(m.rows)):])
}

func newInMemory(t testing.TB, n int) *inMemory {
	t.Helper()
	log := uitest.NewLog(t)
	uitest.AppendTraffic(t, log, 10_000)
	some := make([]session.Row, log.Len())
	require.Equal(t, len(some), log.Rows(0, some))
	m := &inMemory{Source: log, rows: make([]session.Row, 0, n)}
	for at := 0; len(m.rows) < n; at++ {
		row := some[at%len(some)]
		if row.Paired() {
			row.Related += uint32(at - at%len(some))
		}
		m.rows = append(m.rows, row)
	}
	return m
}

// BenchmarkFilter5M filters five million rows by fields of the index, and
// compares that with a loop that only reads each row: the filter may take 25
// ms, or not much longer than that loop on a slow machine.
func BenchmarkFilter5M(b *testing.B) {
	src := newInMemory(b, 5_000_000)
	b.Run("scan", func(b *testing.B) {
		var block [512]session.Row
		for b.Loop() {
			errors := 0
			for from := 0; from < src.Len(); from += len(block) {
				for i := range src.Rows(from, block[:]) {
					if block[i].Flags&session.FlagError != 0 {
						errors++
					}
				}
			}
			require.NotZero(b, errors)
		}
	})
	s := onLog(b, src, Wire)
	for _, text := range []string{"err", "method:tools/* dir:in", "n:1000-2000", ">100ms", "kind:notification or kind:request"} {
		b.Run(text, func(b *testing.B) {
			f, err := filter.Parse(text)
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				s.Run(s.traffic.SetFilter(f))
			}
			require.Equal(b, 100, s.traffic.Percent)
		})
	}
	b.Run("timeline", func(b *testing.B) {
		s.Run(s.traffic.SetFilter(nil))
		for b.Loop() {
			s.Do("timeline", "timeline", "timeline")
		}
	})
}
