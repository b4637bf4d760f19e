package match

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// maxNotes is the most notifications of one exchange that are kept.
const maxNotes = 1024

// An Exchange is a request with its response and the notifications that belong to
// it. Read reads the bytes of the messages.
type Exchange struct {
	Request           Ref
	Response          Ref // if Answered
	Answered          bool
	Failed            bool // the response is an error
	State             session.ReqState
	FromClient        bool
	Method            string
	Run               int
	Era               mcp.Era
	Handshake         bool
	Probe             bool
	Progress          bool  // the request has a progress token
	Notifications     []Ref // the first 1,024
	MoreNotifications int   // the number of further ones
}

// Took returns the time from the request to its response in microseconds.
func (x *Exchange) Took() int64 { return x.Response.T - x.Request.T }

// A Step is an exchange, or an item that belongs to no exchange.
type Step struct {
	Exchange *Exchange // nil for an Item
	// Item is a notification without a request, a duplicate or unknown response,
	// a stray line, or the start or end of a process. Its Msg is valid until the
	// next step.
	Item Item
}

// Exchanges iterates over a session. An exchange is yielded when its response
// arrives, or when the process ends without one: Request.Row gives the order in
// which the requests were sent. A notification that belongs to an exchange is only
// in its Notifications; one that comes after the response is a step. An error is the last
// step.
//
// Memory is proportional to the number of pending requests.
func Exchanges(ctx context.Context, src session.Source) iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		g := grouper{open: map[place]*Exchange{}, yield: yield}
		err := Walk(ctx, src, g.item)
		if err == nil {
			err = g.over()
		}
		if err != nil && !errors.Is(err, errStopped) {
			yield(Step{}, err)
		}
	}
}

// errStopped ends a walk whose consumer has stopped.
var errStopped = errors.New("stopped")

// A place identifies a message in a session.
type place struct{ row, member int }

func (r Ref) place() place { return place{r.Row, r.Member} }

// A grouper builds exchanges from items.
type grouper struct {
	open  map[place]*Exchange
	yield func(Step, error) bool
}

func (g *grouper) item(it *Item) error {
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
			if len(x.Notifications) < maxNotes {
				x.Notifications = append(x.Notifications, it.At)
			} else {
				x.MoreNotifications++
			}
			return nil
		}
	case ItemResponse:
		if x := g.owner(it); x != nil && it.State == session.ReqNone {
			g.answered(x, it)
			return g.give(Step{Exchange: x})
		}
	}
	return g.give(Step{Item: *it})
}

func (g *grouper) owner(it *Item) *Exchange {
	if !it.HasOf {
		return nil
	}
	return g.open[it.Of.place()]
}

func (g *grouper) answered(x *Exchange, it *Item) {
	delete(g.open, x.Request.place())
	x.Response, x.Answered, x.Failed = it.At, true, it.Msg.Kind == framing.ErrorResponse
	if x.State == session.ReqCancelled || x.State == session.ReqTimedOut {
		return
	}
	x.State = session.ReqAnswered
	if x.Failed && !x.Probe {
		x.State = session.ReqFailed
	}
}

// over yields the exchanges that will get no response.
func (g *grouper) over() error {
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

func (g *grouper) give(s Step) error {
	if !g.yield(s, nil) {
		return errStopped
	}
	return nil
}

// Read reads one message, into buf if the entry fits. The message is valid until buf
// is used again.
func Read(src session.Source, at Ref, buf []byte) (Message, error) {
	payload, known, stdin, err := payloadOf(src, at, buf)
	if err != nil {
		return Message{}, err
	}
	for member, m := range session.MessagesOf(payload, known, stdin) {
		if member == at.Member {
			return m, nil
		}
	}
	return Message{}, fmt.Errorf("entry %d has no message %d", at.N, at.Member)
}

// payloadOf reads the payload that contains a message: one entry, or several writes.
func payloadOf(src session.Source, at Ref, buf []byte) (payload []byte, known framing.Message, stdin bool, err error) {
	for number := at.First; number <= at.Row; number++ {
		row, ok := session.RowAt(src, number)
		if !ok {
			return nil, known, false, fmt.Errorf("no row %d", number)
		}
		stdin = row.Kind == session.KindStdin
		if at.First < at.Row && !stdin {
			continue
		}
		e, err := session.EntryInto(src, row, 0, buf)
		if err != nil {
			return nil, known, false, err
		}
		if at.First == at.Row {
			return e.Payload, e.Msg, stdin, nil // including an incomplete line at its end
		}
		payload = append(payload, e.Payload...)
		if e.EOL != framing.NoEOL {
			payload = append(payload, '\n')
		}
	}
	return payload, framing.Message{}, true, nil
}

// progressToken returns the raw progress token of a request, nil if it has none.
func progressToken(params []byte) []byte {
	const name = "progressToken"
	if !bytes.Contains(params, []byte(name)) {
		return nil
	}
	return Member(Member(params, "_meta"), name)
}
