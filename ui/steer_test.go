package ui

import (
	"context"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/tap/control"
	"mcpdbg/ui/host"
	"mcpdbg/ui/steer"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// A steering is a screen of a live tap.
type steering struct {
	*driver
	tap *uitest.LiveTap
	log session.Log
}

// steers shows a live tap with held messages to a test, 12 s after they were held.
func steers(t *testing.T, limit time.Duration, test func(s *steering)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(newSteering(t, limit)) })
}

func newSteering(t *testing.T, limit time.Duration) *steering {
	t.Helper()
	since := time.Now()
	held := []control.Held{
		uitest.HeldCall(1, since, limit, "delete", `{"path":"/srv/a"}`),
		uitest.HeldLine(2, since.Add(2*time.Second), limit, false, []byte(`{"jsonrpc":"2.0","id":"q1","method":"elicitation/create","params":{"message":"Which date?","requestedSchema":{"type":"object","properties":{"date":{"type":"string"}}}}}`)),
	}
	s := &steering{tap: uitest.NewLiveTap(), log: uitest.LiveTapLog(t, held...)}
	s.tap.Is.Held, s.tap.Is.Holding, s.tap.Is.Viewers = held, "tool:delete", 2
	s.driver = drive(t, Options{Opened: []workspace.Opened{s.tap.Opened(workspace.Opened{Source: s.log, Title: "20260612-files"}, since.Add(12*time.Second))}}, 120, 36)
	s.visible.ws.Overview = false
	s.pull()
	return s
}

func (s *steering) says(texts ...string) {
	s.t.Helper()
	plain := s.plain()
	for _, text := range texts {
		require.Contains(s.t, plain, text)
	}
}

// yes answers the open question.
func (s *steering) yes(title string) {
	s.t.Helper()
	require.NotNil(s.t, s.front.dialog, "no question")
	require.Equal(s.t, title, s.front.dialog.asked.Title)
	s.do(actYes)
}

// TestHeldFrames checks the screen of a live tap with held messages.
func TestHeldFrames(t *testing.T) {
	for name, focus := range map[string]bool{"tap": false, "held": true} {
		t.Run(name, func(t *testing.T) {
			requireFrames(t, name, false, func(t *testing.T, show func(d *driver)) {
				steers(t, 14*time.Second, func(s *steering) {
					if focus {
						s.do(steer.ActFocus)
					}
					show(s.driver)
				})
			})
		})
	}
}

// TestHeldRows checks the words and the place of held messages: they take no focus, and
// their rows go with them.
func TestHeldRows(t *testing.T) {
	steers(t, 0, func(s *steering) {
		require.Equal(t, trafficID, s.panes.focus)
		s.says("HELD 2 for 12 s", "2 viewers", "6 Held 2", "holding tool:delete", "→ server", "← client", "held 12 s · client timeout unknown")
		require.Equal(t, 3, strings.Count(s.plain(), "delete"), "the row, the pane and the filter\n%s", s.plain())
		s.open(workspace.Opened{Source: uitest.LiveTapLog(t), Title: "other"})
		s.says(" H ") // in its tab
		s.do(actNextSession)
		s.tap.Set(func(st *control.State) { st.Held = nil })
		s.pull()
		require.NotContains(t, s.plain(), " H ")
		require.NotContains(t, s.plain(), "HELD")
		s.says("6 Held 0", "holds tool:delete")
		s.tap.Set(func(st *control.State) { st.Holding, st.Steerer = "", 4242 })
		s.pull()
		s.says("steered by 4242")
		require.NotContains(t, s.plain(), "6 Held")
	})
}

