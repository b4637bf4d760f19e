package jsontree

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSkipperStopsAnywhere(t *testing.T) {
	for _, doc := range []string{
		`{"a":[1,{"b":"x,]\"}"}],"c\\":2}`, `"\\\"\\"`, `[[],[[]],{}]`, `"` + strings.Repeat(`\\`, 50) + `"`,
	} {
		for step := 1; step <= len(doc); step++ {
			s := newSkipper([]byte(doc), 0)
			for done := false; !done; {
				budget := step
				var err *SyntaxError
				done, err = s.advance([]byte(doc), &budget)
				require.Nil(t, err)
				require.GreaterOrEqual(t, budget, 0)
			}
			require.Equal(t, len(doc), s.pos, "%s by %d", doc, step)
			require.Equal(t, map[byte]int{'{': 1, '[': 2, '"': 0}[doc[0]], s.commas, "%s by %d", doc, step)
		}
	}
}

func TestSkipperAtEnd(t *testing.T) {
	for _, doc := range []string{`{"a":[1}`, `"abc\"`, `[`, `{"a":"]}`} {
		s := newSkipper([]byte(doc), 0)
		all := math.MaxInt
		done, err := s.advance([]byte(doc), &all)
		require.False(t, done)
		require.Equal(t, &SyntaxError{Offset: len(doc), Reason: unexpectedEnd}, err)
	}
}

func FuzzValidate(f *testing.F) {
	for _, s := range []string{message, `[1,-0.5e+9,true,false,null]`, `{"a":"\ud800\u00e9"}`, `[[[]],{}]`, `{"a":1,}`, "\"\x7f\"", `-`, `1.e5`, ` tru`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		if bytes.Count(doc, []byte("["))+bytes.Count(doc, []byte("{")) >= 10_000 {
			t.Skip("encoding/json limits the depth")
		}
		err := validate(doc)
		if valid := json.Valid(doc); valid != (err == nil) {
			t.Fatalf("valid according to encoding/json: %v; validate returned %v", valid, err)
		}
		if err != nil && (err.Offset < 0 || err.Offset > len(doc)) {
			t.Fatalf("error at %d of %d", err.Offset, len(doc))
		}
	})
}
