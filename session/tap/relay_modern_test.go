package tap

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// modernMeta is what each request of a modern client says; it replaces META below.
const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

const discover = `
client "probe" server/discover {META}
	server "probe" server/discover {META}
server "probe" = {"capabilities":{"tools":{},"prompts":{"listChanged":true}},"supportedVersions":["2026-07-28"]}
	note told the client that lists can change
	client "probe" = {"capabilities":{"tools":{"listChanged":true},"prompts":{"listChanged":true}},"supportedVersions":["2026-07-28"]} (edited)
`

const listening = discover + `
client "listen:0" subscriptions/listen {"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["x:y"]},META}
	server "listen:0" subscriptions/listen {"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["x:y"]},META}
server notifications/subscriptions/acknowledged {"notifications":{"promptsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":"listen:0"}}
	client notifications/subscriptions/acknowledged {"notifications":{"toolsListChanged":true,"promptsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":"listen:0"}} (edited)
`

const reopened = `
restart r
	stop
ended exit code 0
	start
started
	server "listen:0" subscriptions/listen {"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["x:y"]},META} (restart)
	client notifications/tools/list_changed {"_meta":{"io.modelcontextprotocol/subscriptionId":"listen:0"}} (restart)
	client notifications/prompts/list_changed {"_meta":{"io.modelcontextprotocol/subscriptionId":"listen:0"}} (restart)
	client notifications/resources/updated {"uri":"x:y","_meta":{"io.modelcontextprotocol/subscriptionId":"listen:0"}} (restart)
	server "mcpdbg:0a1b2c3d:1" server/discover {META} (own)
	done r, 0s, failed 0, resent 0
	server "mcpdbg:0a1b2c3d:2" tools/list {META} (own)
	server "mcpdbg:0a1b2c3d:3" prompts/list {META} (own)
`

func TestModern(t *testing.T) {
	for name, text := range modernScripts {
		t.Run(name, func(t *testing.T) { play(t, strings.ReplaceAll(text, "META", modernMeta)) })
	}
}

