package scenario

import (
	"bytes"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files")

// bare returns a scenario without places and comments.
func bare(s *Scenario) *Scenario {
	c := *s
	c.File = ""
	c.Vars = append([]Var(nil), s.Vars...)
	for i := range c.Vars {
		c.Vars[i].Place = Place{}
	}
	c.Steps = append([]Step(nil), s.Steps...)
	for i := range c.Steps {
		step := &c.Steps[i]
		step.Place, step.Expect.Place, step.Expect.Places, step.Comment = Place{}, Place{}, nil, ""
		step.Expect.JQ = append([]Expression(nil), step.Expect.JQ...)
		for k := range step.Expect.JQ {
			step.Expect.JQ[k].Place = Place{}
		}
		step.Capture = append([]Capture(nil), step.Capture...)
		for k := range step.Capture {
			step.Capture[k].Place = Place{}
		}
	}
	return &c
}

// roundTrip writes a scenario and parses it.
func roundTrip(t testing.TB, s *Scenario) (*Scenario, string) {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, WriteYAML(&out, s))
	back, err := Parse("written.yaml", out.Bytes())
	require.NoError(t, err, "%s", out.String())
	require.Equal(t, bare(s), bare(back), "%s", out.String())
	return back, out.String()
}

func TestWriteYAML(t *testing.T) {
	for name, data := range examples(t) {
		s, err := Parse(name, data)
		require.NoError(t, err)
		back, text := roundTrip(t, s)
		_, second := roundTrip(t, back)
		require.Equal(t, text, second, "writing it again gives the same text")
		if name != "notes.yaml" {
			continue
		}
		const golden = "testdata/golden/notes.yaml"
		if *update {
			require.NoError(t, os.MkdirAll("testdata/golden", 0o755))
			require.NoError(t, os.WriteFile(golden, []byte(text), 0o644))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		require.Equal(t, string(want), text)
	}
}

// TestStringsSurvive checks that any text survives a round trip.
func TestStringsSurvive(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", " ", "\n", "\t", "\r", "#", ": ", "- ", "'", `"`, `\`, "{", "}", "[", ",", "&", "*", "!", "|", ">", "%", "@", "`", "~", "null", "true", "1", "0x1", ".5", "1e9", "2001-01-01", "<<", "=", "?", "\u0085", "\u2028", "\ufeff", "\u200b", "😀", "\x7f", "\x00", "\x1b", "yes", "---", "...", "é", "\ufffd"}
	s := &Scenario{}
	for range 1000 {
		text := ""
		for range random.IntN(6) {
			text += pieces[random.IntN(len(pieces))]
		}
		params, err := json.Marshal(map[string]any{"k": text, "l": []any{[]any{text}, map[string]any{text: text}}})
		require.NoError(t, err)
		var compact bytes.Buffer
		require.NoError(t, json.Compact(&compact, params))
		s.Steps = append(s.Steps, Step{Do: Notify, Method: "a", Params: plainJSON(t, compact.Bytes())})
	}
	var named Names
	for i := range s.Steps {
		s.Steps[i].Name = named.Of(&s.Steps[i])
	}
	roundTrip(t, s)
}

// plainJSON formats JSON as Parse does.
func plainJSON(t testing.TB, raw []byte) json.RawMessage {
	w := writing{}
	n := w.json(raw)
	require.NoError(t, w.err)
	p := &parser{}
	out := p.value(n, false)
	require.Empty(t, p.errs)
	return out
}

func TestWriteOddities(t *testing.T) {
	code := -32000
	s := &Scenario{Name: "a: b", Timeout: time.Hour, Steps: []Step{
		{Name: "t", Do: Call, Method: "tools/call", Tool: "t", Params: json.RawMessage(`{"name":"t","arguments":{}}`), Comment: "entry 5\nhostile \x1b[2J\u202e # : {"},
		{Name: "no arguments", Do: Call, Method: "tools/call", Params: json.RawMessage(`{"name":"t"}`)},
		{Name: "t (3)", Do: Call, Method: "tools/call", Tool: "t", Params: json.RawMessage(`{"name":"t","arguments":{"n":1}}`)},
		{Name: "x", Do: Call, Method: "a/b", Background: true, Always: true},
		{Name: "await x", Do: Await, Of: "x", Expect: Expect{Error: &ErrorPattern{Code: &code, Message: "a.b"}}},
		{Name: "send", Do: Send, Text: true, Data: []byte("\n")},
		{Name: "send (2)", Do: Send, Text: true, Data: []byte("a\n\n")},
		{Name: "send (3)", Do: Send, Text: true, Data: []byte("a\nb\n")},
		{Name: "send (4)", Do: Send, Text: true, Data: []byte("a\r\n")},
	}}
	_, text := roundTrip(t, s)
	require.Contains(t, text, "timeout: 1h\n")
	require.Contains(t, text, "  # entry 5\n  # hostile [2J # : {\n  - tool: t\n")
	require.Equal(t, 1, strings.Count(text, "name: no arguments"))
	require.NotContains(t, text, "name: await x")

	for name, wrong := range map[string]Step{
		"no kind":           {Do: "jump"},
		"invalid params":    {Do: Call, Method: "a", Params: json.RawMessage(`{"a":`)},
		"duplicate member":  {Do: Call, Method: "a", Params: json.RawMessage(`{"a":1,"a":2}`)},
		"incomplete answer": {Do: Answer, Method: "a", Answer: json.RawMessage(`{"error":`)},
		"unknown variable":  {Do: Call, Method: "a", Params: json.RawMessage(`{"a":"${b}"}`)},
	} {
		require.Error(t, WriteYAML(&bytes.Buffer{}, &Scenario{Steps: []Step{wrong}}), name)
	}
}

func FuzzParse(f *testing.F) {
	for _, data := range examples(f) {
		f.Add(data)
	}
	f.Add([]byte("scenario: 1\nsteps: [{send: {text: \"a\\n\\n\"}}, {wait: {stdout: .}}, &x {call: a, params: {b: &y [1, *y]}}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse("f.yaml", data)
		if err == nil {
			roundTrip(t, s)
		}
	})
}
