package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/termsafe"
	"mcpdbg/ui/theme"
)

func TestHeaderGivesWay(t *testing.T) {
	log := newLog(t)
	d := drive(t, Options{Source: log, Title: "everything (local)"}, 80, 24)
	d.session = session.New(session.Config{Log: log})
	d.status = session.Status{
		State:   session.Ready,
		Server:  session.Server{Era: "legacy", Protocol: "2025-11-25"},
		Process: executor.Info{ID: "mcp-stdio-1", PID: 4121},
	}
	d.stats = session.Stats{Out: 12, In: 11, PendingOut: 5, Size: 18_637}
	for width, want := range map[int]string{
		140: "LIVE  everything (local)  mcp-stdio-1 pid 4121  2025-11-25 legacy  ready | out 12 in 11  5 pending | REC 18.2K | lag 0 held 0 gap 0",
		112: "LIVE  everything (local)  mcp-stdio-1 pid 4121  2025-11-25 legacy  ready | out 12 in 11  5 pending | REC 18.2K",
		80:  "LIVE  everything (local)  2025-11-25  ready | 12/11  5 pending | REC 18.2K",
		60:  "LIVE  everything (local)  ready | 5 pending | REC 18.2K",
		40:  "LIVE  everything (l…  ready | 5 pending",
		12:  "LIVE  ready",
	} {
		require.Equal(t, want, header(d, width), "%d", width)
	}

	d.stats.Recording, d.stats.RecordingError = session.RecordingStopped, "no space left on device"
	d.stats.Gaps, d.stats.LostBytes = 2, 4096
	require.Equal(t, "LIVE  everything (l…  ready | 5 pending | REC STOPPED | 4.0K LOST", header(d, 66))
	require.Contains(t, header(d, 110), "REC STOPPED no space left on device")
	d.stats.Recording, d.stats.RecordingError = session.RecordingIncomplete, "z.jsonl was deleted while it was open"
	require.Equal(t, "LIVE  everything (l…  ready | 5 pending | REC INCOMPLETE | 4.0K LOST", header(d, 69))
	require.Contains(t, header(d, 140), "REC INCOMPLETE z.jsonl was deleted while it was open")
	d.stats.Recording, d.stats.RecordingError, d.stats.RecordingMoved = session.RecordingOn, "", "moved to /a/b.jsonl"
	require.Contains(t, header(d, 140), "REC 18.2K moved to /a/b.jsonl")
	require.Contains(t, header(d, 69), "REC moved")
	d.stats.RecordingMoved = ""
	d.stats.Recording = session.RecordingNone
	require.Contains(t, header(d, 110), "REC off")
	d.status.Process.HeldSince = d.source.Header().Start
	d.stats.Gaps = 0
	require.Contains(t, header(d, 110), "HELD NOW")
}

func header(d *driver, width int) string {
	var l paint.Line
	l.Reset(width, termsafe.Options{})
	th := theme.New(true, theme.NoColor)
	d.theme = th
	paintHeader(&l, d.headerParts(), th)
	return strings.TrimSpace(stripped(l.String()))
}

func TestFormats(t *testing.T) {
	for us, want := range map[int64]string{0: "0:00.00", -5: "0:00.00", 251_020_000: "4:11.02", 3_851_020_000: "1:04:11.02"} {
		require.Equal(t, want, string(appendClock(nil, us)))
	}
	for us, want := range map[int64]string{41: "0.04", 999: "1.00", 11_234: "11.2", 902_400: "902.4", 9_999_900: "9999.9", 12_345_678: "12346"} {
		require.Equal(t, want, string(appendMillis(nil, us)))
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1.0K", 4403: "4.3K", 1023 << 10: "1.0M", 831_386: "811.9K", 5 << 30: "5.0G"} {
		require.Equal(t, want, size(n))
	}
}

