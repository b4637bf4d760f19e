//go:build unix

package demo_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/demo"
)

// ended is the output and the state of a finished process.
type ended struct {
	out, err string
	code     int
}

// lines returns the lines of stdout, including newlines.
func (e ended) lines() []string {
	lines := strings.SplitAfter(e.out, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// valid counts the lines of stdout that are JSON.
func (e ended) valid() int {
	n := 0
	for _, line := range e.lines() {
		if json.Valid([]byte(line)) && utf8.ValidString(line) {
			n++
		}
	}
	return n
}

// session is what most tests of faults send: a handshake, a call and a ping.
var session = []string{initialize, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, callEcho, ping}

// wireFaults are the kinds whose fault shows in a conversation that is sent all
// at once and then read to its end.
var wireFaults = []struct {
	kind  string
	send  []string
	check func(t *testing.T, e ended)
}{
	{"stray-text", session, func(t *testing.T, e ended) {
		require.True(t, strings.HasPrefix(e.out, "Demo MCP Server v1.0\nServer running on stdio...\nDEBUG: about to answer\n{"))
		require.Equal(t, 3, e.valid())
		require.Len(t, e.lines(), 8)
	}},
	{"ansi", session, func(t *testing.T, e ended) {
		for _, stream := range []string{e.out, e.err} {
			for _, sign := range []string{"\x1b[2J", "\x1b]0;owned\x07", "\x1b]52;c;", "\u202e"} {
				require.Contains(t, stream, sign)
			}
		}
		require.Equal(t, 3, e.valid())
		var call struct {
			Result struct{ Content []struct{ Text string } }
		}
		require.NoError(t, json.Unmarshal([]byte(e.lines()[4]), &call))
		require.Contains(t, call.Result.Content[0].Text, "\x1b]52;c;", "inside a JSON string")
	}},
	{"crlf", session, func(t *testing.T, e ended) {
		require.Equal(t, 3, strings.Count(e.out, "}\r\n"))
		require.Equal(t, 3, e.valid())
	}},
	{"lsp-headers", session, func(t *testing.T, e ended) {
		require.Regexp(t, `^Content-Length: \d+\r\n\r\n\{`, e.out)
		var length int
		_, err := fmt.Sscanf(e.out, "Content-Length: %d", &length)
		require.NoError(t, err)
		_, body, _ := strings.Cut(e.out, "\r\n\r\n")
		require.True(t, json.Valid([]byte(body[:length])), "the length is right")
		require.True(t, strings.HasPrefix(body[length:], "Content-Length: "), "no newline follows")
	}},
	{"multi-line", session, func(t *testing.T, e ended) {
		require.True(t, json.Valid([]byte(e.lines()[0])), "the handshake is spared")
		require.Contains(t, e.out, "\n  \"id\": 2,\n")
	}},
	{"multi-line:all", session, func(t *testing.T, e ended) { require.Equal(t, "{\n", e.lines()[0]) }},
	{"invalid-utf8", session, func(t *testing.T, e ended) {
		require.Contains(t, e.out, `"text":"caf`+"\xe9 hello")
		require.Equal(t, 1, e.valid(), "the handshake is spared")
	}},
	{"nul", session, func(t *testing.T, e ended) {
		require.Contains(t, e.out, `"text":"nul`+"\x00hello")
		require.Equal(t, 1, e.valid())
	}},
	{"bom", session, func(t *testing.T, e ended) {
		require.Equal(t, 2, strings.Count(e.out, "\n\ufeff{"))
		require.Equal(t, 1, e.valid())
	}},
	{"bom:all", session, func(t *testing.T, e ended) { require.True(t, strings.HasPrefix(e.out, "\ufeff{")) }},
	{"lone-cr", session, func(t *testing.T, e ended) {
		require.Contains(t, e.out, "loading 10%\rloading 50%\rloading 100%\n{\r\"")
		require.Equal(t, 3, e.valid(), "a CR inside a message is white space")
	}},
	{"batch", session, func(t *testing.T, e ended) {
		require.Equal(t, "{", e.lines()[0][:1])
		var batch []message
		require.NoError(t, json.Unmarshal([]byte(e.lines()[1]), &batch))
		require.Len(t, batch, 2)
		require.Equal(t, "2", string(batch[1].ID))
	}},
	{"id-type", append(session, `{"jsonrpc":"2.0","id":"mcpdbg-7","method":"ping"}`, `{"jsonrpc":"2.0","id":"x","method":"ping"}`), func(t *testing.T, e ended) {
		require.Equal(t, []string{"1", `"2"`, `"3"`, "7", "0"}, ids(t, e))
	}},
	{"id-type:all", session[:1], func(t *testing.T, e ended) { require.Equal(t, []string{`"1"`}, ids(t, e)) }},
	{"duplicate-answers", session, func(t *testing.T, e ended) {
		require.Equal(t, []string{"1", "1", "2", "2", "3", "3"}, ids(t, e))
	}},
	{"orphan-answers", session, func(t *testing.T, e ended) {
		require.Equal(t, []string{"1", `"orphan-1"`, "2", `"orphan-2"`, "3", `"orphan-3"`}, ids(t, e))
	}},
	{"one-byte", session, func(t *testing.T, e ended) { require.Equal(t, []string{"1", "2", "3"}, ids(t, e)) }},
	{"buffered", session, func(t *testing.T, e ended) { require.Equal(t, []string{"1", "2", "3"}, ids(t, e)) }},
	{"no-final-newline", session, func(t *testing.T, e ended) {
		require.Len(t, e.lines(), 2, "the ping has no response")
		require.True(t, strings.HasSuffix(e.out, "}"))
		require.Equal(t, 2, e.valid())
	}},
	{"dies-at-start", nil, func(t *testing.T, e ended) {
		require.Equal(t, ended{"", "error: environment variable DEMO_API_KEY is not set\n", 3}, e)
	}},
	{"exit-7", nil, func(t *testing.T, e ended) { require.Equal(t, ended{"out\n", "err\n", 7}, e) }},
	{"dies-on-probe", []string{discover, initialize}, func(t *testing.T, e ended) {
		require.Empty(t, e.out)
		require.Contains(t, e.err, "fatal: expected initialize, got server/discover")
		require.Equal(t, 1, e.code)
	}},
	{"dies-on-probe", session, func(t *testing.T, e ended) { require.Equal(t, []string{"1", "2", "3"}, ids(t, e)) }},
	{"never-answers", session, func(t *testing.T, e ended) { require.Empty(t, e.out) }},
	{"answers-error", []string{discover, initialize}, func(t *testing.T, e ended) {
		require.Contains(t, e.lines()[0], "-32601")
		require.Contains(t, e.lines()[1], "the database is locked")
	}},
	{"wrong-version", []string{discover, initialize, ping}, func(t *testing.T, e ended) {
		require.Contains(t, e.lines()[1], `"protocolVersion":"1999-01-01"`)
		require.Equal(t, []string{`"p"`, "1", "3"}, ids(t, e))
	}},
	{"wrong-version:2", []string{initialize}, func(t *testing.T, e ended) { require.Contains(t, e.out, `"protocolVersion":"2"`) }},
	{"junk-only", session, func(t *testing.T, e ended) {
		require.Len(t, e.lines(), 4)
		require.Equal(t, 0, e.valid())
	}},
	{"slow-start:1", session, func(t *testing.T, e ended) { require.Equal(t, []string{"1", "2", "3"}, ids(t, e)) }},
	{"slow-both:600000", []string{discover, initialize, discover}, func(t *testing.T, e ended) {
		require.Equal(t, 3, e.valid())
		require.Contains(t, e.lines()[0], `"protocolVersion"`, "initialize is answered first")
		require.Contains(t, e.out, `"supportedVersions"`)
	}},
	{"slow-modern:1", []string{discover, initialize}, func(t *testing.T, e ended) {
		require.Contains(t, e.lines()[0], `"supportedVersions":`)
		require.Contains(t, e.lines()[1], `-32022`)
		require.Contains(t, e.lines()[1], `"supported":["2026-07-28"]`)
	}},
	{"echo", session, func(t *testing.T, e ended) { require.Equal(t, strings.Join(session, "\n")+"\n", e.out) }},
	{"stderr-flood", session, func(t *testing.T, e ended) {
		flood, rest, _ := strings.Cut(e.err, "demo: ")
		require.Len(t, flood, 320<<10)
		require.NotContains(t, rest, "warning: ", "all of it came first")
		require.Equal(t, []string{"1", "2", "3"}, ids(t, e))
	}},
	{"stderr-no-newline", session[:1], func(t *testing.T, e ended) {
		require.True(t, strings.HasSuffix(e.err, "Loading the model... 42%"))
	}},
	{"deep", session, func(t *testing.T, e ended) { require.Equal(t, 300, depth(e.lines()[1])) }},
	{"deep:10001", session, func(t *testing.T, e ended) {
		require.Equal(t, 10001, depth(e.lines()[1]))
		require.False(t, json.Valid([]byte(e.lines()[1])), "beyond what encoding/json reads")
	}},
	{"progress-after-result", session, func(t *testing.T, e ended) {
		require.Contains(t, e.lines()[1], `"progress":1,"progressToken":"tok"`)
		require.Contains(t, e.lines()[2], `"id":2`)
		require.Contains(t, e.lines()[3], `"progress":2,"progressToken":"tok"`)
		require.Contains(t, e.lines()[4], `"progress":3,"progressToken":"tok"`)
	}},
	{"probe-fast", append(session, discover), func(t *testing.T, e ended) {
		require.Equal(t, []string{"1", "2", "3", `"p"`}, ids(t, e))
		require.Contains(t, e.lines()[3], "-32601")
	}},
	{"flood-now:1000x300", nil, func(t *testing.T, e ended) { requireNumbered(t, e, 1000, 300) }},
	{"writer-now:100x205", nil, func(t *testing.T, e ended) { requireNumbered(t, e, 100, 205) }},
	{"writer-now:3", nil, func(t *testing.T, e ended) { requireNumbered(t, e, 3, 205) }},
	{"bulk-now:205000", nil, func(t *testing.T, e ended) { requireNumbered(t, e, 1000, 205) }},
	{"no-newline-gb-now:3000000", nil, func(t *testing.T, e ended) {
		require.Len(t, e.out, 3000000)
		require.NotContains(t, e.out, "\n")
	}},
}

// otherFaults are the kinds with their own tests.
var otherFaults = []string{"ignores-eof-term", "daemon", "holds-stdout", "late-output", "crash-mid-call", "closes-stdout",
	"not-reading-stdin", "ping-flood", "huge-answer", "ids", "asks-undeclared", "flood", "writer", "bulk", "no-newline-gb", "splits-batches"}

func TestWireFaults(t *testing.T) {
	for _, test := range wireFaults {
		t.Run(test.kind, func(t *testing.T) {
			p := start(t, test.kind)
			stderr := make(chan string)
			go func() {
				text, _ := io.ReadAll(p.err)
				stderr <- string(text)
			}()
			if len(test.send) > 0 {
				p.send(test.send...)
			}
			out, state := p.end()
			test.check(t, ended{out: out, err: <-stderr, code: state.ExitCode()})
		})
	}
}

// TestKinds checks that every kind is tested and has a description.
func TestKinds(t *testing.T) {
	tested := map[string]bool{}
	for _, test := range wireFaults {
		name, _, _ := strings.Cut(test.kind, ":")
		tested[strings.TrimSuffix(name, "-now")] = true
	}
	for _, name := range otherFaults {
		tested[name] = true
	}
	seen := map[string]bool{}
	for _, kind := range demo.Kinds() {
		require.True(t, tested[kind.Name], "no test of %s", kind.Name)
		require.False(t, seen[kind.Name], "%s is there twice", kind.Name)
		require.NotEmpty(t, kind.Description, kind.Name)
		require.NotContains(t, kind.Name, "child", "kinds for child processes are not listed")
		seen[kind.Name] = true
	}
}

// ids returns the raw ids of the responses.
func ids(t *testing.T, e ended) []string {
	t.Helper()
	var all []string
	for _, line := range e.lines() {
		var m message
		require.NoError(t, json.Unmarshal([]byte(line), &m), "%q", line)
		if m.Method == "" {
			all = append(all, string(m.ID))
		}
	}
	return all
}

// depth returns the nesting depth of brackets.
func depth(line string) int {
	deepest, now := 0, 0
	for _, c := range line {
		switch c {
		case '{', '[':
			now++
			deepest = max(deepest, now)
		case '}', ']':
			now--
		}
	}
	return deepest
}

// requireNumber checks that a line is the nth of a flood.
func requireNumber(t *testing.T, line string, n, size int) {
	t.Helper()
	require.Len(t, line, size)
	require.Contains(t, line, fmt.Sprintf(`"data":"%010d x`, n))
}

// requireNumbered checks that all of stdout is one flood.
func requireNumbered(t *testing.T, e ended, count, size int) {
	t.Helper()
	require.Len(t, e.lines(), count)
	for i, line := range e.lines() {
		requireNumber(t, line, i+1, size)
	}
	require.Equal(t, count, e.valid())
	require.Equal(t, 0, e.code)
}

// TestBulkAfterTheHandshake checks that bulk kinds begin after the response to
// the handshake, in either era, and that the server continues to respond.
func TestBulkAfterTheHandshake(t *testing.T) {
	for _, kind := range []string{"flood:500x205", "writer:500x205", "bulk:102500"} {
		for _, opening := range []string{initialize, discover} {
			t.Run(kind, func(t *testing.T) {
				p := start(t, kind)
				p.send(opening)
				require.NotEmpty(t, p.message().Result, "the handshake comes first")
				for i := range 500 {
					requireNumber(t, p.line(), i+1, 205)
				}
				p.send(ping)
				require.Equal(t, "3", string(p.message().ID))
				rest, state := p.end()
				require.Empty(t, rest)
				require.Equal(t, 0, state.ExitCode())
			})
		}
	}
}

func TestNoNewline(t *testing.T) {
	p := start(t, "no-newline-gb:1000000")
	p.handshake()
	text := make([]byte, 1000000)
	_, err := io.ReadFull(p.out, text)
	require.NoError(t, err)
	require.NotContains(t, string(text), "\n")
	p.send(ping)
	require.Equal(t, `{"jsonrpc":"2.0","id":3,"result":{}}`+"\n", p.line())
}

func TestBuffered(t *testing.T) {
	p := start(t, "buffered")
	p.send(initialize, callEcho, ping, strings.Replace(callEcho, `"id":2`, `"id":4`, 1))
	p.untilStderr("demo: call echo (id 2)")
	p.untilStderr("demo: call echo (id 4)") // three responses are buffered by now
	require.NoError(t, p.outEnd.SetReadDeadline(time.Now()))
	_, err := p.outEnd.Read(make([]byte, 1))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.NoError(t, p.outEnd.SetReadDeadline(time.Now().Add(timeout)))
	rest, _ := p.end()
	require.Equal(t, 4, strings.Count(rest, "\n"))
}

func TestHugeResponse(t *testing.T) {
	p := start(t, "huge-answer:20000000")
	p.handshake()
	p.send(callEcho)
	require.InDelta(t, 20000000, len(p.line()), 200)
	rest, _ := p.end()
	require.Empty(t, rest)
}

func TestIDs(t *testing.T) {
	p := start(t, "ids")
	p.handshake()
	p.send(callEcho)
	for _, id := range []string{"0", "9007199254740993"} {
		m := p.message()
		require.Equal(t, "ping", m.Method)
		require.Equal(t, id, string(m.ID))
		p.send(`{"jsonrpc":"2.0","id":` + id + `,"result":{}}`)
	}
	require.Contains(t, string(p.message().Result), "answered ids: 0 9007199254740993")
}

func TestAsksUndeclared(t *testing.T) {
	p := start(t, "asks-undeclared")
	p.handshake()
	p.send(callEcho)
	require.Equal(t, "sampling/createMessage", p.message().Method)
	p.send(`{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"no"}}`)
	require.Contains(t, string(p.message().Result), "the client refused: no (-32601)")
}

func TestSplitsBatches(t *testing.T) {
	p := start(t, "splits-batches")
	p.send(strings.Replace(initialize, "2025-11-25", "2025-03-26", 1))
	require.Contains(t, p.line(), `"protocolVersion":"2025-03-26"`)
	p.send(`[{"jsonrpc":"2.0","id":11,"method":"ping"},{"jsonrpc":"2.0","id":12,"method":"ping"},{"jsonrpc":"2.0","id":13,"method":"ping"}]`)
	require.Equal(t, `{"jsonrpc":"2.0","id":13,"result":{}}`+"\n", p.line())
	require.Equal(t, `[{"jsonrpc":"2.0","id":12,"result":{}},{"jsonrpc":"2.0","id":11,"result":{}}]`+"\n", p.line())
	rest, _ := p.end()
	require.Empty(t, rest)
}
