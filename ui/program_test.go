package ui

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
)

// A terminal has the program in it.
type terminal struct {
	*uitest.Terminal
	app *App
}

// inTerminal runs the program in a terminal of w by h cells. It must be called in
// a synctest bubble.
func inTerminal(t *testing.T, opts Options, w, h int) *terminal {
	t.Helper()
	term := &terminal{Terminal: uitest.NewTerminal(t, w, h)}
	opts.Input, opts.Program = term.Input, term.Options
	if opts.Output == nil {
		opts.Output = term.Terminal
	}
	ctx, end := context.WithCancel(t.Context())
	term.app = newApp(ctx, opts)
	term.Run(term.app, end, func() error {
		return run(ctx, end, opts, func(opts Options) *App {
			term.app.opts = opts
			return term.app
		})
	})
	return term
}

const (
	keyEsc   = uitest.KeyEsc
	keyCtrlC = "\x03"
	keyCtrlS = "\x13"
	keyTab   = "\t"
)

func TestProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, x := newSession(t, newLog(t), echo)
		term := inTerminal(t, Options{Session: s, Title: "fake (local)", Start: s.Open}, 120, 36)
		require.Contains(t, term.Text(), "ready")
		require.Contains(t, term.Text(), "handshake")
		term.RequireShown()

		x.Latest().Err("hello from the server")
		term.Wait()
		require.Contains(t, term.Text(), "hello from the server")

		term.Press("c", keyCtrlS)
		require.Contains(t, term.Text(), "tools/list")
		require.Contains(t, term.Text(), "sent")

		term.Press("f", "method:tools/list", "\r")
		require.Regexp(t, `1 of \d+ rows  filter method:tools/list`, term.Text())
		term.Press(keyEsc)
		require.NotContains(t, term.Text(), "filter method:tools/list")

		term.Press("K")
		require.Contains(t, term.Text(), "shutdown sequence")
		term.Press(keyEsc + "G") // too fast for a terminal to distinguish from alt+G
		require.NotContains(t, term.Text(), "shutdown sequence")
		require.Contains(t, term.Text(), "following")
		term.Press("K", "\r")
		term.Wait()
		require.Contains(t, term.Text(), "exit 0")
		term.RequireShown()

		term.Press("q")
		term.Wait()
		require.NoError(t, term.Err)
		require.False(t, term.Emu.IsAltScreen())
	})
}

// TestPendingClock checks that a pending request counts its seconds, and that no
// timer runs without one.
func TestPendingClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := openSession(t, nil)
		term := inTerminal(t, Options{Session: s}, 120, 36)
		require.False(t, term.app.ticking)
		_, err := s.Send(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"slow"}`))
		require.NoError(t, err)
		term.Wait()
		require.Regexp(t, ` … .*slow +running `, term.Text())
		time.Sleep(5 * time.Second)
		term.Wait()
		require.Regexp(t, ` … .* slow +running +5\.\d s`, term.Text())
		require.NoError(t, s.Cancel("1", "enough"))
		term.Wait()
		require.Regexp(t, `slow +cancelled by you`, term.Text())
		time.Sleep(2 * time.Second)
		term.Wait()
		require.False(t, term.app.ticking)
	})
}

// TestEndOfContext checks that the caller can end the program with its context.
func TestEndOfContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newSession(t, newLog(t), nil)
		term := inTerminal(t, Options{Session: s}, 80, 24)
		term.End()
		term.Wait()
		require.NoError(t, term.Err)
		require.False(t, term.Emu.IsAltScreen())
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
