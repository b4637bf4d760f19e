package ui

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

	"mcpdbg/ui/termsafe"
)

// ErrInterrupted is the error of TTY.ReadLine when ctrl+c was typed.
var ErrInterrupted = errors.New("interrupted")

const (
	// maxLine is how many bytes a line that is typed can have.
	maxLine = 4 << 10
	// typeAhead is how long keys that were typed before a question are taken out
	// of the terminal's queue: nobody answers what could not be read yet.
	typeAhead = 20 * time.Millisecond
)

// A TTY is the terminal in front of the person, whatever standard input and
// output are. It serves one goroutine.
type TTY struct{ in, out *os.File }

// OpenTTY opens the terminal that controls the process; without one it fails.
// Close must be called.
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

// Write implements io.Writer. What a server wrote has to be made safe before.
func (t *TTY) Write(p []byte) (int, error) { return t.out.Write(p) }

// ReadLine shows what is asked and reads one line; without echo, nothing of it
// is shown. What was typed before is dropped. The error is ErrInterrupted,
// ErrDeclined for ctrl+d, the cause of ctx, or that of the terminal.
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
	defer func() { _, _ = t.Write([]byte("\r\n")) }() // the answer is what counts
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

// dropTypeAhead reads what waits in the terminal's queue. On Windows opening the
// reader has done so.
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

// A line is what is being typed into a terminal in raw mode.
type line struct {
	echo bool
	text []byte
	done bool
	err  error // how it ended, if not with the enter key
}

// take takes typed bytes and returns what is to be shown of them.
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
			return shown // a cursor key, which comes as a whole
		default:
			shown = append(shown, l.add(key)...)
		}
	}
	return shown
}

// add adds one byte; what it completes is shown.
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

// erase takes the last character away, also from what is shown.
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

// lastRune is where the last character begins.
func (l *line) lastRune() int {
	from := len(l.text) - 1
	for from > 0 && !utf8.RuneStart(l.text[from]) {
		from--
	}
	return from
}

// wipe leaves nothing behind of what was typed.
func (l *line) wipe() { clear(l.text[:cap(l.text)]) }
