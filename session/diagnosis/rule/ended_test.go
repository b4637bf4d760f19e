package rule

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/session/diagnosis"
)

// checkLog returns the problems of a log of the given entries. Those that lack n get
// consecutive numbers.
func checkLog(t *testing.T, entries ...string) []string {
	t.Helper()
	var found []string
	for _, f := range problemsOf(t, entries...) {
		found = append(found, fmt.Sprintf("%s %s n=%d %s", f.Severity.Letter(), f.Rule.ID, f.N, f.Detail))
	}
	return found
}

// problemsOf is checkLog with all that is known of the problems.
func problemsOf(t *testing.T, entries ...string) []diagnosis.Problem {
	t.Helper()
	var b strings.Builder
	b.WriteString(header)
	for i, e := range entries {
		if !strings.HasPrefix(e, `"n":`) {
			e = fmt.Sprintf(`"n":%d,%s`, i+1, e)
		}
		b.WriteString("{" + e + "}\n")
	}
	path := filepath.Join(t.TempDir(), "log.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
	rec, err := recordings.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rec.Close()) })
	require.Zero(t, rec.Warnings())
	return Check(t.Context(), rec).Problems()
}

const (
	startEntry  = `"t":0,"k":"start","process":"mcp-stdio-1","pid":7`
	callEntry   = `"t":1000,"k":"stdin","m":{"jsonrpc":"2.0","id":1,"method":"tools/call"}`
	closedEntry = `"t":9000,"k":"closed","seq":9,"stdout":{},"stderr":{},"stdin":{}`
)

// TestStreamsOfStartupFilesAreNotTheServers checks that streams which startup
// files share with the server are not held against it.
func TestStreamsOfStartupFilesAreNotTheServers(t *testing.T) {
	const (
		leftover = `"t":100,"k":"note","text":"left 1 process","code":"run.leftover"`
		stopping = `"t":1500,"k":"state","state":"stopping"`
		exited   = `"t":2000,"k":"exited","seq":8,"code":0,"by":"shutdown"`
		late     = `"t":3000000,"k":"stderr","seq":9,"raw":"still here"`
		closed   = `"t":4000000,"k":"closed","seq":10,"stdout":{},"stderr":{},"stdin":{}`
	)
	require.Contains(t, strings.Join(checkLog(t, startEntry, stopping, exited, late, closed), "\n"), "PRC06")
	require.Empty(t, checkLog(t, startEntry, leftover, stopping, exited, late, closed))
}

