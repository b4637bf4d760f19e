package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/home"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/tty"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// A driver runs the model without a program: it handles every message
// immediately, and the results of commands too.
type driver struct {
	*App
	t    testing.TB
	quit bool
	clip string // the text copied last

	written func(text string) // gets what is written outside the frame, if set

	inbox chan tea.Msg // messages of long-running commands
}

// asciiTest is the name of subtests whose drivers show ASCII without colors.
const asciiTest = "ascii"

// drive returns a program as it starts: with a row for each exchange, of which none is
// selected.
func drive(t testing.TB, opts Options, w, h int) *driver {
	t.Helper()
	ascii := strings.HasSuffix(t.Name(), "/"+asciiTest)
	opts.ASCII = opts.ASCII || ascii
	opts.NoColor = opts.NoColor || ascii || strings.HasSuffix(t.Name(), "/nocolor")
	d := &driver{App: newApp(t.Context(), opts), t: t}
	d.outside.later = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	d.outside.exec = func(c tea.ExecCommand, done tea.ExecCallback) tea.Cmd {
		return func() tea.Msg { return done(c.Run()) }
	}
	profile := colorprofile.TrueColor
	if opts.NoColor {
		profile = colorprofile.Ascii
	}
	d.take(tea.ColorProfileMsg{Profile: profile})
	d.take(tea.WindowSizeMsg{Width: w, Height: h})
	d.pull()
	if h, ok := d.front.top().(*home.View); ok {
		d.run(d.visible.tagged(h.Load(d.visible.context())))
	}
	return d
}

// take handles a message and all messages that follow from it.
func (d *driver) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
		return
	case tea.BatchMsg:
		for _, cmd := range msg {
			d.run(cmd)
		}
		return
	case tea.QuitMsg:
		d.quit = true
		return
	case tea.RawMsg:
		if d.written != nil {
			d.written(fmt.Sprint(msg.Msg))
		}
	}
	if fmt.Sprintf("%T", msg) == "tea.setClipboardMsg" {
		d.clip = fmt.Sprint(msg)
		return
	}
	_, cmd := d.Update(msg)
	d.run(cmd)
}

func (d *driver) run(cmd tea.Cmd) {
	if cmd != nil {
		d.take(cmd())
	}
}

// open adds a session or a recording.
func (d *driver) open(o workspace.Opened) {
	_, cmd := d.add(o)
	d.run(cmd)
}

// begin runs a long-running command in the background.
func (d *driver) begin(cmd tea.Cmd) {
	if d.inbox == nil {
		d.inbox = make(chan tea.Msg, 100)
	}
	if cmd == nil {
		return
	}
	go func() {
		msg := cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for _, cmd := range batch {
				d.begin(cmd)
			}
			return
		}
		d.inbox <- msg
	}()
}

// keepTime delivers delayed messages when they are due, with the results of
// commands: see arrive.
func (d *driver) keepTime() {
	stop := make(chan struct{})
	d.inbox = make(chan tea.Msg, 100)
	d.outside.later = func(wait time.Duration, msg tea.Msg) tea.Cmd {
		go func() {
			select {
			case <-time.After(wait):
				d.inbox <- msg
			case <-stop:
			}
		}()
		return nil
	}
	d.t.(*testing.T).Cleanup(func() { close(stop) })
}

// arrive handles the results of such commands so far, and the changes of the
// log.
func (d *driver) arrive() {
	synctest.Wait()
	for len(d.inbox) > 0 {
		d.take(<-d.inbox)
	}
	d.pull()
}

// hear waits for the server, and takes in the changes of the log.
func (d *driver) hear() {
	synctest.Wait()
	d.pull()
}

// everySize checks that frames are exact at many sizes, in steps of columns and rows.
func (d *driver) everySize(columns, rows int) {
	d.t.Helper()
	for w := 0; w < 130; w += columns {
		for h := 1; h < 50; h += rows {
			d.take(tea.WindowSizeMsg{Width: w, Height: h})
			requireExact(d.t, d.content(), w, h)
		}
	}
}

// pull makes the model take in the changes of the log.
func (d *driver) pull() { d.take(changed{}) }

// do carries out actions by name.
func (d *driver) do(actions ...string) {
	d.t.Helper()
	for _, id := range actions {
		_, ok := d.actions.keys.ByID(id)
		require.True(d.t, ok, "no action %q", id)
		about := d.visible
		cmd := about.tagged(d.visible.Do(id)) // as in Update
		d.run(cmd)
		_, cmd = d.Update(nil) // as Update does after every message
		d.run(cmd)
		if g := d.front.guarded(); g != nil && d.front.ask == nil && !g.ready {
			d.content()
			d.hush()
		}
	}
}

// write types a text.
func (d *driver) write(text string) {
	for _, r := range text {
		d.take(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

// content returns the screen, painted.
func (d *driver) content() string { return d.View().Content }

// plain returns the screen without styles.
func (d *driver) plain() string { return stripped(d.content()) }

func stripped(text string) string { return ansi.Strip(text) }

// rows returns the lines of the screen without styles.
func (d *driver) rows() []string { return strings.Split(d.plain(), "\n") }

// inBubble runs a test in a synctest bubble, with a driver over an open session
// with a fake server.
func inBubble(t *testing.T, w, h int, serve func(*fakeProcess, message), test func(t *testing.T, d *driver, x *fakeExecutor)) {
	t.Helper()
	inBubbleWith(t, w, h, &fakeExecutor{Serve: serve}, test)
}

func inBubbleWith(t *testing.T, w, h int, x *fakeExecutor, test func(t *testing.T, d *driver, x *fakeExecutor)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := uitest.NewSession(t, x)
		require.NoError(t, s.Open(t.Context()))
		synctest.Wait() // the server has read all of the handshake
		test(t, drive(t, Options{Session: s, Title: "fake (local)", Prompter: tty.NewPrompter(), Launcher: &uitest.Launcher{T: t}}, w, h), x)
	})
}

// wire shows a row for each message, of which the last one is selected.
func (d *driver) wire() {
	d.do("timeline", actTraffic, kit.Bottom)
	d.front.notice = notice{}
}

// selects goes to the row with a text, in any view of the traffic.
func (d *driver) selects(what string) {
	d.t.Helper()
	d.visible.GoTo(d.row(what))
	d.do(actTraffic)
}

// viewed returns the row that the detail shows: of an exchange the response, or the part
// that was gone to.
func (d *driver) viewed() int {
	require.True(d.t, d.visible.ws.Viewed.OK)
	return d.visible.ws.Viewed.Number
}

// row returns the number of the first row whose text contains what.
func (d *driver) row(what string) int {
	d.t.Helper()
	return uitest.RowOf(d.t, d.visible.ws.Shown.Source, what)
}
