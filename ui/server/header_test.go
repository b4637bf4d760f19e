package server

import (
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
)

func TestHeaderGivesWay(t *testing.T) {
	log := uitest.NewLog(t)
	ws := uitest.NewNamed(t, log, "everything (local)", 1)
	ws.Session = session.New(session.Config{Log: log})
	c := uitest.NewHost(t, ws, 80, 24).Context()
	ws.Status = session.Status{
		State:   session.Ready,
		Server:  session.Server{Era: "legacy", Protocol: "2025-11-25", Name: "mimic", Version: "2.0"},
		Process: executor.Info{ID: "mcp-stdio-1", PID: 4121},
	}
	ws.Stats = session.Stats{Out: 12, In: 11, PendingOut: 5, Size: 18_637}
	for width, want := range map[int]string{
		140: "LIVE  ready  everything (local)  pid 4121  2025-11-25  mimic 2.0  5 running" + strings.Repeat(" ", 54) + "REC 18.2K",
		88:  "LIVE  ready  everything (local)  pid 4121  2025-11-25  mimic 2.0  5 running  REC 18.2K",
		77:  "LIVE  ready  everything (local)  pid 4121  2025-11-25  5 running  REC 18.2K",
		60:  "LIVE  ready  everything (local)  5 running       REC 18.2K",
		40:  "LIVE  ready  everything (l…  5 running",
		12:  "LIVE  ready",
	} {
		require.Equal(t, want, headerText(c, width), "%d", width)
	}

	ws.Status.OpenLine = 9
	require.Contains(t, headerText(c, 88), "5 running  half a line sent", "the server waits for its end")
	ws.Status.OpenLine = 0

	ws.Stats.Recording, ws.Stats.RecordingError = session.RecordingStopped, "no space left on device"
	ws.Stats.Gaps, ws.Stats.LostBytes = 2, 4096
	require.Equal(t, "LIVE  ready  everything (l…  5 running     GAP 4.0K  REC STOPPED", headerText(c, 66))
	require.Contains(t, headerText(c, 110), "REC STOPPED no space left on device")
	ws.Stats.Recording, ws.Stats.RecordingError = session.RecordingIncomplete, "z.jsonl was deleted while it was open"
	require.Equal(t, "LIVE  ready  everything (l…  5 running     GAP 4.0K  REC INCOMPLETE", headerText(c, 69))
	require.Contains(t, headerText(c, 140), "REC INCOMPLETE z.jsonl was deleted while it was open")
	ws.Stats.Recording, ws.Stats.RecordingError, ws.Stats.RecordingMoved = session.RecordingOn, "", "moved to /a/b.jsonl"
	require.Contains(t, headerText(c, 140), "REC 18.2K moved to /a/b.jsonl")
	require.Contains(t, headerText(c, 69), "REC moved")
	ws.Stats.RecordingMoved = ""
	ws.Stats.Recording = session.RecordingNone
	require.Contains(t, headerText(c, 110), "REC off")
	ws.Status.Process.HeldSince = ws.Shown.Source.Header().Start
	ws.Stats.Gaps = 0
	require.Contains(t, headerText(c, 110), "STALLED NOW")
}

// headerText returns the header of a session at a width, without styles.
func headerText(c host.Context, width int) string {
	var l paint.Line
	l.Reset(width, termsafe.Options{})
	kit.PaintParts(&l, HeaderParts(c, OtherParts{}))
	return strings.TrimSpace(ansi.Strip(l.String()))
}

// TestHeaderPriorities checks that a narrow screen omits the least important
// parts.
func TestHeaderPriorities(t *testing.T) {
	uitest.Live(t, &uitest.Server{}, 120, 36, func(t *testing.T, h *uitest.Host) {
		r := uitest.NewRoom(h)
		r.Send(`{"jsonrpc":"2.0","id":7,"method":"sleep"}`)
		require.NoError(t, r.Context().Workspace.Session.Log().Append([]session.Entry{
			session.NewEntry(session.KindGap, 0, session.GapBody{From: 1, To: 2, Bytes: 12_345, Streams: []string{"stdout"}}),
		}))
		r.Pull()
		for width, want := range map[int]string{
			90: "LIVE  ready  fake (local)  pid 4121  2025-11-25  fake 1  1 running    GAP 12.1K  REC off",
			80: "LIVE  ready  fake (local)  pid 4121  2025-11-25  1 running  GAP 12.1K  REC off",
			60: "LIVE  ready  fake (local)  1 running    GAP 12.1K  REC off",
			40: "LIVE  ready  fake (local)    GAP 12.1K",
		} {
			require.Equal(t, want, headerText(r.Context(), width), width)
		}
	})
}
