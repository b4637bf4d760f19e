package match

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTextType: trying the expressions by the first characters finds what all of them find.
func TestTextType(t *testing.T) {
	all := func(text string) Type {
		switch {
		case timeText().MatchString(text), isDate(text):
			return TypeTime
		case idText().MatchString(text) && strings.ContainsAny(text, "0123456789"):
			return TypeID
		case durationText().MatchString(text):
			return TypeDuration
		case tempText().MatchString(text):
			return TypeTempPath
		}
		return TypeNone
	}
	found := map[Type]int{}
	random := rand.New(rand.NewPCG(1, 2))
	samples := []string{
		"2026-11-21T10:00:00Z", "2026-11-21 10:00", "Sat, 21 Nov 2026 10:00:00 GMT", "01KAJJMHZZ3W9T5K6VQ8X1Y2ZB", "0123456789abcdef",
		"8d5f3c0a-1b2c-4d5e-8f90-a1b2c3d4e5f6", "1.5s", ".5 ms", "PT3S", "3 minutes", "/tmp/x", "file:///var/folders/a/b", "/private/var/folders/x", `C:\Temp\x`,
		`file://C:\a\Temp\b`, "plain words", "1", "-", "P", "f", "a:b",
	}
	for _, sample := range samples {
		for range 200 {
			text := []byte(sample)
			if found[TypeNone] > 0 {
				text[random.IntN(len(text))] = "0a-Z .:/\\,"[random.IntN(10)]
			}
			require.Equal(t, all(string(text)), textType(string(text)), "%s", text)
			found[textType(string(text))]++
			require.Equal(t, all(sample), textType(sample), sample)
			found[textType(sample)]++
		}
	}
	for _, typ := range []Type{TypeNone, TypeTime, TypeID, TypeDuration, TypeTempPath} {
		require.Positive(t, found[typ], typ)
	}
}
