package redact

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// syntaxes are the namings as regular expressions: the first group is the name, one of the
// others the value.
var syntaxes = []*regexp.Regexp{
	regexp.MustCompile(`\\*"([^"\\\s]{1,256})\\*"\s*:\s*(?:\\*"((?:[^"\\]|\\[^"])+)|(-?[0-9][0-9.eE+-]*))`),
	regexp.MustCompile(`'([^'\s]{1,256})'\s*:\s*(?:'([^']+)|(-?[0-9][0-9.eE+-]*))`),
	regexp.MustCompile(`([0-9A-Za-z_.-]{1,256})=(?:"([^"]+)|'([^']+)|([^\s&;,"'\\]+))`),
	regexp.MustCompile(`(?m)^[ \t]*([0-9A-Za-z_.-]{1,256})[ \t]+=[ \t]+(?:"([^"]+)"|'([^']+)'|([^\s"']+))[ \t]*$`),
	regexp.MustCompile(`(?m)^[\s<>*]*([0-9A-Za-z_-]{1,256}): *([^\s].*)$`),
	regexp.MustCompile(`(?:^|[\s"'\[(,])--?([0-9A-Za-z][0-9A-Za-z_.-]{0,255})(?:[ \t]+|["'],[ \t]*["'])(?:"([^"]+)"|'([^']+)'|([^\s"'<\[({$&;|,-][^\s"'&;|,)]*))`),
}

var (
	headerSyntax   = regexp.MustCompile(`([0-9A-Za-z_-]{1,256}):[ \t]+`)
	followerSyntax = regexp.MustCompile(`^[ \t]+(?:(?:is|was|of|=)[ \t]+)?["'(]?([0-9A-Za-z_+/=.~-]{16,})`)
)

// randomText returns a text of pieces that matter to the syntaxes.
func randomText(random *rand.Rand) string {
	pieces := []string{"a", "token", "password", "x-y", ".", "-", "--", "=", " = ", ":", ": ", " : ", `"`, `'`, `\`, `\"`, " ", "\t", "\n", "\r\n", ",", ", ", "(", "[", "<", "*", "1", "-1.5e3",
		"&", ";", "|", "é", "\xff", "\u2028", "is", "was", "of", " of ", "abcdefgh12345678", ` "abcdefgh12345678`, " is abcdefgh12345678", "Zm9vYmFy1234-_", "/", "{", "}", "$", strings.Repeat("n", 255), `"` + strings.Repeat("é", 256) + `":1`, `'` + strings.Repeat("é", 256) + `':1`, strings.Repeat("w", 63),
		`"token": "abc"`, `"a" :\n"b\"c`, `\"a\": \"b\"`, `"a":"b\\"`, `"n":-1.5,`, `'pw': 'x y'`, `'n':2`, "\na = 'b'\n", "\n n = 1\n", "x=\"y\"", "\nkey: value", `--token "x y"`, `"--token", "x"`, "-p v"}
	var b strings.Builder
	for range 1 + random.IntN(24) {
		b.WriteString(pieces[random.IntN(len(pieces))])
	}
	return b.String()
}

// TestNamingsAreRegular checks the searches against the regular expressions that say the
// same, on many random texts.
func TestNamingsAreRegular(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	found := make([]int, len(syntaxes)+2)
	for range 3_000 {
		text := []byte(randomText(random))
		for i, re := range syntaxes {
			var want, got []string
			for _, m := range re.FindAllSubmatchIndex(text, -1) {
				for g := 4; g < len(m); g += 2 {
					if m[g] >= 0 {
						want = append(want, fmt.Sprint(m[2:4], m[g:g+2], m[1], named[i].prose && g == len(m)-2))
					}
				}
			}
			for m := range named[i].all(text) {
				got = append(got, fmt.Sprint([]int{m.name, m.nameEnd}, []int{m.value, m.valueEnd}, m.end, named[i].prose && m.bare))
			}
			require.Equal(t, want, got, "%d of %q", i, text)
			found[i] += len(got)
		}
		var want, got []string
		for _, m := range headerSyntax.FindAllSubmatchIndex(text, -1) {
			want = append(want, fmt.Sprint(m[2:4], m[1]))
		}
		for m := range headers.all(text) {
			got = append(got, fmt.Sprint([]int{m.name, m.nameEnd}, m.end))
		}
		require.Equal(t, want, got, "%q", text)
		found[len(syntaxes)] += len(got)
		at := max(strings.IndexByte(string(text), ' '), 0)
		m := followerSyntax.FindSubmatchIndex(text[at:])
		from, to, ok := findFollower(text, at)
		require.Equal(t, m != nil, ok, "%q from %d", text, at)
		if ok {
			require.Equal(t, []int{m[2] + at, m[3] + at}, []int{from, to}, "%q from %d", text, at)
			found[len(syntaxes)+1]++
		}
	}
	for i, n := range found {
		require.Greater(t, n, 20, "syntax %d", i)
	}
}
