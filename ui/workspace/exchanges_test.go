package workspace

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// A fakeLog is a log of rows whose messages cannot be read.
type fakeLog struct {
	rows    []session.Row
	methods []string
	run     uint16
	now     int64
	pending []int // requests of ours without a response
}

func (f *fakeLog) Header() session.Header  { return session.Header{} }
func (f *fakeLog) Len() int                { return len(f.rows) }
func (f *fakeLog) Stats() session.Stats    { return session.Stats{} }
func (f *fakeLog) Method(id uint16) string { return append([]string{""}, f.methods...)[id] }

func (f *fakeLog) Rows(from int, dst []session.Row) int {
	return copy(dst, f.rows[min(from, len(f.rows)):])
}

func (f *fakeLog) Changed() <-chan struct{} { return nil }

func (f *fakeLog) Entry(session.Row, int) (session.Entry, error) {
	return session.Entry{}, fmt.Errorf("no entries")
}

func (f *fakeLog) ReadLine(session.Row, []byte, int64) (int, error) {
	return 0, fmt.Errorf("no lines")
}

// add appends rows from short words: ">m" and "<m" are requests of method m by us and by
// the server, ">m!" and "<m!" notifications, "=n" and "-n" the response and the error
// response to the request in row n, "start" and "exit" events, "err" a line of stderr,
// "~" a pause of two seconds. Progress is that of the only pending request.
func (f *fakeLog) add(words string) {
	for word := range strings.FieldsSeq(words) {
		f.now++
		row := session.Row{Run: f.run, T: f.now}
		switch {
		case word == "~":
			f.now += 2_000_000
			continue
		case word == "start":
			f.run++
			f.pending = nil
			row.Kind, row.Run = session.KindStart, f.run
		case word == "exit":
			row.Kind = session.KindExited
		case word == "err":
			row.Kind = session.KindStderr
		case word[0] == '=' || word[0] == '-':
			f.answer(&row, word)
		default:
			f.message(&row, word)
		}
		f.rows = append(f.rows, row)
	}
}

func (f *fakeLog) answer(row *session.Row, word string) {
	var request int
	_, _ = fmt.Sscan(word[1:], &request)
	asked := &f.rows[request]
	f.pending = slices.DeleteFunc(f.pending, func(pending int) bool { return pending == request })
	asked.Related, row.Related = uint32(len(f.rows)+1), uint32(request+1)
	row.Method, row.Kind, row.Msg, asked.State = asked.Method, session.KindStdout, framing.Response, session.ReqAnswered
	if asked.Kind == session.KindStdout {
		row.Kind = session.KindStdin
	}
	if word[0] == '-' {
		row.Msg, asked.State = framing.ErrorResponse, session.ReqFailed
	}
}

func (f *fakeLog) message(row *session.Row, word string) {
	row.Kind, row.Msg, row.State = session.KindStdin, framing.Request, session.ReqPending
	if word[0] == '<' {
		row.Kind = session.KindStdout
	}
	method, notification := strings.CutSuffix(word[1:], "!")
	if notification {
		row.Msg, row.State = framing.Notification, session.ReqNone
		method = "notifications/" + method
	}
	at := slices.Index(f.methods, method)
	if at < 0 {
		f.methods, at = append(f.methods, method), len(f.methods)
	}
	row.Method = uint16(at + 1)
	switch {
	case method == mcp.MethodProgress && len(f.pending) == 1:
		row.SetOwner(f.pending[0])
	case row.Msg == framing.Request && row.Kind == session.KindStdin:
		f.pending = append(f.pending, len(f.rows))
	}
}

// listed returns the rows of the exchanges; a burst as first-last.
func listed(x *Exchanges) string {
	var rows []string
	for i := range x.List.Len() {
		first, last := x.List.Span(i)
		text := fmt.Sprint(first)
		if last != first {
			text += fmt.Sprintf("-%d", last)
		}
		rows = append(rows, text)
	}
	return strings.Join(rows, " ")
}

func indexed(f *fakeLog) *Index {
	x := NewIndex()
	for x.Pull(f) {
	}
	return x
}