var modernScripts = map[string]string{
	"calls and reads": discover + `
client 1 tools/call {META}
	server 1 tools/call {META}
client 2 prompts/get {"requestState":"s",META}
	server 2 prompts/get {"requestState":"s",META}
restart r
	client 1 !restarted (restart)
	stop
ended exit code 0
	start
client 3 tools/call {META}
	none (held)
started
	server "mcpdbg:0a1b2c3d:1" server/discover {META} (own)
	done r, 0s, failed 1, resent 1
	server 2 prompts/get {"requestState":"s",META} (restart)
	server 3 tools/call {META} (held)
	server "mcpdbg:0a1b2c3d:2" tools/list {META} (own)
	server "mcpdbg:0a1b2c3d:3" prompts/list {META} (own)
server "mcpdbg:0a1b2c3d:1" = {"capabilities":{"tools":{}}}
	none (own)
	note changed by the restart: capabilities (the client knows the old one)
`,
	"a stream stays open over restarts": listening + strings.Replace(reopened, "done", `done`, 1) + `
server notifications/subscriptions/acknowledged {"notifications":{"promptsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":"listen:0"}}
	none (restart)
server notifications/prompts/list_changed {"_meta":{"io.modelcontextprotocol/subscriptionId":"listen:0"}}
	client notifications/prompts/list_changed {"_meta":{"io.modelcontextprotocol/subscriptionId":"listen:0"}}
`,
	"a new process that does not know streams": listening + reopened + `
server "listen:0" ! {"code":-32601,"message":"no"}
	note the restarted server does not keep a subscription: "no"
	none (withheld)
client notifications/cancelled {"requestId":"listen:0"}
	none (withheld)
restart r
	stop
ended exit code 0
	start
started
	server "mcpdbg:0a1b2c3d:4" server/discover {META} (own)
	done r, 0s, failed 0, resent 0
	server "mcpdbg:0a1b2c3d:5" tools/list {META} (own)
	server "mcpdbg:0a1b2c3d:6" prompts/list {META} (own)
`,
	"the first acknowledgement comes from the second process": discover + `
client 1 subscriptions/listen {"notifications":{"toolsListChanged":true},META}
	server 1 subscriptions/listen {"notifications":{"toolsListChanged":true},META}
restart r
	stop
ended exit code 0
	start
started
	server 1 subscriptions/listen {"notifications":{"toolsListChanged":true},META} (restart)
	server "mcpdbg:0a1b2c3d:1" server/discover {META} (own)
	done r, 0s, failed 0, resent 0
	server "mcpdbg:0a1b2c3d:2" tools/list {META} (own)
	server "mcpdbg:0a1b2c3d:3" prompts/list {META} (own)
server notifications/subscriptions/acknowledged {"notifications":{"toolsListChanged":false},"_meta":{"io.modelcontextprotocol/subscriptionId":1}}
	client notifications/subscriptions/acknowledged {"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":1}} (edited)
`,
	"a stream that only the relay made possible": discover + `
client 1 subscriptions/listen {"notifications":{"toolsListChanged":true},META}
	server 1 subscriptions/listen {"notifications":{"toolsListChanged":true},META}
server 1 ! {"code":-32601,"message":"no"}
	none (withheld)
	client notifications/subscriptions/acknowledged {"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":1}} (own)
restart r
	stop
ended exit code 0
	start
started
	server 1 subscriptions/listen {"notifications":{"toolsListChanged":true},META} (restart)
	client notifications/tools/list_changed {"_meta":{"io.modelcontextprotocol/subscriptionId":1}} (restart)
	server "mcpdbg:0a1b2c3d:1" server/discover {META} (own)
	done r, 0s, failed 0, resent 0
	server "mcpdbg:0a1b2c3d:2" tools/list {META} (own)
	server "mcpdbg:0a1b2c3d:3" prompts/list {META} (own)
server 1 ! {"code":-32601,"message":"no"}
	note the restarted server does not keep a subscription: "no"
	none (withheld)
`,
	"a stream that the server refuses or ends": discover + `
client 1 subscriptions/listen {"notifications":{"promptsListChanged":true},META}
	server 1 subscriptions/listen {"notifications":{"promptsListChanged":true},META}
server 1 ! {"code":-32601,"message":"no"}
	client 1 ! {"code":-32601,"message":"no"}
client 2 subscriptions/listen {"notifications":{},META}
	server 2 subscriptions/listen {"notifications":{},META}
server 2 = {}
	client 2 = {}
`,
	"a crash keeps the stream": listening + `
ended exit code 1
+1m
client 1 tools/call {META}
	client 1 !down (answered)
restart r
	start
started
	server "listen:0" subscriptions/listen {"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["x:y"]},META} (restart)
	client notifications/tools/list_changed {"_meta":{"io.modelcontextprotocol/subscriptionId":"listen:0"}} (restart)
	client notifications/prompts/list_changed {"_meta":{"io.modelcontextprotocol/subscriptionId":"listen:0"}} (restart)
	client notifications/resources/updated {"uri":"x:y","_meta":{"io.modelcontextprotocol/subscriptionId":"listen:0"}} (restart)
	server "mcpdbg:0a1b2c3d:1" server/discover {META} (own)
	done r, 0s, failed 1, resent 0
	server "mcpdbg:0a1b2c3d:2" tools/list {META} (own)
	server "mcpdbg:0a1b2c3d:3" prompts/list {META} (own)
`,
	"a client that probes and then sends initialize is legacy": discover + handshake + restarted,
	"a probe in flight is asked again": `
client "probe" server/discover {META}
	server "probe" server/discover {META}
restart r
	stop
ended exit code 0
	start
started
	done r, 0s, failed 0, resent 1
	server "probe" server/discover {META} (restart)
`,
}

// TestNoCache checks that results may not be cached if that is asked for.
func TestNoCache(t *testing.T) {
	for _, noCache := range []bool{false, true} {
		s := newScript(t, relayConfig{noCache: noCache})
		s.run("started")
		s.input("client 1 tools/list")
		want := `client 1 = {"tools":[],"ttlMs":60000}`
		if noCache {
			want = `client 1 = {"tools":[],"ttlMs":0} (edited)`
		}
		require.Equal(t, []string{want}, render(s.input(`server 1 = {"tools":[],"ttlMs":60000}`)))
	}
}

// TestChangedSchemas checks that the log names tools whose results a client may refuse.
func TestChangedSchemas(t *testing.T) {
	const tool = `= {"tools":[{"name":"a","outputSchema":{"type":"T"}},{"name":"b"}]}`
	number, text := strings.Replace(tool, "T", "number", 1), strings.Replace(tool, "T", "string", 1)
	play(t, handshake+`
client 1 tools/list
	server 1 tools/list
server 1 `+number+`
	client 1 `+number+`
`+strings.Split(restarted, "server 1000000000 =")[0]+`
server 1000000000 `+text+`
	none (own)
	note other output schemas, and the client may check results against the old ones: a
`)
}
