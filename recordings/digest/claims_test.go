package digest_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/digest"
	"mcpdbg/recordings/rectest"
)

// TestLinesOnStderr checks that a line on stderr is evidence if all calls that failed have
// it, and no request that succeeded.
func TestLinesOnStderr(t *testing.T) {
	evidence := func(line func(k int, fails bool) string) string {
		lines := []string{rectest.Started}
		for k := range 12 {
			fails := k%4 == 1
			response := map[bool]string{true: failing("gone"), false: ok}[fails]
			pair := asked(k, "a", `{}`, response)
			if text := line(k, fails); text != "" {
				raw, _ := json.Marshal(text)
				pair = slices.Insert(pair, 1+k/8, fmt.Sprintf(`"k":"stderr","raw":%s`, raw)) // of the last one after the response
			}
			lines = append(lines, pair...)
		}
		return strings.Join(digest.Read(t.Context(), rectest.Session(t, lines...)).Failures.Groups[0].Evidence, "; ")
	}
	const all = `stderr has "reset (attempt …)" during or right after each of the 3 calls, and with none of the 9 requests that succeeded`
	require.Equal(t, all, evidence(func(k int, fails bool) string {
		return map[bool]string{true: fmt.Sprintf("reset (attempt %d)", k), false: "fine"}[fails]
	}))
	require.Equal(t, strings.Replace(all, " (attempt …)", "", 1), evidence(func(_ int, fails bool) string {
		return map[bool]string{true: "reset"}[fails]
	}))
	require.Empty(t, evidence(func(_ int, fails bool) string { return "reset" }), "those that succeeded, too")
	require.Empty(t, evidence(func(k int, fails bool) string { return map[bool]string{true: "reset"}[fails || k == 7] }), "one that succeeded, too")
	require.Empty(t, evidence(func(k int, fails bool) string { return map[bool]string{true: "reset"}[fails && k < 9] }), "not all")
	require.Contains(t, evidence(func(k int, fails bool) string {
		return map[bool]string{true: "\x1b[31m" + strings.Repeat("long ", 100)}[fails]
	}), `"\x1b[31mlong long`)

	var lines []string
	for k := range 3 { // each of the later requests is sent before the earlier ones have responses
		pair := asked(k, "a", `{}`, map[bool]string{true: failing("gone"), false: ok}[k == 0])
		lines = append(append([]string{pair[0]}, lines...), pair[1])
	}
	lines = append([]string{rectest.Started, lines[0], lines[1], lines[2], `"k":"stderr","raw":"reset"`}, lines[3:]...)
	require.Empty(t, digest.Read(t.Context(), rectest.Session(t, lines...)).Failures.Groups[0].Evidence, "at the same time")
}

// TestMultiples checks that a divisor is named if all calls that failed have it, none that
// succeeded, and hardly by chance.
func TestMultiples(t *testing.T) {
	of := func(step int, fails func(k int) bool) string {
		return strings.Join(evidence(t, func(k int) (string, string, string) {
			return "a", fmt.Sprintf(`{"k":%d}`, k*step), map[bool]string{true: "no"}[fails(k)]
		}), "; ")
	}
	require.Equal(t, "no: each k is a multiple of 9; none of the 35 calls of a that succeeded has such a k", of(1, func(k int) bool { return k%9 == 0 }))
	require.Contains(t, of(3, func(k int) bool { return k%9 == 0 }), "each k is a multiple of 27; none of the 35 calls")
	require.NotContains(t, of(1, func(k int) bool { return k%9 == 0 && k != 18 }), "multiple", "18 succeeded")
	require.NotContains(t, of(1, func(k int) bool { return k%9 == 0 || k == 1 }), "multiple", "1 failed")
	require.NotContains(t, of(9, func(k int) bool { return k%8 == 0 && k != 8 }), "multiple")
	require.NotContains(t, of(1, func(k int) bool { return k == 13 || k == 26 }), "multiple", "by chance")
	require.NotContains(t, of(1, func(k int) bool { return k == 26 }), "multiple")
	require.NotContains(t, strings.Join(evidence(t, func(k int) (string, string, string) {
		return "a", fmt.Sprintf(`{"k":%d.5}`, k), map[bool]string{true: "no"}[k%9 == 0]
	}), ""), "multiple")
}

// TestFewFailuresApart checks that few failures have what sets them apart from many calls
// that succeeded, though not a moment or a limit.
func TestFewFailuresApart(t *testing.T) {
	of := func(arguments func(k int, fails bool) string) string {
		return strings.Join(evidence(t, func(k int) (string, string, string) {
			fails := k == 39
			return "a", arguments(k, fails), map[bool]string{true: "no"}[fails]
		}), "; ")
	}
	require.Equal(t, `no: only for q="", with which no call succeeded`, of(func(_ int, fails bool) string { return map[bool]string{true: `{"q":""}`, false: `{"q":"x"}`}[fails] }))
	require.Equal(t, "no: ", of(func(k int, _ bool) string { return fmt.Sprintf(`{"k":%d}`, k) }))
	require.Equal(t, "no: ", of(func(k int, _ bool) string { return fmt.Sprintf(`{"q":"%d"}`, k) }), "of many texts")
}

// TestLargeNumbersAreExact checks numbers beyond the precision of a float.
func TestLargeNumbersAreExact(t *testing.T) {
	require.Equal(t, []string{"no: only for k from 9007199254740993, where no call succeeded; calls up to 9007199254740992 did"}, evidence(t, func(k int) (string, string, string) {
		return "a", fmt.Sprintf(`{"k":%d}`, 9007199254740993-30+k*7%40), map[bool]string{true: "no"}[k*7%40 >= 30]
	}))
	require.Contains(t, evidence(t, func(k int) (string, string, string) {
		return "a", fmt.Sprintf(`{"k":%d}`, 9007199254740993+k), map[bool]string{true: fmt.Sprintf("no shard %d", 9007199254740993+k)}[k%8 == 1]
	})[0], "; a larger k succeeded, too (up to 9007199254741032)")
}
