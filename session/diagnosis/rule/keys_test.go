package rule

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"mcpdbg/internal/tools/corpus"
)

func TestDifferentKeys(t *testing.T) {
	for text, want := range map[string]bool{
		`{}`: true, `[]`: true, `1`: true, `"a"`: true, `null`: true,
		`{"a":1,"b":2}`:                     true,
		`{"a":1,"a":2}`:                     false,
		`{"a":{"a":1},"b":{"a":1}}`:         true,
		`{"b":{"a":1,"c":{},"a":1}}`:        false,
		`[{"a":1},{"a":1}]`:                 true,
		`[{"a":1},{"b":1,"b":1}]`:           false,
		`{"a":["a","a",{"a":"a"}],"b":"a"}`: true,
		`{"a":"\"","b":"\\","a":1}`:         false,
		`{"a":"\"","b":"\\","c":1}`:         true,
		`{"a":"{\"b\":1,\"b\":2}"}`:         true,
		`{"a" : 1 , "a" : 2}`:               false,
		`{"":1,"":2}`:                       false,
		`{"\u0061":1,"a":2}`:                false, // escapes are not compared
		strings.Repeat("[", mostLevels) + strings.Repeat("]", mostLevels):     true,
		strings.Repeat("[", mostLevels+1) + strings.Repeat("]", mostLevels+1): false,
		manyKeys(mostOpenKeys):     true,
		manyKeys(mostOpenKeys + 1): false,
	} {
		require.Equal(t, want, differentKeys([]byte(text)), text)
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"k%d":%d`, i, i)
	}
	return "{" + b.String()[1:] + "}"
}

// TestDifferentKeysMatchesTokenizer checks the result against a tokenizer.
func TestDifferentKeysMatchesTokenizer(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	sure := 0
	for range 20_000 {
		text := randomValue(random, 4)
		strict := jsontext.Value(text).IsValid()
		if differentKeys([]byte(text)) {
			require.True(t, strict, text)
			sure++
		} else if !strings.Contains(text, `\`) {
			require.False(t, strict, text)
		}
	}
	require.Greater(t, sure, 5_000)
	for _, m := range corpus.MIX(1000) {
		require.True(t, differentKeys(m))
	}
}

func randomValue(random *rand.Rand, depth int) string {
	texts := []string{`""`, `"a"`, `"\""`, `"\\"`, `"b\\\""`, `"c,{["`, `"\u0061"`, `"d:"`}
	kind := random.IntN(6)
	if depth == 0 {
		kind %= 3
	}
	switch kind {
	case 0:
		return "1"
	case 1, 2:
		return texts[random.IntN(len(texts))]
	case 3:
		var all []string
		for range random.IntN(4) {
			all = append(all, randomValue(random, depth-1))
		}
		return "[" + strings.Join(all, " , ") + "]"
	}
	var all []string
	for range random.IntN(4) {
		all = append(all, texts[random.IntN(len(texts))]+":"+randomValue(random, depth-1))
	}
	return "{" + strings.Join(all, ",") + "}"
}

func TestLongProgressTokens(t *testing.T) {
	for params, want := range map[string]bool{
		`{}`:                                                             false,
		`{"progressToken":1}`:                                            false,
		`{"progressToken":"9007199254740993"}`:                           false,
		`{"progressToken":9007199254740993}`:                             true,
		`{"progressToken" : 9007199254740993}`:                           true,
		`{"progressToken":-900719925474099}`:                             true, // may be: the token is parsed then
		`{"other":1,"Token":9007199254740993}`:                           false,
		`{"_meta":{"progressToken":12345678901234567890}}`:               true,
		`{"progressToken":1,"_meta":{"progressToken":9007199254740993}}`: true,
	} {
		require.Equal(t, want, longProgressToken([]byte(params)), params)
	}
}
