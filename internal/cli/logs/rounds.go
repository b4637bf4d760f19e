package logs

import (
	"fmt"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// maxRounds limits the later rounds that are remembered until their responses.
const maxRounds = 4096

// rounds finds the requests that were re-sent with the input that a result asked
// for, by the act before each.
type rounds struct {
	act   bool           // the row before is an act
	of    map[int]round  // by row of the request, until its response
	known map[uint64]int // rounds so far, by the entry of the first request
}

// A round is a request of a call that needs several.
type round struct {
	first  uint64 // entry of the first request
	number int    // from 2
}

// String returns the mark of the round.
func (r round) String() string {
	return fmt.Sprintf("round %d of entry %d", r.number, r.first)
}

// see takes in the next row of a source.
func (r *rounds) see(src session.Source, number int, row session.Row) {
	before := r.act
	r.act = row.Kind == session.KindAct
	if !before || row.Kind != session.KindStdin || row.Msg != framing.Request {
		return
	}
	act, ok := session.RowAt(src, number-1)
	if !ok {
		return
	}
	e, err := src.Entry(act, plainDecoded)
	var body session.ActBody
	if err != nil || e.DecodeBody(&body) != nil || body.Act != session.ActAgain || body.Of == 0 {
		return
	}
	r.limit()
	r.known[body.Of] = max(r.known[body.Of], 1) + 1
	r.of[number] = round{body.Of, r.known[body.Of]}
}

// limit forgets calls, except those in flight, if they are too many.
func (r *rounds) limit() {
	if r.of == nil || len(r.of) >= maxRounds {
		r.of, r.known = map[int]round{}, map[uint64]int{}
	}
	if len(r.known) >= maxRounds {
		clear(r.known)
		for _, q := range r.of {
			r.known[q.first] = max(r.known[q.first], q.number)
		}
	}
}

// mark returns the mark of a message of a call in several rounds, or "".
func (r *rounds) mark(number int, row session.Row) string {
	if found, ok := r.of[number]; ok {
		return found.String()
	}
	if row.Kind != session.KindStdout || !row.Paired() {
		return ""
	}
	request, _ := row.Partner()
	found, ok := r.of[request]
	switch {
	case ok:
		delete(r.of, request)
		return found.String()
	case row.State == session.ReqInput:
		return "round 1"
	}
	return ""
}
