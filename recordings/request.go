package recordings

import (
	"bytes"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// searchSteps are how many bytes before or after a message are searched for the other one
// of its exchange.
var searchSteps = []int64{2 << 10, 64 << 10, 4 << 20}

// Partial reports whether the recording may lack rows: see OpenWith.
func (r *Recording) Partial() bool { return r.indexer.filter != nil }

// A Counterpart is the result of a search for the other message of an exchange.
type Counterpart struct {
	Entry   session.Entry
	Found   bool
	Between []byte // the lines between the two, or else those that were searched
	Whole   bool   // nothing is left to search
}

// RequestBefore finds the request for a response with an id, which may have no row.
func (r *Recording) RequestBefore(response session.Row, id string) (c Counterpart) {
	for _, size := range searchSteps {
		c = Counterpart{}
		size = min(size, response.Off)
		window := make([]byte, size)
		if n, _ := r.f.ReadAt(window, response.Off-size); int64(n) < size {
			return c
		}
		if c.Entry, c.Between, c.Found = lastRequest(window, id, response.Kind); c.Found {
			return c
		}
		if c.Between, c.Whole = window, size == response.Off; c.Whole {
			break
		}
	}
	return c
}

// ResponseAfter finds the response to a request with an id, which may have no row.
func (r *Recording) ResponseAfter(request session.Row, id string) (c Counterpart) {
	begin := request.Off + int64(request.Len)
	for _, size := range searchSteps {
		c = Counterpart{}
		size = min(size, r.Progress().Bytes-begin)
		window := make([]byte, max(size, 0))
		if n, _ := r.f.ReadAt(window, begin); int64(n) < size {
			return c
		}
		if c.Entry, c.Between, c.Found = firstResponse(window, id, request.Kind); c.Found {
			return c
		}
		c.Between, c.Whole = window, begin+size == r.Progress().Bytes
		if c.Whole || bytes.Contains(window, []byte(`,"k":"start"`)) { // ids begin again
			break
		}
	}
	return c
}

// lastRequest finds the last request with an id that did not come in the stream of its
// response.
func lastRequest(lines []byte, id string, answered session.Kind) (e session.Entry, after []byte, ok bool) {
	text := []byte(`"id":` + id)
	for end := len(lines); ; {
		at := bytes.LastIndex(lines[:end], text)
		begin := bytes.LastIndexByte(lines[:max(at, 0)], '\n') + 1
		if at < 0 || begin == 0 {
			return e, nil, false
		}
		if longerNumber(lines[at+len(text):]) {
			end = at
			continue
		}
		next := at + bytes.IndexByte(lines[at:], '\n') + 1
		if e, ok = messageWith(lines[begin:next], id, answered, framing.Request); ok {
			return e, lines[next:], true
		}
		end = begin
	}
}

// firstResponse finds the first response with an id that did not come in the stream of its
// request.
func firstResponse(lines []byte, id string, asked session.Kind) (e session.Entry, before []byte, ok bool) {
	text := []byte(`"id":` + id)
	for from := 0; ; {
		at := bytes.Index(lines[from:], text)
		if at += from; at < from {
			return e, nil, false
		}
		if longerNumber(lines[at+len(text):]) {
			from = at + len(text)
			continue
		}
		begin, length := bytes.LastIndexByte(lines[:at], '\n')+1, bytes.IndexByte(lines[at:], '\n')
		if length < 0 {
			return e, nil, false
		}
		from = at + length + 1
		if e, ok = messageWith(lines[begin:from], id, asked, framing.Response, framing.ErrorResponse); ok {
			return e, lines[:begin], !bytes.Contains(lines[:begin], []byte(`,"k":"start"`))
		}
	}
}

func longerNumber(rest []byte) bool { return len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9' }

// messageWith decodes the line of a message with an id, of one of the kinds, that is not of
// a stream.
func messageWith(line []byte, id string, not session.Kind, kinds ...framing.Kind) (session.Entry, bool) {
	e, err := Decode(line)
	ok := err == nil && e.Kind != not && slices.Contains(kinds, e.Msg.Kind) && string(e.Msg.ID.Of(e.Payload)) == id
	return e, ok
}
