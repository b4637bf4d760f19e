package ui

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/stretchr/testify/require"

	"mcpdbg/session"
)

// A terminal is an emulated one with the program in it.
type terminal struct {
	t     *testing.T
	app   *App
	emu   *vt.SafeEmulator
	plain *vt.SafeEmulator // for what should be on the screen
	keys  *io.PipeWriter
	ran   sync.WaitGroup // ends with run
	err   error          // of run
	end   context.CancelFunc

	turns     sync.Mutex        // see turn
	suspended atomic.Int64      // times that it was to go back to the shell
	size      tea.WindowSizeMsg // that the key F12 tells the program of; changed before it is pressed
}

// output is what the program writes to: without a terminal as its input it
// leaves the carriage return before a newline to others.
type output struct{ term *terminal }

func (o output) Write(p []byte) (int, error) {
	o.term.turn()
	_, err := o.term.emu.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n")))
	return len(p), err
}

// inTerminal runs the program in a terminal of w by h cells. It must be called
// in a synctest bubble.
func inTerminal(t *testing.T, opts Options, w, h int) *terminal {
	t.Helper()
	in, keys := io.Pipe()
	term := &terminal{t: t, emu: vt.NewSafeEmulator(w, h), plain: vt.NewSafeEmulator(w, h), keys: keys}
	opts.Input = in
	if opts.Output == nil {
		opts.Output = output{term}
	}
	opts.Program = []tea.ProgramOption{
		tea.WithWindowSize(w, h), tea.WithColorProfile(colorprofile.TrueColor), tea.WithEnvironment([]string{"TERM=xterm-256color"}),
		tea.WithFilter(func(_ tea.Model, msg tea.Msg) tea.Msg {
			term.turn()
			switch msg := msg.(type) {
			case tea.SuspendMsg: // it would stop the tests
				term.suspended.Add(1)
				return nil
			case tea.KeyPressMsg:
				if msg.Code == tea.KeyF12 && term.size.Width > 0 {
					return term.size
				}
			}
			return msg
		}),
	}
	ctx, end := context.WithCancel(t.Context())
	term.end = end
	term.app = newApp(ctx, opts)
	var answers sync.WaitGroup
	answers.Go(func() { _, _ = io.Copy(keys, term.emu) }) // what the terminal answers
	term.ran.Go(func() { term.err = run(ctx, end, term.app) })
	t.Cleanup(func() {
		end()
		term.ran.Wait()
		require.NoError(t, term.emu.Close())
		require.NoError(t, keys.Close())
		answers.Wait()
		time.Sleep(2 * time.Second) // a tick that was under way ends
	})
	term.wait()
	return term
}

// turn stands between what a test does with the model and what the program does
// with it: they take turns, which the race detector has to be told.
func (term *terminal) turn() {
	term.turns.Lock()
	defer term.turns.Unlock()
}

// wait lets two frames pass.
func (term *terminal) wait() { term.waitFor(2 * framePause) }

// waitFor lets time pass, of the bubble's clock.
func (term *terminal) waitFor(d time.Duration) {
	term.turn()
	time.Sleep(d)
	synctest.Wait()
}

// press types keys, as the bytes that a terminal sends.
func (term *terminal) press(keys ...string) {
	for _, key := range keys {
		term.turn()
		_, err := io.WriteString(term.keys, key)
		require.NoError(term.t, err)
		if strings.HasPrefix(key, keyEsc) {
			term.waitFor(200 * time.Millisecond) // until it is sure that no sequence follows, or goes on
		}
		term.wait()
	}
}

func (term *terminal) screen() string { return ansi.Strip(term.emu.Render()) }

// requireShown makes sure that the terminal shows the model's frame, in its
// colours: what another terminal shows into which the frame is written as it is.
func (term *terminal) requireShown() {
	term.t.Helper()
	defer term.turn()
	x, y, ok := term.shows()
	if !ok { // a clock has moved, and it is not painted yet
		term.wait()
		x, y, ok = term.shows()
	}
	if !ok {
		require.Equal(term.t, ansi.Strip(term.plain.Render()), term.screen())
		require.Equal(term.t, *term.plain.CellAt(x, y), *term.emu.CellAt(x, y), "line %d, column %d", y, x)
	}
}

// shows tells whether the terminal shows the frame, and where it does not.
func (term *terminal) shows() (x, y int, ok bool) {
	frame := term.app.View().Content
	_, err := io.WriteString(term.plain, "\x1b[0m\x1b[2J\x1b[H"+strings.ReplaceAll(frame, "\n", "\r\n"))
	require.NoError(term.t, err)
	for y := range term.emu.Height() {
		for x := range term.emu.Width() {
			got, want := *term.emu.CellAt(x, y), *term.plain.CellAt(x, y)
			if want.Content == " " { // of which only the background is seen
				got.Style.Fg, got.Style.Attrs = nil, got.Style.Attrs&attrReverse
				want.Style.Fg, want.Style.Attrs = nil, want.Style.Attrs&attrReverse
			}
			if got != want {
				return x, y, false
			}
		}
	}
	return 0, 0, true
}

// attrReverse is the attribute of a cell that swaps its colours.
const attrReverse = 1 << 5

const (
	keyEsc   = "\x1b"
	keyCtrlC = "\x03"
	keyCtrlS = "\x13"
	keyTab   = "\t"
)

func TestProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, x := newSession(t, newLog(t), echo)
		term := inTerminal(t, Options{Session: s, Title: "fake (local)", Start: s.Open}, 120, 36)
		require.Contains(t, term.screen(), "ready")
		require.Contains(t, term.screen(), "notifications/initialized")
		term.requireShown()

		x.latest().err("hello from the server")
		term.wait()
		require.Contains(t, term.screen(), "hello from the server")

		term.press("c", keyCtrlS)
		require.Contains(t, term.screen(), `< tools/list`)
		require.Contains(t, term.screen(), "sent")

		term.press("f", "kind:request", "\r")
		require.Contains(t, term.screen(), "filter kind:request (3)")
		term.press(keyEsc)
		require.NotContains(t, term.screen(), "filter kind:request")

		term.press("K")
		require.Contains(t, term.screen(), "the ladder")
		term.press(keyEsc + "G") // too quick for a terminal to tell them from alt+G
		require.NotContains(t, term.screen(), "the ladder")
		require.Contains(t, term.screen(), "FOLLOW")
		term.press("K", "\r")
		term.wait()
		require.Contains(t, term.screen(), "exit 0")
		term.requireShown()

		term.press("q")
		term.wait()
		require.NoError(t, term.err)
		require.False(t, term.emu.IsAltScreen())
	})
}

// TestPendingClock: a request that is not answered counts its seconds, and
// nothing ticks when there is none.
func TestPendingClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newSession(t, newLog(t), nil)
		require.NoError(t, s.Open(t.Context()))
		term := inTerminal(t, Options{Session: s}, 120, 36)
		require.False(t, term.app.ticking)
		_, err := s.Send(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"slow"}`))
		require.NoError(t, err)
		term.wait()
		require.Contains(t, term.screen(), "0 s ...")
		time.Sleep(5 * time.Second)
		term.wait()
		require.Contains(t, term.screen(), "5 s ...")
		require.NoError(t, s.Cancel("1", "enough"))
		term.wait()
		require.Regexp(t, `> slow +1 +cancelled `, term.screen())
		time.Sleep(2 * time.Second)
		term.wait()
		require.False(t, term.app.ticking)
	})
}

// TestEndOfContext: whoever runs the program can end it.
func TestEndOfContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newSession(t, newLog(t), nil)
		term := inTerminal(t, Options{Session: s}, 80, 24)
		term.end()
		term.wait()
		require.NoError(t, term.err)
		require.False(t, term.emu.IsAltScreen())
	})
}

// blockedOutput takes the first output and then none at all.
type blockedOutput struct {
	once    sync.Once
	begun   chan struct{}
	forever chan struct{}
}

func (o *blockedOutput) Write([]byte) (int, error) {
	o.once.Do(func() { close(o.begun) })
	<-o.forever
	return 0, io.ErrClosedPipe
}

// TestBlockedOutput: a terminal that takes no output does not keep the program
// from ending. The library waits for such a terminal with a mutex, which is
// nothing for a bubble.
func TestBlockedOutput(t *testing.T) {
	t.Parallel()
	out := &blockedOutput{begun: make(chan struct{}), forever: make(chan struct{})}
	in, keys := io.Pipe()
	ended := make(chan error)
	log := newLog(t)
	go func() {
		ended <- Run(t.Context(), Options{
			Source: log, Input: in, Output: out,
			Program: []tea.ProgramOption{tea.WithWindowSize(80, 24), tea.WithColorProfile(colorprofile.TrueColor)},
		})
	}()
	<-out.begun
	_, err := io.WriteString(keys, keyCtrlC)
	require.NoError(t, err)
	require.ErrorIs(t, <-ended, ErrBlocked)
	close(out.forever)
	require.NoError(t, keys.Close())
}

func TestWaitForEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		ended, quitting := make(chan error, 1), make(chan struct{})
		ended <- io.EOF
		require.ErrorIs(t, waitForEnd(ctx, ended, quitting), io.EOF)

		close(quitting)
		begin := time.Now()
		require.ErrorIs(t, waitForEnd(ctx, ended, quitting), ErrBlocked)
		require.Equal(t, blockedAfter, time.Since(begin))

		cancel()
		require.ErrorIs(t, waitForEnd(ctx, ended, make(chan struct{})), ErrBlocked)
	})
}

// TestPump rings once for any number of changes in a frame, and never misses
// the last.
func TestPump(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newLog(t)
		ctx, cancel := context.WithCancel(t.Context())
		grow := func() {
			require.NoError(t, log.Append([]session.Entry{session.NewEntry(session.KindNote, 0, session.NoteBody{Text: "x"})}))
		}
		var rings, seen atomic.Int64
		var wg sync.WaitGroup
		wg.Go(func() {
			pump(ctx.Done(), log, func() {
				seen.Store(int64(log.Len()))
				if rings.Add(1) == 1 {
					grow() // while it is looked at
				}
			})
		})
		synctest.Wait()
		require.Equal(t, int64(1), rings.Load())
		time.Sleep(framePause)
		synctest.Wait()
		require.Equal(t, int64(1), seen.Load())
		for range 1000 {
			grow()
		}
		time.Sleep(2 * framePause)
		synctest.Wait()
		require.Equal(t, int64(1001), seen.Load())
		require.LessOrEqual(t, rings.Load(), int64(4))
		time.Sleep(time.Hour)
		synctest.Wait()
		require.LessOrEqual(t, rings.Load(), int64(4), "nothing rings when nothing happens")
		cancel()
		wg.Wait()
	})
}
