package demo

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSlowSendsProgress(t *testing.T) {
	d := talk(t)
	d.initialize("2025-11-25", `{}`)
	d.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{"seconds":0,"steps":3},"_meta":{"progressToken":"tok"}}}`)
	for i := range 3 {
		note := d.next()
		require.Equal(t, "notifications/progress", note["method"])
		require.Equal(t, map[string]any{"progressToken": "tok", "progress": float64(i + 1), "total": 3.0,
			"message": []string{"step 1 of 3", "step 2 of 3", "step 3 of 3"}[i]}, note["params"])
	}
	require.Equal(t, "took 0 seconds in 3 steps", at(t, d.next(), "result", "content", 0, "text"))
	require.Equal(t, 0, d.end())
}

func TestSlowCall(t *testing.T) {
	d := talk(t)
	d.initialize("2025-11-25", `{}`)
	slow := `{"jsonrpc":"2.0","id":"s","method":"tools/call","params":{"name":"slow","arguments":{"seconds":3000}}}`
	d.send(slow)
	require.Equal(t, 2.0, d.ask(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)["id"])
	require.Equal(t, -32600.0, at(t, d.ask(slow), "error", "code"), "the id is in flight")
	d.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}}`)
	require.Equal(t, 3.0, d.ask(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)["id"])
	require.Equal(t, 0, d.end())
	require.Contains(t, d.errw.String(), `demo: tools/call (id "s") cancelled`)
}

func TestTooManyCalls(t *testing.T) {
	s := newServer(nil, nil, Options{})
	for i := range maxCalls {
		_, err := s.enter(t.Context(), &request{id: json.RawMessage(strconv.Itoa(i))})
		require.NoError(t, err)
	}
	_, err := s.enter(t.Context(), &request{id: json.RawMessage(`"one more"`)})
	require.ErrorContains(t, err, "256 calls")
	s.leave(&request{id: json.RawMessage(`7`)})
	_, err = s.enter(t.Context(), &request{id: json.RawMessage(`"one more"`)})
	require.NoError(t, err)
}

func TestCrash(t *testing.T) {
	d := talk(t)
	d.initialize("2025-11-25", `{}`)
	d.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fail","arguments":{"kind":"crash"}}}`)
	require.Equal(t, 2, <-d.code)
	require.Contains(t, d.errw.String(), "panic:")
}

// TestLegacyQuestions checks that a question is a server request in the legacy
// era.
func TestLegacyQuestions(t *testing.T) {
	for _, test := range []struct {
		name, revision, tool, args, capabilities, method, reply, says string
	}{
		{"form", "2025-11-25", "ask", `{}`, `{"elicitation":{}}`, "elicitation/create", `"result":{"action":"accept","content":{"name":"Ada"}}`, `the person chose accept: {"name":"Ada"}`},
		{"old form", "2025-06-18", "ask", `{}`, `{"elicitation":{}}`, "elicitation/create", `"result":{"action":"cancel"}`, `the person chose cancel`},
		{"sampling", "2024-11-05", "sample", `{}`, `{"sampling":{}}`, "sampling/createMessage", `"result":{"role":"assistant","model":"m","content":{"type":"text","text":"hi"}}`, `m said: {"type":"text","text":"hi"}`},
		{"refusal", "2024-11-05", "sample", `{}`, `{"sampling":{}}`, "sampling/createMessage", `"error":{"code":-1,"message":"User rejected sampling request"}`, `the client answered sampling/createMessage with an error: User rejected sampling request (-1)`},
		{"roots", "2024-11-05", "roots", `{}`, `{"roots":{}}`, "roots/list", `"result":{"roots":[]}`, `0 roots: []`},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := talk(t)
			d.initialize(test.revision, test.capabilities)
			question := d.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + test.tool + `","arguments":` + test.args + `}}`)
			require.Equal(t, test.method, question["method"])
			require.Equal(t, 0.0, question["id"], "the first id is 0")
			d.send(`{"jsonrpc":"2.0","id":"0",` + test.reply + `}`) // "0" is not 0
			answer := d.ask(`{"jsonrpc":"2.0","id":0,` + test.reply + `}`)
			require.Equal(t, 1.0, answer["id"])
			require.Equal(t, test.says, at(t, answer, "result", "content", 0, "text"))
			require.Equal(t, 0, d.end())
			require.Contains(t, d.errw.String(), `response to an unknown request id: "0"`)
		})
	}
}

func TestLegacyURLQuestionCompletes(t *testing.T) {
	d := talk(t)
	d.initialize("2025-11-25", `{"elicitation":{"url":{}}}`)
	question := d.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"mode":"url"}}}`)
	require.Equal(t, "confirm-1", at(t, question, "params", "elicitationId"))
	note := d.ask(`{"jsonrpc":"2.0","id":0,"result":{"action":"accept"}}`)
	require.Equal(t, "notifications/elicitation/complete", note["method"])
	require.Equal(t, "the person chose accept", at(t, d.next(), "result", "content", 0, "text"))
	require.Equal(t, 0, d.end())
}

// TestCancelledQuestion checks that a cancelled call cancels its server
// request.
func TestCancelledQuestion(t *testing.T) {
	d := talk(t)
	d.initialize("2025-11-25", `{"roots":{}}`)
	d.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"roots"}}`)
	note := d.ask(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	require.Equal(t, "notifications/cancelled", note["method"])
	require.Equal(t, 0.0, at(t, note, "params", "requestId"))
	require.Equal(t, 0, d.end())
}