// TestExitRulesDependOnWhoEndedTheServer checks that a server is only blamed for what
// it did itself.
func TestExitRulesDependOnWhoEndedTheServer(t *testing.T) {
	const (
		stopping = `"t":1500,"k":"state","state":"stopping"`
		eof      = `"t":2100,"k":"phase","phase":"close-stdin","took_us":600`
	)
	exited := func(members string) string { return `"t":2000,"k":"exited","seq":8,` + members }
	for _, tc := range []struct {
		name    string
		entries []string
		want    []string
	}{
		{"crash in a call", []string{exited(`"signal":"SEGV","by":"server"`)}, []string{
			"E PRC03 n=3 signal SEGV (crash)", "E PRC04 n=3 1 request, first: tools/call in entry 2", "E RPC19 n=2 tools/call: the server exited: signal SEGV (crash)"}},
		{"crash in a call, and then a shutdown", []string{exited(`"code":2,"by":"server"`), eof}, []string{
			"E PRC03 n=3 exit code 2", "E PRC04 n=3 1 request, first: tools/call in entry 2", "E RPC19 n=2 tools/call: the server exited: exit code 2"}},
		{"crash in the shutdown", []string{stopping, exited(`"signal":"SEGV","by":"server"`), eof}, []string{
			"E PRC03 n=4 signal SEGV (crash)", "E PRC04 n=4 1 request, first: tools/call in entry 2", "E RPC19 n=2 tools/call: the server exited: signal SEGV (crash)"}},
		{"signal from elsewhere", []string{exited(`"signal":"KILL","by":"signal"`)}, []string{
			"E PRC03 n=3 killed by signal KILL that mcpdbg did not send (sender unknown)"}},
		{"lease", []string{exited(`"signal":"TERM","by":"lease","why":"no contact for 10 s (lease 10 s)"`)}, nil},
		{"guard", []string{exited(`"signal":"KILL","by":"guard"`)}, nil},
		{"watchdog", []string{exited(`"signal":"KILL","by":"watchdog"`)}, nil},
		{"on request", []string{exited(`"signal":"KILL","by":"person"`)}, nil},
		{"shutdown", []string{stopping, exited(`"code":0,"by":"shutdown"`), eof}, []string{"I PRC08 n=4 1 request, first: tools/call in entry 2"}},
		{"failure in the shutdown", []string{stopping, exited(`"code":3,"by":"shutdown"`), eof}, []string{
			"W PRC02 n=4 exit code 3 (shutdown sequence)", "I PRC08 n=4 1 request, first: tools/call in entry 2"}},
		{"unknown", []string{exited(`"core":false`)}, nil},
		{"older recording: crash", []string{exited(`"signal":"SEGV"`), eof}, []string{
			"E PRC03 n=3 signal SEGV (crash)", "E PRC04 n=3 1 request, first: tools/call in entry 2", "E RPC19 n=2 tools/call: the server exited: signal SEGV (crash)"}},
		{"older recording: shutdown", []string{stopping, exited(`"code":0`), eof}, []string{"I PRC08 n=4 1 request, first: tools/call in entry 2"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.want, checkLog(t, append(append([]string{startEntry, callEntry}, tc.entries...), closedEntry)...))
		})
	}
}

// A signal that could not be sent is not reported as ignored.
func TestUndeliveredSignalIsNotReported(t *testing.T) {
	const term = `"t":4000000,"k":"phase","phase":"TERM","detail":"still running after 2s","took_us":2000000`
	require.Equal(t, []string{"W PRC05 n=2 still running 2 s after SIGTERM"}, checkLog(t, startEntry, term))
	require.Empty(t, checkLog(t, startEntry, term+`,"error":"send TERM: the server does not deliver signals here"`))
}

