package recordings

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
)

func sumOf(s string) session.Sums {
	sum := session.NewChecksum()
	sum.Add([]byte(s))
	return sum.Sums()
}

// twoRuns returns a recording of two processes.
func twoRuns(t testing.TB) string {
	f := create(t, Options{Header: session.Header{Tool: "mcpdbg test", Placement: "local", Argv: []string{"server"}}})
	cut := session.Entry{Kind: session.KindStdout, Seq: 4, First: 1, Cuts: []framing.Cut{{Seq: 3, Off: 2}, {Seq: 4, Off: 7}}, EOL: framing.CRLF, Payload: []byte("in\xffparts")}
	call := session.Entry{Kind: session.KindStdin, Payload: []byte(`{"id":1,"method":"a"}`)}
	call.Msg = framing.Scan(call.Payload)
	stderr := session.Entry{Kind: session.KindStderr, Seq: 2, Payload: []byte("warning"), EOL: framing.NoEOL}
	require.NoError(t, f.Append([]session.Entry{
		session.NewEntry(session.KindStart, 0, session.StartBody{Process: "mcp-stdio-1"}),
		call, stderr, cut,
		session.NewEntry(session.KindExited, 5, session.ExitedBody{}),
		session.NewEntry(session.KindClosed, 6, session.ClosedBody{
			Stdin: sumOf(string(call.Payload) + "\n"), Stdout: sumOf("in\xffparts\r\n"), Stderr: sumOf("warning")}),
		session.NewEntry(session.KindStart, 0, session.StartBody{Process: "mcp-stdio-2"}),
		stdout(1, `{"id":0,"method":"ping"}`),
		session.NewEntry(session.KindGap, 0, session.GapBody{From: 2, To: 9, Bytes: 100}),
		stdout(10, ""),
		session.NewEntry(session.KindFailed, 0, session.FailedBody{Error: "link lost",
			Stdout: session.Sums{Bytes: 1000, XXH64: "0000000000000000", Complete: new(bool)}, Stderr: sumOf(""), Stdin: sumOf("")}),
	}))
	require.NoError(t, f.Close())
	return f.Path()
}

func TestVerifyReassemblesStreams(t *testing.T) {
	r, err := Verify(twoRuns(t))
	require.NoError(t, err)
	require.True(t, r.OK(), "%v", r.Problems)
	require.True(t, r.Finished)
	require.Equal(t, 12, r.Entries)
	require.Zero(t, r.Warnings)
	for i, want := range []Stream{
		{"mcp-stdio-1", "stdin", 22, "", true, false},
		{"mcp-stdio-1", "stdout", 10, "", true, false},
		{"mcp-stdio-1", "stderr", 7, "", true, false},
		{"mcp-stdio-2", "stdin", 0, "", true, false},
		{"mcp-stdio-2", "stdout", 26, "", false, false},
		{"mcp-stdio-2", "stderr", 0, "", true, false},
	} {
		got := r.Streams[i]
		require.Len(t, got.XXH64, 16)
		got.XXH64 = ""
		require.Equal(t, want, got)
	}
}

func TestVerifyFindsChanges(t *testing.T) {
	for name, c := range map[string]struct{ from, to, says string }{
		"a byte":          {`"raw":"warning"`, `"raw":"Warning"`, "entry 6: stderr of mcp-stdio-1 had the hash"},
		"a byte more":     {`"raw":"warning"`, `"raw":"warning!"`, "entry 6: stderr of mcp-stdio-1 had 7 bytes, but 8 are recorded"},
		"an eol":          {`"eol":"","raw"`, `"raw"`, "had 7 bytes, but 8"},
		"a message":       {`"method":"a"`, `"method":"b"`, "stdin of mcp-stdio-1 had the hash"},
		"a lost number":   {`"from":2`, `"from":3`, "sequence numbers 2 to 2 of mcp-stdio-2 are missing"},
		"a lost chunk":    {`"cuts":[[3,2],[4,7]]`, `"cuts":[[4,7]]`, "sequence numbers 3 to 3 of mcp-stdio-1 are missing"},
		"a cut too far":   {`[4,7]`, `[4,70]`, "entry 4: has a cut at byte 70 of 10"},
		"a line":          {`{"n":2,`, `{"n":2;`, "entry 1: the next line, at byte"},
		"the end's count": {`"entries":12`, `"entries":13`, "entry 12: counts 13 entries, but there are 12"},
		"the order":       {`{"n":8,`, `{"n":7,`, "entry 7: comes after entry 7"},
		"a body":          {`"bytes":100`, `"bytes":"?"`, "gap entry 9: bytes is a string, not an integer of 64 bits"},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(twoRuns(t))
			require.NoError(t, err)
			changed := strings.Replace(string(data), c.from, c.to, 1)
			require.NotEqual(t, string(data), changed)
			r, err := Verify(write(t, changed))
			require.NoError(t, err)
			require.False(t, r.OK())
			require.Contains(t, fmt.Sprint(r.Problems), c.says)
			wrong := slices.ContainsFunc(r.Streams, func(s Stream) bool { return s.Wrong })
			require.True(t, wrong || !strings.Contains(c.says, " had "))
		})
	}
}

