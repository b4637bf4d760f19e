package tap

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDown(t *testing.T) {
	for name, text := range crashes {
		t.Run(name, func(t *testing.T) { play(t, handshake+text) })
	}
}

var crashes = map[string]string{
	"a crash answers what is in flight, keeps reads for 5 s, and waits": `
client 1 tools/call
	server 1 tools/call
client 2 tools/list
	server 2 tools/list
server 1 roots/list
	client 1 roots/list
server 5 roots/list
	client 5 roots/list
ended exit code 1: panic
	client 1 !ended (restart)
	client notifications/cancelled {"requestId":1,"reason":"the server ended"} (restart)
	client notifications/cancelled {"requestId":5,"reason":"the server ended"} (restart)
+3s
client 3 tools/call
	none (held)
client 4 ping
	client 4 = {} (answered)
client notifications/cancelled {"requestId":1}
	note not sent: notifications/cancelled
	none (withheld)
+2s
	client 2 !down (answered)
	client 3 !down (answered)
client 5 tools/call
	client 5 !down (answered)
client notifications/roots/list_changed
	note not sent: notifications/roots/list_changed
	none (withheld)
noticed
client 6 tools/call
	none (held)
restart main.go changed
	start
+1s
started
	server 0 initialize {"protocolVersion":"2025-11-25"} (restart)
server 0 = {"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}}}
	none (restart)
	server notifications/initialized (restart)
	client notifications/tools/list_changed (restart)
	done main.go changed, 1s, failed 4, resent 0
	server 6 tools/call (held)
	server 1000000000 tools/list (own)
`,
	"a crash during a drain goes on with the start": `
client 1 tools/call
	server 1 tools/call
restart-later r
ended signal SIGSEGV
	client 1 !ended (restart)
	start
`,
	"a start that fails": `
client 1 tools/list
	server 1 tools/list
restart r
	stop
client 2 tools/call
	none (held)
+6s
ended exit code 0
	start
+1s
client 3 tools/call
	none (held)
ended exit code 1: syntax error
	client 1 !down (answered)
	client 2 !down (answered)
	client 3 !down (answered)
client 4 tools/call
	client 4 !down (answered)
`,
	"a start takes longer than clients wait": `
restart r
	stop
ended exit code 0
	start
client 1 tools/call
	none (held)
+10s
client 2 tools/call
	none (held)
started
	server 0 initialize {"protocolVersion":"2025-11-25"} (restart)
+10s
	client 1 !starting (answered)
+10s
	client 2 !starting (answered)
+10s
	note the server did not start: no response to initialize within 30 s
	stop
client 3 tools/call
	client 3 !down (answered)
restart r2
ended signal SIGKILL
	start
`,
	"a process refuses the handshake": `
restart r
	stop
ended exit code 0
	start
client 1 tools/call
	none (held)
started
	server 0 initialize {"protocolVersion":"2025-11-25"} (restart)
server 0 ! {"code":-32602,"message":"no"}
	none (restart)
	note the server did not start: initialize failed: "no"
	stop
ended exit code 0
+5s
	client 1 !down (answered)
`,
	"a process ends during the handshake": `
restart r
	stop
ended exit code 0
	start
started
	server 0 initialize {"protocolVersion":"2025-11-25"} (restart)
server 1 roots/list
	client 1 roots/list
ended exit code 3
	client notifications/cancelled {"requestId":1,"reason":"the server ended"} (restart)
`,
}

// TestFragment checks that a line without an end does not reach the client.
func TestFragment(t *testing.T) {
	s := play(t, handshake)
	acts := s.fromServer([]byte(`{"jsonrpc":"2.0","id":1,"resu`), s.now)
	require.Equal(t, []string{"note the server ended within this line", "none (withheld)"}, render(acts))
}

func TestBuilds(t *testing.T) {
	for name, text := range buildScripts {
		t.Run(name, func(t *testing.T) { play(t, handshake+text) })
	}
}

