package cause

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// bridged are what mcp-remote 0.15.1 prints about servers that it cannot use, without
// the lines of its stack traces.
var bridged = []struct {
	name, stderr string
	running      bool
	text, try    string
	evidence     string
}{
	{
		name: "not reachable", stderr: `[7855] Discovering OAuth server configuration...
[7855] [7855] Connecting to remote server: http://127.0.0.1:3399/mcp
[7855] Using transport strategy: http-first
[7855] Fatal error: TypeError: fetch failed
    at async StreamableHTTPClientTransport._send (file:///x/node_modules/mcp-remote/dist/chunk-KJCT2FXL.js:31410:24) {
  [cause]: Error: connect ECONNREFUSED 127.0.0.1:3399
    code: 'ECONNREFUSED',
    port: 3399
  }
}`, text: "the server behind the URL is not reachable: [cause]: Error: connect ECONNREFUSED 127.0.0.1:3399", try: "that the server runs", evidence: `connect ECONNREFUSED`,
	},
	{
		name: "unknown name", stderr: `[21057] Fatal error: TypeError: fetch failed
  [cause]: Error: getaddrinfo ENOTFOUND host.invalid`,
		text: "not reachable: [cause]: Error: getaddrinfo ENOTFOUND host.invalid", try: "check the URL", evidence: "ENOTFOUND",
	},
	{
		name: "no server at the path", stderr: `[29091] Discovering OAuth server configuration...
[29091] Received error (status 404): Error POSTing to endpoint: Not Found
[29091] Recursively reconnecting for reason: falling-back-to-alternate-transport
[29091] Using transport strategy: sse-only
[29091] Fatal error: SseError: SSE error: Non-200 status code (404)
  code: 404,
  event: {
    type: 'error',
    message: 'Non-200 status code (404)',
    timeStamp: 4666.08914
  }
}`, text: "the URL does not lead to an MCP server: [29091] Received error (status 404): Error POSTing to endpoint: Not Found", try: "often /mcp or /sse", evidence: "status 404",
	},
	{
		name: "a page", stderr: `[31654] Fatal error: SdkError: Unexpected content type: text/html
  code: 'CLIENT_HTTP_UNEXPECTED_CONTENT',
  data: { contentType: 'text/html' }`, text: "the URL does not lead to an MCP server: [31654] Fatal error", try: "/mcp", evidence: "text/html",
	},
	{
		name: "waits for a login", running: true, stderr: `[4669] Discovered authorization server: http://127.0.0.1:3397
[4669] Initializing auth coordination on-demand
[4669] OAuth callback server running at http://127.0.0.1:8779
Please authorize this client by visiting:
http://127.0.0.1:3397/authorize?response_type=code&client_id=abc
[4669] Authentication required. Initializing auth...
[4669] Authentication required. Waiting for authorization...`,
		text: "the server behind the URL requires a login (OAuth): Please authorize this client by visiting:", try: "--header 'Authorization: Bearer TOKEN'", evidence: "authorize this client",
	},
	{
		name: "registers no clients", stderr: `[30590] Received error (status unknown): Dynamic Client Registration rejected (HTTP 404): Not Found
[30590] Fatal error: RegistrationRejectedError: Dynamic Client Registration rejected (HTTP 404): Not Found
  status: 404,
  body: 'Not Found',
  submittedMetadata: {
    redirect_uris: [ 'http://localhost:45458/oauth/callback' ],
    application_type: 'native'
  }`, text: "requires a login (OAuth): [30590] Received error (status unknown): Dynamic Client Registration rejected", try: "pass a token", evidence: "Registration rejected",
	},
	{
		name: "refuses the request", stderr: `[953] Fatal error: SdkHttpError: Error POSTing to endpoint: Forbidden
  code: 'CLIENT_HTTP_NOT_IMPLEMENTED',
  data: { status: 403, statusText: 'Forbidden', text: 'Forbidden' }`, text: "the server behind the URL refused the request: data: { status: 403", try: "--header", evidence: "status: 403",
	},
	{
		name: "not https", stderr: `[22655] Error: Non-HTTPS URLs are only allowed for localhost or when --allow-http flag is provided
[22655] Usage: mcp-remote <https://server-url> [callback-port] [--debug]`, text: "the URL is not https", try: "--allow-http", evidence: "Non-HTTPS",
	},
}

// TestBridgeFailures checks the cause of a server behind a URL that cannot be used, and
// that the same text of another program has another cause.
func TestBridgeFailures(t *testing.T) {
	for _, b := range bridged {
		entries := func(argv string) []string {
			all := []string{`"t":1000,"k":"start","process":"mcp-stdio-1","pid":7,"argv":` + argv, ask}
			for line := range strings.SplitSeq(b.stderr, "\n") {
				raw, err := json.Marshal(line)
				require.NoError(t, err)
				all = append(all, fmt.Sprintf(`"t":3000,"k":"stderr","seq":1,"raw":%s`, raw))
			}
			if b.running {
				return append(all, `"t":9000000,"k":"note","text":"later"`)
			}
			return append(all, `"t":6000,"k":"exited","seq":2,"code":1,"by":"server"`, `"t":6001,"k":"closed","seq":3,"stdout":{},"stderr":{},"stdin":{}`)
		}
		for _, argv := range []string{`["npx","-y","mcp-remote","https://host/mcp"]`, `["npx","mcp-remote@0.15.1","u"]`, `["node","/x/node_modules/mcp-remote/dist/proxy.js","u"]`} {
			t.Run(b.name, func(t *testing.T) {
				f := fixture{b.name, []string{"bridge"}, b.text, b.try, b.evidence}
				f.check(t, written(t, entries(argv)...))
			})
		}
		other := New(written(t, entries(`["node","other.js"]`)...))
		for other.Advance(100) {
		}
		require.NotContains(t, ids(other.Now(nil)), "bridge")
	}
}

// TestMissingLauncher checks the advice about a launcher that is not installed.
func TestMissingLauncher(t *testing.T) {
	fixture{"npx", []string{"not-found"}, `not started: program "npx" not found`, "install Node.js where the server runs: npx is part of it; it is not in", `"code":"start.notfound"`}.check(t, written(t,
		`"t":1,"k":"start","process":"mcp-stdio-1","argv":["npx","-y","mcp-remote","u"]`,
		`"t":9,"k":"state","state":"failed","detail":"start: program \"npx\" not found","code":"start.notfound","hint":"it is not in any directory of PATH=/bin"`))
}