const legacy = "start >server/discover -1 >initialize =3 >initialized! " // rows 0 to 5

func TestExchanges(t *testing.T) {
	for _, tc := range []struct{ name, log, want string }{
		{"modern handshake", "start >server/discover =1 >tools/list =3", "1 3"},
		{"legacy handshake", legacy + ">tools/list =6", "1 6"},
		{"probe without a response", "start >server/discover >initialize =2 >initialized!", "1"},
		{"another discover after a refusal", "start >server/discover -1 >server/discover =3", "1"},
		{"discover once more by hand", "start >server/discover =1 >server/discover =3", "1 3"},
		{"initialize once more by hand", legacy + ">initialize =6", "1 6"},
		{"restart", legacy + "exit start >initialize =8 >initialized!", "1 6 8"},
		{"overlapping calls", legacy + ">tools/call >tools/call =7 =6", "1 6 7"},
		{"stderr is elsewhere", legacy + "err >ping err =7", "1 7"},
		{"request of the server", legacy + "<roots/list =6", "1 6"},
		{"progress of the only call", legacy + ">tools/call <progress! <progress! =6", "1 6"},
		{"progress with two calls", legacy + ">tools/call >tools/call <progress! =6 =7", "1 6 7 8"},
		{"progress without a call", legacy + "<progress!", "1 6"},
		{"late progress", legacy + ">tools/call =6 <progress!", "1 6 8"},
		{"short run of notifications", legacy + "<m! <m! <m! <m!", "1 6 7 8 9"},
		{"burst", legacy + "<m! <m! <m! <m! <m!", "1 6-10"},
		{"pause in a burst", legacy + "<m! <m! <m! <m! <m! ~ <m! <m! <m! <m! <m!", "1 6-10 11-15"},
		{"burst and a call", legacy + "<m! <m! <m! <m! <m! >ping =11 <m!", "1 6-10 11 13"},
		{"response to nothing", "start <m! exit", "1 2"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := &fakeLog{}
			f.add(tc.log)
			require.Equal(t, tc.want, listed(indexed(f).Exchanges))
		})
	}
}

func TestExchangeOfARow(t *testing.T) {
	f := &fakeLog{}
	f.add(legacy + ">tools/call err <progress! <progress! <elicitation/create =10 =6 <m!")
	x := indexed(f).Exchanges
	for number, want := range []int{0, 1, 1, 1, 1, 1, 6, 7, 6, 6, 10, 10, 6, 13} {
		require.Equal(t, want, x.Of(number), "row %d", number)
	}
	call, ok := x.During(10)
	require.True(t, ok)
	require.Equal(t, 6, call)
	at, ok := x.Progress(6)
	require.True(t, ok)
	require.Equal(t, 9, at)
	h, ok := x.Handshake(1)
	require.True(t, ok)
	require.Equal(t, [3]uint32{1, 3, 5}, [3]uint32{h.First, h.Last, h.End})
}

func TestUnfoldExchange(t *testing.T) {
	f := &fakeLog{}
	f.add(legacy + ">tools/call <progress! <progress! <m!")
	x := NewIndex()
	for x.Pull(f) {
	}
	any, more := x.Exchanges.Unfold(6)
	require.True(t, any)
	require.False(t, more)
	require.Equal(t, "1 6 7 8 9", listed(x.Exchanges))
	any, _ = x.Exchanges.Unfold(6)
	require.False(t, any, "already")
	f.add("<progress! =6")
	for x.Pull(f) {
	}
	require.Equal(t, "1 6 7 8 9 10 11", listed(x.Exchanges), "new parts appear")
	require.True(t, x.Exchanges.Fold(6))
	require.Equal(t, "1 6 9", listed(x.Exchanges))
	require.False(t, x.Exchanges.Fold(6))
	any, _ = x.Exchanges.Unfold(1)
	require.True(t, any, "the handshake")
	require.Equal(t, "1 2 3 4 5 6 9", listed(x.Exchanges))
}

