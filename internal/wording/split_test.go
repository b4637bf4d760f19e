package wording_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/wording"
)

func TestSplitWords(t *testing.T) {
	for text, want := range map[string][]string{
		"":                             nil,
		" \t ":                         nil,
		"  a  b\tc ":                   {"a", "b", "c"},
		`a 'b c' "d e" f\ g`:           {"a", "b c", "d e", "f g"},
		`'it'\''s' "a\"b" "\n" ''`:     {"it's", `a"b`, `\n`, ""},
		`x=${NAME} "$HOME" --a="b c"`:  {"x=${NAME}", "$HOME", "--a=b c"},
		`sh -c 'a; b | c & d <e >f'`:   {"sh", "-c", "a; b | c & d <e >f"},
		"'$(id)' \"`id`\" a\\;b":       {"$(id)", "`id`", "a;b"},
		"'a\nb' \"c\nd\"":              {"a\nb", "c\nd"},
		"a \\\n b\"c\\\nd\"":           {"a", "bcd"},
		`-x -- -e '-y'`:                {"-x", "--", "-e", "-y"},
		`*.go a?b [x] {a,b} ~/x #y !z`: {"*.go", "a?b", "[x]", "{a,b}", "~/x", "#y", "!z"},
		`a''b "" x"y"'z'`:              {"ab", "", "xyz"},
		"\\é 'ü' \xff":                 {"é", "ü", "\xff"},
	} {
		got, err := wording.SplitWords(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
		back, err := wording.SplitWords(wording.CommandLine(got))
		require.NoError(t, err, text)
		require.Equal(t, got, back, text)
	}
}

func TestSplitWordsRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"'":            "unclosed quote at character 1",
		`ä "a\"`:       "unclosed quote at character 3",
		`a\`:           `nothing after the last \`,
		"a; b":         "unquoted ; at character 2: no shell runs this, quote it",
		"a | b":        "unquoted | at character 3: no shell runs this, quote it",
		"a && b":       "unquoted & at character 3: no shell runs this, quote it",
		"a <b":         "unquoted < at character 3: no shell runs this, quote it",
		"a 2>b":        "unquoted > at character 4: no shell runs this, quote it",
		"a $(b)":       "unquoted ( at character 4: no shell runs this, quote it",
		"a `b`":        "unquoted ` at character 3: no shell runs this, quote it",
		"a\nb":         "line break at character 2: no shell runs this, quote it",
		"a\x00b":       "NUL byte at character 2: no command can have one",
		`a "b" 'c' "d`: "unclosed quote at character 11",
	} {
		words, err := wording.SplitWords(text)
		require.EqualError(t, err, want, text)
		require.Nil(t, words, text)
	}
}

func FuzzSplitWords(f *testing.F) {
	for _, text := range []string{"", "a b", `'a' "b" \c`, "a;b", "a\x00$(b)\x00-c\x00'\x00\"\n\xff\xc3"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = wording.SplitWords(text)
		words := strings.Split(text, "\x00")
		got, err := wording.SplitWords(wording.CommandLine(words))
		require.NoError(t, err)
		require.Equal(t, words, got)
	})
}
