package recordings

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// record writes the chunks of one stream as the collector would.
func record(t testing.TB, f *File, kind session.Kind, limit int, chunks [][]byte) {
	t.Helper()
	sp := framing.Splitter{Limit: limit}
	add := func(l framing.Line) {
		e := session.Entry{Kind: kind, Seq: l.Seq, First: l.First, Cuts: l.Cuts, CutsDropped: l.CutsDropped,
			Payload: l.Data, EOL: l.EOL, More: l.More, Why: l.Problems.String()}
		if kind != session.KindStderr && l.Whole() {
			e.Msg = framing.Scan(l.Data)
			e.Msg.Problems |= l.Problems
		}
		require.NoError(t, f.Append([]session.Entry{e}))
	}
	for i, chunk := range chunks {
		for l := range sp.Push(uint64(i+1), chunk) {
			add(l)
		}
	}
	if l, ok := sp.Flush(false); ok {
		add(l)
	}
}

// stream reassembles the bytes of one stream.
func stream(t testing.TB, src session.Source, kind session.Kind) []byte {
	t.Helper()
	var all []byte
	for _, row := range rows(t, src) {
		if row.Kind == kind {
			e, err := src.Entry(row, 0)
			require.NoError(t, err)
			all = append(append(all, e.Payload...), e.EOL.String()...)
		}
	}
	return all
}

