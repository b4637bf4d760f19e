package compare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSameButVolatile(t *testing.T) {
	long := strings.Repeat("some more words ", 100)
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"created at 8:01:47 PM", "created at 11:59:02 AM", true},
		{"created at 8:01:47 PM.", "created at 8:01:47 AM.", true},
		{"Sat, 21 Nov 2026 10:00:00 GMT", "Mon, 23 Jan 2027 10:00:00 GMT", true},
		{"it took 12ms, 3 items", "it took 1.5 s, 3 items", true},
		{"it took 12ms, 3 items", "it took 12ms, 4 items", false},
		{"pid 12 on port 8080", "pid 13 on port 8081", true},
		{"http://127.0.0.1:4000/x", "http://127.0.0.1:4001/x", true},
		{"wrote /tmp/abc/out.txt", "wrote /tmp/def/out.txt", true},
		{"wrote /home/abc", "wrote /home/def", false},
		{"id 7d444840-9dc0-11d1-b245-5ffdce74fad2 ok", "id 00000000-9dc0-11d1-b245-5ffdce74fad2 ok", true},
		{"id 7d444840-9dc0-11d1-b245-5ffdce74fad2 ok", "id none ok", false},
		{long + "10:00:00 " + long, long + "10:00:01 " + long, true},
		{long + "10 " + long, long + "11 " + long, false},
		{"", "10:00:00", false},
		{"count 5", "count 6", false},
	} {
		same, _ := sameButVolatile(c.a, c.b)
		require.Equal(t, c.same, same, "%s | %s", c.a, c.b)
		same, _ = sameButVolatile(c.b, c.a)
		require.Equal(t, c.same, same, "%s | %s", c.b, c.a)
	}
}

func TestExcerptsAreShort(t *testing.T) {
	require.Equal(t, `"short"`, excerpt([]byte(`"short"`)))
	blob := excerpt([]byte(`"` + strings.Repeat("QUJD", 1000) + `"`))
	require.Regexp(t, `^3000 bytes, xxh64 [0-9a-f]{16}$`, blob)
	require.Regexp(t, `^"é+… \(6002 bytes\)$`, excerpt([]byte(`"`+strings.Repeat("é", 3000)+`"`)))
}

func TestLineDiffIsBounded(t *testing.T) {
	lines := lineDiff(strings.Repeat("a\n", 500), strings.Repeat("b\n", 500))
	require.Len(t, lines, maxLines+1)
	require.Equal(t, "and 977 more lines", lines[maxLines])
}

func TestPlaceInText(t *testing.T) {
	long := strings.Repeat("some more wörds ", 400)
	secret := "the token s3cr3t-s3cr3t is good, "
	mark := "the token [redacted:abcdefgh] is good, "
	for _, c := range []struct {
		name, a, b string
		want       TextPlace
	}{
		{"short", "good", "bad", TextPlace{}},
		{"far", long + "old" + long, long + "new" + long, TextPlace{Character: 6401, A: "...me more wörds some more wörds [old]some more wörds some more wörd...", B: "...me more wörds some more wörds [new]some more wörds some more wörd..."}},
		{"in the middle of a character", long + "ä" + long, long + "ö" + long, TextPlace{Character: 6401, A: "...me more wörds some more wörds [ä]some more wörds some more wörd...", B: "...me more wörds some more wörds [ö]some more wörds some more wörd..."}},
		{"at the start", "x" + long, long, TextPlace{Character: 1, A: "[x]some more wörds some more wörd...", B: "[]some more wörds some more wörd..."}},
		{"at the end", long, long + "!", TextPlace{Character: 6401, A: "...me more wörds some more wörds []", B: "...me more wörds some more wörds [!]"}},
		{"much", long + "x", long + strings.Repeat("y", 50), TextPlace{Character: 6401, A: "...me more wörds some more wörds [x]", B: "...me more wörds some more wörds [" + strings.Repeat("y", 40) + "..."}},
		{"after a time", long + "10:00:01 old", long + "10:00:05 new", TextPlace{Character: 6410, A: "...örds some more wörds 10:00:01 [old]", B: "...örds some more wörds 10:00:05 [new]"}},
		{"lines", "one\ntwo\nthree", "one\ntwo\nthrice", TextPlace{Character: 12, Line: 3, Column: 4, A: "one\ntwo\nthr[e]e", B: "one\ntwo\nthr[ic]e"}},
		{"after a secret", long + secret + "old", long + mark + "new", TextPlace{Character: 6434, A: "... token s3cr3t-s3cr3t is good, [old]", B: "... [redacted:abcdefgh] is good, [new]"}},
		{"after a secret, in the first", long + mark + "old", long + secret + "new", TextPlace{Character: 6440, A: "... [redacted:abcdefgh] is good, [old]", B: "... token s3cr3t-s3cr3t is good, [new]"}},
		{"after two marks", mark + long + mark + "old", strings.ReplaceAll(mark, "abc", "xyz") + long + mark + "new", TextPlace{Character: 6479, A: "... [redacted:abcdefgh] is good, [old]", B: "... [redacted:abcdefgh] is good, [new]"}},
		{"next to a secret", long + "token s3cr3t is bad", long + "token [redacted:abcdefgh] is good", TextPlace{Character: 6417, A: "...me more wörds token s3cr3t is [ba]d", B: "... token [redacted:abcdefgh] is [goo]d"}},
		{"between a secret and a time", long + secret + "old at 10:00:01 x", long + mark + "new at 10:00:02 x", TextPlace{Character: 6434, A: "... token s3cr3t-s3cr3t is good, [old at 10:00:01] x", B: "... [redacted:abcdefgh] is good, [new at 10:00:02] x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			place := placeOf(c.a, c.b, false)
			if c.want.Character == 0 {
				require.Nil(t, place)
				return
			}
			place.differs = [2]string{}
			require.Equal(t, &c.want, place)
		})
	}
}