// TestLostOutputIsNotAProblem checks that lines truncated by lost output, and
// responses that may be in it, are not reported.
func TestLostOutputIsNotAProblem(t *testing.T) {
	const (
		gap       = `"t":2000,"k":"gap","from":3,"to":9,"bytes":900,"streams":["stdout"]`
		stderrGap = `"t":2000,"k":"gap","from":3,"to":9,"bytes":900,"streams":["stderr"]`
		head      = `"t":1900,"k":"stdout","seq":2,"eol":"","raw":"{\"jsonrpc\":"`
		whole     = `"t":1900,"k":"stdout","seq":2,"eol":"","m":{"jsonrpc":"2.0","method":"x"}`
		stderr    = `"t":1950,"k":"stderr","seq":2,"eol":"","raw":"w"`
		tail      = `"t":2100,"k":"stdout","seq":10,"raw":"ult\":{}}"`
		number    = `"t":2100,"k":"stdout","seq":10,"raw":"5"`
		noise     = `"t":2200,"k":"stdout","seq":10,"raw":"noise"`
		message   = `"t":2100,"k":"stdout","seq":10,"m":{"jsonrpc":"2.0","method":"notifications/x"}`
		part      = `"t":2100,"k":"stdout","seq":10,"more":true,"eol":"","raw":"part"`
		crashed   = `"t":8000,"k":"exited","seq":8,"signal":"SEGV","by":"server"`
	)
	for _, tc := range []struct {
		name    string
		entries []string
		want    []string
	}{
		{"before", []string{head, gap}, nil},
		{"before, with stderr between", []string{head, stderr, gap}, nil},
		{"before, with a write between", []string{head, `"t":1950,"k":"stdin","m":{"jsonrpc":"2.0","method":"notifications/cancelled"}`, gap}, nil},
		{"a whole message before", []string{whole, gap}, nil},
		{"the stream ends there", []string{head, closedEntry}, []string{`E FRM08 n=3 the line is cut short: "{"jsonrpc":"`}},
		{"behind", []string{gap, tail}, nil},
		{"behind, JSON", []string{gap, number}, nil},
		{"behind, in parts", []string{gap, part, tail, noise}, []string{`E FRM01 n=6 "noise"`}},
		{"behind that", []string{gap, tail, noise}, []string{`E FRM01 n=5 "noise"`}},
		{"behind a message", []string{gap, message, noise}, []string{`E FRM01 n=5 "noise"`}},
		{"of stderr", []string{stderrGap, noise}, []string{`E FRM01 n=4 "noise"`}},
		{"answers", []string{gap, crashed, closedEntry}, []string{"E PRC03 n=4 signal SEGV (crash)"}},
		{"later answers", []string{gap, strings.NewReplacer("1000", "3000", `"id":1`, `"id":2`).Replace(callEntry), crashed, closedEntry}, []string{
			"E PRC03 n=5 signal SEGV (crash)", "E PRC04 n=5 1 request, first: tools/call in entry 4", "E RPC19 n=4 tools/call: the server exited: signal SEGV (crash)"}},
		{"answers that come all the same", []string{gap, `"t":3000,"k":"stdout","seq":10,"m":{"jsonrpc":"2.0","id":1,"result":{}}`}, nil},
		{"timeouts", []string{gap, `"t":90000000,"k":"note","text":"later"`}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.want, checkLog(t, append([]string{startEntry, callEntry}, tc.entries...)...))
		})
	}
}

// TestEndOfAProcessSettlesItsRequests checks that no request is reported as unanswered
// after its process has ended, by a person or by itself.
func TestEndOfAProcessSettlesItsRequests(t *testing.T) {
	const (
		asked   = `"t":1200,"k":"stdout","seq":2,"m":{"jsonrpc":"2.0","id":"r","method":"roots/list"}`
		later   = `"t":90000000,"k":"note","text":"later"`
		restart = `"t":90000000,"k":"start","process":"mcp-stdio-2","pid":8`
		lost    = `"t":2000,"k":"failed","error":"connection lost"`
	)
	exited := func(members string) []string {
		return []string{`"t":2000,"k":"exited","seq":8,` + members, closedEntry}
	}
	for _, tc := range []struct {
		name    string
		entries []string
		want    []string
	}{
		{"it lives", nil, []string{"I SRV08 n=3 no response after 60 s"}},
		{"crash", exited(`"signal":"SEGV","by":"server"`), []string{
			"E PRC03 n=4 signal SEGV (crash)", "E PRC04 n=4 1 request, first: tools/call in entry 2", "E RPC19 n=2 tools/call: the server exited: signal SEGV (crash)"}},
		{"ended by a person", exited(`"signal":"KILL","by":"person"`), nil},
		{"ended by the guard", exited(`"signal":"TERM","by":"lease"`), nil},
		{"connection lost", []string{lost}, nil},
	} {
		for _, next := range []string{later, restart} {
			t.Run(tc.name, func(t *testing.T) {
				entries := append([]string{startEntry, callEntry, asked}, tc.entries...)
				require.Equal(t, tc.want, checkLog(t, append(entries, next)...))
			})
		}
	}
}

// TestDuplicateResponseToALongRequest checks that the second response to a request that
// is too long to be checked is a duplicate, and not one to an unknown id.
func TestDuplicateResponseToALongRequest(t *testing.T) {
	long := `"t":1000,"k":"stdin","m":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + strings.Repeat("x", maxLine) + `"}}`
	response := func(id string) string {
		return `"t":2000,"k":"stdout","seq":2,"m":{"jsonrpc":"2.0","id":` + id + `,"result":{}}`
	}
	require.Equal(t, "E RPC08 n=4 id 1", checkLog(t, startEntry, long, response("1"), response("1"))[0])
	require.Equal(t, "E RPC07 n=4 id 2", checkLog(t, startEntry, long, response("1"), response("2"))[0])
}

