package match

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
)

// describe formats the items of a session, one per line: the row, the kind, and the
// row of the request that the item belongs to.
func describe(t *testing.T, src session.Source) []string {
	t.Helper()
	kinds := map[ItemKind]string{ItemRequest: "request", ItemResponse: "answer", ItemNotification: "note", ItemStart: "start", ItemEnd: "end", ItemStray: "stray"}
	var out []string
	require.NoError(t, Walk(context.Background(), src, func(it *Item) error {
		from := "server"
		if it.FromClient {
			from = "client"
		}
		line := fmt.Sprintf("%d %s", it.At.Row, kinds[it.Kind])
		if it.Kind < ItemStart {
			line += " " + from + " " + it.Method
		}
		if it.State != session.ReqNone {
			line += " " + it.State.String()
		}
		if it.HasOf {
			line += fmt.Sprintf(" of %d.%d", it.Of.Row, it.Of.Member)
		}
		if it.At.Member > 0 {
			line += fmt.Sprintf(" member %d", it.At.Member)
		}
		if it.Kind < ItemStart {
			m, err := Read(src, it.At, nil)
			require.NoError(t, err, line)
			require.Equal(t, string(it.Msg.Line), string(m.Line), "read again")
			require.Equal(t, it.Msg.Message, m.Message)
		}
		out = append(out, line)
		return nil
	}))
	return out
}

func TestWalkFindsTheRequestOfEachItem(t *testing.T) {
	src := written(t,
		started, // 0
		`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":"p"}}}`,
		`> {"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":"b","_meta":{"progressToken":7}}}`,
		`< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`,
		`< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}`,
		`< {"jsonrpc":"2.0","id":1,"method":"roots/list"}`, // 5: the server's own id
		`> {"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`,
		`< {"jsonrpc":"2.0","id":"1","result":{}}`,
		`< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}`,
		`< {"jsonrpc":"2.0","id":1,"result":{}}`,
		`< {"jsonrpc":"2.0","id":1,"result":{}}`, // 10
		`< {"jsonrpc":"2.0","id":1.0,"result":{}}`,
		`< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
		`"k":"stdout","seq":90,"raw":"Server listening"`,
		`> {"jsonrpc":"2.0","id":2,"method":"ping"}`,
		`> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`, // 15
		`< {"jsonrpc":"2.0","id":2,"result":{}}`,
		`< {"jsonrpc":"2.0","id":2,"result":{}}`,
		`> {"jsonrpc":"2.0","id":3,"method":"ping"}`,
		`> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`,
		`< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}`, // 20: without a request
		`"k":"closed","seq":91`,
	)
	require.Equal(t, []string{
		"0 start",
		"1 request client tools/call answered",
		"2 request client tools/call answered",
		"3 note server notifications/progress of 1.0",
		"4 note server notifications/message",
		"5 request server roots/list answered",
		"6 answer client roots/list of 5.0",
		"7 answer server tools/call of 2.0",
		"8 note server notifications/message",
		"9 answer server tools/call of 1.0",
		"10 answer server tools/call duplicate of 1.0",
		"11 answer server  orphan",
		"12 note server notifications/tools/list_changed",
		"13 stray",
		"14 request client ping cancelled",
		"15 note client notifications/cancelled of 14.0",
		"16 answer server ping of 14.0",
		"17 answer server ping duplicate of 14.0",
		"18 request client ping cancelled",
		"19 note client notifications/cancelled of 18.0",
		"20 note server notifications/message",
		"21 end",
	}, describe(t, src))
}

func TestWalkSplitsBatchesAndSplitWrites(t *testing.T) {
	src := written(t,
		started,
		`"k":"stdin","raw":"[{\"id\":1,\"method\":\"a\"},{\"id\":2,\"method\":\"b\"},{\"method\":\"n\"}]"`,
		`"k":"stdout","seq":1,"raw":"[{\"id\":2,\"result\":{}},{\"id\":1,\"error\":{}}]"`,
		`"k":"stdin","raw":"{\"id\":3,\"method\":\"c\"}\n{\"id\":4,\"method\":\"d\"}"`,
		`"k":"stdin","eol":"","raw":"{\"id\":5,"`,
		`< {"id":4,"result":{}}`,
		`"k":"stdin","eol":"","raw":"\"method\":\"e\"}\n{\"id\":6,\"met"`,
		`"k":"stdin","raw":"hod\":\"f\"}"`,
		`< {"id":6,"result":{}}`,
		`"k":"stdin","eol":"","raw":"{\"id\":7,\"method\":\"g\"}\n{\"id\":8,"`,
		`"k":"stdin","raw":"\"method\":\"h\"}"`,
	)
	require.Equal(t, []string{
		"0 start",
		"1 request client a failed",
		"1 request client b answered member 1",
		"1 note client n member 2",
		"2 answer server b of 1.1",
		"2 answer server a of 1.0 member 1",
		"3 request client c pending",
		"3 request client d answered member 1",
		"5 answer server d of 3.1",
		"6 request client e pending",
		"7 request client f answered member 1",
		"8 answer server f of 7.1",
		"9 request client g pending",
		"10 request client h pending member 1",
	}, describe(t, src))
}

func TestWalkFindsErasAndHandshakes(t *testing.T) {
	const modern = `"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`
	src := written(t,
		started,
		`> {"id":1,"method":"server/discover",`+modern+`}`,
		`< {"id":1,"error":{"code":-32601}}`,
		`> {"id":2,"method":"initialize"}`,
		`< {"id":2,"result":{}}`,
		`> {"method":"notifications/initialized"}`,
		`> {"id":3,"method":"ping"}`,
		started,
		`> {"id":1,"method":"tools/list"}`,
		`"k":"state","state":"ready","era":"modern"`,
		`> {"id":2,"method":"server/discover",`+modern+`}`,
		`> {"id":3,"method":"tools/list"}`,
	)
	var out []string
	require.NoError(t, Walk(t.Context(), src, func(it *Item) error {
		if it.Kind < ItemStart && it.Method != "" {
			out = append(out, fmt.Sprintf("%d %s %s handshake=%t probe=%t", it.Run, it.Method, it.Era, it.Handshake, it.Probe))
		}
		return nil
	}))
	require.Equal(t, []string{
		"1 server/discover modern handshake=true probe=true",
		"1 server/discover modern handshake=true probe=true",
		"1 initialize legacy handshake=true probe=false",
		"1 initialize legacy handshake=true probe=false",
		"1 notifications/initialized legacy handshake=true probe=false",
		"1 ping legacy handshake=false probe=false",
		"2 tools/list auto handshake=false probe=false",
		"2 server/discover modern handshake=true probe=false",
		"2 tools/list modern handshake=false probe=false",
	}, out)
}

