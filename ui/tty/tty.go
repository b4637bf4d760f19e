// Package tty is the terminal apart from the screens: it asks for a line of text on the
// controlling terminal, restores a terminal for a program that has to exit early, and
// holds mcpdbg's own questions to the user, about a host key, a passphrase or a password,
// until the shell has an answer. No screen imports it: no view can draw over or imitate
// such a question.
package tty

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"

	"mcpdbg/ui/widget/termsafe"
)

// ErrInterrupted is the error of TTY.ReadLine when the user types ctrl+c.
var ErrInterrupted = errors.New("interrupted")

const (
	// maxLine is the maximum length of a line, in bytes.
	maxLine = 4 << 10
	// typeAhead is how long earlier keys are dropped from the terminal's queue: they
	// cannot be an answer.
	typeAhead = 20 * time.Millisecond
)

// A TTY is the controlling terminal, whatever standard input and output are. It must not
// be used concurrently.
type TTY struct{ in, out *os.File }

// OpenTTY opens the controlling terminal, and fails without one. The caller must call
// Close.
func OpenTTY() (*TTY, error) {
	in, out, err := tea.OpenTTY()
	if err != nil {
		return nil, err
	}
	return &TTY{in: in, out: out}, nil
}

// Close implements io.Closer.
func (t *TTY) Close() error {
	err := t.in.Close()
	if t.out != t.in {
		err = errors.Join(err, t.out.Close())
	}
	return err
}

// Write implements io.Writer. The caller must escape text of a server.
func (t *TTY) Write(p []byte) (int, error) { return t.out.Write(p) }

// ReadLine shows the prompt ask and reads one line, hidden unless echo is set. Earlier
// input is dropped. The error is ErrInterrupted, ErrDeclined for ctrl+d, the cause of
// ctx, or that of the terminal.
func (t *TTY) ReadLine(ctx context.Context, ask string, echo bool) (string, error) {
	state, err := term.MakeRaw(t.in.Fd())
	if err != nil {
		return "", fmt.Errorf("terminal: %w", err)
	}
	defer func() { _ = term.Restore(t.in.Fd(), state) }()
	if err := t.dropTypeAhead(); err != nil {
		return "", fmt.Errorf("terminal: %w", err)
	}
	in, err := cancelreader.NewReader(t.in)
	if err != nil {
		return "", fmt.Errorf("terminal: %w", err)
	}
	defer in.Close()
	defer context.AfterFunc(ctx, func() { in.Cancel() })()

	if _, err := t.Write([]byte(ask)); err != nil {
		return "", fmt.Errorf("terminal: %w", err)
	}
	defer func() { _, _ = t.Write([]byte("\r\n")) }() // only the answer matters
	l := line{echo: echo}
	defer l.wipe()
	var keys [256]byte
	for !l.done {
		n, err := in.Read(keys[:])
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if err != nil {
			return "", fmt.Errorf("terminal: %w", err)
		}
		shown := l.take(keys[:n])
		clear(keys[:n])
		if _, err := t.Write(shown); err != nil {
			return "", fmt.Errorf("terminal: %w", err)
		}
	}
	if l.err != nil {
		return "", l.err
	}
	return string(l.text), nil
}

// dropTypeAhead drops the input in the terminal's queue. On Windows, opening the reader
// has already done so.
func (t *TTY) dropTypeAhead() error {
	if runtime.GOOS == "windows" {
		return nil
	}
	in, err := cancelreader.NewReader(t.in)
	if err != nil {
		return err
	}
	defer in.Close()
	over := make(chan struct{})
	time.AfterFunc(typeAhead, func() {
		in.Cancel()
		close(over)
	})
	var keys [256]byte
	for err == nil {
		_, err = in.Read(keys[:])
		clear(keys[:])
	}
	<-over
	if errors.Is(err, cancelreader.ErrCanceled) {
		return nil
	}
	return err
}

type line struct {
	echo bool
	text []byte
	done bool
	err  error // why it ended, if not with the enter key
}

// take returns the bytes to show for typed ones.
func (l *line) take(keys []byte) (shown []byte) {
	if l.text == nil {
		l.text = make([]byte, 0, maxLine) // never moves, so that it can be wiped
	}
	for i := 0; i < len(keys) && !l.done; i++ {
		switch key := keys[i]; key {
		case '\r', '\n':
			l.done = true
		case 'C' & 0x1f:
			l.done, l.err = true, ErrInterrupted
		case 'D' & 0x1f:
			if len(l.text) == 0 {
				l.done, l.err = true, ErrDeclined
			}
		case '\b', 0x7f:
			shown = append(shown, l.erase()...)
		case 'U' & 0x1f:
			for len(l.text) > 0 {
				shown = append(shown, l.erase()...)
			}
		case 0x1b:
			return shown // a cursor key, which arrives in one piece
		default:
			shown = append(shown, l.add(key)...)
		}
	}
	return shown
}

// add returns the text to show for a byte.
func (l *line) add(key byte) []byte {
	if key < 0x20 || len(l.text) == maxLine {
		return nil
	}
	l.text = append(l.text, key)
	from := l.lastRune()
	r, _ := utf8.DecodeRune(l.text[from:])
	if !l.echo || r == utf8.RuneError || unicode.IsControl(r) {
		return nil
	}
	return []byte(termsafe.String(string(r)))
}

// erase removes the last character, and returns the bytes that remove it from the screen.
func (l *line) erase() (shown []byte) {
	if len(l.text) == 0 {
		return nil
	}
	from := l.lastRune()
	if r, _ := utf8.DecodeRune(l.text[from:]); l.echo && r != utf8.RuneError && !unicode.IsControl(r) {
		for range termsafe.Width(string(r)) {
			shown = append(shown, "\b \b"...)
		}
	}
	clear(l.text[from:])
	l.text = l.text[:from]
	return shown
}

func (l *line) lastRune() int {
	from := len(l.text) - 1
	for from > 0 && !utf8.RuneStart(l.text[from]) {
		from--
	}
	return from
}

func (l *line) wipe() { clear(l.text[:cap(l.text)]) }
