package framing

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
)

// scanSeeds are lines around which bugs are likely.
var scanSeeds = []string{
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":[1,-2.5e+3,null]}}}`,
	`{"result":{"content":[{"type":"text","text":"caf\u00e9 \ud83d\ude00 \"\\\/\b"}]},"jsonrpc":"2.0","id":"7"}`,
	`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Grüße, 世界"}}`,
	`{"\u0069d":1,"id":2,"meth\u006fd":[true,false],"p":"\ud800"}`,
	` [ {"id" : 0 , "method" : "m" } , [ ] , { } , 1E5 ] `,
	"\xef\xbb\xbf{\"a\":\"\xff\"}",
	`{"a":{"b":[{"c":[[[[{"d":{}}]]]]}]}}`,
	"Content-Length: 42\r",
}

func FuzzScanAgrees(f *testing.F) {
	for _, seed := range scanSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(requireAgreement)
}

// Mutations of real messages reach other places than the fuzzer does in the
// time that a test run has.
func TestScanAgreesOnMutations(t *testing.T) {
	const rounds = 100_000
	random := rand.New(rand.NewPCG(1, 2))
	const splice = `"\{}[]:,0-.eE+ 	u dtrueid` + "\x00\x1f\x7f\x80\xc3\xed\xff"
	for range rounds {
		line := []byte(scanSeeds[random.IntN(len(scanSeeds))])
		for range 1 + random.IntN(3) {
			at := random.IntN(len(line))
			switch random.IntN(4) {
			case 0:
				line[at] = splice[random.IntN(len(splice))]
			case 1:
				line = append(line[:at], line[min(len(line), at+1+random.IntN(4)):]...)
			case 2:
				line = bytes.Join([][]byte{line[:at], {splice[random.IntN(len(splice))]}, line[at:]}, nil)
			case 3:
				line[at] ^= 1 << random.IntN(8)
			}
			if len(line) == 0 {
				line = []byte{'{'}
			}
		}
		want := json.Valid(line) && utf8.Valid(line)
		if got := Scan(line).Valid(); got != want {
			require.Equal(t, want, got, "%q", line)
		}
	}
}

// requireAgreement compares Scan with encoding/json and jsontext.
func requireAgreement(t *testing.T, line []byte) {
	before := bytes.Clone(line)
	m := Scan(line)
	require.Equal(t, before, line, "the line was modified")

	valid := json.Valid(line) && utf8.Valid(line)
	require.Equal(t, valid, m.Valid(), "encoding/json: %q", line)
	require.Equal(t, valid, m.Problems&ProblemNotJSON == 0, "%q", line)

	// jsontext treats a lone surrogate as invalid UTF-8, so it also checks
	// those. It has the same nesting limit.
	strict := jsontext.Value(line).IsValid(jsontext.AllowDuplicateNames(true))
	require.Equal(t, strict, valid && m.Problems&ProblemSurrogate == 0, "jsontext: %q", line)

	if !valid {
		require.Equal(t, Message{Problems: m.Problems, Depth: m.Depth}, m, "members of an invalid line: %q", line)
		return
	}
	require.LessOrEqual(t, m.Depth, uint16(MaxDepth))
	trimmed := bytes.Trim(line, " \t\r\n")
	require.Equal(t, len(trimmed) < len(line), m.Problems&ProblemSpace != 0, "%q", line)
	control := bytes.ContainsFunc(line, func(r rune) bool { return r < 0x20 })
	require.Equal(t, control, m.Problems&ProblemControl != 0, "%q", line)

	switch trimmed[0] {
	case '{':
		requireMembers(t, line, m)
	case '[':
		require.Equal(t, Batch, m.Kind, "%q", line)
		requireElements(t, line)
	default:
		require.Equal(t, Other, m.Kind, "%q", line)
		require.Zero(t, m.Depth)
	}
}

func requireMembers(t *testing.T, line []byte, m Message) {
	var members map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(line, &members))
	for name, span := range map[string]Span{
		"jsonrpc": m.JSONRPC, "id": m.ID, "params": m.Params, "result": m.Result, "error": m.Error,
	} {
		require.Equal(t, string(members[name]), string(span.Of(line)), "%s of %q", name, line)
	}
	method := members["method"]
	if len(method) > 0 && method[0] == '"' {
		method = method[1 : len(method)-1]
	}
	require.Equal(t, string(method), string(m.Method.Of(line)), "method of %q", line)

	has := func(name string) bool { _, ok := members[name]; return ok }
	want := Other
	switch {
	case has("method") && has("id"):
		want = Request
	case has("method"):
		want = Notification
	case has("result"):
		want = Response
	case has("error"):
		want = ErrorResponse
	}
	require.Equal(t, want, m.Kind, "%q", line)
}

func requireElements(t *testing.T, line []byte) {
	var want []json.RawMessage
	require.NoError(t, json.Unmarshal(line, &want))
	got := []json.RawMessage{}
	for span := range Elements(line) {
		got = append(got, span.Of(line))
	}
	require.Equal(t, want, got, "%q", line)
}
