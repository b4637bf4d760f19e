package rule

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
)

// textsOf returns the problems of an example log as outputs show them.
func textsOf(t *testing.T, id, log string) []string {
	t.Helper()
	x := new(exampleLog)
	for line := range strings.Lines(log) {
		x.line(t, strings.TrimSpace(line))
	}
	var texts []string
	for _, p := range x.problems(t) {
		if p.Rule.ID == id {
			texts = append(texts, strings.TrimSpace(fmt.Sprintf("%s: %s %s", p.Where, p.Detail, p.Times())))
		}
	}
	return texts
}

const callEcho = `> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{}}}` + "\n"

// TestFaultsAtOnePlaceAreToldApart checks that a count covers only problems with the same
// text, and that an element is named by its index.
func TestFaultsAtOnePlaceAreToldApart(t *testing.T) {
	require.Equal(t, []string{
		"tools/call: echo /content/0/text: text is the number 5, not a string",
		"tools/call: echo /content/1/text: text is an object, not a string",
		"tools/call: echo /content/2/text: text is missing 2 times, not all alike",
	}, textsOf(t, "SCH02", "legacy 2025-11-25\n"+callEcho+
		`< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":5},{"type":"text","text":{}},{"type":"text"},{"type":"text"}]}}`))
}

// TestSameFaultIsCounted checks that the same text at the same place is one problem.
func TestSameFaultIsCounted(t *testing.T) {
	bad := `< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":5}]}}` + "\n"
	require.Equal(t, []string{"tools/call: echo /content/0/text: text is the number 5, not a string 3 times"},
		textsOf(t, "SCH02", "legacy 2025-11-25\n"+strings.Repeat(callEcho+bad, 3)))
}

// TestFaultsAtOnePlaceAreLimited checks that of many texts at one place some are kept, that
// the last one counts the others, and that all have one fingerprint.
func TestFaultsAtOnePlaceAreLimited(t *testing.T) {
	var f problems
	where := diagnosis.Location{Method: "tools/call", Name: "echo", Pointer: "/a/*"}
	for i := range 3 * MaxDetails {
		where.At = fmt.Sprintf("/a/%d", i)
		f.add(rpc01, rpc01.Severity, message.Place{}, where, fmt.Sprint("text ", i), false)
	}
	require.Len(t, f.all, MaxDetails)
	sum := 0
	for i := range f.all {
		sum += f.all[i].Count
		require.Equal(t, "RPC01 tools/call echo /a/*", f.all[i].Fingerprint())
		require.Equal(t, i == MaxDetails-1, f.all[i].Various)
	}
	require.Equal(t, 3*MaxDetails, sum)
}

// TestItemsAreNamed checks that every rule names items by index or key.
func TestItemsAreNamed(t *testing.T) {
	for _, tc := range []struct{ name, rule, log, want string }{
		{"content", "SCH04", callEcho + `< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":""},{"type":"image","mimeType":"image/png","data":"?"}]}}`, "tools/call: echo /content/1/data: "},
		{"messages", "SCH04", `> {"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"echo"}}
			< {"jsonrpc":"2.0","id":1,"result":{"messages":[{"role":"user","content":{"type":"image","mimeType":"image/png","data":"?"}}]}}`, "prompts/get: echo /messages/0/content/data: "},
		{"contents", "SCH04", `> {"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b"}}
			< {"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"a:b","text":""},{"uri":"a:b","blob":"?"}]}}`, "resources/read: a:b /contents/1/blob: "},
		{"icons", "SCH10", `> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
			< {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"},"icons":[{"src":"https://a"},{"src":"x"}]}]}}`, "tools/list: echo /icons/1/src: "},
		{"values", "SCH02", `> {"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"echo"},"argument":{"name":"a","value":""}}}
			< {"jsonrpc":"2.0","id":1,"result":{"completion":{"values":["a",1]}}}`, "completion/complete: /completion/values/1: "},
		{"an item of a list without a name", "SCH02", `> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
			< {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}},{"inputSchema":{"type":"object"}}]}}`, "tools/list: /tools/1/name: "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			texts := textsOf(t, tc.rule, `legacy 2025-11-25 {} {"tools":{},"prompts":{},"resources":{},"completions":{}}`+"\n"+tc.log)
			require.Len(t, texts, 1)
			require.Contains(t, texts[0], tc.want)
		})
	}
	const input = `> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{},$META}}
		< {"jsonrpc":"2.0","id":1,"result":{$OK,"inputRequests":{"a":{"method":"ping"},"b/c":{"method":"elicitation/create","params":{"message":5,"mode":"url","url":"x"}}}}}`
	log := "modern\n" + strings.Replace(input, `$OK`, `"resultType":"input_required","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"server","version":"1"}}`, 1)
	require.Contains(t, textsOf(t, "MOD04", log)[0], "tools/call: echo /inputRequests/a/method: ")
	require.Contains(t, textsOf(t, "SCH02", log)[0], "tools/call: echo /inputRequests/b~1c/params/message: ")
	require.Contains(t, textsOf(t, "SRV05", log)[0], "tools/call: echo /inputRequests/b~1c/params/url: ")
}

// TestFirstWithoutServerInfoIsNamed checks that MOD15 names the first result without it.
func TestFirstWithoutServerInfoIsNamed(t *testing.T) {
	call := strings.Replace(callEcho, `"arguments":{}`, `"arguments":{},$META`, 1)
	bare := `< {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[]}}` + "\n"
	require.Equal(t, []string{": first missing in the result of tools/call: echo 2 times"}, textsOf(t, "MOD15", "modern\n"+call+bare+call+bare))
}

// TestNewerMemberIsCalledLegal checks that LIF10 calls a member of a later revision an
// extra member.
func TestNewerMemberIsCalledLegal(t *testing.T) {
	require.Equal(t, []string{"tools/list: /tools/*/title: title is new in 2025-06-18; in 2025-03-26 it is an extra member, which is legal"},
		textsOf(t, "LIF10", "legacy 2025-03-26\n"+`> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
			< {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","title":"A","inputSchema":{"type":"object"}}]}}`))
}
