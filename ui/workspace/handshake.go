package workspace

import (
	"slices"
	"sort"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// A Handshake is an exchange of one or two requests that begins the use of a
// server.
type Handshake struct {
	First uint32 // row of the first request: the row of the exchange
	Last  uint32 // row of the last request, whose response decides
	End   uint32 // row of the last message so far
	parts int    // messages besides the first
}

// isHandshake takes in a request of ours and reports whether it belongs to the
// handshake: the first request of a process if it is server/discover or
// initialize, and then another server/discover after a refusal, and initialize.
func (x *Exchanges) isHandshake(number uint32, row *session.Row) bool {
	if x.begun && !x.shaking { // as nearly always
		return false
	}
	method := x.rows.Method(row.Method)
	n := len(x.shakes)
	switch {
	case !x.begun && (method == mcp.MethodDiscover || method == mcp.MethodInitialize):
		x.begun = true
		x.shakes = append(x.shakes, Handshake{First: number, Last: number, End: number})
	case x.shaking && (method == mcp.MethodInitialize || method == mcp.MethodDiscover && x.refused(x.shakes[n-1].Last)):
		x.shakes[n-1].Last, x.shakes[n-1].End = number, number
		x.shakes[n-1].parts++
	default:
		x.shaking = false
		return false
	}
	x.shaking = method == mcp.MethodDiscover
	return true
}

// refused reports whether a request was answered with an error.
func (x *Exchanges) refused(number uint32) bool {
	row, ok := x.rows.At(int(number))
	if !ok || !row.Paired() {
		return false
	}
	response, ok := x.rows.PartnerOf(row)
	return ok && response.Msg == framing.ErrorResponse
}

// ends reports whether a notification ends the handshake.
func (x *Exchanges) ends(number uint32, row *session.Row) bool {
	n := len(x.shakes)
	if x.greeted || n == 0 || row.Kind != session.KindStdin || x.rows.Method(row.Method) != mcp.MethodInitialized {
		return false
	}
	x.greeted, x.shakes[n-1].End = true, number
	x.shakes[n-1].parts++
	return true
}

// inHandshake reports whether a row between the first and the last of a handshake
// belongs to it.
func (x *Exchanges) inHandshake(h Handshake, number int, row *session.Row) bool {
	switch {
	case number > int(h.End):
		return false
	case number == int(h.First), number == int(h.Last):
		return true
	case row.Msg == framing.Notification:
		return row.Kind == session.KindStdin && x.rows.Method(row.Method) == mcp.MethodInitialized
	case row.Msg == framing.Request:
		return false
	}
	request, _ := row.Partner()
	return Answers(number, row) && (request == int(h.First) || request == int(h.Last))
}

// Handshake returns the handshake whose exchange has a row; ok is false for other
// rows.
func (x *Exchanges) Handshake(number int) (h Handshake, ok bool) {
	i, ok := slices.BinarySearchFunc(x.shakes, number, func(h Handshake, number int) int { return int(h.First) - number })
	if !ok {
		return Handshake{}, false
	}
	h = x.shakes[i]
	if last := uint32(x.rows.Len() - 1); h.End > last { // an earlier moment
		h.End = last
		if h.Last > last {
			h.Last = h.First
		}
	}
	return h, true
}

// LatestHandshake returns the last handshake; ok is false if there is none.
func (x *Exchanges) LatestHandshake() (h Handshake, ok bool) {
	if len(x.shakes) == 0 {
		return Handshake{}, false
	}
	return x.Handshake(int(x.shakes[len(x.shakes)-1].First))
}

// HandshakeAfter returns the handshake after another one.
func (x *Exchanges) HandshakeAfter(h Handshake) (next Handshake, ok bool) {
	i := sort.Search(len(x.shakes), func(i int) bool { return x.shakes[i].First > h.First })
	if i == len(x.shakes) {
		return Handshake{}, false
	}
	return x.shakes[i], true
}
