package recordings

import (
	"bytes"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// requestSteps are how many bytes before a response are searched for its request.
var requestSteps = []int64{2 << 10, 64 << 10, 4 << 20}

// RequestBefore finds the request for a response with an id whose row the recording lacks:
// see OpenWith. It returns how many bytes it searched in vain.
func (r *Recording) RequestBefore(response session.Row, id string) (e session.Entry, vain int64, ok bool) {
	for _, size := range requestSteps {
		size = min(size, response.Off)
		window := make([]byte, size)
		if n, _ := r.f.ReadAt(window, response.Off-size); int64(n) < size {
			return e, size, false
		}
		if e, ok = lastRequest(window, id, response.Kind); ok {
			return e, 0, true
		}
		if vain = size; size == response.Off {
			break
		}
	}
	return e, vain, false
}

// lastRequest finds the last request with an id that did not come in the stream of its
// response.
func lastRequest(lines []byte, id string, answered session.Kind) (session.Entry, bool) {
	text := []byte(`"id":` + id)
	for end := len(lines); ; {
		at := bytes.LastIndex(lines[:end], text)
		begin := bytes.LastIndexByte(lines[:max(at, 0)], '\n') + 1
		if at < 0 || begin == 0 {
			return session.Entry{}, false
		}
		if next := lines[at+len(text)]; next >= '0' && next <= '9' { // a longer number
			end = at
			continue
		}
		line := lines[begin : at+bytes.IndexByte(lines[at:], '\n')+1]
		e, err := Decode(line)
		if err == nil && e.Kind != answered && e.Msg.Kind == framing.Request && string(e.Msg.ID.Of(e.Payload)) == id {
			return e, true
		}
		end = begin
	}
}