func TestLogLevels(t *testing.T) {
	d := talk(t)
	d.initialize("2025-11-25", `{}`)
	log := func(level string) string {
		return `{"jsonrpc":"2.0","id":"log","method":"tools/call","params":{"name":"log","arguments":{"level":"` + level + `","message":"m"}}}`
	}
	require.Equal(t, "log", d.ask(log("debug"))["id"], "debug is under the level of a new session")
	note := d.ask(log("info"))
	require.Equal(t, map[string]any{"level": "info", "logger": "demo", "data": "m"}, note["params"])
	require.Equal(t, "log", d.next()["id"])
	d.ask(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"error"}}`)
	require.Equal(t, "log", d.ask(log("warning"))["id"])
	require.Equal(t, "notifications/message", d.ask(log("critical"))["method"])
	require.Equal(t, 0, d.end())
}

func TestSubscriptions(t *testing.T) {
	d := talk(t)
	d.initialize("2025-11-25", `{}`)
	touch := `{"jsonrpc":"2.0","id":"t","method":"tools/call","params":{"name":"touch"}}`
	require.Equal(t, "t", d.ask(touch)["id"], "no subscriber yet")
	d.ask(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"demo://clock"}}`)
	note := d.ask(touch)
	require.Equal(t, "notifications/resources/updated", note["method"])
	require.Equal(t, map[string]any{"uri": clockURI}, note["params"])
	require.Equal(t, "t", d.next()["id"])
	require.Equal(t, "touched 2 times", at(t, d.ask(`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"demo://clock"}}`), "result", "contents", 0, "text"))
	d.ask(`{"jsonrpc":"2.0","id":3,"method":"resources/unsubscribe","params":{"uri":"demo://clock"}}`)
	require.Equal(t, "t", d.ask(touch)["id"])
	require.Equal(t, 0, d.end())
}

// TestListChanges adds an entry to each list and removes it.
func TestListChanges(t *testing.T) {
	d := talk(t)
	d.initialize("2025-11-25", `{}`)
	count := func(list string) int {
		n, cursor := 0, ""
		for {
			answer := d.ask(`{"jsonrpc":"2.0","id":1,"method":"` + list + `/list","params":{` + cursor + `}}`)
			n += len(at(t, answer, "result", list).([]any))
			next, more := at(t, answer, "result", "nextCursor").(string)
			if !more {
				return n
			}
			cursor = `"cursor":"` + next + `"`
		}
	}
	for list, size := range map[string]int{"tools": len(toolTable) - 1, "prompts": len(promptTable) - 1, "resources": 4 + notes} {
		require.Equal(t, size, count(list), list)
		for _, change := range []int{1, 0} {
			note := d.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"touch","arguments":{"what":"` + list + `"}}}`)
			require.Equal(t, "notifications/"+list+"/list_changed", note["method"])
			require.Equal(t, 2.0, d.next()["id"])
			require.Equal(t, size+change, count(list), list)
		}
	}
	require.Equal(t, 0, d.end())
}

func TestFlood(t *testing.T) {
	d := talk(t)
	d.initialize("2025-11-25", `{}`)
	d.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"flood","arguments":{"count":1000,"bytes":200}}}`)
	for i := range 1000 {
		line := d.line()
		require.Len(t, line, 200)
		var note struct{ Params struct{ Data string } }
		require.NoError(t, json.Unmarshal([]byte(line), &note))
		require.Equal(t, i+1, atoi(t, note.Params.Data[:10]))
	}
	require.Equal(t, "sent 1000 notifications of 200 bytes", at(t, d.next(), "result", "content", 0, "text"))
	answer := d.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"flood","arguments":{"bytes":10}}}`)
	require.Equal(t, true, at(t, answer, "result", "isError"))
	require.Equal(t, 0, d.end())
}

func TestBigResultSize(t *testing.T) {
	d := talk(t)
	d.initialize("2025-11-25", `{}`)
	const size = 3<<20 + 17 // more than one block
	answer := d.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"big","arguments":{"bytes":3145745}}}`)
	text := at(t, answer, "result", "content", 0, "text").(string)
	require.Len(t, text, size)
	require.True(t, strings.HasPrefix(text, bigPattern+bigPattern))
	require.Equal(t, 0, d.end())
}

// TestEndsWithACallInFlight checks that the end of stdin ends the server at
// once, even during a call and a blocked write.
func TestEndsWithACallInFlight(t *testing.T) {
	d := talk(t)
	d.initialize("2025-11-25", `{"roots":{}}`)
	d.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{"seconds":3000}}}`)
	d.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"roots"}}`)
	d.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"flood"}}`)
	require.NoError(t, d.in.Close())
	require.Equal(t, 0, <-d.code, "although its stdout is not read")
}

// TestSchemasAreJSON checks that every schema is valid JSON for an object.
func TestSchemasAreJSON(t *testing.T) {
	for _, tool := range toolTable {
		for _, schema := range []string{tool.input, tool.output} {
			if schema == "" {
				continue
			}
			var decoded map[string]any
			require.NoError(t, json.Unmarshal([]byte(schema), &decoded), tool.name)
			require.Equal(t, "object", decoded["type"])
		}
		require.True(t, json.Valid([]byte(tool.hints)), tool.name)
	}
	for _, revision := range []string{"2025-06-18", "2025-11-25"} {
		require.True(t, json.Valid([]byte(askForm(revision))))
	}
}
