package workspace

import (
	"math"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/elements"
)

// elementPlaces is how many places in a list there are for the elements of a row,
// and for the row itself.
const elementPlaces = 1 << 10

// place returns where a row is among the others: an element is after its batch.
func (x *Exchanges) place(number int) int64 {
	if number < elements.First || x.elements == nil {
		return int64(number) * elementPlaces
	}
	e, _ := x.elements.Element(number)
	return int64(e.Row)*elementPlaces + int64(e.Index) + 1
}

// Parent returns the row of the batch that an element is in, and of another row its
// own number.
func (x *Exchanges) Parent(number int) int {
	if x.elements == nil {
		return number
	}
	return x.elements.Parent(number)
}

// Batch returns the counts of the batch at a row; ok is false for other rows.
func (x *Exchanges) Batch(number int) (b session.Batch, ok bool) {
	if x.elements == nil {
		return session.Batch{}, false
	}
	return x.elements.Batch(number)
}

// elementParts returns the elements of a batch, and those of the batches that answer
// it which are not responses.
func (x *Exchanges) elementParts(number int) (parts []uint32) {
	add := func(of int, is func(kind framing.Kind) bool) {
		for _, element := range x.elements.Numbers(of) {
			if row, ok := x.rows.At(element); !ok || is(row.Msg) {
				parts = append(parts, uint32(element))
			}
		}
	}
	add(number, func(framing.Kind) bool { return true })
	for _, at := range x.answeredIn(number) {
		b, ok := x.Batch(at)
		if ok && b.Responses < b.Elements && x.Of(at) == number && len(parts) < MaxParts {
			add(at, func(kind framing.Kind) bool { return kind != framing.Response && kind != framing.ErrorResponse })
		}
	}
	return parts
}

// maxAnswerRows is how many rows that answer one batch are read.
const maxAnswerRows = 64

// answeredIn returns the rows in which the requests of a batch are answered.
func (x *Exchanges) answeredIn(number int) (rows []int) {
	x.elements.ElementPairs(math.MaxInt, number, func(p session.ElementPair) bool {
		if p.Request.Row == number && p.Answered() && !slices.Contains(rows, p.At.Row) {
			rows = append(rows, p.At.Row)
		}
		return len(rows) < maxAnswerRows
	})
	return rows
}

// ResponseOf returns the row of the response to a request, which may be an element
// of a batch; ok is false if there is none.
func (x *Exchanges) ResponseOf(number int, request *session.Row) (response int, ok bool) {
	response, _ = request.Partner()
	if _, in := x.Batch(response); !in {
		return response, response >= 0
	}
	return x.elements.ResponseIn(response, number), true
}

// Paired returns the row with a number like Rows.At, but if its partner is in a batch
// then that is the row of the element.
func (p *Projection) Paired(number int) (row session.Row, ok bool) {
	row, ok = p.Rows.At(number)
	return p.Source.Paired(number, row), ok
}

// A BatchOutcome is the outcome of the first 1,000 requests of a batch.
type BatchOutcome struct {
	Answered, Failed, Cancelled, TimedOut, Lost, Pending int
	Rows                                                 []int // that answer it; the first 64
}

// BatchOutcome returns the outcome of the requests in the batch at a row.
func (x *Exchanges) BatchOutcome(number int, row *session.Row) (o BatchOutcome) {
	b, ok := x.Batch(number)
	if !ok {
		return o
	}
	left := min(b.Requests, session.MaxElements)
	late := map[int]bool{}
	known := x.elements.ElementPairs(math.MaxInt, number, func(p session.ElementPair) bool {
		if p.Request.Row != number || p.Request.Index < 0 || late[p.Request.Index] {
			return true
		}
		left--
		switch p.State {
		case session.ReqAnswered, session.ReqFailed:
			o.Answered++
			if p.Failed {
				o.Failed++
			}
		case session.ReqCancelled:
			o.Cancelled++
			late[p.Request.Index] = true
		case session.ReqTimedOut:
			o.TimedOut++
			late[p.Request.Index] = true
		default:
			o.Lost++
		}
		return true
	})
	o.Rows = x.answeredIn(number)
	switch {
	case row.State == session.ReqPending:
		o.Pending = left
	case known:
		o.Lost += left
	}
	return o
}

// EntryRow returns the row of the entry that a row shows: of an element that of its
// batch, else the row itself.
func (w *Workspace) EntryRow(number int) int { return w.Shown.Index.Exchanges.Parent(number) }
