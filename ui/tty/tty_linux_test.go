package tty

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A pty is the other side of a TTY, in place of the user.
type pty struct {
	t      *testing.T
	keys   *os.File
	screen chan string
	seen   string
}

// openPTY returns a terminal and its other side.
func openPTY(t *testing.T) (*TTY, *pty) {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	side, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	p := &pty{t: t, keys: keys, screen: make(chan string, 64)}
	go func() {
		defer close(p.screen)
		var text [256]byte
		for {
			n, err := keys.Read(text[:])
			if err != nil {
				return // both sides are closed
			}
			p.screen <- string(text[:n])
		}
	}()
	tty := &TTY{in: side, out: side}
	t.Cleanup(func() {
		_ = tty.Close()
		for more := range p.screen { // until the reader ends
			p.seen += more
		}
		_ = keys.Close()
	})
	return tty, p
}

func (p *pty) press(keys string) {
	p.t.Helper()
	_, err := p.keys.WriteString(keys)
	require.NoError(p.t, err)
}

// until waits for text on the screen.
func (p *pty) until(text string) {
	p.t.Helper()
	for !strings.Contains(p.seen, text) {
		select {
		case more := <-p.screen:
			p.seen += more
		case <-time.After(5 * time.Minute):
			require.Fail(p.t, "text not found", "%q in %q", text, p.seen)
		}
	}
}

// A reading is a running ReadLine.
type reading struct {
	text string
	err  error
}

func readLine(ctx context.Context, tty *TTY, ask string, echo bool) chan reading {
	done := make(chan reading, 1)
	go func() {
		text, err := tty.ReadLine(ctx, ask, echo)
		done <- reading{text, err}
	}()
	return done
}

func TestReadLine(t *testing.T) {
	t.Parallel()
	tty, p := openPTY(t)
	before, err := term.GetState(tty.in.Fd())
	require.NoError(t, err)
	for _, echo := range []bool{true, false} {
		p.press("typed ahead\r")
		p.until("typed ahead")
		p.seen = ""
		done := readLine(t.Context(), tty, "Word: ", echo)
		p.until("Word: ")
		p.press("héllo\x7f!")
		p.press("\r")
		require.Equal(t, reading{text: "héll!"}, <-done)
		p.until("\r\n")
		require.Equal(t, echo, strings.Contains(p.seen, "héllo"), p.seen)
		after, err := term.GetState(tty.in.Fd())
		require.NoError(t, err)
		require.Equal(t, before, after, "the state of the terminal is restored")
	}
}

func TestReadLineIsGivenUp(t *testing.T) {
	t.Parallel()
	tty, p := openPTY(t)
	before, err := term.GetState(tty.in.Fd())
	require.NoError(t, err)
	ctx, cancel := context.WithCancelCause(t.Context())
	done := readLine(ctx, tty, "Word: ", false)
	p.until("Word: ")
	p.press("half a w")
	cause := errors.New("too late")
	cancel(cause)
	require.Equal(t, reading{err: cause}, <-done)
	after, err := term.GetState(tty.in.Fd())
	require.NoError(t, err)
	require.Equal(t, before, after)

	done = readLine(t.Context(), tty, "Again: ", false)
	p.until("Again: ")
	p.press("\x03")
	require.Equal(t, reading{err: ErrInterrupted}, <-done)
}
