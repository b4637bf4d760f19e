package tap

import (
	"bytes"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// A longLine is a line that is too long to be held or edited: it passes in pieces.
type longLine struct {
	open    bool
	passing bool // its pieces reach the other side
	part    framing.Partial
	head    []byte // its first bytes
	tail    []byte // its last bytes
}

// maxEnds is how much of each end of a long line is kept, to find its id.
const maxEnds = 4 << 10

// fromClientPart takes the next piece of a long line of the client. last says that the
// line ends with it.
func (r *relay) fromClientPart(piece []byte, last bool, now time.Time) []act {
	r.now = now
	l := &r.long[clientSide]
	if !l.open {
		l.passing = r.state.running() && !r.holding() && !r.closed
	}
	r.piece(clientSide, l, piece, last)
	if last {
		r.clientLineEnded(l)
		r.flush()
	}
	r.runLater()
	return r.take()
}

// fromServerPart takes the next piece of a long line of the server.
func (r *relay) fromServerPart(piece []byte, last bool, now time.Time) []act {
	r.now = now
	l := &r.long[serverSide]
	if !l.open {
		l.passing = r.state.hears()
	}
	r.piece(serverSide, l, piece, last)
	if last {
		if l.passing && l.part.Found {
			if id, c := r.calls.find(l.part.ID); c != nil && c.listen == nil {
				r.calls.remove(id)
				r.later(r.drainedNow)
			}
		}
		if l.passing && !bytes.HasSuffix(piece, []byte("\n")) {
			r.emit(act{to: clientSide, out: []byte("\n"), why: whyRestart, part: true})
		}
		*l = longLine{}
		r.flush()
	}
	r.runLater()
	return r.take()
}

// clientLineEnded registers what a long line was, or answers it if it did not pass.
func (r *relay) clientLineEnded(l *longLine) {
	passed := l.passing
	if l.part.Found {
		if a := r.asks.client[keyOf(l.part.ID)]; a != nil {
			r.asks.remove(a)
		}
	} else if id, method := l.request(); id != nil {
		u := unit{elements: []element{requestOf(id, method)}}
		if passed {
			r.register(&u, &u.elements[0])
			if c := r.calls.open[keyOf(id)]; c != nil {
				r.calls.kept -= len(c.line)
				c.line = nil
			}
		} else {
			f := busyFailure()
			if r.state == down && !r.building {
				f = r.why
			}
			*l = longLine{}
			r.send(clientSide, u.failure(f, 0), whyAnswered)
		}
	}
	*l = longLine{}
}

func requestOf(id []byte, method string) element {
	u := readUnit(requestLine(id, method, nil))
	return u.elements[0]
}

// request returns id and method of a request, as far as its ends show them: most clients
// write the id either first or last.
func (l *longLine) request() (id []byte, method string) {
	c := framing.Cursor{Data: l.head}
	if !c.Accept('{') {
		return nil, ""
	}
	for c.Item() {
		switch string(c.Name()) {
		case "id":
			id = bytes.Clone(c.Value())
		case "method":
			method = string(c.Text())
		default:
			c.Value()
		}
		if c.Cut {
			break
		}
	}
	if at := bytes.LastIndex(l.tail, []byte(`"id":`)); id == nil && at >= 0 {
		end := framing.Cursor{Data: l.tail[at+len(`"id":`):]}
		value := end.Value()
		if rest := bytes.TrimSpace(end.Data[end.At:]); bytes.Equal(rest, []byte("}")) || bytes.HasPrefix(rest, []byte(`,"jsonrpc"`)) {
			id = bytes.Clone(value)
		}
	}
	if method == "" {
		method = mcp.MethodToolsCall // the one that is ever so long
	}
	return id, method
}
