package cause

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
)

// A fixture is a log and its expected causes.
type fixture struct {
	log      string   // in testdata
	causes   []string // all of them, likeliest first
	text     string   // contained in the text of the first
	try      string
	evidence string // contained in its row
}

// recorded are the recordings in testdata.
var recorded = []fixture{
	{log: "healthy"},
	{log: "healthy-legacy"},
	{log: "probe-restart"},
	{log: "slow-start"},
	{"not-found", []string{"not-found"}, `not started: program "no-such-server" not found`, "PATH=/usr/local/bin:/usr/bin:/bin", `"code":"start.notfound"`},
	{"not-executable", []string{"not-executable"}, "exec format error", "#!/bin/sh", `"code":"start.noexec"`},
	{"no-directory", []string{"no-directory"}, "/no/such/directory does not exist", "--cwd", `"code":"start.nodir"`},
	{"unreachable", []string{"unreachable"}, "start on nobody@127.0.0.1:1: connection refused", "nothing listens there", `"code":"net.refused"`},
	{"variable", []string{"variable"}, "the server exited with code 3 before it answered, after ", "add -e DEMO_API_KEY=VALUE", `"raw":"error: environment variable DEMO_API_KEY is not set"`},
	{"variable-left-out", []string{"variable"}, "DEMO_API_KEY is not set", "your shell has DEMO_API_KEY, but --env-policy client did not pass it", `"k":"stderr"`},
	{"command-missing", []string{"command-missing"}, "exited with code 127 before it answered", "compare its PATH", `exec: no-such-command: not found`},
	{"exited-early", []string{"exited-early", "stray"}, "exited with code 7 before it answered", "in a shell", `"raw":"err"`},
	{"crashed", []string{"crashed"}, "the server was killed by signal SEGV during echo", "no response will come", `"k":"exited"`},
	{"panics", []string{"crashed"}, "exited with code 2 during echo: panic: ", "", `"raw":"panic: `},
	{"ended", []string{"ended"}, "the server exited with code 0 by itself", "stdin is closed", `"k":"exited"`},
	{"refused", []string{"refused"}, "the server refused initialize: error -32603, the database is locked", "--era", `"code":-32603`},
	{"version", []string{"version"}, `has protocol version "1999-01-01", which is not an MCP revision; requested: 2025-11-25`, "the requested version", `"protocolVersion":"1999-01-01"`},
	{"lsp-headers", []string{"lsp-headers"}, "frames messages with Content-Length headers", "no headers", `"raw":"Content-Length: `},
	{"multi-line", []string{"multi-line"}, "13 lines on stdout form one JSON value", "without indentation", `"raw":"{"`},
	{"bom", []string{"bom"}, "a line on stdout begins with a byte order mark", "without one", `"why":"not-json,bom"`},
	{"utf8", []string{"utf8"}, "a line on stdout is not UTF-8", "PYTHONUTF8=1", `"why":"not-json,utf8"`},
	{"nul", []string{"nul"}, "a line on stdout contains NUL bytes", "UTF-16", `"why":"not-json,nul`},
	{"too-deep", []string{"too-deep"}, "nested too deep", "", `too-deep`},
	{"too-long", []string{"too-long"}, "longer than the limit", "", `"more":true`},
	{"no-newline", []string{"no-newline"}, "1000 bytes on stdout without a newline", "must end with one", `"k":"waiting"`},
	{"id-type", []string{"wrong-id"}, `a response has the unknown id "1", and echo (id 1) has no response: do they belong together?`, "a number is not a string", `"id":"1"`},
	{"orphans", []string{"unknown-ids"}, `2 responses to unknown request ids, such as "orphan-1"`, "byte for byte", `"id":"orphan-1"`},
	{"duplicates", []string{"duplicates"}, "2 duplicate responses", "answer each request once", `"k":"stdout"`},
	{"batch", []string{"batch"}, "1 line on stdout is a JSON-RPC batch, which only revision 2025-03-26 supports", "its own line", `"why":"batch"`},
	{"held-pipe", []string{"held-pipe"}, "the streams stayed open for 2 s after the server's exit: a child process held them", "inherit", `"k":"exited"`},
	{"held-now", []string{"exited-early", "held-pipe"}, "exited with code 0 before it answered", "", `"k":"stderr"`},
	{"buffered", []string{"buffered-to-the-end"}, "responses came only when stdin was closed", "flushed", `"id":"mcpdbg-1","result"`},
	{"never-answers", []string{"handshake-timeout"}, "no response to initialize within 8 s, and no output on stdout", "is it a stdio server", `"method":"initialize"`},
	{"junk-only", []string{"only-text"}, "no response, but 3 lines of noise on stdout; first: Server listening on stdio", "print everything else to stderr", `"raw":"Server listening`},
	{"stray", []string{"stray"}, "4 lines of noise on stdout; first: Demo MCP Server v1.0", "print everything else to stderr", `"raw":"Demo MCP`},
	{"stubborn", []string{"stubborn"}, "the server ignored stdin EOF and SIGTERM; killed with SIGKILL", "", `"phase":"KILL"`},
	{"left-behind", []string{"left-behind"}, "the server leaked 1 child process (killed)", "", `"phase":"KILL"`},
	{log: "closes-stdout"}, // stopped soon after its call
	{log: "not-reading"},   // the same
	{"lost-output", []string{"lost-output", "exited-early"}, "12682534 bytes of output were dropped", "--overrun=drop", `"k":"gap"`},
}

