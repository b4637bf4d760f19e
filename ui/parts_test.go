package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/format"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/widget/theme"
	"mcpdbg/ui/workspace"
)

func TestHeaderGivesWay(t *testing.T) {
	log := newLog(t)
	d := drive(t, Options{Source: log, Title: "everything (local)"}, 80, 24)
	d.visible.ws.Session = session.New(session.Config{Log: log})
	d.visible.ws.Status = session.Status{
		State:   session.Ready,
		Server:  session.Server{Era: "legacy", Protocol: "2025-11-25"},
		Process: executor.Info{ID: "mcp-stdio-1", PID: 4121},
	}
	d.visible.ws.Stats = session.Stats{Out: 12, In: 11, PendingOut: 5, Size: 18_637}
	for width, want := range map[int]string{
		140: "LIVE  ready  everything (local)  pid 4121  2025-11-25 legacy  5 pending" + strings.Repeat(" ", 58) + "REC 18.2K",
		84:  "LIVE  ready  everything (local)  pid 4121  2025-11-25 legacy  5 pending  REC 18.2K",
		77:  "LIVE  ready  everything (local)  pid 4121  2025-11-25  5 pending  REC 18.2K",
		60:  "LIVE  ready  everything (local)  5 pending       REC 18.2K",
		40:  "LIVE  ready  everything (l…  5 pending",
		12:  "LIVE  ready",
	} {
		require.Equal(t, want, header(d, width), "%d", width)
	}

	d.visible.ws.Stats.Recording, d.visible.ws.Stats.RecordingError = session.RecordingStopped, "no space left on device"
	d.visible.ws.Stats.Gaps, d.visible.ws.Stats.LostBytes = 2, 4096
	require.Equal(t, "LIVE  ready  everything (l…  5 pending    4.0K LOST  REC STOPPED", header(d, 66))
	require.Contains(t, header(d, 110), "REC STOPPED no space left on device")
	d.visible.ws.Stats.Recording, d.visible.ws.Stats.RecordingError = session.RecordingIncomplete, "z.jsonl was deleted while it was open"
	require.Equal(t, "LIVE  ready  everything (l…  5 pending    4.0K LOST  REC INCOMPLETE", header(d, 69))
	require.Contains(t, header(d, 140), "REC INCOMPLETE z.jsonl was deleted while it was open")
	d.visible.ws.Stats.Recording, d.visible.ws.Stats.RecordingError, d.visible.ws.Stats.RecordingMoved = session.RecordingOn, "", "moved to /a/b.jsonl"
	require.Contains(t, header(d, 140), "REC 18.2K moved to /a/b.jsonl")
	require.Contains(t, header(d, 69), "REC moved")
	d.visible.ws.Stats.RecordingMoved = ""
	d.visible.ws.Stats.Recording = session.RecordingNone
	require.Contains(t, header(d, 110), "REC off")
	d.visible.ws.Status.Process.HeldSince = d.visible.ws.Shown.Source.Header().Start
	d.visible.ws.Stats.Gaps = 0
	require.Contains(t, header(d, 110), "HELD NOW")
}

func header(d *driver, width int) string {
	var l paint.Line
	l.Reset(width, termsafe.Options{})
	th := theme.New(true, theme.NoColor)
	d.screen.Theme = th
	kit.PaintParts(&l, d.visible.headerParts())
	return strings.TrimSpace(stripped(l.String()))
}

func TestFormats(t *testing.T) {
	for us, want := range map[int64]string{0: "0:00.00", -5: "0:00.00", 251_020_000: "4:11.02", 3_851_020_000: "1:04:11.02"} {
		require.Equal(t, want, string(format.AppendClock(nil, us)))
	}
	for us, want := range map[int64]string{41: "0.04", 999: "1.00", 11_234: "11.2", 902_400: "902.4", 9_999_900: "9999.9", 12_345_678: "12346"} {
		require.Equal(t, want, string(format.AppendMillis(nil, us)))
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1.0K", 4403: "4.3K", 1023 << 10: "1.0M", 831_386: "811.9K", 5 << 30: "5.0G"} {
		require.Equal(t, want, format.Size(n))
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
		got := format.Wrap(tc.text, tc.width)
		for _, row := range got {
			require.LessOrEqual(t, termsafe.Width(row), max(tc.width, termsafe.LongestEscape))
		}
		require.Equal(t, tc.want, got, "%q", tc.text)
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("some words \x1b and \u202e others", 12)
	f.Add("     \U000e0001 is wide, and indented", 10) // did not terminate once
	f.Add(strings.Repeat("\xab", 300), 10)             // nor did this
	f.Fuzz(func(t *testing.T, text string, width int) {
		width = kit.Between(1, width, 200)
		rows := format.Wrap(text, width)
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
		require.Equal(t, tc.want, format.Cut(tc.text, tc.most), "%q to %d bytes", tc.text, tc.most)
	}
}

func TestWindowTitle(t *testing.T) {
	require.Equal(t, "mcpdbg npx", workspace.WindowTitle("npx"))
	require.Equal(t, "mcpdbg 0evil/bin", workspace.WindowTitle("\x1b]0;evil\x07/bin\u202e"))
	require.Len(t, workspace.WindowTitle(strings.Repeat("x", 1000)), 67)
}

// TestHighlight checks that search text is marked wherever lists show it, until
// the search ends.
func TestHighlight(t *testing.T) {
	log := hostileLog(t, "Needle in hay, needle")
	d := drive(t, Options{Source: log}, 160, 36)
	mark := func(text string) string { return d.screen.Theme.Match.On + text + d.screen.Theme.Match.Off }
	d.do(actStderr)
	d.search1("needle", kit.Top)
	for _, text := range []string{mark("Needle"), mark("needle")} {
		require.Contains(t, d.content(), text, "row other than the selected one")
	}
	d.do(host.ActBack)
	require.NotContains(t, d.content(), d.screen.Theme.Match.On)
	d.search1("größe", kit.Top)
	require.NotContains(t, d.content(), d.screen.Theme.Match.On, "text that is not ASCII is found but not marked")
}