// open opens a recording without warnings.
func open(t testing.TB, path string) *Recording {
	t.Helper()
	r, err := Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

func chunked(input []byte, size int) (chunks [][]byte) {
	for len(input) > 0 {
		n := min(size, len(input))
		chunks = append(chunks, input[:n])
		input = input[n:]
	}
	return chunks
}

// awkward returns streams that programs often get wrong.
func awkward() map[string]string {
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	return map[string]string{
		"nothing":            "",
		"a message":          `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n",
		"spaces in it":       `{ "id" : 1,"result":{}  }` + "\n",
		"space around it":    ` {"id":1,"result":{}} ` + "\n",
		"a tab in it":        "{\"id\":1,\t\"result\":{}}\n",
		"invalid UTF-8":      "ok\n\xff\xfe\n{\"a\":\"\xff\"}\n",
		"NUL":                "a\x00b\n",
		"lone CR":            "progress 1\rprogress 2\r\r\n\r",
		"CRLF":               "{\"id\":1,\"result\":1}\r\nx\r\n\r\n",
		"blank lines":        "\n\n \n\n",
		"no final newline":   "a\n{\"id\":2,\"result\":{}}",
		"a BOM":              "\xef\xbb\xbf{\"id\":1,\"result\":{}}\n",
		"JSON's own escapes": `"\/<>&` + "\u2028\u2029\x7f\x1b\b\f\t" + `\u0041"` + "\n",
		"a lone surrogate":   `{"id":1,"result":"\ud800"}` + "\n",
		"big numbers":        `{"id":12345678901234567890123,"result":1.10}` + "\n",
		"duplicate keys":     `{"id":1,"id":2,"result":{}}` + "\n",
		"depth 200":          deep(200) + "\n",
		"depth 201":          deep(201) + "\n",
		"depth 300, a call":  `{"id":7,"method":"deep","params":` + deep(300) + "}\n",
		"a batch":            `[{"id":1,"method":"a"},{"method":"b"}]` + "\n",
		"two in a line":      `{"id":1}{"id":2}` + "\n",
		"pretty-printed":     "{\n  \"id\": 1\n}\n",
		"an LSP header":      "Content-Length: 5\r\n\r\n{\"a\":1}",
		"half a rune":        "\xe2\x82\n\xac\n",
		"like an entry":      `{"n":1,"t":2,"k":"stdout","seq":3,"m":{"m":1}}` + "\n" + `","m":{` + "\n",
	}
}

func TestStreamsComeBackByteForByte(t *testing.T) {
	for name, input := range awkward() {
		for _, size := range []int{1, 3, 1 << 16} {
			for _, kind := range []session.Kind{session.KindStdout, session.KindStderr} {
				t.Run(fmt.Sprintf("%s/%s/%d", name, kind, size), func(t *testing.T) {
					f := create(t, Options{})
					record(t, f, kind, 0, chunked([]byte(input), size))
					require.Equal(t, input, string(stream(t, f, kind)), "live")
					require.NoError(t, f.Close())
					r := open(t, f.Path())
					require.Zero(t, r.Warnings())
					require.Equal(t, sha256.Sum256([]byte(input)), sha256.Sum256(stream(t, r, kind)))
					requireSameRows(t, f, r)
					data, err := os.ReadFile(f.Path())
					require.NoError(t, err)
					requireJSONLines(t, data)
				})
			}
		}
	}
}

func TestLongLineInChunksComesBack(t *testing.T) {
	line := []byte(`{"jsonrpc":"2.0","id":1,"result":"` + strings.Repeat("0123456789abcde\\n", 8<<20/17) + `"}` + "\n")
	f := create(t, Options{})
	record(t, f, session.KindStdout, 0, chunked(line, 1<<16))
	require.NoError(t, f.Close())
	r := open(t, f.Path())
	require.Equal(t, sha256.Sum256(line), sha256.Sum256(stream(t, r, session.KindStdout)))
	e, err := r.Entry(rows(t, r)[0], 100)
	require.NoError(t, err)
	require.Len(t, e.Cuts, len(line)/(1<<16))
	require.Equal(t, int64(len(line)-1), e.FullSize)
	require.Equal(t, framing.Response, e.Msg.Kind)
}

// requireSameRows compares an opened recording with the live log.
func requireSameRows(t testing.TB, live, opened session.Source) {
	t.Helper()
	a, b := rows(t, live), rows(t, opened)
	require.Equal(t, a, b)
	want, got := live.Stats(), opened.Stats()
	got.Recording, got.Size = want.Recording, want.Size
	require.Equal(t, want, got)
	for i := range a {
		e1, err := live.Entry(a[i], 0)
		require.NoError(t, err)
		e2, err := opened.Entry(b[i], 0)
		require.NoError(t, err)
		require.True(t, bytes.Equal(e1.Payload, e2.Payload))
		e1.Payload, e2.Payload = nil, nil
		require.Equal(t, e1, e2)
		require.Equal(t, live.Method(a[i].Method), opened.Method(b[i].Method))
	}
}

// requireJSONLines makes sure that any JSON parser can read the file.
func requireJSONLines(t testing.TB, data []byte) {
	t.Helper()
	for l := range bytes.Lines(data) {
		require.True(t, json.Valid(l), "%.200q", l)
	}
}

func TestEntriesSurvive(t *testing.T) {
	msg := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for name, c := range map[string]struct {
		e    session.Entry
		line string
	}{
		"cuts": {
			session.Entry{Kind: session.KindStdout, Seq: 7, First: 4, Cuts: []framing.Cut{{Seq: 5, Off: 10}, {Seq: 7, Off: 20}}, Payload: []byte(msg)},
			`"k":"stdout","seq":7,"first":4,"cuts":[[5,10],[7,20]],"m":` + msg + "}",
		},
		"dropped cuts": {
			session.Entry{Kind: session.KindStdout, Seq: 99, First: 4, Cuts: []framing.Cut{{Seq: 5, Off: 10}}, CutsDropped: 30, Payload: []byte(msg)},
			`"k":"stdout","seq":99,"first":4,"cuts":[[5,10]],"cuts_dropped":30,"cuts_range":[6,99],"m":` + msg + "}",
		},
		"a part": {
			session.Entry{Kind: session.KindStdout, Seq: 2, More: true, EOL: framing.NoEOL, Why: "too-long", Payload: []byte(msg)},
			`"k":"stdout","seq":2,"why":"too-long","more":true,"eol":"","raw":"` + strings.ReplaceAll(msg, `"`, `\"`) + `"}`,
		},
		"one chunk": {
			session.Entry{Kind: session.KindStdout, Seq: 2, First: 2, Payload: []byte(msg)},
			`"k":"stdout","seq":2,"m":` + msg + "}",
		},
		"stdin": {
			session.Entry{Kind: session.KindStdin, Payload: []byte(msg)},
			`"k":"stdin","m":` + msg + "}",
		},
		"stdin without its newline": {
			session.Entry{Kind: session.KindStdin, EOL: framing.NoEOL, Payload: []byte(`{"id":1}`)},
			`"k":"stdin","eol":"","raw":"{\"id\":1}"}`,
		},
		"stdin with two lines": {
			session.Entry{Kind: session.KindStdin, Payload: []byte("a\nb")},
			`"k":"stdin","raw":"a\nb"}`,
		},
		"CRLF": {
			session.Entry{Kind: session.KindStdout, Seq: 1, EOL: framing.CRLF, Payload: []byte(msg)},
			`"k":"stdout","seq":1,"eol":"\r\n","m":` + msg + "}",
		},
		"not UTF-8": {
			session.Entry{Kind: session.KindStderr, Seq: 1, Payload: []byte("\xff")},
			`"k":"stderr","seq":1,"b64":"/w=="}`,
		},
		"a body": {
			session.NewEntry(session.KindGap, 0, session.GapBody{From: 1, To: 2, Bytes: 3}),
			`"k":"gap","from":1,"to":2,"bytes":3}`,
		},
		"an empty body": {
			session.NewEntry(session.KindExited, 8, session.ExitedBody{}),
			`"k":"exited","seq":8}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := c.e
			e.N, e.T = 3, 4
			if e.Kind.IsStream() && e.Kind != session.KindStderr {
				e.Msg = framing.Scan(e.Payload)
			}
			line := AppendEntry(nil, &e)
			require.Equal(t, `{"n":3,"t":4,`+c.line+"\n", string(line))
			got, err := Decode(line)
			require.NoError(t, err)
			if len(e.Body) <= len("{}") {
				e.Body = nil
			}
			if e.EOL == framing.CRLF {
				e.Msg.Problems |= framing.ProblemCRLF
			}
			if e.More {
				e.Msg = framing.Message{}
			}
			if e.First == e.Seq {
				e.First = 0
			}
			e.FullSize = int64(len(e.Payload))
			require.Equal(t, e, got)
		})
	}
}

func TestLongPayloadIsWrittenInPieces(t *testing.T) {
	long := func(unit string) []byte { return bytes.Repeat([]byte(unit), 1<<20/len(unit)) }
	for name, payload := range map[string][]byte{
		"m":   append(append([]byte(`{"id":1,"result":"`), long("abcdefgh")...), `"}`...),
		"raw": long("tab\tquote\" é"),
		"b64": append(long("seven\xff."), 1, 2),
	} {
		t.Run(name, func(t *testing.T) {
			f := create(t, Options{})
			e := session.Entry{Kind: session.KindStdout, Seq: 1, Payload: payload, Msg: framing.Scan(payload)}
			require.NoError(t, f.Append([]session.Entry{stdout(1, "before"), e, stdout(1, "after")}))
			require.LessOrEqual(t, cap(f.buf), 1<<20, "no second copy")
			row := rows(t, f)[1]
			line := make([]byte, row.Len)
			_, err := f.ReadLine(row, line, 0)
			require.NoError(t, err)
			e.N, e.T = 2, row.T
			require.True(t, bytes.Equal(AppendEntry(nil, &e), line), "the same as in one piece")
			require.Contains(t, string(line[:60]), `"`+name+`":`)

			require.NoError(t, f.Close())
			r := open(t, f.Path())
			require.True(t, bytes.Equal(append([]byte("before\n"), append(payload, "\nafter\n"...)...), stream(t, r, session.KindStdout)))
			requireSameRows(t, f, r)
			requireBeginning(t, r, rows(t, r)[1], payload)
		})
	}
}

// requireBeginning reads only the beginning of a long payload.
func requireBeginning(t *testing.T, src session.Source, row session.Row, payload []byte) {
	t.Helper()
	e, err := src.Entry(row, 1000)
	require.NoError(t, err)
	require.True(t, e.Cut)
	require.LessOrEqual(t, len(e.Payload), 1000)
	require.Greater(t, len(e.Payload), 700)
	require.True(t, bytes.HasPrefix(payload, e.Payload))
	require.Equal(t, row.Msg, e.Msg.Kind)
	require.GreaterOrEqual(t, e.FullSize, int64(len(payload)))
	require.Less(t, e.FullSize, 2*int64(len(payload)))

	e, err = src.Entry(row, len(payload)*2)
	require.NoError(t, err)
	require.False(t, e.Cut)
	require.Equal(t, int64(len(payload)), e.FullSize)
}

func TestPaddingIsOnlyAtTheEnd(t *testing.T) {
	piece := strings.Repeat("QUFB", 1023)
	for text, want := range map[string]bool{
		piece + "QUFB" + "QQ==": true,
		piece + "QQ==" + "QUFB": false,
		piece + "QQ==":          true,
		piece + "QQ":            false,
		"":                      true,
	} {
		data, ok := decode64([]byte(text))
		require.Equal(t, want, ok)
		if ok {
			require.Equal(t, text, base64.StdEncoding.EncodeToString(data))
		}
	}
}

func TestBeginningOfLineWithManyCuts(t *testing.T) {
	f := create(t, Options{})
	payload := bytes.Repeat([]byte("0123456789"), 100_000)
	record(t, f, session.KindStdout, 0, chunked(append(payload, '\n'), 100))
	row := rows(t, f)[0]
	e, err := f.Entry(row, 0)
	require.NoError(t, err)
	require.Len(t, e.Cuts, framing.MaxCuts)
	require.Positive(t, e.CutsDropped)
	requireBeginning(t, f, row, payload)
}

func TestPartsAreNotMessages(t *testing.T) {
	// The parts look like messages, and so does the last one.
	f := create(t, Options{})
	record(t, f, session.KindStdout, 16, [][]byte{[]byte(`{"id":1,"a":123}{"id":1,"a":456}{"id":1}` + "\n" + `{"id":2,"a":123}` + "\n")})
	require.NoError(t, f.Close())
	r := open(t, f.Path())
	requireSameRows(t, f, r)
	all := rows(t, r)
	for _, row := range all[:3] {
		require.Equal(t, framing.NotJSON, row.Msg)
		require.NotZero(t, row.Flags&session.FlagPart)
	}
	require.Zero(t, all[3].Flags&session.FlagPart)
	require.Equal(t, framing.Other, all[3].Msg)
	require.Equal(t, uint64(2), r.Stats().Stray, "one line in parts, one that is not a message")
}

// TestAnyChunkingComesBack checks the property behind the tables: whatever the
// bytes and wherever they were cut, the recording returns them.
func TestAnyChunkingComesBack(t *testing.T) {
	var pieces []string
	for _, s := range awkward() {
		pieces = append(pieces, s)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10 * seeds {
		var input []byte
		for range rng.IntN(20) {
			input = append(input, pieces[rng.IntN(len(pieces))]...)
			input = append(input, byte(rng.IntN(256)))
		}
		roundTrip(t, input, 1+rng.IntN(50), 1+rng.IntN(400))
	}
}

func roundTrip(t testing.TB, input []byte, size, limit int) {
	t.Helper()
	f := create(t, Options{NoRecord: true}) // the cheapest kind of file
	record(t, f, session.KindStdout, limit, chunked(input, size))
	require.NoError(t, f.Close())
	_, err := f.part.f.Seek(0, io.SeekStart)
	require.NoError(t, err)
	data, err := io.ReadAll(f.part.f)
	require.NoError(t, err)
	r, err := newRecording("memory", inMemory(data), allRows, "")
	require.NoError(t, err)
	<-r.Indexed()
	defer func() { require.NoError(t, r.Close()) }()
	require.Equal(t, string(input), string(stream(t, r, session.KindStdout)))
	requireSameRows(t, f, r)
	requireJSONLines(t, data)
}

func FuzzRoundTrip(f *testing.F) {
	for _, s := range awkward() {
		f.Add([]byte(s), uint8(7), uint16(100))
	}
	f.Fuzz(func(t *testing.T, input []byte, size uint8, limit uint16) {
		roundTrip(t, input, 1+int(size), 1+int(limit))
	})
}