func TestRecorded(t *testing.T) {
	for _, f := range recorded {
		t.Run(f.log, func(t *testing.T) { f.check(t, open(t, f.log)) })
	}
	files, err := filepath.Glob("testdata/*.jsonl")
	require.NoError(t, err)
	require.Len(t, recorded, len(files), "each log in testdata is a fixture")
}

func (f fixture) check(t *testing.T, src *recordings.Recording) {
	verdicts := now(src, nil)
	if f.causes == nil {
		require.Empty(t, verdicts)
		return
	}
	require.Equal(t, f.causes, ids(verdicts))
	require.Contains(t, verdicts[0].Text, f.text)
	require.Contains(t, verdicts[0].Advice, f.try)
	for _, v := range verdicts {
		require.NotEmpty(t, lineOf(t, src, v))
	}
	require.Contains(t, lineOf(t, src, verdicts[0]), f.evidence)
}

// Entries of the logs in byHand.
const (
	begin    = `"t":1000,"k":"start","process":"mcp-stdio-1","pid":7`
	ask      = `"t":2000,"k":"stdin","m":{"jsonrpc":"2.0","id":"mcpdbg-1","method":"initialize","params":{}}`
	answer   = `"t":3000,"k":"stdout","seq":1,"m":{"jsonrpc":"2.0","id":"mcpdbg-1","result":{"protocolVersion":"2025-11-25"}}`
	ready    = `"t":3100,"k":"state","state":"ready"`
	closed   = `"t":6001,"k":"closed","seq":3,"stdout":{},"stderr":{},"stdin":{}`
	callTool = `"t":4000,"k":"stdin","m":{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"dig"}}`
)

