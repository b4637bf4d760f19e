package tap

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
)

// A script drives a relay. A line at the margin is an input, and the indented lines below
// it are all acts that follow:
//
//	client MESSAGE   server MESSAGE    a line of one side
//	+5s                                time passes
//	noticed  built-not TEXT  restart TEXT  restart-later TEXT  started  ended TEXT  closed
//	    server MESSAGE (why)           sent to the server, as came without why
//	    client MESSAGE (why)
//	    none (why)                     the input goes to neither side
//	    stop  start  close  done TEXT  note TEXT
//
// A message is JSON, or ID METHOD [PARAMS], METHOD [PARAMS], ID = RESULT, ID ! ERROR. An
// error of our own is ID !KIND.
type script struct {
	*relay
	t   *testing.T
	now time.Time
}

var morning = time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)

func newScript(t *testing.T, config relayConfig) *script {
	config.hex = "0a1b2c3d"
	if config.name == "" {
		config.name = "notes"
	}
	return &script{newRelay(config), t, morning}
}

// play runs a script with a server that started.
func play(t *testing.T, text string) *script {
	t.Helper()
	s := newScript(t, relayConfig{watched: true})
	s.run("started\n" + text)
	return s
}

func (s *script) run(text string) {
	s.t.Helper()
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	for i := 0; i < len(lines); {
		input := lines[i]
		if strings.TrimSpace(input) == "" {
			i++
			continue
		}
		want := []string{}
		for i++; i < len(lines) && (strings.HasPrefix(lines[i], "    ") || strings.HasPrefix(lines[i], "\t")); i++ {
			want = append(want, strings.TrimSpace(lines[i]))
		}
		require.Equal(s.t, want, render(s.input(input)), "after %s", input)
	}
}

// input performs one line of a script.
func (s *script) input(text string) []act {
	s.t.Helper()
	verb, rest, _ := strings.Cut(text, " ")
	switch verb {
	case "client":
		return s.fromClient(expand(rest), s.now)
	case "server":
		return s.fromServer(expand(rest), s.now)
	case "noticed":
		return s.changeNoticed(s.now)
	case "dropped":
		return s.changeDropped(s.now)
	case "built-not":
		return s.buildFailed(rest, s.now)
	case "restart":
		return s.restart(rest, 0, s.now)
	case "restart-later":
		return s.restart(rest, 5*time.Second, s.now)
	case "started":
		return s.started(s.now)
	case "ended":
		exit, stderr, _ := strings.Cut(rest, ": ")
		return s.ended(exit, stderr, s.now)
	case "closed":
		return s.clientClosed(s.now)
	}
	d, err := time.ParseDuration(strings.TrimPrefix(verb, "+"))
	require.NoError(s.t, err, text)
	s.now = s.now.Add(d)
	return s.tick(s.now)
}

// expand writes a message of a script as a line.
func expand(text string) []byte {
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") || !strings.ContainsAny(text, " /") {
		return []byte(text + "\n")
	}
	first, rest, _ := strings.Cut(text, " ")
	id := ""
	if strings.ContainsAny(first[:1], `0123456789"`) {
		id = `,"id":` + first
		first, rest, _ = strings.Cut(rest, " ")
	}
	switch first {
	case "=":
		return []byte(`{"jsonrpc":"2.0"` + id + `,"result":` + rest + "}\n")
	case "!":
		return []byte(`{"jsonrpc":"2.0"` + id + `,"error":` + rest + "}\n")
	}
	if rest != "" {
		rest = `,"params":` + rest
	}
	return []byte(`{"jsonrpc":"2.0"` + id + `,"method":"` + first + `"` + rest + "}\n")
}

// ownError is an error of our own in a batch.
var ownError = regexp.MustCompile(`\{"jsonrpc":"2.0","id":([^,]*),"error":\{[^{}]*"data":\{"mcpdbg":"(\w+)"[^}]*\}\}\}`)

