package workspace

import (
	"crypto/sha256"
	"encoding/json"
	"iter"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/summary"
)

const (
	// maxAsked is how many results that ask for input are remembered until a
	// request is re-sent with it.
	maxAsked = 64
	// maxRounds is how many rounds of one exchange are looked for.
	maxRounds = 1000
	// roundsRead is how many later rounds of any exchange are read to find them.
	roundsRead = 4096
	// nestedRead is how many requests of the server after a call are read to find those
	// during it.
	nestedRead = 4096
	// maxWithdrawn is how many of the latest requests of the server are read to find
	// that which it cancels.
	maxWithdrawn = 16
)

// Rounds are the requests of a log that continue an earlier one, so that together
// they are one exchange: re-sent with the input that its result asked for, or about
// the task that it has become. With them are the other rows that say how long one took.
type Rounds struct {
	later     links
	nested    links // requests that servers made during an exchange
	withdrawn links // notifications with which they cancelled these
	cancels   links // notifications with which we cancelled an exchange
	givenUp   links // entries that say that it timed out, or was not sent
}

// Cancelled returns the row of the first cancellation of an exchange.
func (r Rounds) Cancelled(first int) (row int, ok bool) { return r.cancels.to(first) }

func (r Rounds) upTo(rows int) Rounds {
	return Rounds{r.later.upTo(rows), r.nested.upTo(rows), r.withdrawn.upTo(rows), r.cancels.upTo(rows), r.givenUp.upTo(rows)}
}

// First returns the first request of the exchange of a request.
func (r Rounds) First(request int) int {
	if first, ok := r.later.of(request); ok {
		return first
	}
	return request
}

// Later iterates over the requests of an exchange after the first.
func (r Rounds) Later(rows *Rows, first int) iter.Seq[int] {
	return func(yield func(int) bool) {
		if len(r.later) == 0 {
			return
		}
		found, task, more := 0, false, false
		if task, more = goesOn(rows, first); !more {
			return
		}
		from := r.later.from(first + 1)
		for _, l := range r.later[from:min(from+roundsRead, len(r.later))] {
			if int(l.of) != first {
				continue
			}
			found++
			if !yield(int(l.row)) || found == maxRounds {
				return
			}
			if task { // several requests about it may be pending at once
				continue
			}
			if task, more = goesOn(rows, int(l.row)); !more {
				return
			}
		}
	}
}

// goesOn reports whether the request at a row does not end with its result, and
// whether it has become a task.
func goesOn(rows *Rows, request int) (task, more bool) {
	row, ok := rows.At(request)
	if !ok || row.Msg != framing.Request {
		return false, false
	}
	result, _ := rows.PartnerOf(row)
	return result.State == session.ReqTask, result.State == session.ReqTask || result.State == session.ReqInput
}

// An askedInput is a result that asks for input.
type askedInput struct {
	first  uint32 // request of the first round
	method uint16
	state  [sha256.Size]byte // of its requestState, and of what the request names
}

// asks remembers a result that asks for input, if its requestState identifies the
// request that is re-sent with it.
func (x *Exchanges) asks(first, request uint32, result *session.Row) {
	e, ok := x.reader.read(x.rows.Source, *result)
	if !ok {
		return
	}
	state := slices.Clone(summary.AskedState(e.Payload))
	row, ok := x.rows.At(int(request))
	if !ok || state == nil {
		return
	}
	if e, ok = x.reader.read(x.rows.Source, row); !ok {
		return
	}
	if len(x.asked) == maxAsked {
		x.asked = slices.Delete(x.asked, 0, 1)
	}
	name := summary.Call(x.rows.Source.Method(row.Method), e.Payload)
	x.asked = append(x.asked, askedInput{first, row.Method, stateOf(state, name)})
}

// stateOf returns the hash of a requestState, whose text may be escaped in
// several ways, and of what its request names.
func stateOf(state []byte, name string) [sha256.Size]byte {
	var text string
	if json.Unmarshal(state, &text) == nil {
		state = append([]byte{'"'}, text...)
	}
	return sha256.Sum256(append(append(state, 0), name...))
}

// isRound takes in a request of ours, and reports whether it is a later round of
// an exchange.
func (x *Exchanges) isRound(number uint32, row *session.Row) bool {
	first, ok := x.resent(number, row)
	if !ok {
		x.pending.add(number, number)
		return false
	}
	x.asked = slices.DeleteFunc(x.asked, func(a askedInput) bool { return a.first == first })
	x.rounds.later = append(x.rounds.later, link{number, first})
	x.pending.add(number, first)
	if x.Unfolded(int(first)) {
		x.listPart(number, first)
	} else {
		x.showPending(first)
	}
	return true
}

// resent returns the first request of the exchange that a request continues. The
// evidence is the act before it, in which the session has recorded that, or else
// the requestState of an earlier result.
func (x *Exchanges) resent(number uint32, row *session.Row) (first uint32, ok bool) {
	if x.act == number && number > 0 {
		if first, ok = x.recordedRound(number, row); ok {
			return first, true
		}
	}
	if !slices.ContainsFunc(x.asked, func(a askedInput) bool { return a.method == row.Method }) {
		return 0, false
	}
	e, ok := x.reader.read(x.rows.Source, *row)
	if !ok {
		return 0, false
	}
	state := slices.Clone(summary.ResentState(e.Payload))
	if state == nil {
		return 0, false
	}
	key := stateOf(state, summary.Call(x.rows.Source.Method(row.Method), e.Payload))
	for _, a := range slices.Backward(x.asked) {
		if a.method == row.Method && a.state == key {
			return a.first, true
		}
	}
	return 0, false
}

// recordedRound returns the first request of the exchange that the act before a
// request names.
func (x *Exchanges) recordedRound(number uint32, row *session.Row) (first uint32, ok bool) {
	act, ok := x.rows.At(int(number) - 1)
	if !ok {
		return 0, false
	}
	e, ok := x.reader.read(x.rows.Source, act)
	var body session.ActBody
	if !ok || e.DecodeBody(&body) != nil || body.Act != session.ActAgain {
		return 0, false
	}
	at, ok := x.rows.OfEntry(body.Of)
	if !ok || at >= int(number) {
		return 0, false
	}
	at = x.rounds.First(at)
	request, ok := x.rows.At(at)
	if !ok || request.Kind != session.KindStdin || request.Msg != framing.Request || request.Method != row.Method || request.Run != row.Run || !x.hasState(at, session.ReqInput) {
		return 0, false
	}
	return uint32(at), true
}

// showPending unfolds the rounds of an exchange until it is no longer pending.
func (x *Exchanges) showPending(first uint32) {
	if any, _ := x.Unfold(int(first)); any {
		x.shown = append(x.shown, first)
	}
}

// foldShown folds an exchange that was unfolded while it was pending.
func (x *Exchanges) foldShown(first uint32) {
	if i := slices.Index(x.shown, first); i >= 0 {
		x.shown = slices.Delete(x.shown, i, i+1)
		x.Fold(int(first))
	}
}