func FuzzPlaceInText(f *testing.F) {
	f.Add("the token [redacted:abc] is 10:00:01 good", "the token s3cret is 10:00:02 bad")
	f.Add("[redacted:a][redacted:b]", "[redacted:a]x[redacted:b")
	f.Add("\xff[redacted:\xffä", "\xfe10:00:01")
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, exact := range []bool{false, true} {
			i, j, end := DifferingPart(a, b, exact)
			require.LessOrEqual(t, i+end, len(a))
			require.LessOrEqual(t, j+end, len(b))
			require.Equal(t, a[len(a)-end:], b[len(b)-end:])
		}
	})
}

func TestLongLinesOfADiffShowTheDifference(t *testing.T) {
	long := strings.Repeat("word ", 100)
	require.Equal(t, []string{"@@ -1,3 +1,3 @@", " first", "-...ord word word word word word  [old] end", "+...ord word word word word word  [new] end", " last"},
		lineDiff("first\n"+long+" old end\nlast", "first\n"+long+" new end\nlast"))
}

func TestGuessesAreListed(t *testing.T) {
	text := func(value string) string {
		return `"result":{"port":` + value + `,"at":"2026-11-2` + value[:1] + `T10:00:00Z","text":"retried after ` + value + ` ms"}`
	}
	r := compared(t, call(text("8080")), call(text("9090")), Options{})
	require.Empty(t, r.Differences)
	guesses := map[string]bool{}
	for _, m := range r.Masked {
		guesses[string(m.Pointer)+" "+m.A+" "+m.B] = m.Guess
	}
	require.Equal(t, map[string]bool{
		"/result/port 8080 9090": true, `/result/at "2026-11-28T10:00:00Z" "2026-11-29T10:00:00Z"`: false, `/result/text "retried after 8080 ms" "retried after 9090 ms"`: true,
	}, guesses)
	written := func(reveal bool) string {
		var out strings.Builder
		require.NoError(t, r.WriteText(&out, TextOptions{Reveal: reveal}))
		return out.String()
	}
	require.Contains(t, written(false), `
Equal by type: 1 value (--reveal shows them)
  time      tools/call x, /result/at  1

Taken as equal, because both look like the same type: 2 values
  port      tools/call x, /result/port  1
           A 8080
           B 9090
  text      tools/call x, /result/text  1
           A "retried after 8080 ms"
           B "retried after 9090 ms"
  a rule makes them count: keep tools/call:x /result/port
`)
	var a, b []string
	for i := range maxGuesses + 3 {
		a, b = append(a, fmt.Sprintf(`"k%d":{"port":1}`, i)), append(b, fmt.Sprintf(`"k%d":{"port":2}`, i))
	}
	r = compared(t, call(`"result":{`+strings.Join(a, ",")+`}`), call(`"result":{`+strings.Join(b, ",")+`}`), Options{})
	require.Equal(t, maxGuesses, strings.Count(written(false), "           A 1\n"))
	require.Contains(t, written(false), "\n  and 3 places more; --reveal lists all\n")
	require.Equal(t, maxGuesses+3, strings.Count(written(true), "           A 1\n"))
}

