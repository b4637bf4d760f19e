package digest

import (
	"context"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/recordings/match"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/session/summary"
)

// maxAsked is how many requests in batches, without a response so far, are known.
const maxAsked = 1 << 14

type batchReader struct {
	*reader
	asked map[match.Place]Call
}

// readBatches counts the messages in batches, of which rows have only one summary.
func (d *reader) readBatches(ctx context.Context) {
	b := batchReader{d, map[match.Place]Call{}}
	_ = match.Walk(ctx, d.src, func(it *match.Item) error { // unreadable entries have no requests
		switch {
		case it.Method == "":
		case it.Kind == match.ItemRequest && b.isBatch(it.At):
			b.request(it)
		case it.Kind == match.ItemResponse && it.State == session.ReqNone && it.HasOf:
			if batched := b.isBatch(it.Of); batched || b.isBatch(it.At) {
				b.response(it, batched)
			}
		}
		return nil
	})
}

func (b *batchReader) isBatch(at match.Ref) bool {
	row, _ := session.RowAt(b.src, at.Row)
	return row.Msg == framing.Batch
}

func (b *batchReader) request(it *match.Item) {
	at := it.At
	c := CallOf(it.Method, it.Msg.Line[:min(len(it.Msg.Line), nameBytes)])
	c.Row, c.N, c.Element, c.T, c.State, c.From = at.Row, at.N, at.Member+1, at.T, it.State.String(), "server"
	if it.FromClient {
		c.From = "client"
	}
	if len(b.asked) >= maxAsked {
		c.Tool = "" // its response will not know it
	}
	line := b.lineOf(&c)
	line.Requests++
	line.Unanswered++
	switch it.State {
	case session.ReqPending, session.ReqLost, session.ReqTimedOut:
		if !it.Probe && !mcp.WaitsLong(c.Method) {
			b.unanswered(c)
		}
	}
	if len(b.asked) < maxAsked {
		b.asked[at.Place()] = c
	}
}

// response counts a response that is in a batch, or whose request is batched.
func (b *batchReader) response(it *match.Item, batched bool) {
	c := Call{Row: it.Of.Row, T: it.Of.T, From: "client", Method: it.Method}
	if it.FromClient {
		c.From = "server"
	}
	if batched {
		if asked, ok := b.asked[it.Of.Place()]; ok {
			c = asked
			delete(b.asked, it.Of.Place())
		}
	}
	c.Took = it.At.T - it.Of.T
	failed := it.Msg.Kind == framing.ErrorResponse || isError(it.Msg.RawResult())
	if batched {
		line := b.lineOf(&c)
		line.Unanswered--
		line.took, line.rows = append(line.took, c.Took), append(line.rows, int32(c.Row))
		if failed {
			line.Errors++
		}
		if c.From == "client" && !it.Handshake {
			b.slow(c)
		}
	}
	if failed {
		head := it.Msg.Line[:min(len(it.Msg.Line), ReadBytes)]
		b.failure(strings.TrimPrefix(summary.Response(c.Method, head, int64(len(it.Msg.Line))), "failed: "), c, nil, it.At.T-it.Of.T)
	}
}

func (b *batchReader) lineOf(c *Call) *Line {
	if c.Method == mcp.MethodToolsCall {
		return b.line(c.Method, c.Tool, c.From)
	}
	return b.line(c.Method, "", c.From)
}