// TestProblemsOfReplacedProcess checks that a process that was ended for one of the
// other era is not blamed for the requests that it left, nor for how it ended.
func TestProblemsOfReplacedProcess(t *testing.T) {
	const (
		discover   = `"t":1000,"k":"stdin","m":{"jsonrpc":"2.0","id":1,"method":"server/discover"}`
		initialize = `"t":2000,"k":"stdin","m":{"jsonrpc":"2.0","id":2,"method":"initialize"}`
		discovered = `"t":9000000,"k":"stdout","seq":1,"m":{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"]}}`
		named      = `"t":9000000,"k":"stdout","seq":1,"m":{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"],"requested":"x"}}}`
		replaced   = `"t":9000100,"k":"note","text":"the server also speaks 2026-07-28","code":"start.again"`
		other      = `"t":9000100,"k":"note","text":"something else"`
		died       = `"t":9500000,"k":"exited","seq":2,"code":3,"by":"server"`
		eof        = `"t":11000200,"k":"phase","phase":"close-stdin","took_us":2000000`
		term       = `"t":13000300,"k":"phase","phase":"TERM","took_us":2000000`
		killed     = `"t":13000400,"k":"exited","seq":2,"signal":"KILL","by":"shutdown"`
		failed     = `"t":11000100,"k":"exited","seq":2,"code":3,"by":"shutdown"`
		closed     = `"t":14000000,"k":"closed","seq":9,"stdout":{},"stderr":{},"stdin":{}`
	)
	for _, c := range []struct {
		name    string
		entries []string
		want    []string // beginnings
	}{
		{"needs a kill", []string{discover, initialize, discovered, replaced, eof, term, killed, closed}, []string{"I PRC09 n=4", "I PRC01 n=6", "I PRC05 n=7"}},
		{"the same, not replaced", []string{discover, initialize, discovered, other, eof, term, killed, closed}, []string{"I PRC09 n=4", "W PRC01 n=6", "W PRC05 n=7"}},
		{"exits with a code", []string{discover, initialize, discovered, replaced, failed, closed}, []string{"I PRC09 n=4", "I PRC02 n=6"}},
		{"the same, not replaced", []string{discover, initialize, discovered, other, failed, eof, closed}, []string{"I PRC09 n=4", "W PRC02 n=6"}},
		{"dies after a DiscoverResult", []string{discover, initialize, discovered, died, closed}, []string{"I PRC09 n=4", "E PRC03 n=5"}},
		{"dies after -32022", []string{discover, initialize, named, died, closed}, []string{"I PRC09 n=4", "E PRC03 n=5"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := checkLog(t, append([]string{startEntry}, c.entries...)...)
			var kept []string
			for _, f := range found {
				if strings.Contains(f, " PRC0") && !strings.Contains(f, " PRC06 ") || strings.Contains(f, " RPC19 ") {
					kept = append(kept, f)
				}
			}
			require.Len(t, kept, len(c.want), "%q", kept)
			for i, want := range c.want {
				require.True(t, strings.HasPrefix(kept[i], want), "%q, not %s", kept, want)
			}
		})
	}
}

