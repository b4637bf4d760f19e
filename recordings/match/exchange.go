package match

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// maxNotes is how many notifications of one exchange are kept.
const maxNotes = 1024

// An Exchange is a request with its answer and the notifications that belong to
// it. The bytes of the messages are read with Read.
type Exchange struct {
	Request    Ref
	Answer     Ref // if Answered
	Answered   bool
	Failed     bool // the answer is an error response
	State      session.ReqState
	FromClient bool
	Method     string
	Run        int
	Era        mcp.Era
	Handshake  bool
	Probe      bool
	Progress   bool  // it asked to be told of progress
	Notes      []Ref // the first 1,024
	MoreNotes  int   // how many more there were
}

// Took is the time from the request to its answer in microseconds.
func (x *Exchange) Took() int64 { return x.Answer.T - x.Request.T }

// A Step is an exchange, or an item that belongs to none.
type Step struct {
	Exchange *Exchange // nil: Item
	// Item is a notification of no request, a second answer or one to no request,
	// a stray line, the start or the end of a process. Its Msg is good until the
	// next step.
	Item Item
}

// Exchanges goes over a session. An exchange comes when its answer is there, or
// when the process is over without one: Request.Row gives the order in which
// they were sent. A notification that belongs to an exchange is in its Notes
// only, one that comes after its answer a step. An error is the last step.
//
// Memory is proportional to the requests that are open.
func Exchanges(ctx context.Context, src session.Source) iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		g := gathering{open: map[place]*Exchange{}, yield: yield}
		err := Walk(ctx, src, g.item)
		if err == nil {
			err = g.over()
		}
		if err != nil && !errors.Is(err, errStopped) {
			yield(Step{}, err)
		}
	}
}

// errStopped ends a walk whose reader has seen enough.
var errStopped = errors.New("stopped")

// A place is where a message stands.
type place struct{ row, member int }

func (r Ref) place() place { return place{r.Row, r.Member} }

// A gathering puts exchanges together out of items.
type gathering struct {
	open  map[place]*Exchange
	yield func(Step, error) bool
}

func (g *gathering) item(it *Item) error {
	switch it.Kind {
	case ItemRequest:
		g.open[it.At.place()] = &Exchange{
			Request: it.At, State: it.State, FromClient: it.FromClient, Method: it.Method, Run: it.Run, Era: it.Era,
			Handshake: it.Handshake, Probe: it.Probe, Progress: progressToken(it.Msg.RawParams()) != nil,
		}
		return nil
	case ItemStart, ItemEnd:
		if err := g.over(); err != nil {
			return err
		}
	case ItemNotification:
		if x := g.owner(it); x != nil {
			if len(x.Notes) < maxNotes {
				x.Notes = append(x.Notes, it.At)
			} else {
				x.MoreNotes++
			}
			return nil
		}
	case ItemAnswer:
		if x := g.owner(it); x != nil && it.State == session.ReqNone {
			g.answered(x, it)
			return g.give(Step{Exchange: x})
		}
	}
	return g.give(Step{Item: *it})
}

func (g *gathering) owner(it *Item) *Exchange {
	if !it.HasOf {
		return nil
	}
	return g.open[it.Of.place()]
}

func (g *gathering) answered(x *Exchange, it *Item) {
	delete(g.open, x.Request.place())
	x.Answer, x.Answered, x.Failed = it.At, true, it.Msg.Kind == framing.ErrorResponse
	if x.State == session.ReqCancelled || x.State == session.ReqTimedOut {
		return
	}
	x.State = session.ReqAnswered
	if x.Failed {
		x.State = session.ReqFailed
	}
}

// over gives the exchanges that get no answer any more.
func (g *gathering) over() error {
	rest := make([]*Exchange, 0, len(g.open))
	for _, x := range g.open {
		rest = append(rest, x)
	}
	clear(g.open)
	slices.SortFunc(rest, func(a, b *Exchange) int { return before(a.Request, b.Request) })
	for _, x := range rest {
		if err := g.give(Step{Exchange: x}); err != nil {
			return err
		}
	}
	return nil
}

func before(a, b Ref) int {
	if a.Row != b.Row {
		return a.Row - b.Row
	}
	return a.Member - b.Member
}

func (g *gathering) give(s Step) error {
	if !g.yield(s, nil) {
		return errStopped
	}
	return nil
}

// Read reads one message, into buf if it has room for the entry. The message is
// good until buf is used again.
func Read(src session.Source, at Ref, buf []byte) (Message, error) {
	payload, known, stdin, err := payloadOf(src, at, buf)
	if err != nil {
		return Message{}, err
	}
	var found Message
	err = messages(payload, known, stdin, func(member int, m Message) error {
		if member != at.Member {
			return nil
		}
		found = m
		return errStopped
	})
	if err == nil {
		return Message{}, fmt.Errorf("entry %d has no message %d", at.N, at.Member)
	}
	return found, nil
}

// payloadOf reads what a message stands in: one entry, or several writes.
func payloadOf(src session.Source, at Ref, buf []byte) (payload []byte, known framing.Message, stdin bool, err error) {
	var row [1]session.Row
	for number := at.First; number <= at.Row; number++ {
		if src.Rows(number, row[:]) == 0 {
			return nil, known, false, fmt.Errorf("no row %d", number)
		}
		stdin = row[0].Kind == session.KindStdin
		if at.First < at.Row && !stdin {
			continue
		}
		e, err := session.EntryInto(src, row[0], 0, buf)
		if err != nil {
			return nil, known, false, err
		}
		if at.First == at.Row {
			return e.Payload, e.Msg, stdin, nil // with what is left open at its end, if anything
		}
		payload = append(payload, e.Payload...)
		if e.EOL != framing.NoEOL {
			payload = append(payload, '\n')
		}
	}
	return payload, framing.Message{}, true, nil
}