// byHand are logs that no demo server produces.
var byHand = []struct {
	fixture
	entries []string
}{
	{fixture{"start-timeout", []string{"start-timeout"}, "not started: start on build-7: cancelled", "", `"code":"start.cancelled"`},
		[]string{`"t":1,"k":"state","state":"starting"`, `"t":9,"k":"state","state":"failed","detail":"start on build-7: cancelled","code":"start.cancelled"`}},
	{fixture{"not-started", []string{"not-started"}, "not started: out of processes", "wait; it said: go away; now", `"state":"failed"`},
		[]string{`"t":9,"k":"state","state":"failed","detail":"out of processes","code":"start.failed","hint":"wait","said":"go away\nnow\n"`}},
	{fixture{"link-lost", []string{"link-lost"}, "connection to a:22 lost after 14s", "its guard", `"k":"failed"`},
		[]string{begin, ask, answer, ready, callTool, `"t":9000,"k":"failed","error":"connection to a:22 lost after 14s","code":"lost.keepalive","hint":"its guard","stdout":{},"stderr":{},"stdin":{}`, `"t":9001,"k":"state","state":"failed","detail":"the same"`}},
	{fixture{"lost", []string{"lost"}, "the server's exit status is unknown: no more", "", `"k":"failed"`},
		[]string{begin, `"t":9000,"k":"failed","error":"no more","stdout":{},"stderr":{},"stdin":{}`}},
	{fixture{"link-stalled", []string{"link-stalled"}, "no response from build-7 for 8 s", "requests wait", `"k":"link"`},
		[]string{`"t":1000,"k":"start","process":"mcp-stdio-1","host":"build-7"`, `"t":1000,"k":"link","state":"stalled"`, `"t":8001000,"k":"note","text":"later"`}},
	{fixture{"held by a child", []string{"held-pipe"}, "a child process held them", "", `"k":"exited"`},
		[]string{begin, ask, answer, ready, `"t":5000,"k":"state","state":"stopping"`, `"t":6000,"k":"exited","seq":2,"code":0,"by":"shutdown"`, `"t":4006001,"k":"closed","seq":3,"stdout":{},"stderr":{},"stdin":{}`}},
	{fixture{"held by startup files", []string{}, "", "", ""},
		[]string{begin, `"t":1001,"k":"note","text":"left 1 process","code":"run.leftover"`, ask, answer, ready, `"t":5000,"k":"state","state":"stopping"`, `"t":6000,"k":"exited","seq":2,"code":0,"by":"shutdown"`, `"t":4006001,"k":"closed","seq":3,"stdout":{},"stderr":{},"stdin":{}`}},
	{fixture{"survivors", []string{"survivors"}, "1 process could not be killed, such as pid 9 sleep", "", `"k":"proc"`},
		[]string{begin, `"t":9000,"k":"proc","survivors":true,"tree":[{"pid":9,"command":"sleep"}]`}},
	{fixture{"waits-for-you", []string{"waits-for-you"}, "the server waited 2 s for a response to sampling/createMessage (id 7)", "never answered", `"method":"sampling/createMessage"`},
		[]string{begin, ask, answer, ready, `"t":4000,"k":"stdout","seq":2,"m":{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage"}`, `"t":2004000,"k":"note","text":"later"`}},
	{fixture{"a response to a reused id", []string{}, "", "", ""},
		[]string{begin, ask, answer, ready, callTool, callTool, `"t":5000,"k":"stdout","seq":2,"m":{"jsonrpc":"2.0","id":2,"result":{}}`, `"t":5001,"k":"stdout","seq":3,"m":{"jsonrpc":"2.0","id":2,"result":{}}`}},
	{fixture{"exit after a late response", []string{"ended"}, "the server exited with code 0 by itself", "", `"k":"exited"`},
		[]string{begin, ask, answer, ready, callTool, `"t":5000,"k":"state","state":"timed-out","of":5,"id":2`, `"t":5001,"k":"stdout","seq":2,"m":{"jsonrpc":"2.0","id":2,"result":{}}`, `"t":6000,"k":"exited","seq":2,"code":0`, closed}},
	{fixture{"unknown ids in a batch", []string{"unknown-ids", "batch"}, "2 responses to unknown request ids", "", `"raw":"[`},
		[]string{begin, ask, answer, ready, `"t":5000,"k":"stdout","seq":2,"raw":"[{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{}},{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}]"`}},
	{fixture{"rounded id", []string{"wrong-id"}, "a response has the unknown id 9007199254740992", "floating-point", `9007199254740992`},
		[]string{begin, `"t":2000,"k":"stdin","m":{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, `"t":3000,"k":"stdout","seq":1,"m":{"jsonrpc":"2.0","id":9007199254740992,"result":{}}`}},
	{fixture{"no id", []string{"parse-error"}, "the server could not read 1 line: error -32700: what?", "", `"id":null`},
		[]string{begin, ask, answer, ready, `"t":5000,"k":"stdout","seq":2,"m":{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}`}},
	{fixture{"no id, of another error", []string{"unknown-ids"}, "1 response to an unknown request id, such as null", "", `"id":null`},
		[]string{begin, ask, answer, ready, `"t":5000,"k":"stdout","seq":2,"m":{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"internal"}}`}},
	{fixture{"no id, after a line that is not a message", []string{}, "", "", ""},
		[]string{begin, ask, answer, ready, `"t":4500,"k":"stdin","raw":"[]"`, `"t":5000,"k":"stdout","seq":2,"m":{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"empty"}}`}},
	{fixture{"an id before the request", []string{"unknown-ids"}, "such as 9", "", `"id":9`},
		[]string{begin, ask, answer, ready, `"t":3500,"k":"stdout","seq":2,"m":{"jsonrpc":"2.0","id":9,"result":{}}`, callTool}},
	{fixture{"the last of several", []string{"wrong-id"}, "a response has the unknown id 10", "", `"id":10`},
		[]string{begin, ask, answer, ready, `"t":3500,"k":"stdout","seq":2,"m":{"jsonrpc":"2.0","id":9,"result":{}}`, callTool, `"t":4500,"k":"stdout","seq":3,"m":{"jsonrpc":"2.0","id":10,"result":{}}`}},
	{fixture{"echo", []string{"echo"}, "the program sends back what it receives; is it an MCP server?", "terminal", `"k":"stdout"`},
		[]string{begin, ask, strings.Replace(strings.Replace(ask, "stdin", `stdout","seq":"1`, 1), `"seq":"1"`, `"seq":1`, 1), `"t":9000,"k":"closed","seq":2,"stdout":{},"stderr":{},"stdin":{}`}},
	{fixture{"a late answer to the probe", []string{}, "", "", ""},
		[]string{begin, `"t":2000,"k":"stdin","m":{"jsonrpc":"2.0","id":"mcpdbg-0","method":"server/discover"}`, strings.Replace(ask, "2000", "1502000", 1),
			`"t":3000000,"k":"stdout","seq":1,"m":{"jsonrpc":"2.0","id":"mcpdbg-0","result":{"supportedVersions":["2026-07-28"]}}`, `"t":3000100,"k":"state","state":"ready","era":"modern"`,
			`"t":3000200,"k":"stdout","seq":2,"m":{"jsonrpc":"2.0","id":"mcpdbg-1","error":{"code":-32022,"message":"no"}}`, `"t":99000000,"k":"note","text":"later"`}},
	{fixture{"two eras", []string{}, "", "", ""}, // a probe that a legacy server never answers
		[]string{begin, `"t":2000,"k":"stdin","m":{"jsonrpc":"2.0","id":"mcpdbg-0","method":"server/discover"}`, `"t":1502000,"k":"state","state":"timed-out","of":2,"id":"mcpdbg-0"`,
			strings.Replace(ask, "2000", "1502000", 1), strings.Replace(answer, "3000", "1503000", 1), strings.Replace(ready, "3100", "1503100", 1), `"t":99000000,"k":"note","text":"later"`}},
	{fixture{"timed out", []string{"unanswered"}, "no response to dig (id 2): timed out", "", `"id":2`},
		[]string{begin, ask, answer, ready, callTool, `"t":5000,"k":"state","state":"timed-out","of":5,"id":2`}},
	{fixture{"timed out, then works again", []string{}, "", "", ""},
		[]string{begin, ask, answer, ready, callTool, `"t":5000,"k":"state","state":"timed-out","of":5,"id":2`,
			`"t":6000,"k":"stdin","m":{"jsonrpc":"2.0","id":3,"method":"ping"}`, `"t":7000,"k":"stdout","seq":2,"m":{"jsonrpc":"2.0","id":3,"result":{}}`}},
	{fixture{"not answered, unlike a later one", []string{"never-answered"}, "1 call was never answered: dig (request id 2)", "compare", `"id":2`},
		[]string{begin, ask, answer, ready, callTool, `"t":6000,"k":"stdin","m":{"jsonrpc":"2.0","id":3,"method":"ping"}`, `"t":2000000,"k":"stdout","seq":2,"m":{"jsonrpc":"2.0","id":3,"result":{}}`}},
	{fixture{"not answered, and one sent late", []string{"never-answered"}, "1 call was never answered: dig (request id 2) (and 1 sent too late to tell)", "compare", `"id":2`},
		[]string{begin, ask, answer, ready, callTool, `"t":6000,"k":"stdin","m":{"jsonrpc":"2.0","id":3,"method":"ping"}`, `"t":2000000,"k":"stdout","seq":2,"m":{"jsonrpc":"2.0","id":3,"result":{}}`,
			`"t":2001000,"k":"stdin","m":{"jsonrpc":"2.0","id":4,"method":"ping"}`}},
	{fixture{"killed by a person", []string{}, "", "", ""},
		[]string{begin, ask, answer, ready, callTool, `"t":5000,"k":"act","act":"kill"`, `"t":6000,"k":"exited","seq":2,"signal":"KILL"`, `"t":6001,"k":"closed","seq":3,"stdout":{},"stderr":{},"stdin":{}`}},
	{fixture{"killed alone by a person", []string{}, "", "", ""},
		[]string{begin, ask, answer, ready, callTool, `"t":6000,"k":"exited","seq":2,"signal":"KILL"`, `"t":6001,"k":"act","act":"kill-one","detail":"7 server"`, `"t":6001,"k":"closed","seq":3,"stdout":{},"stderr":{},"stdin":{}`}},
	{fixture{"a child killed by a person", []string{"crashed"}, "during dig", "", `"k":"exited"`},
		[]string{begin, ask, answer, ready, callTool, `"t":5000,"k":"act","act":"kill-one","detail":"77 child"`, `"t":6000,"k":"exited","seq":2,"signal":"PIPE"`, `"t":6001,"k":"closed","seq":3,"stdout":{},"stderr":{},"stdin":{}`}},
	{fixture{"killed with its children", []string{}, "", "", ""},
		[]string{begin, ask, answer, ready, `"t":5000,"k":"act","act":"kill"`, `"t":6000,"k":"exited","seq":2,"signal":"KILL"`,
			`"t":7000,"k":"phase","phase":"KILL","detail":"2 killed","took_us":1500`, `"t":7001,"k":"closed","seq":3,"stdout":{},"stderr":{},"stdin":{}`}},
	{fixture{"ended by the lease", []string{"ended-from-outside"}, "the server was ended by the guard: no contact for 10 s (lease 10 s), after 5 ms", "--ssh-lease", `"k":"exited"`},
		[]string{begin, ask, answer, ready, callTool, `"t":6000,"k":"exited","seq":2,"signal":"TERM","by":"lease","why":"no contact for 10 s (lease 10 s)"`, closed}},
	{fixture{"ended with the watchdog", []string{"ended-from-outside"}, "the server was ended with the watchdog: killed from outside", "mcp-watchdog", `"k":"exited"`},
		[]string{begin, ask, answer, ready, `"t":6000,"k":"exited","seq":2,"signal":"KILL","by":"watchdog"`, closed}},
	{fixture{"the client of an engine ended", []string{"ended-from-outside"}, "the server can no longer be reached (docker ended with 0; how the server ended: cannot tell), after 5 ms", "the server may still run", `"k":"exited"`},
		[]string{begin, ask, answer, ready, callTool, `"t":6000,"k":"exited","seq":2,"why":"docker ended with 0; how the server ended: cannot tell"`, closed}},
	{fixture{"the client of an engine ended early", []string{"exited-early"}, "the server can no longer be reached (docker ended with 1; how the server ended: cannot tell) before it answered", "", `"k":"exited"`},
		[]string{begin, ask, `"t":6000,"k":"exited","seq":2,"why":"docker ended with 1; how the server ended: cannot tell"`, closed}},
	{fixture{"killed in a call, sender unknown", []string{"crashed"}, "killed by signal KILL that mcpdbg did not send (sender unknown) during dig", "OOM killer", `"k":"exited"`},
		[]string{begin, ask, answer, ready, callTool, `"t":6000,"k":"exited","seq":2,"signal":"KILL","by":"signal"`, closed}},
	{fixture{"crashed in the shutdown", []string{"ended"}, "the server was killed by signal SEGV by itself", "", `"k":"exited"`},
		[]string{begin, ask, answer, ready, `"t":5000,"k":"state","state":"stopping"`, `"t":6000,"k":"exited","seq":2,"signal":"SEGV","by":"server"`, closed}},
	{fixture{"ended by the shutdown", []string{}, "", "", ""},
		[]string{begin, ask, answer, ready, callTool, `"t":6000,"k":"exited","seq":2,"code":1,"by":"shutdown"`, closed}},
	{fixture{"ended on request", []string{}, "", "", ""},
		[]string{begin, ask, answer, ready, callTool, `"t":6000,"k":"exited","seq":2,"signal":"TERM","by":"person"`, closed}},
	{fixture{"lines cut by lost output", []string{"lost-output"}, "900 bytes of output were dropped", "--overrun=drop", `"k":"gap"`},
		[]string{begin, ask, answer, ready, `"t":3500,"k":"stdout","seq":2,"eol":"","raw":"{\"jsonrpc\":"`, `"t":3500,"k":"stderr","seq":2,"raw":"x"`,
			`"t":3500,"k":"gap","from":3,"to":9,"bytes":900,"streams":["stdout","stderr"]`, `"t":3501,"k":"stdout","seq":10,"raw":"ult\":{}}"`, callTool}},
	{fixture{"a line that lost output did not cut", []string{"lost-output", "stray"}, "900 bytes", "", `"k":"gap"`},
		[]string{begin, ask, answer, ready, `"t":4000,"k":"gap","from":3,"to":9,"bytes":900,"streams":["stdout"]`,
			`"t":4001,"k":"stdout","seq":10,"raw":"ult\":{}}"`, `"t":4001,"k":"stdout","seq":10,"raw":"hello"`}},
	{fixture{"before any process", []string{}, "", "", ""}, []string{`"t":1,"k":"stdout","seq":1,"raw":"hello"`}},
	{fixture{"ended by us at the timeout", []string{"handshake-timeout"}, "no response to initialize within 3 s", "", "initialize"},
		[]string{begin, ask, `"t":3002000,"k":"state","state":"timed-out","of":2,"id":"mcpdbg-1"`, `"t":3003000,"k":"exited","seq":2,"code":0`}},
	{fixture{"an unanswered probe, and an unknown id", []string{"unknown-ids"}, "such as 9", "", `"id":9`},
		[]string{begin, `"t":2000,"k":"stdin","m":{"jsonrpc":"2.0","id":"mcpdbg-0","method":"server/discover"}`, `"t":1502000,"k":"state","state":"timed-out","of":2,"id":"mcpdbg-0"`,
			strings.Replace(ask, "2000", "1502000", 1), strings.Replace(answer, "3000", "1503000", 1), strings.Replace(ready, "3100", "1503100", 1),
			`"t":1600000,"k":"stdout","seq":2,"m":{"jsonrpc":"2.0","id":9,"result":{}}`}},
	{fixture{"a refused probe", []string{}, "", "", ""},
		[]string{begin, `"t":2000,"k":"stdin","m":{"jsonrpc":"2.0","id":"mcpdbg-0","method":"server/discover"}`,
			`"t":2100,"k":"stdout","seq":1,"m":{"jsonrpc":"2.0","id":"mcpdbg-0","error":{"code":-32601,"message":"what?"}}`, strings.Replace(ask, "2000", "2200", 1)}},
	{fixture{"started again", []string{}, "", "", ""},
		[]string{begin, ask, `"t":6000,"k":"exited","seq":2,"code":1`, `"t":6001,"k":"closed","seq":3,"stdout":{},"stderr":{},"stdin":{}`, `"t":7000,"k":"state","state":"starting"`}},
}

func TestByHand(t *testing.T) {
	for _, f := range byHand {
		t.Run(f.log, func(t *testing.T) {
			if len(f.causes) == 0 {
				f.causes = nil
			}
			f.check(t, written(t, f.entries...))
		})
	}
}

// running are moments of running sessions, with their Live state. Each replays a
// recording up to a row; then time passes.
var running = []struct {
	fixture
	entries []string // instead of a recorded log
	until   string
	after   int64 // microseconds since that row
	live    Live
}{
	{fixture: fixture{"not-reading", []string{"not-reading"}, "the server does not read stdin: 65536 bytes unread for 3 s", "blocked in a call", `"method":"tools/call"`},
		until: `"method":"tools/call"`, after: 3_000_000, live: Live{Unwritten: 65536, UnwrittenSince: -3_000_000}},
	{fixture: fixture{log: "not-reading"}, until: `"method":"tools/call"`, after: 500_000, live: Live{Unwritten: 65536, UnwrittenSince: -500_000}},
	{fixture: fixture{"buffered", []string{"buffered"}, "no response: the server is running, but wrote 0 bytes in 6 s", "flushed", `"method":"server/discover"`},
		until: `"method":"initialize"`, after: 5_000_000},
	{fixture: fixture{log: "buffered"}, until: `"method":"initialize"`, after: 1_000_000},
	{fixture: fixture{"healthy", []string{"fetching"}, "no output on stdout for 6 s: npx may still be downloading or building the server", "run the command once by hand", `"id":"mcpdbg-1"`},
		entries: []string{`"t":1000,"k":"start","process":"mcp-stdio-1","pid":7,"argv":["npx","-y","server"]`, ask}, until: "initialize", after: 6_000_000},
	{fixture: fixture{log: "healthy"}, // npx has had little time
		entries: []string{`"t":1000,"k":"start","process":"mcp-stdio-1","pid":7,"argv":["npx","-y","server"]`, ask}, until: "initialize", after: 4_000_000},
	{fixture: fixture{"closes-stdout", []string{"unanswered"}, "no response to echo (id 1) for 12 s; the server is running, last stdout line 12 s ago, last stderr line 12 s ago", "", `"method":"tools/call"`},
		until: "closing stdout", after: 12_100_000},
	{fixture: fixture{"healthy", []string{"link-stalled"}, "the connection to build-7 was lost 12 s ago: the state of the server is unknown", "until it is restored", `"recovering"`},
		entries: []string{`"t":1000,"k":"start","process":"mcp-stdio-1","pid":7,"argv":["srv"],"host":"build-7"`, ask, `"t":3000,"k":"link","state":"recovering"`},
		until:   "recovering", after: 12_000_000},
	{fixture: fixture{"held-pipe", []string{"held-pipe"}, "the server exited with code 0, but its streams are still open after 2 s: a child process holds them", "kill the remaining", `"k":"exited"`},
		until: `"k":"exited"`, after: 2_000_000},
	{fixture: fixture{"lsp-headers", []string{"lsp-headers"}, "frames messages", "", "Content-Length"}, until: "Content-Length"},
	{fixture: fixture{"no-newline", []string{"no-newline"}, "1000 bytes on stdout without a newline, for 3 s", "", `"k":"waiting"`},
		until: `"k":"waiting"`, after: 2_000_000},
	{fixture: fixture{"healthy", []string{"waits-for-you"}, "waiting for your response for 12 s: elicitation/create and 1 more", "answer the request", `"n":4,`},
		until: `"state":"ready"`, live: Live{ServerRequests: []ServerRequest{{Method: "elicitation/create", N: 4, Since: -12_000_000}, {Method: "ping"}}}},
	{fixture: fixture{"silent", []string{"silent"}, "no response for 6 s: the server is running, but writes only to stderr: npm error network ECONNREFUSED", "set in your shell but not passed to it: HTTPS_PROXY", `ECONNREFUSED`},
		entries: []string{begin, `"t":1000,"k":"env","policy":"client","left_out":["EDITOR","HTTPS_PROXY"]`, ask, `"t":3000000,"k":"stderr","seq":1,"raw":"npm error network ECONNREFUSED"`},
		until:   "ECONNREFUSED", after: 3_100_000},
	{fixture: fixture{"healthy", []string{"held"}, "nothing is lost", "", ""}, until: `"state":"ready"`, live: Live{OutputPaused: true}},
	{fixture: fixture{log: "healthy"}, until: `"state":"ready"`, after: 3_600_000_000},
}

func TestRunning(t *testing.T) {
	for _, f := range running {
		t.Run(f.log+f.until, func(t *testing.T) {
			g := &growing{}
			if f.entries == nil {
				g.Recording = open(t, f.log)
			} else {
				g.Recording = written(t, f.entries...)
			}
			g.until(t, f.until)
			tracker := New(g)
			for tracker.Advance(3) {
			}
			live := f.live
			live.Now = tracker.facts.last + f.after
			live.UnwrittenSince += live.Now
			live.ServerRequests = slices.Clone(live.ServerRequests)
			for i := range live.ServerRequests {
				live.ServerRequests[i].Since += live.Now
			}
			verdicts := tracker.Now(&live)
			require.Equal(t, append([]string{}, f.causes...), ids(verdicts))
			if len(verdicts) == 0 {
				return
			}
			require.Contains(t, verdicts[0].Text, f.text)
			require.Contains(t, verdicts[0].Advice, f.try)
			if verdicts[0].Row >= 0 {
				require.Contains(t, lineOf(t, g, verdicts[0]), f.evidence)
			}
		})
	}
}

// TestNothingIsLostNeverStandsBesideAGap checks the cause of a server that has to
// wait after some of its output was dropped.
func TestNothingIsLostNeverStandsBesideAGap(t *testing.T) {
	for name, lost := range map[string]bool{"healthy": false, "lost-output": true} {
		g := &growing{Recording: open(t, name)}
		g.until(t, map[bool]string{false: `"state":"ready"`, true: `"k":"gap"`}[lost])
		tracker := New(g)
		for tracker.Advance(3) {
		}
		texts := ""
		for _, v := range tracker.Now(&Live{OutputPaused: true, Now: tracker.facts.last}) {
			texts += v.Text + "\n"
		}
		require.Contains(t, texts, "so it has to wait")
		require.Equal(t, !lost, strings.Contains(texts, "nothing is lost"), texts)
	}
}

// TestEachCauseHasAFixture checks that at least one log shows each cause.
func TestEachCauseHasAFixture(t *testing.T) {
	shown := []string{"not-recorded"} // see TestNotRecorded: no entry records it
	for _, f := range recorded {
		shown = append(shown, f.causes...)
	}
	for _, f := range byHand {
		shown = append(shown, f.causes...)
	}
	for _, f := range running {
		shown = append(shown, f.causes...)
	}
	shown = append(shown, "bridge") // see TestBridgeFailures
	seen := map[string]bool{}
	for _, c := range causes {
		require.Contains(t, shown, c.id)
		require.False(t, seen[c.id], "duplicate cause %s", c.id)
		for _, other := range c.unless {
			require.True(t, seen[other], "%s excludes %s, which is not an earlier cause", c.id, other)
		}
		seen[c.id] = true
	}
}

// TestBrief checks that the short text quotes no line and names the request without a
// response, and that an inference is marked.
func TestBrief(t *testing.T) {
	early := Find(t.Context(), open(t, "exited-early"))[0]
	require.Regexp(t, `^the server exited with code \d+ before it answered [a-z/]+$`, early.Brief)
	require.False(t, early.Probable)
	stray := Find(t.Context(), open(t, "stray"))[0]
	require.True(t, strings.HasPrefix(stray.Text, strings.TrimSuffix(stray.Brief, "s")))
	require.NotContains(t, stray.Brief, ": ")
	wrong := Find(t.Context(), open(t, "id-type"))[0]
	require.True(t, wrong.Probable)
	require.Contains(t, wrong.Brief, "belongs to")
}
