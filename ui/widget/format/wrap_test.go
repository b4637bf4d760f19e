package format

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/widget/termsafe"
)

// rows breaks a text into rows of at most width cells.
func rows(text string, width int) (all []string) {
	rest := []byte(text)
	for len(rest) > 0 {
		fits, _ := termsafe.Fit(rest, width, termsafe.Options{})
		end := Break(rest, fits)
		all = append(all, string(rest[:end]))
		rest = rest[end:]
	}
	return all
}

func TestBreak(t *testing.T) {
	for _, tc := range []struct {
		text  string
		width int
		want  string // rows, separated by |
	}{
		{"I can hear the sea", 10, "I can hear |the sea"},
		{"hear the sea", 8, "hear the |sea"}, // the blank needs no cell
		{"an unbreakablesentence", 10, "an |unbreakabl|esentence"},
		{"    indented-by-four", 10, "    indent|ed-by-four"},
		{"漢字漢字漢字 ab", 10, "漢字漢字漢|字 ab"},
		{"abc漢字de", 10, "abc漢字de"},
		{"abcdefg漢字de", 10, "abcdefg漢|字de"},
		{"say e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301", 10, "say |e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301"},
		{"", 10, ""},
	} {
		require.Equal(t, tc.want, strings.Join(rows(tc.text, tc.width), "|"), tc.text)
	}
}

func FuzzBreak(f *testing.F) {
	f.Add("words of several lengths, 漢字, 👩\u200d👩 and \xff", 3)
	f.Fuzz(func(t *testing.T, text string, width int) {
		width = termsafe.LongestEscape + max(width%50, 0)
		all := rows(text, width)
		require.Equal(t, text, strings.Join(all, ""))
		for _, row := range all {
			require.LessOrEqual(t, termsafe.Width(strings.TrimSuffix(row, " ")), width)
		}
	})
}
