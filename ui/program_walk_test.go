package ui

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
)

// A walk runs random actions.
type walk struct {
	*stage
	random *rand.Rand
	done   []string // the actions so far, to reproduce a failure
}

// walkTexts are the texts that a walk types into prompts and fields.
var walkTexts = []string{"a", "plan", "kind:request or err", "/to+ls/", "{\"a\":[1,2", "10", "\u6f22\u5b57", "\x7f\x7f\x7f", hostile[5], hostile[16]}

// walkSizes are the sizes of the terminal, each large enough to do something.
var walkSizes = [][2]int{{200, 60}, {120, 36}, {110, 30}, {100, 30}, {80, 24}, {60, 20}, {40, 10}, {39, 9}}

// mayWalk reports whether a walk may run an action by its key: not those that end
// the program.
func mayWalk(id string) bool { return id != actQuit && id != actQuitNow && id != host.ActInterrupt }

// step does one thing: mostly an action of the focused scope.
func (w *walk) step() {
	switch n := w.random.IntN(100); {
	case n < 60:
		w.act()
	case n < 75:
		w.open()
	case n < 85:
		w.write(walkTexts[w.random.IntN(len(walkTexts))])
	case n < 90:
		w.resize(walkSizes[w.random.IntN(len(walkSizes))])
	case n < 95:
		w.click()
	default:
		w.hears()
	}
}

// act runs an action by one of its keys.
func (w *walk) act() {
	actions := w.app.actions.keys.Reachable(w.app.visible.scope())
	action := actions[w.random.IntN(len(actions))]
	if len(action.Keys) == 0 || !mayWalk(action.ID) {
		return
	}
	w.done = append(w.done, action.ID)
	w.Press(uitest.KeyBytes(w.T, action.Keys[w.random.IntN(len(action.Keys))]))
}

// open presses a key that leads from a pane to something else, if a pane has the
// focus.
func (w *walk) open() {
	if w.app.visible.scope() != paneScopes[w.app.panes.focus] {
		return
	}
	keys := []string{"C", "c", "O", "?", ":", "y", "I", "K", "A", "L", "!", "b", "a", "f", "/", "1"}
	key := keys[w.random.IntN(len(keys))]
	w.done = append(w.done, "key "+key)
	w.Press(key)
}

// write pastes a text, unless its characters would be keys of a pane.
func (w *walk) write(text string) {
	if w.app.visible.scope() == paneScopes[w.app.panes.focus] {
		return
	}
	w.done = append(w.done, fmt.Sprintf("text %q", text))
	w.Press("\x1b[200~" + text + "\x1b[201~") // pasted
}

// resize changes the size of the terminal, which reports that to the program in
// band.
func (w *walk) resize(size [2]int) {
	w.done = append(w.done, fmt.Sprint("size ", size))
	w.Resize(size[0], size[1])
	w.Press(fmt.Sprintf("\x1b[48;%d;%d;0;0t", size[1], size[0]))
	w.WaitFor(kit.FrameInterval) // a resized screen is painted a frame later
}

// click clicks somewhere or turns the wheel there.
func (w *walk) click() {
	button, x, y := []int{0, 64, 65}[w.random.IntN(3)], 1+w.random.IntN(w.app.screen.Width), 1+w.random.IntN(w.app.screen.Height)
	w.done = append(w.done, fmt.Sprint("mouse ", button, x, y))
	w.Press(fmt.Sprintf("\x1b[<%d;%d;%dM\x1b[<%d;%d;%dm", button, x, y, button, x, y))
}

// hears makes the server send something.
func (w *walk) hears() {
	if w.s.Status().State != session.Ready {
		return
	}
	w.done = append(w.done, "server")
	w.Turn()
	switch w.random.IntN(4) {
	case 0:
		w.x.Latest().Out(`{"jsonrpc":"2.0","method":"notifications/%d"}`, w.random.IntN(2))
	case 1:
		w.x.Latest().Err(hostile[w.random.IntN(len(hostile))])
	case 2:
		w.x.Latest().Out(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	case 3:
		w.asks([]string{mcp.MethodElicit, mcp.MethodSample, mcp.MethodRoots}[w.random.IntN(3)], []string{uitest.AskName, uitest.AskModel, uitest.AskPage, "7"}[w.random.IntN(4)])
	}
	w.Wait()
}

// walkRandomly walks for some steps over a log with entries of all kinds, and
// checks that each frame is exact and that the terminal shows it.
func walkRandomly(t *testing.T, seed uint64, steps int) {
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(seed, 1))
		size := walkSizes[int(seed)%len(walkSizes)]
		w := &walk{stage: newStage(t, size[0], size[1]), random: random}
		defer func() {
			if t.Failed() {
				t.Logf("seed %d: %q", seed, w.done)
			}
		}()
		for _, text := range hostile {
			e := session.Entry{Kind: session.KindStderr, Seq: 1, Payload: []byte(text), EOL: framing.LF}
			require.NoError(t, w.s.Log().Append([]session.Entry{e}))
		}
		w.Wait()
		for range steps {
			w.step()
			if w.app.quitting { // quit from the palette
				w.Ran.Wait()
				require.NoError(t, w.Err)
				return
			}
			w.takeBack()
			requireExact(t, w.app.View().Content, w.app.screen.Width, w.app.screen.Height)
			w.RequireShown()
		}
	})
}

// TestRandomWalk runs random actions and checks that none fails.
func TestRandomWalk(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			walkRandomly(t, seed, 50)
		})
	}
}

// TestComposeInProgram goes by keys from the catalog through the form to the
// response.
func TestComposeInProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, x := newSession(t, newLog(t), offersAndEchoes)
		x.Capabilities = allCapabilities
		term := inTerminal(t, Options{Session: s, Title: "fake (local)", Start: s.Open}, 120, 36)
		term.Press("C")
		require.Contains(t, term.Text(), "[Tools 3]")
		term.Press("e", "c", "h", "\r", "h", "i")
		require.Contains(t, term.Text(), "Call echo")
		term.RequireShown()
		term.Press("\x14") // ctrl+t
		require.Contains(t, term.Text(), `"text": "hi"`)
		term.Press(keyCtrlS)
		require.Contains(t, term.Text(), "echo answered in 0 ms")
		term.RequireShown()
	})
}