// TestResponsesAfterTheRequestEnded tests responses to requests that were answered, cancelled
// or lost, and to one whose id is spelled with an escape.
func TestResponsesAfterTheRequestEnded(t *testing.T) {
	src := written(t,
		started,
		`> {"id":1,"method":"a"}`,
		`> {"method":"notifications/cancelled","params":{"requestId":1}}`,
		`< {"id":1,"result":{}}`,
		`< {"id":1,"result":{}}`,
		`> {"id":"b","method":"b"}`, // 5
		`> {"id":null,"method":"c"}`,
		`< {"id":"\u0062","result":{}}`,
		`< {"id":null,"error":{}}`,
		`> {"id":2,"method":"d"}`,
		`"k":"closed","seq":91`, // 10
		`< {"id":2,"result":{}}`,
	)
	require.Equal(t, []string{
		"0 start",
		"1 request client a cancelled",
		"2 note client notifications/cancelled of 1.0",
		"3 answer server a of 1.0",
		"4 answer server a duplicate of 1.0",
		"5 request client b answered",
		"6 request client c lost",
		"7 answer server b of 5.0",
		"8 answer server  orphan",
		"9 request client d lost",
		"10 end",
		"11 answer server  orphan",
	}, describe(t, src))
}

func TestWalkStops(t *testing.T) {
	src := written(t, started, `> {"id":1,"method":"a"}`)
	ctx, cancel := context.WithCancel(t.Context())
	items := 0
	require.ErrorIs(t, Walk(ctx, src, func(*Item) error { items++; cancel(); return nil }), context.Canceled)
	require.Equal(t, 1, items)
	require.ErrorIs(t, Walk(t.Context(), src, func(*Item) error { items++; return io.EOF }), io.EOF)
	require.Equal(t, 2, items, "nothing is visited after an error")
}

func TestRequestsWithTheSameIDAreSettledInOrder(t *testing.T) {
	lines := []string{started}
	for range 200 {
		lines = append(lines, `> {"id":1,"method":"a"}`, `< {"id":1,"result":{}}`)
	}
	out := strings.Join(describe(t, written(t, lines...)), "\n")
	require.Equal(t, 200, strings.Count(out, "request client a answered"))
	require.NotContains(t, out, "duplicate")
}

// TestWalkOfARowRangePairsBatches tests that a range of the rows is walked like the whole.
func TestWalkOfARowRangePairsBatches(t *testing.T) {
	src := written(t, started,
		`"k":"stdin","raw":"[{\"id\":1,\"method\":\"a\"},{\"id\":2,\"method\":\"b\"}]"`,
		`"k":"stdout","seq":1,"raw":"[{\"id\":2,\"result\":{}},{\"id\":1,\"error\":{}}]"`)
	whole := describe(t, src)
	require.Contains(t, whole, "2 answer server b of 1.1")
	require.Equal(t, whole, describe(t, session.RowRange(src, 0, src.Len())))
}

// TestWalkOfUnknownPairsHasNoStates tests a log that does not know its batches.
func TestWalkOfUnknownPairsHasNoStates(t *testing.T) {
	src := written(t, started, `"k":"stdin","raw":"[{\"id\":1,\"method\":\"a\"}]"`, `"k":"stdout","seq":1,"raw":"[{\"id\":1,\"result\":{}}]"`)
	require.Equal(t, []string{"0 start", "1 request client a", "2 answer server "}, describe(t, struct{ session.Source }{src}))
}

// TestItemsOfSettledRequests tests messages that belong to a request with a response.
func TestItemsOfSettledRequests(t *testing.T) {
	src := written(t, started,
		`"k":"stdin","eol":"","raw":"{\"id\":1,"`,
		`"k":"stdin","raw":"\"method\":\"initialize\",\"params\":{\"_meta\":{\"progressToken\":1}}}"`,
		`< {"id":1,"result":{}}`,
		`> {"id":2,"method":"a","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		`< {"id":2,"result":{}}`,
		`< {"id":1,"result":{}}`,
		`< {"id":2,"result":{}}`,
	)
	var out []string
	require.NoError(t, Walk(t.Context(), src, func(it *Item) error {
		if it.State == session.ReqDuplicate {
			out = append(out, fmt.Sprintf("%d %s %s handshake=%t of %d.%d", it.At.Row, it.Method, it.Era, it.Handshake, it.Of.First, it.Of.Row))
		}
		return nil
	}))
	require.Equal(t, []string{"6 initialize legacy handshake=true of 1.2", "7 a modern handshake=false of 4.4"}, out)
}
