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

// Plain reports whether each message in Between has the usual form, in which its id and its
// method can be found as text: it is JSON of its own, with a colon right after its names.
func (c *Counterpart) Plain() bool {
	for _, other := range []string{`"id" `, "\"id\"\t", `"method" `, "\"method\"\t", `\"id\"`, `,"b64":"`, `"m":[`, `"more":true`} {
		if bytes.Contains(c.Between, []byte(other)) {
			return false
		}
	}
	return true
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
		c.Between, _, _ = bytes.Cut(window, []byte(`,"k":"start"`))
		c.Whole = begin+size == r.Progress().Bytes
		if c.Whole || bytes.Contains(window, []byte(`,"k":"start"`)) { // ids begin again
			break
		}
	}
	return c
}

// lastRequest finds the last request with an id that did not come in the stream of its
// response.
func lastRequest(lines []byte, id string, answered session.Kind) (e session.Entry, after []byte, ok bool) {
	for end := len(lines); ; {
		at := bytes.LastIndex(lines[:end], idName)
		begin := bytes.LastIndexByte(lines[:max(at, 0)], '\n') + 1
		if at < 0 || begin == 0 {
			return e, nil, false
		}
		if !isValue(lines[at+len(idName):], id) {
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
	for from := 0; ; {
		at := bytes.Index(lines[from:], idName)
		if at += from; at < from {
			return e, nil, false
		}
		if !isValue(lines[at+len(idName):], id) {
			from = at + len(idName)
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

var idName = []byte(`"id":`)

// isValue reports whether the text after a name begins with a value.
func isValue(text []byte, value string) bool {
	for len(text) > 0 && (text[0] == ' ' || text[0] == '\t') {
		text = text[1:]
	}
	rest, ok := bytes.CutPrefix(text, []byte(value))
	return ok && (len(rest) == 0 || rest[0] < '0' || rest[0] > '9') // not a longer number
}

// messageWith decodes the line of a message with an id, of one of the kinds, that is not of
// a stream.
func messageWith(line []byte, id string, not session.Kind, kinds ...framing.Kind) (session.Entry, bool) {
	e, err := Decode(line)
	ok := err == nil && e.Kind != not && slices.Contains(kinds, e.Msg.Kind) && string(e.Msg.ID.Of(e.Payload)) == id
	return e, ok
}
