package framing

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// scanIn scans a line in pieces of the sizes that next returns.
func scanIn(line []byte, next func(left int) int) *Incremental {
	s := new(Incremental)
	for rest := line; len(rest) > 0; {
		n := min(max(next(len(rest)), 1), len(rest))
		s.Write(bytes.Clone(rest[:n])) // it must not keep the bytes
		rest = rest[n:]
	}
	return s
}

// requireSame checks what an Incremental says about a whole line.
func requireSame(t *testing.T, line []byte, s *Incremental) {
	t.Helper()
	m := Scan(line)
	if !s.Done() {
		return
	}
	require.True(t, m.Verbatim && m.Kind == Response && m.Problems == 0, "%q: %v %v", line, m.Kind, m.Problems)
	require.Equal(t, m.ID.Of(line), s.ID(), "%q", line)
	begin, end := s.Result()
	require.Equal(t, [2]int64{int64(m.Result.Start), int64(m.Result.End)}, [2]int64{begin, end}, "%q", line)
	require.Equal(t, int64(len(line)), s.Scanned())

	digest, short := s.Digest(), s.Message()
	require.True(t, short.Verbatim && short.Kind == Response, "%q", digest)
	require.Equal(t, m.Depth, short.Depth)
	require.Equal(t, m.ID.Of(line), short.ID.Of(digest))
	var kept [][2]string
	result := m.Result.Of(line)
	for key, value := range Members(result) {
		if value.End-key.Start <= maxPiece {
			kept = append(kept, [2]string{string(key.Of(result)), string(value.Of(result))})
		} else {
			require.Contains(t, s.Omitted(), strings.Trim(string(key.Of(result)), `"`))
		}
	}
	var got [][2]string
	for key, value := range Members(short.Result.Of(digest)) {
		got = append(got, [2]string{string(key.Of(short.Result.Of(digest))), string(value.Of(short.Result.Of(digest)))})
	}
	require.Equal(t, kept, got, "%q", line)
}

// taken lists responses that an Incremental takes. LONG stands for a long text.
var taken = []string{
	`{"jsonrpc":"2.0","id":1,"result":{}}`,
	`{"jsonrpc":"2.0","id":"mcpdbg-3","result":{"content":[{"type":"text","text":"LONG"}],"isError":false}}`,
	`{"result":{"structuredContent":{"a":[1,-0.5e+3,0,[],{},true,false,null]},"isError":true,"content":[]},"jsonrpc":"2.0","id":"x"}`,
	`{ "id" : 12 , "result" : { "a" : "\u00e9\ud83d\ude00\n\"" , "b" : [ 1 , 2 ] , "ü" : "世界" } , "other" : null }`,
	`{"id":null,"result":{"result":{"id":5},"id":7,"LONGNAME":"LONG","c":"LONG"}}`,
	`{"id":1.0,"result":{"n":0,"m":1E5,"o":1e-2,"p":-10.25,"q":[0.1,2]}}`,
}

// refused lists lines that an Incremental leaves to Scan.
var refused = []string{
	``, `{`, `[]`, ` {"id":1,"result":{}}`, `{"id":1,"result":{}} `, `{"id":1,"result":{}}x`, `{"id":1,"result":{}}{`,
	`{"id":1,"result":5}`, `{"id":1,"result":[1]}`, `{"id":1}`, `{"id":1,"error":{"code":1,"message":"x"}}`, `{"id":1,"method":"m","result":{}}`,
	`{"id":1,"result":{},"id":2}`, `{"id":1,"result":{},"result":{}}`, `{"jsonrpc":"2.0","jsonrpc":"2.0","result":{}}`, `{"i\u0064":1,"result":{}}`,
	`{"id":1,"result":{"a":"\ud800"}}`, `{"id":1,"result":{"a":"\udc00"}}`, `{"id":1,"result":{"a":"\ud800\u0041"}}`, `{"id":1,"result":{"a":"\ud800x"}}`,
	"{\"id\":1,\"result\":{\"a\":\"\xff\"}}", "{\"id\":1,\"result\":{\"a\":\"\xe4\xb8\"}}", "{\"id\":1,\"result\":{\"a\":\"\t\"}}", "{\"id\":1,\t\"result\":{}}",
	`{"id":1,"result":{"a":01}}`, `{"id":1,"result":{"a":1.}}`, `{"id":1,"result":{"a":1e}}`, `{"id":1,"result":{"a":-}}`, `{"id":1,"result":{"a":tru}}`,
	`{"id":1,"result":{"a":"\x"}}`, `{"id":1,"result":{"a":"\u12g4"}}`, `{"id":1,"result":{"a":1,}}`, `{"id":1,"result":{"a":[1,]}}`, `{"id":1,"result":{"a"}}`,
	`{"id":1,"result":{"a":[1}}}`, `{"id":1,"result":{"a":{1]}}}`, `{"id":1,"result":{a:1}}`, `{"id":"LONG","result":{}}`, "{\"id\":1,\"result\":{}}\r",
	"{\"id\":1,\"result\":{}}\xe4",
}

func expand(line string) []byte {
	line = strings.ReplaceAll(line, "LONGNAME", strings.Repeat("n", maxName-2))
	return []byte(strings.ReplaceAll(line, "LONG", strings.Repeat("some text, ", maxPiece/8)))
}

