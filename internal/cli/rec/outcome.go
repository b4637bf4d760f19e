package rec

import (
	"bytes"
	"fmt"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/internal/cli/logs"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/session/mcp"
	"mcpdbg/session/summary"
	"mcpdbg/ui/widget/filter"
)

// A row of rec find is of one message: the other one of its exchange is found here, by the
// index or, if that lacks it, in the lines nearby.

// maxVain is how many bytes are searched in vain for messages of which there is no row.
const maxVain = 256 << 20

// response returns what the row of a response shows, with the entry of its request.
func (p *rowPrinter) response(number int, row session.Row, e *session.Entry) string {
	id, took := logs.IDOf(p.source, row, e), ""
	n, method, called := p.calls.Of(row)
	if p.searches(id) {
		if c := p.found(p.rec.RequestBefore(row, id)); c.Found {
			n, method = c.Entry.N, string(c.Entry.Msg.Method.Of(c.Entry.Payload))
			called, took = logs.Called(method, &c.Entry), tookBetween(&c, row.T-c.Entry.T)
		}
	} else if at, paired := row.Partner(); paired && n > 0 {
		if request, ok := session.RowAt(p.source, at); ok {
			took = p.took(at, number, request, row)
		}
	}
	name := "id " + summary.ID(id)
	if n > 0 {
		if method != mcp.MethodToolsCall {
			called = wording.Join(" ", method, called)
		}
		name = fmt.Sprintf("response of %d: %s", n, called)
	}
	return wording.Join("  ", name, result(method, row, e), took)
}

// outcome returns how the request at a row ended, and how long it took; "" if that is
// unknown.
func (p *rowPrinter) outcome(number int, row session.Row, e *session.Entry) string {
	method := p.source.Method(row.Method)
	if id := logs.IDOf(p.source, row, e); p.searches(id) {
		c := p.found(p.rec.ResponseAfter(row, id))
		if c.Found {
			response := session.Row{Kind: c.Entry.Kind, Msg: c.Entry.Msg.Kind}
			if failed, known := c.Entry.ToolError(); failed && known {
				response.Flags = session.FlagError
			}
			return wording.Join("  ", result(method, response, &c.Entry), tookBetween(&c, c.Entry.T-row.T))
		}
		if c.Whole && c.Plain() {
			return "no response"
		}
	}
	if response, ok := session.PartnerOf(p.source, row); ok {
		at, _ := row.Partner()
		took := p.took(number, at, row, response)
		answer, err := p.source.Entry(response, summary.Limit)
		if err != nil {
			return took
		}
		return wording.Join("  ", result(method, response, &answer), took)
	}
	if p.rec.Partial() {
		return ""
	}
	return open(row)
}

// open returns the state of a request without a response.
func open(row session.Row) string {
	switch row.State {
	case session.ReqPending, session.ReqLost:
		return "no response"
	case session.ReqTimedOut:
		return "timed out"
	}
	return row.State.String()
}

// searches reports whether the other message of an exchange is searched in the lines
// nearby: the index may lack it, or the requests of the server in between.
func (p *rowPrinter) searches(id string) bool {
	return p.rec.Partial() && id != "" && p.vain < maxVain
}

func (p *rowPrinter) found(c recordings.Counterpart) recordings.Counterpart {
	if !c.Found {
		p.vain += int64(len(c.Between))
	}
	return c
}

// result returns how the row of a response shows it.
func result(method string, row session.Row, e *session.Entry) string {
	if method == "" && row.Msg == framing.Response && isToolResult(e) {
		method = mcp.MethodToolsCall
	}
	text, _ := filter.ResultText(row, summary.Response(method, e.Payload, e.FullSize))
	return text
}

// isToolResult reports whether a response, whose request is unknown, has the content of a
// tool.
func isToolResult(e *session.Entry) bool {
	result := e.Msg.Result.Of(e.Payload)
	return len(framing.Member(result, "content").Of(result)) > 0 || len(framing.Member(result, "structuredContent").Of(result)) > 0
}

// took returns the part of the server, as rec cat does.
func (p *rowPrinter) took(at, answer int, request, response session.Row) string {
	span := exchange.Span{From: request.T, To: response.T}
	if p.rec.Partial() {
		return ""
	}
	took, _ := p.times.Between(at, answer, span).Answering(request.Kind)
	if request.T == response.T {
		return "" // without times
	}
	return wording.Took(took)
}

// tookBetween returns "" if the server may have asked its client in between: its part is
// unknown.
func tookBetween(c *recordings.Counterpart, took int64) string {
	asked := slices.ContainsFunc([]string{mcp.MethodElicit, mcp.MethodSample, mcp.MethodRoots}, func(method string) bool {
		return bytes.Contains(c.Between, []byte(`"`+method+`"`))
	})
	if asked || took == 0 || !c.Plain() {
		return ""
	}
	return wording.Took(took)
}
