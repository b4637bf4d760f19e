package formats

import (
	"encoding/base64"
	"unicode/utf8"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings/digest"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/session/mcp"
	"mcpdbg/session/summary"
)

// maxName is how many bytes of a name or an id a page has.
const maxName = 200

type pageRow struct {
	Row    int        `json:"i"`           // number of the row
	N      uint64     `json:"n"`           //
	T      int64      `json:"t"`           // microseconds
	Kind   string     `json:"k"`           // of the entry
	Msg    string     `json:"m,omitempty"` // of the message
	What   string     `json:"w"`
	Said   string     `json:"d,omitempty"`  // summary of the message
	Call   string     `json:"q,omitempty"`  // of a response whose request is not on the page: the summary of that
	Tool   string     `json:"tl,omitempty"` // of the same, and of a call
	ID     string     `json:"id,omitempty"`
	Seq    uint64     `json:"s,omitempty"`
	Took   *int64     `json:"l,omitempty"`  // microseconds that the response took
	Waited *int64     `json:"y,omitempty"`  // and for which the server waited for its client
	Waits  [][2]int64 `json:"ws,omitempty"` // of a request: when it waited, after T
	Until  *int64     `json:"z,omitempty"`  // of a request that Took does not describe: its end, after T
	Pair   int        `json:"p,omitempty"`  // number of the partner's row plus one
	State  string     `json:"st,omitempty"`
	Error  bool       `json:"e,omitempty"`
	Bad    bool       `json:"f,omitempty"` // see Selection.isProblem
	Size   int64      `json:"b"`
	Text   string     `json:"x,omitempty"`
	Base64 string     `json:"x64,omitempty"`
	Cut    bool       `json:"c,omitempty"` // Text is only the beginning
}

func (s Selection) pageRow(times *exchange.Table, p *pagePlan, it item) *pageRow {
	partner, _ := it.row.Partner()
	r := &pageRow{
		Row: it.number, N: it.entry.N, T: it.row.T, Kind: it.row.Kind.String(), What: wording.Visible(wording.Clip(s.what(it), 200, wording.Ellipsis)), Seq: it.entry.Seq,
		Pair: partner + 1, State: it.row.State.String(), Error: isError(it.row), Bad: s.isProblem(it.row),
	}
	if it.row.Kind == session.KindStdin || it.row.Kind == session.KindStdout {
		r.Msg = it.row.Msg.String()
	}
	if !it.row.Kind.IsStream() {
		r.Text = wording.Clip(string(it.entry.Body), maxContent, wording.Ellipsis)
		return r
	}
	if it.row.Msg != framing.Batch { // its summary is in What
		said := it.entry.Payload
		if isError(it.row) { // as in the digest, for its group
			said = said[:min(len(said), digest.ReadBytes)]
		}
		r.Said = wording.Visible(summary.Message(it.row.Msg, s.Source.Method(it.row.Method), said, it.entry.FullSize))
	}
	s.addCall(r, times, p, it)
	if !it.entry.Cut {
		r.ID = wording.Clip(string(it.entry.Msg.ID.Of(it.entry.Payload)), maxName, wording.Ellipsis)
	}
	r.Size, r.Cut = it.entry.FullSize, it.entry.Cut
	payload := it.entry.Payload
	if len(payload) > maxContent {
		payload, r.Cut = payload[:maxContent], true
	}
	if r.Cut {
		payload = payload[:wording.Whole(payload)]
	}
	if utf8.Valid(payload) {
		r.Text = string(payload)
	} else {
		r.Base64 = base64.StdEncoding.EncodeToString(payload)
	}
	return r
}

// addCall adds what a row is of its exchange: the call and the times.
func (s Selection) addCall(r *pageRow, times *exchange.Table, p *pagePlan, it item) {
	if took, waited, ok := s.took(times, it); ok {
		r.Took = &took
		if exchange.Noticed(waited) {
			r.Waited = &waited
		}
	}
	switch request, ok := s.partner(it.row); {
	case it.row.Msg == framing.Request:
		r.Tool = s.toolOf(it.row, &it.entry)
		s.addSpan(r, times, it)
	case ok && it.row.Paired() && !p.on(r.Pair-1):
		if e, err := s.Source.Entry(request, maxContent); err == nil {
			r.Call = wording.Visible(summary.Message(request.Msg, s.Source.Method(request.Method), e.Payload, e.FullSize))
			r.Tool = s.toolOf(request, &e)
		}
	}
}

// addSpan adds when an exchange ended, and when the server waited for its client.
func (s Selection) addSpan(r *pageRow, times *exchange.Table, it item) {
	end := it.row.T
	if response, ok := s.partner(it.row); ok {
		end = max(response.T, it.row.T)
	} else if at, ok := times.GivenUp(it.number); ok {
		end = max(at, it.row.T)
	}
	if end -= it.row.T; r.Took == nil && end > 0 || r.Took != nil && *r.Took != end {
		r.Until = &end
	}
	if it.row.Kind == session.KindStdout {
		return // all of it is a wait
	}
	for _, wait := range times.Waits(it.number, s.Source.Len()-1) {
		if from, to := max(wait.From-it.row.T, 0), min(wait.To-it.row.T, end); from < to {
			r.Waits = append(r.Waits, [2]int64{from, to})
		}
	}
}

// toolOf returns the name of the tool that a request calls, as package digest has it.
func (s Selection) toolOf(row session.Row, e *session.Entry) string {
	if s.Source.Method(row.Method) != mcp.MethodToolsCall {
		return ""
	}
	return summary.Call(mcp.MethodToolsCall, e.Payload)
}