// TestUnreadableResponseIsAResponse checks that a request is not reported as unanswered
// if its response is too long to be read.
func TestUnreadableResponseIsAResponse(t *testing.T) {
	const (
		begin = `"t":2000,"k":"stdout","seq":2,"eol":"","more":true,"why":"too-long","raw":"{\"id\":1,\"result\":\""`
		lost  = `"t":2000,"k":"stdout","seq":2,"eol":"","more":true,"why":"too-long","raw":"{\"result\":\""`
		rest  = `"t":3000,"k":"stdout","seq":3,"why":"too-long","raw":"\"}"`
		later = `"t":90000000,"k":"note","text":"later"`
	)
	require.Empty(t, checkLog(t, startEntry, callEntry, begin, rest, later))
	require.Equal(t, []string{"W RPC19 n=2 tools/call id 1: no response after 60 s"}, checkLog(t, startEntry, callEntry, lost, rest, later))
	require.Empty(t, checkLog(t, startEntry, callEntry, begin, rest, `"t":8000,"k":"exited","seq":8,"code":0,"by":"server"`, closedEntry))
}

// TestCallsWaitForAnswersOfTheClient checks that a call is not late while the server waits
// for an answer, unless it asked before the call.
func TestCallsWaitForAnswersOfTheClient(t *testing.T) {
	const (
		asks  = `"k":"stdout","seq":2,"m":{"jsonrpc":"2.0","id":"q","method":"roots/list"}`
		later = `"t":90000000,"k":"note","text":"later"`
	)
	late := "W RPC19 n=3 tools/call id 1: no response after 60 s"
	require.Contains(t, checkLog(t, startEntry, `"t":500,`+asks, callEntry, later), late)
	require.NotContains(t, strings.Join(checkLog(t, startEntry, callEntry, `"t":2000,`+asks, later), "\n"), "tools/call id 1: no response")
}

// TestMissingEntriesAreNotAProblem checks that nothing is concluded from the absence of
// messages that may be in a missing part of the recording.
func TestMissingEntriesAreNotAProblem(t *testing.T) {
	const (
		stopping = `"n":100,"t":1500,"k":"state","state":"stopping"`
		exited   = `"n":101,"t":2000,"k":"exited","seq":8,"code":0,"by":"shutdown"`
		closed   = `"n":102,"t":9000,"k":"closed","seq":9,"stdout":{},"stderr":{},"stdin":{}`
		response = `"n":100,"t":1500,"k":"stdout","seq":4,"m":{"jsonrpc":"2.0","id":9,"result":{}}`
	)
	const part = `"t":1200,"k":"part","next":2`
	require.Empty(t, checkLog(t, startEntry, callEntry, part, stopping, exited, closed))
	require.Empty(t, checkLog(t, startEntry, callEntry, part, response), "its request may be missing")
	whole := strings.NewReplacer(`"n":100`, `"n":4`, `"n":101`, `"n":5`, `"n":102`, `"n":6`)
	require.Equal(t, []string{"I PRC08 n=5 1 request, first: tools/call in entry 2"},
		checkLog(t, startEntry, callEntry, part, whole.Replace(stopping), whole.Replace(exited), whole.Replace(closed)))
}

// TestTimeoutBeforeTheEndIsNoConsequence checks that only the requests that an exit left
// unanswered may follow from its cause, not one whose timeout had expired before.
func TestTimeoutBeforeTheEndIsNoConsequence(t *testing.T) {
	var got []string
	for _, p := range problemsOf(t, startEntry, callEntry,
		`"t":2000,"k":"state","state":"timed-out","id":1,"of":2`,
		`"t":3000,"k":"stdin","m":{"jsonrpc":"2.0","id":2,"method":"tools/call"}`,
		`"t":8000,"k":"exited","seq":8,"code":3,"by":"server"`, closedEntry) {
		got = append(got, fmt.Sprintf("%s n=%d %v", p.Rule.ID, p.N, p.MayFollow()))
	}
	require.Equal(t, []string{"RPC19 n=2 false", "PRC03 n=5 true", "PRC04 n=5 true", "RPC19 n=4 true"}, got)
}