func TestWrap(t *testing.T) {
	for _, tc := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 20, []string{""}},
		{"one two three four five", 12, []string{"one two", "three four", "five"}},
		{"  indented text stays so", 14, []string{"  indented", "  text stays", "  so"}},
		{"averylongwordwithoutblanks", 10, []string{"averylongw", "ordwithout", "blanks"}},
		{strings.Repeat("\x1b", 4), 12, []string{"\x1b\x1b", "\x1b\x1b"}},
		{strings.Repeat(" ", 30) + "x", 10, []string{strings.Repeat(" ", 9), "x"}},
		{strings.Repeat("\xab", 250), 10, slices.Repeat([]string{"\xab\xab"}, 125)},
	} {
		got := wrap(tc.text, tc.width)
		for _, row := range got {
			require.LessOrEqual(t, termsafe.Width(row), max(tc.width, termsafe.LongestEscape))
		}
		require.Equal(t, tc.want, got, "%q", tc.text)
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("some words \x1b and \u202e others", 12)
	f.Add("     \U000e0001 is wide, and indented", 10) // once without an end
	f.Add(strings.Repeat("\xab", 300), 10)             // so was this
	f.Fuzz(func(t *testing.T, text string, width int) {
		width = between(1, width, 200)
		rows := wrap(text, width)
		require.LessOrEqual(t, len(rows), len(text)+1)
		for _, row := range rows {
			require.LessOrEqual(t, termsafe.Width(row), max(width, termsafe.LongestEscape))
		}
	})
}

func TestCutText(t *testing.T) {
	for _, tc := range []struct {
		text string
		most int
		want string
	}{
		{"short", 5, "short"},
		{"shorter", 5, "short"},
		{"漢字", 3, "漢"},
		{"漢字", 5, "漢"},
		{"漢字", 2, ""},
		{strings.Repeat("\xab", 9), 5, strings.Repeat("\xab", 5)},
		{"a" + strings.Repeat("\xab", 9), 8, "a" + strings.Repeat("\xab", 7)},
		{"anything", 0, ""},
	} {
		require.Equal(t, tc.want, cutText(tc.text, tc.most), "%q to %d bytes", tc.text, tc.most)
	}
}

func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": 1}`:                   `{"a": 1}`,
		"{\"a\": 1.0,\n \"b\":[]}\n": `{"a":1.0,"b":[]}`,
		"\n{\"a\": 1}\r\n":           `{"a": 1}`,
	} {
		got, err := oneLine(text)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	got, err := oneLine("two\nlines")
	require.Error(t, err)
	require.Equal(t, "two\nlines", string(got))
	_, err = oneLine(" \n ")
	require.ErrorIs(t, err, errEmpty)
}

func TestWindowTitle(t *testing.T) {
	require.Equal(t, "mcpdbg npx", windowTitle("npx"))
	require.Equal(t, "mcpdbg 0evil/bin", windowTitle("\x1b]0;evil\x07/bin\u202e"))
	require.Len(t, windowTitle(strings.Repeat("x", 1000)), 67)
}

func TestPasteable(t *testing.T) {
	require.Equal(t, `{"a":"é漢"}`, pasteable(`{"a":"é漢"}`))
	require.Equal(t, "[201~rm\t", pasteable("\x1b[201~rm\t\r\n\u009b\u202e\xff"))
}

// TestHighlight: what was searched for is marked wherever lists show it, until
// the search ends.
func TestHighlight(t *testing.T) {
	log := hostileLog(t, "Needle in hay, needle")
	d := drive(t, Options{Source: log}, 160, 36)
	mark := func(text string) string { return d.theme.Match.On + text + d.theme.Match.Off }
	d.do(actStderr)
	d.search1("needle", actTop)
	for _, text := range []string{mark("Needle"), mark("needle")} {
		require.Contains(t, d.screen(), text, "row that is not selected")
	}
	d.do(actBack)
	require.NotContains(t, d.screen(), d.theme.Match.On)
	d.search1("größe", actTop)
	require.NotContains(t, d.screen(), d.theme.Match.On, "other text than ASCII is found, and not marked")
}
