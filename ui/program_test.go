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
	"mcpdbg/ui/kit"
	"mcpdbg/ui/traffic"
)

// A terminal is an emulated terminal with the program in it.
type terminal struct {
	t     *testing.T
	app   *App
	emu   *vt.SafeEmulator
	plain *vt.SafeEmulator // for the expected screen
	keys  *io.PipeWriter
	tee   io.Writer      // gets everything that is written, if set
	ran   sync.WaitGroup // done when run has ended
	err   error          // of run
	end   context.CancelFunc

	turns     sync.Mutex        // see turn
	suspended atomic.Int64      // times that the program was suspended
	size      tea.WindowSizeMsg // the size that the key F12 reports to the program; set before the key is pressed
}

// output is where the program writes to: without a terminal as its input, the
// program does not write the carriage return before a newline.
type output struct{ term *terminal }

func (o output) Write(p []byte) (int, error) {
	o.term.turn()
	if o.term.tee != nil {
		_, _ = o.term.tee.Write(p)
	}
	_, err := o.term.emu.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n")))
	return len(p), err
}

// inTerminal runs the program in a terminal of w by h cells. It must be called in
// a synctest bubble.
func inTerminal(t *testing.T, opts Options, w, h int) *terminal {
	t.Helper()
	opts.View = traffic.Wire.String() // as in drive
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
			case tea.SuspendMsg: // a real suspend would stop the tests
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
	answers.Go(func() { _, _ = io.Copy(keys, term.emu) }) // the terminal's replies
	term.ran.Go(func() {
		term.err = run(ctx, end, opts, func(opts Options) *App {
			term.app.opts = opts
			return term.app
		})
	})
	t.Cleanup(func() {
		end()
		term.ran.Wait()
		require.NoError(t, term.emu.Close())
		require.NoError(t, keys.Close())
		answers.Wait()
		time.Sleep(2 * time.Second) // lets a running timer end
	})
	term.wait()
	return term
}

// turn separates the accesses of the test and of the program to the model. They
// take turns, which the race detector cannot see by itself.
func (term *terminal) turn() {
	term.turns.Lock()
	defer term.turns.Unlock()
}

// wait lets two frames pass.
func (term *terminal) wait() { term.waitFor(2 * kit.FrameInterval) }

// waitFor lets time pass on the bubble's clock.
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
			term.waitFor(200 * time.Millisecond) // until the terminal is sure whether an escape sequence follows
		}
		term.wait()
	}
}

func (term *terminal) content() string { return ansi.Strip(term.emu.Render()) }

// requireShown checks that the terminal shows the model's frame with its colours:
// the same as another terminal into which the frame is written directly.
func (term *terminal) requireShown() {
	term.t.Helper()
	defer term.turn()
	x, y, ok := term.shows()
	if !ok { // a clock has moved, but is not painted yet
		term.wait()
		x, y, ok = term.shows()
	}
	if !ok {
		require.Equal(term.t, ansi.Strip(term.plain.Render()), term.content())
		require.Equal(term.t, *term.plain.CellAt(x, y), *term.emu.CellAt(x, y), "line %d, column %d", y, x)
	}
}