// TestVerifyAcceptsFormerCounts checks recordings of versions that counted errors of the
// client as received, and responses that can't be read as lines that are not messages.
func TestVerifyAcceptsFormerCounts(t *testing.T) {
	const ask = `{"n":2,"t":0,"k":"stdout","seq":1,"m":{"jsonrpc":"2.0","id":1,"method":"a"}}` + "\n" +
		`{"n":3,"t":0,"k":"stdout","seq":2,"m":{"jsonrpc":"2.0","id":2,"method":"a"}}` + "\n"
	const call = `{"n":2,"t":0,"k":"stdin","m":{"jsonrpc":"2.0","id":1,"method":"a"}}` + "\n"
	const part = `{"n":3,"t":0,"k":"stdout","seq":1,"why":"too-long","more":true,"raw":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\""}` + "\n"
	for name, c := range map[string]struct{ entries, now, formerly string }{
		"an error of the client": {
			ask + `{"n":4,"t":0,"k":"stdin","m":{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}}`,
			`"out":1,"in":2`, `"out":1,"in":2,"errors":1`,
		},
		"a failed result of the client": {
			ask + `{"n":4,"t":0,"k":"stdin","m":{"jsonrpc":"2.0","id":1,"result":{"isError":true}}}`,
			`"out":1,"in":2`, `"out":1,"in":2,"errors":1`,
		},
		"a batch of errors of the client": {
			ask + `{"n":4,"t":0,"k":"stdin","why":"batch","raw":"[{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"no\"}},{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":1,\"message\":\"no\"}}]"}`,
			`"out":2,"in":2`, `"out":2,"in":2,"errors":2`,
		},
		"a response that is too long": {
			call + part + `{"n":4,"t":0,"k":"stdout","seq":1,"why":"too-long","raw":"x\"}"}`,
			`"out":1,"in":1`, `"out":1,"stray":1`,
		},
		"a response that is too long and has no end": {
			call + part + `{"n":4,"t":0,"k":"note","text":"x"}`,
			`"out":1,"in":1`, `"out":1`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			for counts, accepted := range map[string]bool{c.now: true, c.formerly: true, `"out":9`: false} {
				r, err := Verify(write(t, header+`{"n":1,"t":0,"k":"start","process":"p"}`+"\n"+c.entries+"\n"+
					`{"n":5,"t":0,"k":"end","entries":5,"counts":{`+counts+`}}`+"\n"))
				require.NoError(t, err)
				require.Equal(t, accepted, !strings.Contains(fmt.Sprint(r.Problems), "has the counts"), "%s: %v", counts, r.Problems)
			}
		})
	}
}

func TestVerifyLimitsProblems(t *testing.T) {
	r, err := Verify(write(t, header+strings.Repeat("garbage\n", maxProblems+5)))
	require.NoError(t, err)
	require.Len(t, r.Problems, maxProblems)
	require.Equal(t, 5, r.More)
	require.Equal(t, maxProblems+5, r.Warnings.BadLines)
}

func TestTornRecordingIsNotAProblem(t *testing.T) {
	r, err := Verify(write(t, header+`{"n":1,"t":0,"k":"stderr","seq":1,"raw":"x"}`+"\n"+`{"n":2,"t":0`))
	require.NoError(t, err)
	require.True(t, r.OK())
	require.False(t, r.Finished)
	require.False(t, r.Streams[0].Checked)
}

func TestNumbers(t *testing.T) {
	type ranges = []numberRange
	for name, c := range map[string]struct {
		add   ranges
		holes ranges
	}{
		"none":          {nil, nil},
		"in order":      {ranges{{1, 1}, {2, 2}, {3, 7}}, nil},
		"out of order":  {ranges{{5, 9}, {1, 2}, {3, 4}, {2, 6}}, nil},
		"not from 1":    {ranges{{3, 3}}, ranges{{1, 2}}},
		"two holes":     {ranges{{9, 9}, {1, 2}, {5, 5}}, ranges{{3, 4}, {6, 8}}},
		"twice":         {ranges{{1, 1}, {1, 1}}, nil},
		"no range":      {ranges{{0, 0}, {0, 5}, {7, 3}}, nil},
		"to the end":    {ranges{{1, ^uint64(0)}, {5, 5}}, nil},
		"from the end":  {ranges{{^uint64(0), ^uint64(0)}, {1, 1}}, ranges{{2, ^uint64(0) - 1}}},
		"inside others": {ranges{{1, 100}, {200, 300}, {50, 60}, {101, 199}}, nil},
	} {
		var s numbers
		for _, r := range c.add {
			s.add(r.from, r.to)
		}
		require.Equal(t, c.holes, s.holes(), name)
	}
}

func TestNumbersAreLimited(t *testing.T) {
	var s numbers
	for i := range uint64(2 * maxRanges) { // two halves that fit together, each of them scattered
		s.add(2*(i%maxRanges)+i/maxRanges+1, 2*(i%maxRanges)+i/maxRanges+1)
	}
	require.True(t, s.scattered)
	require.LessOrEqual(t, len(s.ranges), maxRanges+1)
	require.Empty(t, s.holes())
}
