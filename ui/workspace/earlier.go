package workspace

import (
	"bytes"
	"context"
	"sort"

	"mcpdbg/framing"
	"mcpdbg/session"
)

const (
	// maxEarlier is how many requests before a call are compared with it.
	maxEarlier = 10_000
	// maxMeta is the most bytes by which two messages with the same arguments differ.
	maxMeta = 64 << 10
	// maxSame is the largest response that is compared without being asked for, in bytes.
	maxSame = 1 << 20
)

// A Sameness is how the responses to two calls compare, by their bytes.
type Sameness uint8

// How two responses compare.
const (
	TooLong    Sameness = iota // over 1 MiB, or unreadable: they were not compared
	SameAnswer                 // equal results or errors
	OtherAnswer
	NoAnswer // one of the calls has no response
)

// An Earlier is the last call before another one with the same method and arguments.
type Earlier struct {
	Row       int  // of its first request
	Restarted bool // it was sent to another process
	Answer    Sameness
}

// CallOf returns the row of the first request of the exchange that a row belongs to; ok is
// false if that is not a call of ours.
func (w *Workspace) CallOf(number int) (call int, ok bool) {
	call = w.Shown.Index.Exchanges.Of(number)
	row, found := w.Shown.Rows.At(call)
	return call, found && row.Kind == session.KindStdin && row.Msg == framing.Request && call < w.Shown.Source.Len()
}

// SelectedCall is CallOf the selected row.
func (w *Workspace) SelectedCall() (call int, ok bool) {
	if !w.Selected.OK || !w.Selected.Traffic {
		return 0, false
	}
	return w.CallOf(w.Selected.Number)
}

// MarkedCall returns the only marked call besides another one; ok is false if there are
// none or several.
func (w *Workspace) MarkedCall(besides int) (marked int, ok bool) {
	for _, number := range w.Notes.Marks {
		call, is := w.CallOf(int(number))
		switch {
		case !is || call == besides || ok && call == marked:
		case ok:
			return 0, false
		default:
			marked, ok = call, true
		}
	}
	return marked, ok
}

// Response returns the row of the response to a call, of its last round.
func (w *Workspace) Response(call int) (number int, row session.Row, ok bool) {
	x := w.Shown.Index.Exchanges
	last, _ := x.LastRound(call)
	request, found := w.Shown.Rows.At(last)
	if number, ok = x.ResponseOf(last, &request); !found || !ok || x.Parent(number) >= w.Shown.Source.Len() {
		return 0, session.Row{}, false
	}
	row, ok = w.Shown.Rows.At(number)
	return number, row, ok
}

// PIDAt returns the PID of the process that a row belongs to, 0 if it is unknown.
func (w *Workspace) PIDAt(number int) int {
	exits := w.Shown.Index.Exchanges.exits
	i := sort.Search(len(exits), func(i int) bool { return exits[i].Row > number })
	switch {
	case i < len(exits):
		return exits[i].PID
	case i > 0:
		return exits[i-1].NextPID
	}
	return w.Shown.Lifecycle.Start.PID
}

// FindEarlier returns a function, for any goroutine, that finds the last call before a call
// with the same method and the same bytes of params without _meta, among the 10,000
// requests before it.
func (w *Workspace) FindEarlier(call int) func(context.Context) (found int, ok bool) {
	source := w.Shown.Source
	row, _ := w.Shown.Rows.At(call)
	return func(ctx context.Context) (found int, ok bool) {
		own, err := source.Entry(row, 0)
		if err != nil {
			return 0, false
		}
		f := earlierFinder{source: source, row: row, key: appendCall(nil, &own)}
		return f.find(ctx, call)
	}
}

type earlierFinder struct {
	source   session.Source
	row      session.Row // of the call
	key      []byte      // of the call
	buf, its []byte
}

func (f *earlierFinder) find(ctx context.Context, before int) (found int, ok bool) {
	var rows [512]session.Row
	left := maxEarlier
	for before > 0 && left > 0 && ctx.Err() == nil {
		from := max(before-len(rows), 0)
		n := f.source.Rows(from, rows[:before-from])
		for i := n - 1; i >= 0 && left > 0; i-- {
			if row := &rows[i]; row.Kind == session.KindStdin && row.Msg == framing.Request {
				left--
				if f.matches(row) {
					return from + i, true
				}
			}
		}
		before = from
	}
	return 0, false
}

func (f *earlierFinder) matches(row *session.Row) bool {
	if row.Method != f.row.Method || max(row.Len, f.row.Len)-min(row.Len, f.row.Len) > maxMeta {
		return false
	}
	if f.buf == nil {
		f.buf = make([]byte, 0, f.row.Len+maxMeta)
	}
	e, err := session.EntryInto(f.source, *row, 0, f.buf)
	if err != nil {
		return false
	}
	f.its = appendCall(f.its[:0], &e)
	return bytes.Equal(f.its, f.key)
}

// appendCall appends the method of a request and its params without _meta, as they were
// sent: in another order they are others.
func appendCall(dst []byte, e *session.Entry) []byte {
	dst = append(append(dst, e.Msg.Method.Of(e.Payload)...), '\n')
	params := e.Msg.Params.Of(e.Payload)
	if len(params) == 0 || params[0] != '{' {
		return append(dst, params...)
	}
	for name, value := range framing.Members(params) {
		if name := name.Of(params); string(name) != `"_meta"` {
			dst = append(append(append(append(dst, name...), ':'), value.Of(params)...), ',')
		}
	}
	return dst
}

// CompareAnswers returns a function, for any goroutine, that compares the responses to two
// calls.
func (w *Workspace) CompareAnswers(a, b int) func() Sameness {
	_, one, answered := w.Response(a)
	_, other, both := w.Response(b)
	source := w.Shown.Source
	return func() Sameness {
		switch {
		case !answered || !both:
			return NoAnswer
		case max(one.Len, other.Len) > maxSame:
			return TooLong
		}
		first, err := source.Entry(one, 0)
		second, errSecond := source.Entry(other, 0)
		switch {
		case err != nil || errSecond != nil:
			return TooLong
		case first.Msg.Kind == second.Msg.Kind && bytes.Equal(answerOf(&first), answerOf(&second)):
			return SameAnswer
		}
		return OtherAnswer
	}
}

// answerOf returns the result or error in a response.
func answerOf(e *session.Entry) []byte {
	if e.Msg.Kind == framing.ErrorResponse {
		return e.Msg.Error.Of(e.Payload)
	}
	return e.Msg.Result.Of(e.Payload)
}

// Alone records that no earlier call has the same arguments.
func (w *Workspace) Alone(call int) { w.alone, w.aloneIn = call, w.Shown }

// IsAlone reports whether Alone has recorded a call.
func (w *Workspace) IsAlone(call int) bool { return w.aloneIn == w.Shown && w.alone == call }