var buildScripts = map[string]string{
	"requests wait for the new code": `
noticed
client 1 tools/call
	none (held)
client 2 ping
	server 2 ping
server 2 = {}
	client 2 = {}
client notifications/roots/list_changed
	none (held)
server 1 roots/list
	client 1 roots/list
client 1 = {}
	server 1 = {}
+3s
restart main.go changed
	stop
ended exit code 0
	start
started
	server 0 initialize {"protocolVersion":"2025-11-25"} (restart)
server 0 = {"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}}}
	none (restart)
	server notifications/initialized (restart)
	client notifications/tools/list_changed (restart)
	done main.go changed, 0s, failed 0, resent 0
	server 1 tools/call (held)
	server notifications/roots/list_changed (held)
	server 1000000000 tools/list (own)
`,
	"a failed build answers them and leaves the server": `
client 1 tools/call
	server 1 tools/call
noticed
client 2 tools/call
	none (held)
client notifications/roots/list_changed
	none (held)
built-not main.go:7: undefined: x
	client 2 !build (answered)
	note dropped after it was held: notifications/roots/list_changed
client 3 tools/call
	server 3 tools/call
server 1 = {}
	client 1 = {}
`,
	"a change that needs nothing": `
noticed
client 1 tools/call
	none (held)
dropped
	server 1 tools/call (held)
`,
	"a long build": `
noticed
client 1 tools/call
	none (held)
+19s
client 2 tools/call
	none (held)
+1s
	client 1 !starting (answered)
+18s
+1s
	client 2 !starting (answered)
`,
	"a change during a restart": `
restart a
	stop
ended exit code 0
	start
client 1 tools/call
	none (held)
noticed
client 2 tools/call
	none (held)
started
	server 0 initialize {"protocolVersion":"2025-11-25"} (restart)
server 0 = {"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}}}
	none (restart)
	server notifications/initialized (restart)
	client notifications/tools/list_changed (restart)
	done a, 0s, failed 0, resent 0
	server 1000000000 tools/list (own)
+1s
	server 1000000001 tools/list (own)
built-not x
	client 1 !build (answered)
	client 2 !build (answered)
`,
}

func TestPassDuringBuild(t *testing.T) {
	s := newScript(t, relayConfig{passBuilding: true})
	s.run("started" + handshake + `
noticed
client 1 tools/call
	server 1 tools/call
`)
}

func TestFirstStart(t *testing.T) {
	for name, text := range map[string]string{
		"lines wait for it": `
client 0 initialize {}
	none (held)
client notifications/initialized
	none (held)
client 1 tools/list
	none (held)
started
	server 0 initialize {} (held)
	server notifications/initialized (held)
	server 1 tools/list (held)
`,
		"so does the end of the client": `
client 0 initialize {}
	none (held)
closed
started
	server 0 initialize {} (held)
	close
server 0 = {}
	client 0 = {}
`,
		"it fails": `
client 0 initialize {}
	none (held)
client 1 ping
	client 1 = {} (answered)
ended exit code 127
+19s
+1s
	client 0 !down (answered)
restart r
	start
started
	done r, 0s, failed 1, resent 0
`,
		"it crashes in the handshake": `
client 0 initialize {}
	none (held)
started
	server 0 initialize {} (held)
ended exit code 1
+10s
restart r
	start
started
	server 0 initialize {} (restart)
server 0 ! {"code":-32602,"message":"no"}
	client 0 ! {"code":-32602,"message":"no"}
	done r, 0s, failed 0, resent 0
`,
	} {
		t.Run(name, func(t *testing.T) { newScript(t, relayConfig{}).run(text) })
	}
}

func TestClientCloses(t *testing.T) {
	for name, text := range map[string]string{
		"a running server gets the end": `
client 1 tools/call
	server 1 tools/call
closed
	close
server 1 = {}
	client 1 = {}
client 2 tools/call
	none (withheld)
ended exit code 0
restart r
`,
		"what is held is dropped": `
noticed
client 1 tools/call
	none (held)
closed
	note dropped, because the client closed its side: tools/call
	close
`,
		"a restart is not finished": `
restart r
	stop
client 1 tools/call
	none (held)
closed
	note dropped, because the client closed its side: tools/call
	stop
ended exit code 0
`,
		"nor a start": `
restart r
	stop
ended exit code 0
	start
closed
	stop
started
	stop
ended signal SIGKILL
`,
		"nothing starts a server that is down": `
ended exit code 1
closed
restart r
`,
	} {
		t.Run(name, func(t *testing.T) { play(t, handshake+text) })
	}
}

// TestHeldIsBounded checks that a client cannot fill the memory while there is no server.
func TestHeldIsBounded(t *testing.T) {
	s := play(t, handshake+"restart r\n\tstop\n")
	big := `{"x":"` + strings.Repeat("x", 3<<20) + `"}`
	for _, want := range []string{"none (held)", "none (held)", "client 3 !busy (answered)"} {
		id := map[string]string{"client 3 !busy (answered)": "3"}[want]
		if id == "" {
			id = "1"
		}
		require.Equal(t, []string{want}, render(s.input("client "+id+" tools/call "+big)))
	}
	require.Equal(t, []string{"note not sent: x/y", "none (withheld)"}, render(s.input("client x/y "+big)))
	require.Equal(t, []string{"none (held)"}, render(s.input("client 4 tools/list")))
	require.Equal(t, s.now.Add(20*time.Second), s.next())
}