// TestPairing checks the rules about ids against the pairs of the log.
func TestPairing(t *testing.T) {
	request := func(id string) string {
		return `"t":1500,"k":"stdin","m":{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`
	}
	response := func(id string) string {
		return `"t":1600,"k":"stdout","seq":3,"m":{"jsonrpc":"2.0","id":` + id + `,"result":{}}`
	}
	const exited = `"t":8000,"k":"exited","seq":8,"code":0,"by":"server"`
	for name, tc := range map[string]struct{ lines, want []string }{
		"escapes":                            {[]string{request(`"a"`), response(`"\u0061"`)}, nil},
		"an id used again":                   {[]string{request("1"), request("1"), response("1"), response("1")}, []string{"E RPC05 n=3 id 1 is in use by ping in entry 2"}},
		"an id used again, never over":       {[]string{request("1"), request("1"), response("1"), exited, closedEntry}, []string{"E RPC05 n=3 id 1 is in use by ping in entry 2"}},
		"another form":                       {[]string{request("1"), response("1.0"), exited, closedEntry}, []string{"E RPC07 n=3 id 1.0 is 1 in another form"}},
		"another type":                       {[]string{request("1"), response(`"1"`), exited, closedEntry}, []string{`E RPC09 n=3 response id "1" for request id 1: the type changed`}},
		"another type, then the same":        {[]string{request("1"), response(`"1"`), response("1"), response("1")}, []string{`E RPC09 n=3 response id "1" for request id 1: the type changed`, "E RPC08 n=5 id 1"}},
		"an id of a retyped response":        {[]string{request("1"), response(`"1"`), strings.Replace(request("1"), "1500", "1700", 1)}, []string{`E RPC09 n=3 response id "1" for request id 1: the type changed`, "W RPC06 n=4 id 1"}},
		"after the end":                      {[]string{request("1"), response("1"), exited, `"t":8001,"k":"closed","seq":9,"stdout":{},"stderr":{},"stdin":{}`, strings.Replace(response("7"), "1600", "8002", 1)}, nil},
		"members of a batch":                 {[]string{`"t":1500,"k":"stdin","raw":"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}]"`, response("2"), response("1"), response("2")}, []string{"E RPC13 n=2 a batch of 2 before a protocol revision was negotiated", "E RPC08 n=5 id 2"}},
		"a line of several writes":           {[]string{`"t":1500,"k":"stdin","eol":"","raw":"{\"jsonrpc\":\"2.0\",\"id\":1,"`, `"t":1501,"k":"stdin","raw":"\"method\":\"ping\"}"`, response("1"), response("1")}, []string{"E RPC08 n=5 id 1"}},
		"a long line of two writes":          {[]string{`"t":1500,"k":"stdin","eol":"","raw":"` + strings.Repeat("x", 1<<20+1) + `"`, `"t":1500,"k":"stdin","raw":""`, request("1"), response("1")}, nil},
		"a response of several lines":        {[]string{request("1"), `"t":1600,"k":"stdout","seq":3,"raw":"{"`, `"t":1601,"k":"stdout","seq":4,"raw":"\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"`, exited, closedEntry}, []string{"E FRM05 n=3 response in 2 lines, to entry 4"}},
		"a response after a byte order mark": {[]string{request("1"), `"t":1600,"k":"stdout","seq":3,"raw":"\ufeff{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"`, exited, closedEntry}, []string{`E FRM03 n=3 before "{"jsonrpc":"2.0","id":1,"result":{}}"`}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.want, checkLog(t, append([]string{startEntry}, tc.lines...)...))
		})
	}
}

// TestBrokenOnPurpose checks that the problems of bytes that a person wrote are remarks, and
// those of the next message are not.
func TestBrokenOnPurpose(t *testing.T) {
	const broken = `"t":3,"k":"stdin","m":{"id":%d,"method":"ping"}`
	require.Equal(t, []string{"I RPC01 n=2 jsonrpc is missing", "E RPC01 n=3 jsonrpc is missing"},
		checkLog(t, `"t":2,"k":"act","act":"raw"`, fmt.Sprintf(broken, 1), fmt.Sprintf(broken, 2)))
}
