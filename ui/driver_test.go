package ui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"mcpdbg/session"
)

var update = flag.Bool("update", false, "write golden files anew")

// A driver runs the model without a program: every message is taken at once,
// and so is what its commands return.
type driver struct {
	*App
	t     testing.TB
	quit  bool
	clip  string       // what was copied last
	inbox chan tea.Msg // of commands that take long
}

func drive(t testing.TB, opts Options, w, h int) *driver {
	t.Helper()
	d := &driver{App: newApp(t.Context(), opts), t: t}
	d.later = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	d.exec = func(c tea.ExecCommand, done tea.ExecCallback) tea.Cmd {
		return func() tea.Msg { return done(c.Run()) }
	}
	profile := colorprofile.TrueColor
	if opts.NoColor {
		profile = colorprofile.Ascii
	}
	d.take(tea.ColorProfileMsg{Profile: profile})
	d.take(tea.WindowSizeMsg{Width: w, Height: h})
	d.pull()
	if h, ok := d.top().(*home); ok {
		d.run(d.tagged(d.loadHome(h)))
	}
	return d
}

// take takes a message and all that follows from it.
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

// begin runs a command that takes long, beside what follows.
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

// keepTime has what is put off come when its time is there, with what commands
// return: see arrive.
func (d *driver) keepTime() {
	stop := make(chan struct{})
	d.inbox = make(chan tea.Msg, 100)
	d.later = func(wait time.Duration, msg tea.Msg) tea.Cmd {
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

// arrive takes what such commands have returned by now, and looks at the log.
func (d *driver) arrive() {
	synctest.Wait()
	for len(d.inbox) > 0 {
		d.take(<-d.inbox)
	}
	d.pull()
}

// pull has the model look at the log.
func (d *driver) pull() { d.take(changed{}) }

// do carries out actions by name.
func (d *driver) do(actions ...string) {
	d.t.Helper()
	for _, id := range actions {
		_, ok := d.keys.ByID(id)
		require.True(d.t, ok, "no action %q", id)
		about := d.subject
		cmd := about.tagged(d.Do(id)) // as Update does it
		d.run(cmd)
		_, cmd = d.Update(nil) // what Update does after every message
		d.run(cmd)
	}
}

// write types a text.
func (d *driver) write(text string) {
	for _, r := range text {
		d.take(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

// frame is the screen, painted.
func (d *driver) screen() string { return d.View().Content }

// plain is the screen without styles.
func (d *driver) plain() string { return stripped(d.screen()) }

func stripped(text string) string { return ansi.Strip(text) }

// rows are the lines of the screen without styles.
func (d *driver) rows() []string { return strings.Split(d.plain(), "\n") }

// golden compares a frame with a file in testdata.
func golden(t *testing.T, name, frame string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(frame+"\n"), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "go test ./ui -update writes golden files")
	require.Equal(t, strings.Split(string(want), "\n"), strings.Split(frame+"\n", "\n"))
}

// inBubble runs a test with a driver over a session with a fake server, opened,
// in a synctest bubble.
func inBubble(t *testing.T, w, h int, serve func(*fakeProcess, message), test func(t *testing.T, d *driver, x *fakeExecutor)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, x := newSession(t, newLog(t), serve)
		require.NoError(t, s.Open(t.Context()))
		synctest.Wait() // the server has read all of the handshake
		test(t, drive(t, Options{Session: s, Title: "fake (local)", Prompter: NewPrompter(), Launcher: &fakeLauncher{t: t}}, w, h), x)
	})
}

// row returns the number of the first row whose text holds what.
func (d *driver) row(what string) int {
	d.t.Helper()
	var row [1]session.Row
	var rows []string
	for i := 0; d.source.Rows(i, row[:]) == 1; i++ {
		e, err := d.source.Entry(row[0], 0)
		require.NoError(d.t, err)
		if strings.Contains(session.Describe(&e), what) {
			return i
		}
		rows = append(rows, session.Describe(&e))
	}
	d.t.Fatalf("no row with %s in\n%s", what, strings.Join(rows, "\n"))
	return 0
}
