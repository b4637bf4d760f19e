package tap

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// afterRestart are the lists that the relay compares after a restart of the server of
// handshake.
const afterRestart = `	server 1000000000 tools/list (own)
`

func TestRestartLegacy(t *testing.T) {
	for name, text := range legacyRestarts {
		t.Run(name, func(t *testing.T) { play(t, handshake+text) })
	}
}

var legacyRestarts = map[string]string{
	"idle": `
restart main.go changed
	stop
ended exit code 0
	start
+300ms
started
	server 0 initialize {"protocolVersion":"2025-11-25"} (restart)
server 0 = {"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}}}
	none (restart)
	server notifications/initialized (restart)
	client notifications/tools/list_changed (restart)
	done main.go changed, 300ms, failed 0, resent 0
` + afterRestart,
	"calls fail, reads are sent again, held lines follow": `
client 1 tools/call {"name":"a"}
	server 1 tools/call {"name":"a"}
client 2 resources/read {"uri":"x"}
	server 2 resources/read {"uri":"x"}
client 3 tasks/cancel {}
	server 3 tasks/cancel {}
client 4 ping
	server 4 ping
client 5 x/y
	server 5 x/y
restart-later main.go changed
client 6 tools/call {"name":"b"}
	none (held)
client notifications/roots/list_changed
	none (held)
server 3 = {}
	client 3 = {}
client 7 ping
	server 7 ping
+5s
	client 1 !restarted (restart)
	client 4 = {} (answered)
	client 5 !restarted (restart)
	client 7 = {} (answered)
	stop
client 8 ping
	client 8 = {} (answered)
server 1 = {"late":true}
	none (withheld)
ended exit code 0
	start
started
	server 0 initialize {"protocolVersion":"2025-11-25"} (restart)
client 9 ping
	client 9 = {} (answered)
server 0 = {"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}}}
	none (restart)
	server notifications/initialized (restart)
	client notifications/tools/list_changed (restart)
	done main.go changed, 5s, failed 2, resent 1
	server 2 resources/read {"uri":"x"} (restart)
	server 6 tools/call {"name":"b"} (held)
	server notifications/roots/list_changed (held)
` + afterRestart + `
server 2 = {"contents":[]}
	client 2 = {"contents":[]}
server 6 = {}
	client 6 = {}
client 10 tools/call {}
	server 10 tools/call {}
`,
	"a drain ends with the last call": `
client 1 tools/call {}
	server 1 tools/call {}
client 2 tools/list
	server 2 tools/list
restart-later main.go changed
+1s
server 1 = {}
	client 1 = {}
	stop
`,
	"cancelled calls get nothing": `
client 1 tools/call {}
	server 1 tools/call {}
client 2 resources/list
	server 2 resources/list
client notifications/cancelled {"requestId":1}
	server notifications/cancelled {"requestId":1}
restart main.go changed
	stop
client notifications/cancelled {"requestId":2}
	note the request was held and is dropped
	none (withheld)
ended exit code 0
	start
client 3 tools/call {}
	none (held)
client notifications/cancelled {"requestId":3}
	note the request was held and is dropped
	none (withheld)
started
	server 0 initialize {"protocolVersion":"2025-11-25"} (restart)
client notifications/cancelled {"requestId":1}
	none (withheld)
server 0 = {"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}}}
	none (restart)
	server notifications/initialized (restart)
	client notifications/tools/list_changed (restart)
	done main.go changed, 0s, failed 0, resent 0
` + afterRestart,
	"log level and subscriptions": `
client 1 logging/setLevel {"level":"info"}
	server 1 logging/setLevel {"level":"info"}
server 1 = {}
	client 1 = {}
client 2 logging/setLevel {"level":"bad"}
	server 2 logging/setLevel {"level":"bad"}
server 2 ! {"code":-32602,"message":"no"}
	client 2 ! {"code":-32602,"message":"no"}
client 3 resources/subscribe {"uri":"b"}
	server 3 resources/subscribe {"uri":"b"}
client 4 resources/subscribe {"uri":"a"}
	server 4 resources/subscribe {"uri":"a"}
client 5 resources/subscribe {"uri":"c"}
	server 5 resources/subscribe {"uri":"c"}
client 6 resources/unsubscribe {"uri":"c"}
	server 6 resources/unsubscribe {"uri":"c"}
server 3 = {}
	client 3 = {}
server 4 = {}
	client 4 = {}
server 5 = {}
	client 5 = {}
server 6 = {}
	client 6 = {}
restart r
	stop
ended exit code 0
	start
started
	server 0 initialize {"protocolVersion":"2025-11-25"} (restart)
server 0 = {"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}}}
	none (restart)
	server notifications/initialized (restart)
	client notifications/tools/list_changed (restart)
	server 1 logging/setLevel {"level":"info"} (restart)
	server 3 resources/subscribe {"uri":"b"} (restart)
	server 4 resources/subscribe {"uri":"a"} (restart)
server 1 roots/list
	client 1 roots/list
client 1 = {"roots":[]}
	server 1 = {"roots":[]}
server 1 = {}
	none (restart)
server 3 = {}
	none (restart)
server 4 ! {"code":-32602,"message":"gone"}
	none (restart)
	note a request that gives the state back failed: "gone"
	done r, 0s, failed 0, resent 0
` + afterRestart,
	"not all answer": `
client 1 logging/setLevel {"level":"info"}
	server 1 logging/setLevel {"level":"info"}
server 1 = {}
	client 1 = {}
restart r
	stop
ended exit code 0
	start
started
	server 0 initialize {"protocolVersion":"2025-11-25"} (restart)
server 0 = {"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}}}
	none (restart)
	server notifications/initialized (restart)
	client notifications/tools/list_changed (restart)
	server 1 logging/setLevel {"level":"info"} (restart)
+30s
	note the server did not answer all requests that gave its state back
	done r, 30s, failed 0, resent 0
` + afterRestart,
	"another protocol": `
restart r
	stop
ended exit code 0
	start
started
	server 0 initialize {"protocolVersion":"2025-11-25"} (restart)
server 0 = {"protocolVersion":"2024-11-05","capabilities":{"tools":{"listChanged":true}},"instructions":"x"}
	none (restart)
	note changed by the restart: protocolVersion (the client knows the old one)
	note changed by the restart: instructions (the client knows the old one)
	server notifications/initialized (restart)
	client notifications/tools/list_changed (restart)
	done r, 0s, failed 0, resent 0
` + afterRestart,
	"changes during one cause one more": `
restart a
	stop
restart b
ended exit code 0
	start
restart c
started
	server 0 initialize {"protocolVersion":"2025-11-25"} (restart)
restart d
client 1 tools/call {}
	none (held)
server 0 = {"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}}}
	none (restart)
	server notifications/initialized (restart)
	client notifications/tools/list_changed (restart)
	done a, 0s, failed 0, resent 0
	stop
ended exit code 0
	start
started
	server 0 initialize {"protocolVersion":"2025-11-25"} (restart)
server 0 = {"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}}}
	none (restart)
	server notifications/initialized (restart)
	client notifications/tools/list_changed (restart)
	done d, 0s, failed 0, resent 0
	server 1 tools/call {} (held)
` + afterRestart,
	"the lists change a moment later": `
restart r
	stop
ended exit code 0
	start
started
	server 0 initialize {"protocolVersion":"2025-11-25"} (restart)
server 0 = {"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}}}
	none (restart)
	server notifications/initialized (restart)
	client notifications/tools/list_changed (restart)
	done r, 0s, failed 0, resent 0
` + afterRestart + `
server 1000000000 = {"tools":[]}
	none (own)
+1s
	server 1000000001 tools/list (own)
server 1000000001 = {"tools":[{"name":"late"}]}
	none (own)
	client notifications/tools/list_changed (restart)
+10m
`,
}