// TestMillionPartsAreARange checks that progress of one call costs nothing for
// each message.
func TestMillionPartsAreARange(t *testing.T) {
	f := &fakeLog{}
	f.add(legacy + ">tools/call <progress!")
	row := f.rows[len(f.rows)-1]
	for range 1_000_000 {
		row.T++
		f.rows = append(f.rows, row)
	}
	f.add("=6")
	x := indexed(f).Exchanges
	require.Equal(t, "1 6", listed(x))
	require.Len(t, x.ranges, 1)
	_, more := x.Unfold(6)
	require.True(t, more)
	require.Equal(t, 2+MaxParts, x.List.Len(), "a limited number is listed")
}

// TestEarlierMoment checks that the exchanges of an earlier moment are those of a
// log that ends there.
func TestEarlierMoment(t *testing.T) {
	f := &fakeLog{}
	f.add(legacy + ">tools/call <progress! <progress! =6 <m! <m! <m! <m! <m! <m! exit start >initialize =18")
	whole := indexed(f)
	for rows := 1; rows <= len(f.rows); rows++ {
		past := &fakeLog{rows: slices.Clone(f.rows[:rows]), methods: f.methods}
		cut := whole.UpTo(past, rows, past.rows[rows-1].T)
		require.Equal(t, indexed(past).Calls, cut.Calls)
		for number := range rows {
			if at, ok := cut.Exchanges.Progress(number); ok {
				require.Less(t, at, rows)
			}
			require.LessOrEqual(t, cut.Exchanges.Of(number), number)
		}
		for number := range rows {
			cut.Exchanges.Unfold(number)
		}
		require.True(t, slices.IsSorted(cut.Exchanges.List.All()), "rows are in order")
	}
}

func BenchmarkExchanges(b *testing.B) {
	f := &fakeLog{}
	f.add(legacy)
	for len(f.rows) < 1_000_000 {
		f.add(fmt.Sprintf(">tools/call <progress! <m! =%d", len(f.rows)))
	}
	for b.Loop() {
		indexed(f)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(f.rows)), "ns/row")
}

// BenchmarkExchangeMemory reports how much memory the exchanges of a million rows
// take, with the room in their lists: 16 bytes for each of them, and no more for a
// million notifications of progress than for one.
func BenchmarkExchangeMemory(b *testing.B) {
	for _, tc := range []struct {
		name, call string // rows of a call and its response
	}{
		{"calls", ">tools/call =%d"},
		{"calls with progress", ">tools/call <progress! <progress! =%d"},
		{"calls with a server request", ">tools/call <roots/list =%d =%d"},
		{"calls and notifications", ">tools/call <progress! <m! =%d"},
	} {
		b.Run(tc.name, func(b *testing.B) {
			f := &fakeLog{}
			f.add(legacy)
			for n := len(f.rows); n < 1_000_000; n = len(f.rows) {
				switch strings.Count(tc.call, "%d") {
				case 1:
					f.add(fmt.Sprintf(tc.call, n))
				default:
					f.add(fmt.Sprintf(tc.call, n+1, n))
				}
			}
			reportExchangeMemory(b, f)
		})
	}
	b.Run("a million notifications of progress", func(b *testing.B) {
		f := &fakeLog{}
		f.add(legacy + ">tools/call <progress!")
		row := f.rows[len(f.rows)-1]
		for range 1_000_000 {
			f.rows = append(f.rows, row)
		}
		x := reportExchangeMemory(b, f)
		b.ReportMetric(float64(len(x.ranges)), "ranges")
	})
}

// reportExchangeMemory reports the memory of the exchanges of a log, in all and for
// each of them.
func reportExchangeMemory(b *testing.B, f *fakeLog) (x *Exchanges) {
	b.Helper()
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		x = newExchanges()
		x.setSource(f)
		for x.Next() {
			number, row := x.Row()
			x.add(uint32(number), row)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
	}
	bytes := float64(after.HeapAlloc) - float64(before.HeapAlloc)
	b.ReportMetric(bytes, "bytes")
	b.ReportMetric(bytes/float64(x.Len()), "B/exchange")
	return x
}
