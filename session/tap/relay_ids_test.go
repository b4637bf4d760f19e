package tap

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// restarted is a restart of the server of handshake without anything in flight.
const restarted = `
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
	server 1000000000 tools/list (own)
server 1000000000 = {"tools":[]}
	none (own)
`

// withAsk restarts a server whose request 0 is open at the client.
const withAsk = `
server 0 elicitation/create {"message":"old?","_meta":{"progressToken":0}}
	client 0 elicitation/create {"message":"old?","_meta":{"progressToken":0}}
restart r
	client notifications/cancelled {"requestId":0,"reason":"the server was restarted"} (restart)
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
	server 1000000000 tools/list (own)
server 1000000000 = {"tools":[]}
	none (own)
`

func TestIDsOfServerRequests(t *testing.T) {
	for name, text := range askScripts {
		t.Run(name, func(t *testing.T) { play(t, handshake+text) })
	}
}

var askScripts = map[string]string{
	"a stale response is dropped, and the id is free again": withAsk + `
client 0 = {"action":"accept"}
	note response to a request that has ended
	none (withheld)
server 0 roots/list
	client 0 roots/list
client 0 = {"roots":[]}
	server 0 = {"roots":[]}
client 0 = {"roots":[]}
	note response to an unknown request id, after a restart
	none (withheld)
`,
	"an equal id is mapped, both ways": withAsk + `
server 0 elicitation/create {"message":"new?"}
	client "mcpdbg:0a1b2c3d:s1" elicitation/create {"message":"new?"} (edited)
server "0" roots/list
	client "0" roots/list
server notifications/cancelled {"requestId":0}
	client notifications/cancelled {"requestId":"mcpdbg:0a1b2c3d:s1"} (edited)
client 0 = {"action":"accept","content":"old"}
	note response to a request that has ended
	none (withheld)
client "mcpdbg:0a1b2c3d:s1" = {"action":"accept","content":"new"}
	server 0 = {"action":"accept","content":"new"} (edited)
client "0" ! {"code":-1,"message":"x"}
	server "0" ! {"code":-1,"message":"x"}
`,
	"numbers are compared by value": withAsk + `
server 0.0 roots/list
	client "mcpdbg:0a1b2c3d:s1" roots/list (edited)
client "mcpdbg:0a1b2c3d:s1" = {}
	server 0.0 = {} (edited)
`,
	"progress for a stale request is dropped": withAsk + `
client notifications/progress {"progressToken":0,"progress":1}
	none (withheld)
client notifications/progress {"progressToken":"0","progress":1}
	server notifications/progress {"progressToken":"0","progress":1}
`,
	"two requests with one id": `
server 1 roots/list
	client 1 roots/list
server 1 elicitation/create
	client "mcpdbg:0a1b2c3d:s1" elicitation/create (edited)
`,
	"no cancellation with an id that the client has open": `
client 1 resources/read {"uri":"x"}
	server 1 resources/read {"uri":"x"}
client 2 tools/call
	server 2 tools/call
server 1 elicitation/create
	client 1 elicitation/create
server 2 elicitation/create
	client 2 elicitation/create
server 3 elicitation/create
	client 3 elicitation/create
noticed
client 3 tools/call
	none (held)
restart r
	client 2 !restarted (restart)
	client notifications/cancelled {"requestId":2,"reason":"the server was restarted"} (restart)
	stop
client 1 = {"action":"accept"}
	note response to a request that has ended
	none (withheld)
`,
	"ids that the server spells otherwise": `
client 1 tools/call
	server 1 tools/call
client "b" tools/call
	server "b" tools/call
server "1" = {}
	client "1" = {}
server "\u0062" = {}
	client "\u0062" = {}
restart r
	stop
`,
}

// TestDeadProgress checks that progress of a call that a restart ended stays away from the
// client, unless a new call has the token.
func TestDeadProgress(t *testing.T) {
	play(t, handshake+`
client 1 tools/call {"_meta":{"progressToken":1}}
	server 1 tools/call {"_meta":{"progressToken":1}}
restart r
	client 1 !restarted (restart)
	stop
server notifications/progress {"progressToken":1}
	none (withheld)
ended exit code 0
	start
started
	server 0 initialize {"protocolVersion":"2025-11-25"} (restart)
server notifications/progress {"progressToken":1}
	none (withheld)
server notifications/progress {"progressToken":2}
	client notifications/progress {"progressToken":2}
server 0 = {"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}}}
	none (restart)
	server notifications/initialized (restart)
	client notifications/tools/list_changed (restart)
	done r, 0s, failed 1, resent 0
	server 1000000000 tools/list (own)
client 2 tools/call {"_meta":{"progressToken":1}}
	server 2 tools/call {"_meta":{"progressToken":1}}
server notifications/progress {"progressToken":1}
	client notifications/progress {"progressToken":1}
`)
}

// TestOwnIDsAvoidTheClients checks that a request of ours never has an id that the client
// uses.
func TestOwnIDsAvoidTheClients(t *testing.T) {
	play(t, handshake+`
client 1000000000 resources/read {}
	server 1000000000 resources/read {}
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
	done r, 0s, failed 0, resent 1
	server 1000000000 resources/read {} (restart)
	server 1000000001 tools/list (own)
`)
}

// TestTablesAreBounded fills every table.
func TestTablesAreBounded(t *testing.T) {
	s := play(t, handshake)
	number := func(i int) string {
		return string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676))
	}
	noted := 0
	for i := range maxCalls + 100 {
		for _, text := range []string{
			`client "` + number(i) + `" tools/call {"_meta":{"progressToken":"` + number(i) + `"}}`,
			`server "` + number(i) + `" roots/list`,
		} {
			for _, a := range s.input(text) {
				if a.note != "" {
					noted++
				}
			}
		}
	}
	require.Equal(t, 2, noted)
	require.Len(t, s.calls.open, maxCalls)
	require.Len(t, s.asks.client, maxAsks)
	s.input("restart r")
	require.Len(t, s.calls.dead, min(maxTokens, maxCalls))
	require.Empty(t, s.calls.open)
	require.Zero(t, s.calls.kept)
	require.Len(t, s.asks.client, maxAsks)
	s.input("ended exit code 0")
	s.input("started")
	s.input(`server 0 = {"protocolVersion":"2025-11-25","capabilities":{}}`)
	for i := range maxAsks {
		s.input(`server "` + number(i) + `" roots/list`)
	}
	require.Len(t, s.asks.client, maxAsks)
	require.Len(t, s.asks.server, maxAsks)
}