// The place of each difference of a group is shown, or how many more there are.
func TestGroupsNameTheirCalls(t *testing.T) {
	session := func(value string) []string {
		lines := []string{started}
		for i := range 7 {
			lines = append(lines, fmt.Sprintf(`> {"id":%d,"method":"tools/call","params":{"name":"sum","arguments":{"k":%d}}}`, i, i),
				fmt.Sprintf(`< {"id":%d,"result":{"content":[{"type":"text","text":"{\"items\":[0,%s]}"}]}}`, i, value))
		}
		return lines
	}
	r := compared(t, session(`{\"port\":1}`), session(`{\"port\":2}`), Options{})
	var out strings.Builder
	require.NoError(t, r.WriteText(&out, TextOptions{}))
	require.Contains(t, out.String(), "\n  port      tools/call sum, /result/content/*/text/items/*/port  7, first k=0\n           A 1\n           B 2\n")

	r = compared(t, session("1"), session("true"), Options{})
	out.Reset()
	require.NoError(t, r.WriteText(&out, TextOptions{}))
	require.Contains(t, out.String(), `
First difference: tools/call sum k=0, /result/content/0/text/items/1 changed
  A  n 3 seq 1  1
  B  n 3 seq 1  true

Differences
  result   tools/call sum, /result/content/*/text/items/* changed  7 times
             first k=0 /result/content/0/text/items/1
             A  n 3 seq 1  1
             B  n 3 seq 1  true
             also n 5 seq 2 k=1: 1 -> true
             also n 7 seq 3 k=2: 1 -> true
             also n 9 seq 4 k=3: 1 -> true
             also n 11 seq 5 k=4: 1 -> true
             and 2 more
`)
	out.Reset()
	require.NoError(t, r.WriteJUnit(&out, "x"))
	require.Contains(t, out.String(), `message="tools/call sum k=0, /result/content/0/text/items/1 changed (n 3 in A, n 3 in B)"`)
}

// TestAllPlaces: a text of one line that differs in several places has each, at most five, and
// their number.
func TestAllPlaces(t *testing.T) {
	words := func(changed map[int]string) string {
		all := strings.Fields(strings.Repeat("alpha beta gamma delta ", 30))
		for at, word := range changed {
			all[at] = word
		}
		return strings.Join(all, " ")
	}
	place := allPlaces(words(nil), words(map[int]string{40: "betz", 41: "betä"}), false)
	require.Zero(t, place.Places, "one place")
	require.Empty(t, place.More)

	place = allPlaces(words(map[int]string{50: "10:00:00"}), words(map[int]string{1: "betz", 50: "11:00:00", 40: "alphä", 80: ""}), false)
	require.Equal(t, 3, place.Places, "without times")
	require.Equal(t, 10, place.Character)
	require.Equal(t, "alpha bet[a] gamma delta alpha beta gamma ...", place.A)
	require.Len(t, place.More, 2)
	a, b := place.More[0].Changed()
	require.Equal(t, "a ä", a+" "+b)
	a, b = place.More[1].Changed()
	require.Equal(t, "alpha/", a+"/"+b)

	many := map[int]string{}
	for k := range 12 {
		many[k*8] = "x"
	}
	place = allPlaces(words(nil), words(many), false)
	require.Equal(t, 12, place.Places)
	require.Len(t, place.More, 4)
	var out strings.Builder
	text := func(s string) []string { return call(`"result":{"content":[{"type":"text","text":"` + s + `"}]}`) }
	require.NoError(t, compared(t, text(words(nil)), text(words(many)), Options{}).WriteText(&out, TextOptions{}))
	require.Contains(t, out.String(), "     also at character 47  [alpha] -> [x]\n")
	require.Contains(t, out.String(), "     and at 7 more places\n")
}