// TestHeldKeys checks what the keys of held messages tell the tap, and that the first of
// them asks for the steering.
func TestHeldKeys(t *testing.T) {
	steers(t, 0, func(s *steering) {
		s.do(steer.ActFocus, "let-go")
		s.yes("Steer the session of claude-code 2.1?")
		require.Equal(t, []string{"steer false", "let-go 1  false"}, s.tap.Acts)
		s.tap.Acts = nil

		s.do("held-edit")
		require.True(t, s.visible.composer.IsOpen())
		s.says("Held delete")
		s.do("send")
		require.Equal(t, []string{"let-go 1  false"}, s.tap.Acts, "an unchanged message keeps its bytes")
		s.tap.Acts = nil

		s.do("held-edit")
		s.visible.composer.Text().SetValue(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
		s.tap.Fails["let-go"] = control.ErrCutsPair
		s.do("send")
		s.yes("Let it go all the same?")
		require.Equal(t, []string{`let-go 1 {"jsonrpc":"2.0","id":9,"method":"ping"} false`, `let-go 1 {"jsonrpc":"2.0","id":9,"method":"ping"} true`}, s.tap.Acts)
		s.tap.Acts = nil

		s.do("drop")
		s.says("Drop delete?", "The client waits for the answer, up to a limit that is not known.")
		s.do("drop-silently", "drop", "drop-with-error")
		require.Equal(t, "drop 1", s.tap.Acts[0])
		require.Contains(t, s.tap.Acts[1], `answer 1 "error":{"code":-32603`)
		s.tap.Acts = nil

		s.do("down", "held-answer", "answer-send")
		require.Equal(t, []string{`answer 2 "result":{"action":"accept","content":{}}`}, s.tap.Acts)
		s.tap.Acts = nil

		s.do("let-all-go")
		require.Equal(t, []string{"hold "}, s.tap.Acts)
	})
}

// TestHoldAsks checks the line with the filter of messages to hold.
func TestHoldAsks(t *testing.T) {
	steers(t, 0, func(s *steering) {
		s.tap.Is.Steerer = 4242
		s.pull()
		s.do("hold")
		s.yes("Take the steering over from pid 4242?")
		s.says("tool:delete")
		s.do("prompt-clear")
		s.write("method:")
		s.do(actComplete)
		s.do("prompt-clear")
		s.write("err or")
		s.do(actAccept)
		require.NotNil(t, s.front.prompt, "a filter that does not parse is not taken")
		s.do("prompt-clear")
		s.write("tool:echo")
		s.do(actAccept)
		require.Equal(t, []string{"steer true", "hold tool:echo"}, s.tap.Acts)
	})
}

// TestTapEnds checks the actions that end something behind a tap, and those that only leave
// it.
func TestTapEnds(t *testing.T) {
	steers(t, 0, func(s *steering) {
		s.do(host.ActRestart)
		s.yes("Restart the server under claude-code 2.1?")
		s.do(host.ActKill)
		s.yes("End the server of claude-code 2.1?")
		require.Equal(t, []string{"restart", "stop"}, s.tap.Acts)
		require.NoError(t, s.tap.Steer(t.Context(), true))
		s.pull()
		s.tap.Acts = nil
		s.do(actSuspend)
		require.Equal(t, []string{"release"}, s.tap.Acts)
		s.do(actQuit)
		require.Equal(t, "Quit? 2 messages are held", s.front.dialog.asked.Title)
		s.says("What is held is let go, in order.")
		s.do(actNo)
		s.tap.Set(func(st *control.State) { st.Held = nil })
		s.pull()
		s.do(actQuit)
		require.True(t, s.quit)
		require.Len(t, s.tap.Acts, 1, "quitting ends nothing")
	})
}

// TestTapCancels checks that a held call and one that the server has are cancelled for the
// client.
func TestTapCancels(t *testing.T) {
	steers(t, 0, func(s *steering) {
		require.NoError(t, s.tap.Steer(t.Context(), true))
		line := []byte(`{"jsonrpc":"2.0","id":"late","method":"tools/call","params":{"name":"wait"}}`)
		require.NoError(t, s.log.Append([]session.Entry{{Kind: session.KindStdin, Seq: 80, Payload: line, Msg: framing.Scan(line), EOL: framing.LF}}))
		s.pull()
		s.tap.Acts = nil
		for number := range s.visible.ws.Shown.Index.Scanned {
			if h, held := s.visible.ws.Tap.HeldAt(number); held && h.ToServer {
				s.visible.Select(number)
				s.pull()
				s.do(actCancel)
			}
		}
		s.selects(`"late"`)
		s.do(actCancel)
		require.Equal(t, []string{"cancel 101", `cancel "late"`}, s.tap.Acts)
	})
}

// TestTapDrives checks requests into the session of a client, and their rows.
func TestTapDrives(t *testing.T) {
	steers(t, 0, func(s *steering) {
		s.tap.Set(func(st *control.State) { st.Held = nil })
		require.NoError(t, s.tap.Steer(t.Context(), true))
		s.tap.Acts = nil
		s.pull()
		s.do(host.ActCompose)
		s.visible.composer.Text().SetValue(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":3,"x":1}}}`)
		s.do("send")
		require.Equal(t, []string{`drive ping {"_meta":{"x":1}}`}, s.tap.Acts)
		line := []byte(`{"jsonrpc":"2.0","id":1000000007,"method":"ping"}`)
		answer := []byte(`{"jsonrpc":"2.0","id":1000000007,"result":{}}`)
		require.NoError(t, s.log.Append([]session.Entry{{Kind: session.KindStdin, Payload: line, Msg: framing.Scan(line), EOL: framing.LF}}))
		require.NoError(t, s.log.Append([]session.Entry{{Kind: session.KindStdout, Seq: 90, Payload: answer, Msg: framing.Scan(answer), EOL: framing.LF}}))
		s.pull()
		s.says("⇢", "sent by you", "not passed on")
		require.Equal(t, s.viewed(), s.visible.ws.Viewed.Number)

		s.tap.Acts = nil
		s.do(host.ActCompose)
		s.visible.composer.Text().SetValue(`{"jsonrpc":"2.0","method":"notifications/x"}`)
		s.do("send")
		require.Empty(t, s.tap.Acts)
		s.says("only a request can be sent into the session of a client")
	})
}

// TestTapWatchOnly checks the reasons why a tap cannot be steered.
func TestTapWatchOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		given := ""
		plain := &workspace.Tap{Why: "started without --live"}
		d := drive(t, Options{Opened: []workspace.Opened{{Source: uitest.LiveTapLog(t), Tap: plain}}}, 120, 36)
		for _, id := range []string{"hold", "let-all-go", host.ActCompose, host.ActRestart, host.ActKill, host.ActAnswer, steer.ActFocus} {
			d.do(id)
			require.Contains(t, d.plain(), "watch only: started without --live", id)
		}
		old := &workspace.Tap{Why: "started by an older mcpdbg", Give: func(_ context.Context, order string) (string, error) { given = order; return "restarted: 1 s", nil }}
		d.open(workspace.Opened{Source: uitest.LiveTapLog(t), Tap: old})
		d.do(host.ActRestart, actYes)
		require.Equal(t, "restart", given)
		d.do("hold")
		require.Contains(t, d.plain(), "watch only: started by an older mcpdbg")
	})
}