// TestRestartInHandshake restarts a server that has not answered initialize.
func TestRestartInHandshake(t *testing.T) {
	play(t, `
client 0 initialize {}
	server 0 initialize {}
client notifications/initialized
	server notifications/initialized
restart r
	stop
ended exit code 0
	start
client 1 tools/list
	none (held)
started
	server 0 initialize {} (restart)
server 0 = {"capabilities":{"tools":{"listChanged":true}}}
	client 0 = {"capabilities":{"tools":{"listChanged":true}}}
	server notifications/initialized (restart)
	client notifications/tools/list_changed (restart)
	done r, 0s, failed 0, resent 0
	server 1 tools/list (held)
`+afterRestart)
}

// TestOneIDForAll restarts under a client that uses one id for all its requests, and one
// that sends them in batches.
func TestOneIDForAll(t *testing.T) {
	play(t, handshake+`
client 1 resources/subscribe {"uri":"a"}
	server 1 resources/subscribe {"uri":"a"}
server 1 = {}
	client 1 = {}
client 1 resources/subscribe {"uri":"b"}
	server 1 resources/subscribe {"uri":"b"}
server 1 = {}
	client 1 = {}
client [{"id":2,"method":"resources/subscribe","params":{"uri":"c"}},{"id":3,"method":"logging/setLevel"}]
	server [{"id":2,"method":"resources/subscribe","params":{"uri":"c"}},{"id":3,"method":"logging/setLevel"}]
server [{"id":2,"result":{}},{"id":3,"result":{}}]
	client [{"id":2,"result":{}},{"id":3,"result":{}}]
restart r
	stop
ended exit code 0
	start
started
	server 0 initialize {"protocolVersion":"2025-11-25"} (restart)
server 0 = {"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}}}
	none (restart)
	server notifications/initialized (restart)
	client notifications/tools/list_changed (restart)
	server 1 resources/subscribe {"uri":"a"} (restart)
	server 1000000000 resources/subscribe {"uri":"b"} (restart)
server 1000000000 = {}
	none (restart)
server 1 = {}
	none (restart)
	done r, 0s, failed 0, resent 0
	server 1000000001 tools/list (own)
`)
}