func TestIncrementalTakesResponsesInAnyPieces(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, text := range taken {
		line := expand(text)
		for _, size := range []int{1, 2, 3, 5, 7, 8, 9, 64, len(line)} {
			s := scanIn(line, func(int) int { return size })
			require.True(t, s.Done(), "%.200s in pieces of %d", text, size)
			requireSame(t, line, s)
		}
		for range 50 {
			s := scanIn(line, func(left int) int { return 1 + random.IntN(left) })
			require.True(t, s.Done(), "%.200s", text)
			requireSame(t, line, s)
		}
		for end := range min(len(line), 400) {
			require.False(t, scanIn(line[:end], func(int) int { return 100 }).Done(), "%q", line[:end])
		}
	}
}

func TestIncrementalRefusesOtherLines(t *testing.T) {
	deep := `{"id":1,"result":{"a":` + strings.Repeat("[", VerbatimDepth-1) + strings.Repeat("]", VerbatimDepth-1) + `}}`
	for _, text := range append(refused, deep) {
		for _, size := range []int{1, 3, 1 << 20} {
			require.False(t, scanIn(expand(text), func(int) int { return size }).Done(), "%.200s in pieces of %d", text, size)
		}
	}
	deepest := `{"id":1,"result":{"a":` + strings.Repeat("[", VerbatimDepth-2) + strings.Repeat("]", VerbatimDepth-2) + `}}`
	s := scanIn([]byte(deepest), func(int) int { return 7 })
	require.True(t, s.Done())
	requireSame(t, []byte(deepest), s)
}

func TestIncrementalDigest(t *testing.T) {
	s := new(Incremental)
	require.JSONEq(t, `{}`, string(s.Digest()))
	require.True(t, s.Write([]byte(`{"jsonrpc":"2.0","id":"a","result":{"resultType":"complete","_meta":{"x":[1]},"content":[{"te`)))
	require.JSONEq(t, `{"jsonrpc":"2.0","id":"a","result":{"resultType":"complete","_meta":{"x":[1]}}}`, string(s.Digest()), "before the end")
	require.Equal(t, `"a"`, string(s.ID()))
	begin, end := s.Result()
	require.Equal(t, [2]int64{35, 0}, [2]int64{begin, end})
	require.True(t, s.Write(expand(`xt":"LONG"}],"isError":true}}`)))
	require.True(t, s.Done())
	require.JSONEq(t, `{"jsonrpc":"2.0","id":"a","result":{"resultType":"complete","_meta":{"x":[1]},"isError":true}}`, string(s.Digest()))
	require.Equal(t, []string{"content"}, s.Omitted())
	require.True(t, json.Valid(s.Digest()))
}

// Members that are small but many must not make the digest large.
func TestIncrementalDigestIsBounded(t *testing.T) {
	s := new(Incremental)
	require.True(t, s.Write([]byte(`{"id":1,"result":{"a":1`)))
	for range 1 << 20 {
		if !s.Write([]byte(`,"some name":"some text"`)) {
			break
		}
	}
	require.False(t, s.Write([]byte(`}}`)))
	require.LessOrEqual(t, len(s.Digest()), maxDigest+maxPiece+2)
}

func TestIncrementalMemoryDoesNotGrow(t *testing.T) {
	s := new(Incremental)
	require.True(t, s.Write([]byte(`{"id":1,"result":{"a":"`)))
	text := []byte(strings.Repeat("0123456789abcde\\n", 1000))
	require.Zero(t, testing.AllocsPerRun(100, func() { s.Write(text) }))
	require.True(t, s.Write([]byte(`"}}`)))
	require.True(t, s.Done())
}

// FuzzIncremental checks that a line that is taken in pieces is what Scan finds in
// it as a whole, and that the pieces do not matter.
func FuzzIncremental(f *testing.F) {
	for _, list := range [][]string{taken, refused} {
		for i, text := range list {
			f.Add([]byte(text), uint64(i))
		}
	}
	f.Fuzz(func(t *testing.T, line []byte, seed uint64) {
		line = bytes.ReplaceAll(line, []byte("LONG"), expand("LONG"))
		if len(line) > 1<<20 {
			return
		}
		random := rand.New(rand.NewPCG(seed, 0))
		whole := scanIn(line, func(left int) int { return left })
		pieces := scanIn(line, func(int) int { return 1 + random.IntN(9) })
		require.Equal(t, whole.Done(), pieces.Done(), "%q", line)
		requireSame(t, line, whole)
		requireSame(t, line, pieces)
		if whole.Done() {
			require.Equal(t, whole.Digest(), pieces.Digest())
		} else if s := Scan(line); s.Verbatim && s.Kind == Response && s.Problems == 0 && len(line) < maxPiece {
			requireReason(t, line, s)
		}
	})
}

// requireReason checks that a response that was refused has a reason for it.
func requireReason(t *testing.T, line []byte, m Message) {
	t.Helper()
	if line[m.Result.Start] != '{' || m.Method != (Span{}) || m.Params != (Span{}) || m.Error != (Span{}) {
		return
	}
	for _, object := range [][]byte{line, m.Result.Of(line)} {
		for key := range Members(object) {
			if name := key.Of(object); len(name) > maxName || bytes.IndexByte(name, '\\') >= 0 {
				return
			}
		}
	}
	if bytes.Count(line, []byte(`"jsonrpc"`)) > 1 {
		return
	}
	t.Fatalf("refused: %q", line)
}

func BenchmarkIncremental(b *testing.B) {
	piece := []byte(strings.Repeat("0123456789abcdef", 4<<10))
	s := new(Incremental)
	s.Write([]byte(`{"id":1,"result":{"a":"`))
	b.SetBytes(int64(len(piece)))
	for b.Loop() {
		s.Write(piece)
	}
}
