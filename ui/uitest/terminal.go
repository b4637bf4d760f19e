package uitest

import (
	"bytes"
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

	"mcpdbg/ui/kit"
)

// A Terminal is an emulated terminal for a program. It is used in a synctest bubble.
type Terminal struct {
	T       *testing.T
	Emu     *vt.SafeEmulator
	Input   io.Reader           // of the program: keys and replies of the terminal
	Options []tea.ProgramOption // of the program
	Tee     io.Writer           // gets the output of the program too, if set
	Ran     sync.WaitGroup      // done when the program has ended
	Err     error               // of the program
	End     func()              // ends the program

	Suspended atomic.Int64      // times that the program was suspended
	Size      tea.WindowSizeMsg // reported to the program by the key F12; set before the key is pressed

	model tea.Model
	plain *vt.SafeEmulator // for the expected screen
	keys  *io.PipeWriter
	turns sync.Mutex // see Turn
}

// NewTerminal returns a terminal of w by h cells.
func NewTerminal(t *testing.T, w, h int) *Terminal {
	t.Helper()
	in, keys := io.Pipe()
	term := &Terminal{T: t, Emu: vt.NewSafeEmulator(w, h), plain: vt.NewSafeEmulator(w, h), Input: in, keys: keys}
	term.Options = []tea.ProgramOption{
		tea.WithWindowSize(w, h), tea.WithColorProfile(colorprofile.TrueColor), tea.WithEnvironment([]string{"TERM=xterm-256color"}),
		tea.WithFilter(func(_ tea.Model, msg tea.Msg) tea.Msg {
			term.Turn()
			switch msg := msg.(type) {
			case tea.SuspendMsg: // a real suspend would stop the tests
				term.Suspended.Add(1)
				return nil
			case tea.KeyPressMsg:
				if msg.Code == tea.KeyF12 && term.Size.Width > 0 {
					return term.Size
				}
			}
			return msg
		}),
	}
	return term
}

// Run runs a program with a model in the terminal, until the end of the test or end.
func (term *Terminal) Run(model tea.Model, end func(), program func() error) {
	term.model, term.End = model, end
	var answers sync.WaitGroup
	answers.Go(func() { _, _ = io.Copy(term.keys, term.Emu) }) // the terminal's replies
	term.Ran.Go(func() { term.Err = program() })
	term.T.Cleanup(func() {
		end()
		term.Ran.Wait()
		require.NoError(term.T, term.Emu.Close())
		require.NoError(term.T, term.keys.Close())
		answers.Wait()
		time.Sleep(2 * time.Second) // lets a running timer end
	})
	term.Wait()
}

// Write writes the output of the program: without a terminal as its input, the program
// does not write the carriage return before a newline.
func (term *Terminal) Write(p []byte) (int, error) {
	term.Turn()
	if term.Tee != nil {
		_, _ = term.Tee.Write(p)
	}
	_, err := term.Emu.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n")))
	return len(p), err
}

// Turn separates the accesses of the test and of the program to the model. They take
// turns, which the race detector cannot see by itself.
func (term *Terminal) Turn() {
	term.turns.Lock()
	defer term.turns.Unlock()
}

// Wait lets two frames pass.
func (term *Terminal) Wait() { term.WaitFor(2 * kit.FrameInterval) }

// WaitFor lets time pass on the bubble's clock.
func (term *Terminal) WaitFor(d time.Duration) {
	term.Turn()
	time.Sleep(d)
	synctest.Wait()
}

// KeyEsc is the byte of the escape key, with which longer sequences begin.
const KeyEsc = "\x1b"

// Press types keys, as the bytes that a terminal sends.
func (term *Terminal) Press(keys ...string) {
	for _, key := range keys {
		term.Type(key)
		if strings.HasPrefix(key, KeyEsc) {
			term.WaitFor(200 * time.Millisecond) // until the terminal is sure whether an escape sequence follows
		}
		term.Wait()
	}
}

// Type sends bytes to the program, and does not wait.
func (term *Terminal) Type(text string) {
	term.Turn()
	_, err := io.WriteString(term.keys, text)
	require.NoError(term.T, err)
}

// Resize changes the size of the terminal, which the program does not learn by itself.
func (term *Terminal) Resize(w, h int) {
	term.Emu.Resize(w, h)
	term.plain.Resize(w, h)
}

// Text returns the screen without styles.
func (term *Terminal) Text() string { return ansi.Strip(term.Emu.Render()) }

// RequireShown checks that the terminal shows the model's frame with its colours: the same
// as another terminal into which the frame is written directly.
func (term *Terminal) RequireShown() {
	term.T.Helper()
	defer term.Turn()
	x, y, ok := term.shows()
	if !ok { // a clock has moved, but is not painted yet
		term.Wait()
		x, y, ok = term.shows()
	}
	if !ok {
		require.Equal(term.T, ansi.Strip(term.plain.Render()), term.Text())
		require.Equal(term.T, *term.plain.CellAt(x, y), *term.Emu.CellAt(x, y), "line %d, column %d", y, x)
	}
}

// shows reports whether the terminal shows the frame, and if not, the first differing
// cell.
func (term *Terminal) shows() (x, y int, ok bool) {
	frame := term.model.View().Content
	_, err := io.WriteString(term.plain, "\x1b[0m\x1b[2J\x1b[H"+strings.ReplaceAll(frame, "\n", "\r\n"))
	require.NoError(term.T, err)
	for y := range term.Emu.Height() {
		for x := range term.Emu.Width() {
			got, want := *term.Emu.CellAt(x, y), *term.plain.CellAt(x, y)
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

// sendKeys are the bytes of keys that are not a single character.
var sendKeys = map[string]string{
	"space": " ", "enter": "\r", "tab": "\t", "esc": KeyEsc, "backspace": "\x7f",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
	"insert": "\x1b[2~", "delete": "\x1b[3~", "pgup": "\x1b[5~", "pgdown": "\x1b[6~",
	"shift+right": "\x1b[1;2C", "shift+left": "\x1b[1;2D", "ctrl+right": "\x1b[1;5C", "ctrl+left": "\x1b[1;5D",
	"shift+tab": "\x1b[Z", "shift+up": "\x1b[1;2A", "shift+down": "\x1b[1;2B", "shift+pgup": "\x1b[5;2~", "shift+pgdown": "\x1b[6;2~",
	"alt+up": "\x1b[1;3A", "alt+down": "\x1b[1;3B", "ctrl+up": "\x1b[1;5A", "ctrl+down": "\x1b[1;5B", "ctrl+delete": "\x1b[3;5~", "f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS", "f5": "\x1b[15~", "f6": "\x1b[17~", "f7": "\x1b[18~", "f8": "\x1b[19~", "f9": "\x1b[20~",
}

// KeyBytes returns the bytes that a terminal sends for a key.
func KeyBytes(t testing.TB, key string) string {
	t.Helper()
	if letter, ok := strings.CutPrefix(key, "ctrl+"); ok && len(letter) == 1 {
		return string(letter[0] & 0x1f)
	}
	if len([]rune(key)) == 1 {
		return key
	}
	bytes, ok := sendKeys[key]
	require.True(t, ok, "unknown key %q", key)
	return bytes
}