// TestInitializedWaits restarts a server between the two halves of the handshake, whose
// second half comes while there is no server.
func TestInitializedWaits(t *testing.T) {
	before := strings.Split(handshake, "client notifications/initialized")[0]
	play(t, before+`
restart r
	stop
client notifications/initialized
	none (held)
ended exit code 0
	start
started
	server 0 initialize {"protocolVersion":"2025-11-25"} (restart)
server 0 = {"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}}}
	none (restart)
	server notifications/initialized (restart)
	client notifications/tools/list_changed (restart)
	done r, 0s, failed 0, resent 0
`+afterRestart)
	play(t, before+`
restart r
	stop
ended exit code 0
	start
started
	server 0 initialize {"protocolVersion":"2025-11-25"} (restart)
server 0 = {"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}}}
	none (restart)
	done r, 0s, failed 0, resent 0
client notifications/initialized
	server notifications/initialized
`)
}

// TestStringIDs checks that requests of ours have ids of the JSON type that the client
// uses, and that an answer with a changed id is found.
func TestStringIDs(t *testing.T) {
	s := play(t, strings.NewReplacer("client 0", `client "a"`, "server 0", `server "a"`).Replace(handshake)+`
restart r
	stop
ended exit code 0
	start
started
	server "a" initialize {"protocolVersion":"2025-11-25"} (restart)
server "a" = {"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}}}
	none (restart)
	server notifications/initialized (restart)
	client notifications/tools/list_changed (restart)
	done r, 0s, failed 0, resent 0
	server "mcpdbg:0a1b2c3d:1" tools/list (own)
server 0 = {"tools":[]}
	note the server answered a request of mcpdbg with another id
	none (own)
server 0 = {"tools":[]}
	note response to an unknown request id, after a restart
	none (withheld)
`)
	require.Empty(t, s.own.open)
}

// TestErrorTexts has the errors that a model reads.
func TestErrorTexts(t *testing.T) {
	errorOf := func(acts []act) string {
		for _, a := range acts {
			if a.to == clientSide {
				return string(a.out)
			}
		}
		return ""
	}
	start := handshake + "client 1 tools/call {}\n\tserver 1 tools/call {}\n+5120ms\n"
	s := play(t, start)
	require.Equal(t, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"The server was restarted while it handled this tools/call (main.go changed). It may or may not have run; it was not sent again.","data":{"mcpdbg":"restarted","reason":"main.go changed","ranForMs":5120}}}`+"\n",
		errorOf(s.input("restart main.go changed")))

	s = play(t, start)
	require.Equal(t, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"The server ended (exit code 1) while it handled this tools/call. Last line on stderr: \"<oops>\"","data":{"mcpdbg":"ended","ranForMs":5120}}}`+"\n",
		errorOf(s.input("ended exit code 1: <oops>")))
	s.input("+6s")
	require.Contains(t, errorOf(s.input("client 2 tools/call")), `"message":"The server is not running: it ended (exit code 1): \"<oops>\". It is started again when a watched file changes.","data":{"mcpdbg":"down"}}`)

	s = play(t, start)
	s.input("restart r")
	s.input("ended exit code 0")
	s.input("+6s")
	s.watched = false
	s.input("ended exit code 1: " + strings.Repeat("ä", 400) + "\x1b")
	require.Contains(t, errorOf(s.input("client 2 tools/call")), `"message":"The server is not running: it did not start (exit code 1): \"`+strings.Repeat("ä", 299)+`…\". It is started again by mcpdbg tap restart notes.","data":{"mcpdbg":"down"}}`)

	s = play(t, start)
	s.input("noticed")
	s.input("client 2 tools/call")
	require.Contains(t, errorOf(s.input("built-not main.go:7:2: undefined: x")), `"id":2,"error":{"code":-32603,"message":"The build failed: main.go:7:2: undefined: x. This tools/call was not sent.","data":{"mcpdbg":"build"}}`)
	s.input("noticed")
	s.input("client 3 tools/call")
	require.Contains(t, errorOf(s.input("+20s")), `"id":3,"error":{"code":-32603,"message":"The server is still starting or building after 20 s. This request was not sent.","data":{"mcpdbg":"starting"}}`)
}