// shorten is the opposite of expand.
func shorten(line []byte) string {
	u := readUnit(line)
	el := u.only()
	if el == nil {
		return ownError.ReplaceAllString(strings.TrimSpace(string(line)), "$1 !$2")
	}
	text := ""
	switch el.Kind {
	case framing.Request, framing.Notification:
		text = fmt.Sprintf("%s %s %s", el.id(), el.method(), el.Params.Of(el.data))
	case framing.Response:
		text = fmt.Sprintf("%s = %s", el.id(), el.Result.Of(el.data))
	case framing.ErrorResponse:
		if kind := el.find(el.Error, "data", "mcpdbg"); kind != (framing.Span{}) {
			return fmt.Sprintf("%s !%s", el.id(), bytes.Trim(kind.Of(el.data), `"`))
		}
		text = fmt.Sprintf("%s ! %s", el.id(), el.Error.Of(el.data))
	}
	if text = strings.TrimSpace(text); string(expand(text)) == string(line) {
		return text
	}
	return strings.TrimSpace(string(line))
}

func render(acts []act) []string {
	texts := []string{}
	for _, a := range acts {
		if a.note != "" {
			texts = append(texts, "note "+a.note)
		}
		text := ""
		switch {
		case a.do != 0:
			text = []string{"", "stop", "start", "close"}[a.do]
		case a.done != nil:
			text = fmt.Sprintf("done %s, %s, failed %d, resent %d", a.done.reason, a.done.took, a.done.failed, a.done.resent)
		case a.to == clientSide:
			text = "client " + shorten(a.out)
		case a.to == serverSide:
			text = "server " + shorten(a.out)
		case a.got != nil:
			text = "none"
		case a.out != nil:
			text = "gone " + shorten(a.out)
		}
		if a.why != "" {
			text += " (" + a.why + ")"
		}
		if text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// handshake is a session of the legacy era up to its first call.
const handshake = `
client 0 initialize {"protocolVersion":"2025-11-25"}
	server 0 initialize {"protocolVersion":"2025-11-25"}
server 0 = {"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}}}
	client 0 = {"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}}}
client notifications/initialized
	server notifications/initialized
`

// TestForwards checks that lines of any kind pass as they came.
func TestForwards(t *testing.T) {
	s := play(t, handshake)
	for _, line := range []string{
		"{\"id\" : 7,\"method\":\"tools/call\", \"jsonrpc\":\"2.0\"}\r\n", "ready\n", "\n", "{\n", "5\n", "\x00\xff\n", "[]\n",
		`{"jsonrpc":"2.0","id":7,"result":{ "a" : 1e2 } }` + "\n",
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}` + "\n",
		`{"jsonrpc":"2.0","id":99,"result":{}}` + "\n",
	} {
		for _, from := range []side{clientSide, serverSide} {
			take := s.fromClient
			if from == serverSide {
				take = s.fromServer
			}
			require.Equal(t, []act{{from: from, got: []byte(line), to: opposite(from), out: []byte(line)}}, take([]byte(line), s.now), line)
		}
	}
	require.True(t, s.next().IsZero())
}

// TestDeclaresChanges compares results before and after.
func TestDeclaresChanges(t *testing.T) {
	for was, is := range map[string]string{
		`{"tools":{}}`:          `{"tools":{"listChanged":true}}`,
		`{"tools": { }}`:        `{"tools": {"listChanged":true }}`,
		`{"tools":{ "x" : 1 }}`: `{"tools":{"listChanged":true, "x" : 1 }}`,
		`{"tools":{"listChanged":false},"prompts":{},"resources":{"subscribe":true}}`: `{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true}}`,
		`{"tools":{"listChanged": true}}`:                                             `{"tools":{"listChanged": true}}`,
		`{"tools":{"listChanged":"no"}}`:                                              `{"tools":{"listChanged":"no"}}`,
		`{"tools":null,"logging":{}}`:                                                 `{"tools":null,"logging":{}}`,
		`{"tools":[]}`:                                                                `{"tools":[]}`,
		`{}`:                                                                          `{}`,
		`5`:                                                                           `5`,
	} {
		for method, want := range map[string]string{"initialize": is, "server/discover": is, "x/y": was} {
			s := play(t, "")
			s.input("client 0 " + method)
			line := ` {"result" : {"capabilities":` + was + ` , "z":1},"id":0,"jsonrpc":"2.0"}` + "\r\n"
			for _, a := range s.fromServer([]byte(line), s.now) {
				if a.from == serverSide {
					require.Equal(t, line, string(a.got))
					require.Equal(t, strings.Replace(line, was, want, 1), string(a.out))
					require.Equal(t, want != was, a.why == whyEdited)
				}
			}
		}
	}
}