// TestTapOver checks that the words about a tap go with it.
func TestTapOver(t *testing.T) {
	steers(t, 0, func(s *steering) {
		s.do(steer.ActFocus)
		s.tap.End()
		s.pull()
		require.Equal(t, trafficID, s.panes.focus)
		require.NotContains(t, s.plain(), "HELD")
		require.NotContains(t, s.plain(), "viewers")
		s.do("hold")
		s.says("the tap has ended")
	})
}

// TestTapAttach checks that a screen which is to steer does so, or asks.
func TestTapAttach(t *testing.T) {
	steers(t, 0, func(s *steering) {
		s.tap.Is.Steerer = 4242
		s.visible.ws.Tap.Attach = true
		s.run(s.Init())
		s.yes("Take the steering over from pid 4242?")
		require.Equal(t, os.Getpid(), s.tap.State().Steerer)
		require.Equal(t, []string{"steer true"}, s.tap.Acts)
	})
}

// TestTapRings checks that news of a tap ring once, without a timer, until it ends.
func TestTapRings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tap := uitest.NewLiveTap()
		var rings atomic.Int32
		go follow(t.Context().Done(), tap, func() { rings.Add(1) })
		time.Sleep(time.Hour)
		require.Zero(t, rings.Load())
		for n := range 3 {
			tap.Set(func(st *control.State) { st.Viewers = n })
		}
		synctest.Wait()
		require.EqualValues(t, 1, rings.Load())
		time.Sleep(time.Second)
		require.EqualValues(t, 2, rings.Load(), "after the first one, together")
		tap.End()
		synctest.Wait()
		require.EqualValues(t, 3, rings.Load(), "with the end")
	})
}