// shows reports whether the terminal shows the frame, and if not, the first
// differing cell.
func (term *terminal) shows() (x, y int, ok bool) {
	frame := term.app.View().Content
	_, err := io.WriteString(term.plain, "\x1b[0m\x1b[2J\x1b[H"+strings.ReplaceAll(frame, "\n", "\r\n"))
	require.NoError(term.t, err)
	for y := range term.emu.Height() {
		for x := range term.emu.Width() {
			got, want := *term.emu.CellAt(x, y), *term.plain.CellAt(x, y)
			if want.Content == " " { // only its background is visible
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

// attrReverse is the cell attribute that swaps the colours.
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
		require.Contains(t, term.content(), "ready")
		require.Contains(t, term.content(), "notifications/initialized")
		term.requireShown()

		x.latest().err("hello from the server")
		term.wait()
		require.Contains(t, term.content(), "hello from the server")

		term.press("c", keyCtrlS)
		require.Contains(t, term.content(), `< tools/list`)
		require.Contains(t, term.content(), "sent")

		term.press("f", "kind:request", "\r")
		require.Regexp(t, `3 of \d+  filter kind:request`, term.content())
		term.press(keyEsc)
		require.NotContains(t, term.content(), "filter kind:request")

		term.press("K")
		require.Contains(t, term.content(), "shutdown sequence")
		term.press(keyEsc + "G") // too fast for a terminal to distinguish from alt+G
		require.NotContains(t, term.content(), "shutdown sequence")
		require.Contains(t, term.content(), "FOLLOW")
		term.press("K", "\r")
		term.wait()
		require.Contains(t, term.content(), "exit 0")
		term.requireShown()

		term.press("q")
		term.wait()
		require.NoError(t, term.err)
		require.False(t, term.emu.IsAltScreen())
	})
}

// TestPendingClock checks that a pending request counts its seconds, and that no
// timer runs without one.
func TestPendingClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newSession(t, newLog(t), nil)
		require.NoError(t, s.Open(t.Context()))
		term := inTerminal(t, Options{Session: s}, 120, 36)
		require.False(t, term.app.ticking)
		_, err := s.Send(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"slow"}`))
		require.NoError(t, err)
		term.wait()
		require.Contains(t, term.content(), "0 s ...")
		time.Sleep(5 * time.Second)
		term.wait()
		require.Contains(t, term.content(), "5 s ...")
		require.NoError(t, s.Cancel("1", "enough"))
		term.wait()
		require.Regexp(t, `> slow +1 +cancelled `, term.content())
		time.Sleep(2 * time.Second)
		term.wait()
		require.False(t, term.app.ticking)
	})
}

// TestEndOfContext checks that the caller can end the program with its context.
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

// blockedOutput accepts the first output and blocks on the next one.
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

// TestBlockedOutput checks that the program ends although the terminal does not
// accept output. The library waits for such a terminal with a mutex, so the test
// cannot run in a bubble.
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
		require.ErrorIs(t, waitForEnd(ctx, ended, quitting, nil), io.EOF)

		close(quitting)
		begin := time.Now()
		require.ErrorIs(t, waitForEnd(ctx, ended, quitting, nil), ErrBlocked)
		require.Equal(t, blockedAfter, time.Since(begin))

		cancel()
		require.ErrorIs(t, waitForEnd(ctx, ended, make(chan struct{}), nil), ErrBlocked)
	})
}

func TestNoticeBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var blocks int
		pressed, done, accept := make(chan struct{}), make(chan struct{}), make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() { noticeBlock(done, pressed, func() { <-accept }, func() { blocks++ }) })
		pressed <- struct{}{}
		time.Sleep(blockedAfter - 1)
		accept <- struct{}{} // just in time
		time.Sleep(time.Hour)
		require.Zero(t, blocks)
		pressed <- struct{}{}
		time.Sleep(blockedAfter)
		synctest.Wait()
		require.Equal(t, 1, blocks)
		close(accept)
		close(done)
		wg.Wait()

		ended, blocked := make(chan error), make(chan struct{})
		close(blocked)
		require.ErrorIs(t, waitForEnd(t.Context(), ended, nil, blocked), ErrBlocked)
	})
}

// TestPump checks that pump rings once for any number of changes in a frame, and
// never misses the last one.
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
					grow() // during a ring
				}
			})
		})
		synctest.Wait()
		require.Equal(t, int64(1), rings.Load())
		time.Sleep(kit.FrameInterval)
		synctest.Wait()
		require.Equal(t, int64(1), seen.Load())
		for range 1000 {
			grow()
		}
		time.Sleep(2 * kit.FrameInterval)
		synctest.Wait()
		require.Equal(t, int64(1001), seen.Load())
		require.LessOrEqual(t, rings.Load(), int64(4))
		time.Sleep(time.Hour)
		synctest.Wait()
		require.LessOrEqual(t, rings.Load(), int64(4), "no ring without a change")
		cancel()
		wg.Wait()
	})
}
