package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"

	"mcpdbg/recordings/notes"
	"mcpdbg/session"
)

// Options are what Run needs: a Session, a Source, Opened, a Grid, or a Launcher
// to choose with.
type Options struct {
	Settings

	// Grid, if set, is the first screen: from it recordings and sessions are
	// opened, and to it the person goes back. Run returns while it still runs if
	// the person insists, or ctx is done.
	Grid *GridRun

	// Launcher, if set, makes further sessions, as the person opens them.
	Launcher Launcher
	// Session is what is debugged; nil shows a recording, to which nothing can
	// be sent. It stays the caller's to close.
	Session *session.Session
	// Source is what is shown; nil means the session's log.
	Source session.Source
	// Title says in the header what is looked at, such as "everything (local)".
	Title string
	// Start, if set, is called in the background once the screen is there, as a
	// rule Session.Open. Its error is shown. Its context ends when the person
	// gives up or Run returns.
	Start func(context.Context) error
	// Watch, if set, has the server started again when files change.
	Watch *Watch
	// Notes are the marks and notes of the person on it; nil keeps them as long
	// as the program runs.
	Notes *notes.Notes
	// Opened are further sessions and recordings to be shown from the start. The
	// first of all is in front. They stay the caller's to close, but for those
	// that the person removes from the screen.
	Opened []Opened
	// Drafts is the folder for what the person has begun to write, a file for
	// each server; it is made when it is needed. "" keeps drafts in memory.
	Drafts string
	// Prompter, if set, asks its questions in this interface while it runs.
	Prompter *Prompter

	Input   io.Reader // nil means standard input, or the terminal if that is none
	Output  io.Writer // nil means standard output
	NoColor bool      // no colours whatever the terminal can; NO_COLOR does the same

	// Program is added to the options of the program, for tests.
	Program []tea.ProgramOption

	quitting func() // called when the program is about to end
}

// ErrBlocked is the error of Run when the terminal did not take its output any
// more at the end. The terminal's modes are restored, but what is on it may be
// in the way.
var ErrBlocked = errors.New("the terminal does not take any output")

// blockedAfter is how long the program may take to end.
const blockedAfter = 4 * time.Second

// IsTerminal tells whether f is a terminal.
func IsTerminal(f *os.File) bool { return term.IsTerminal(f.Fd()) }

// Run shows the interface until the person quits or ctx is done, which is no
// error. Signals are the caller's business: they should end ctx. The session
// runs on when Run returns; to end it is up to the caller.
func Run(ctx context.Context, opts Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if _, err := opts.Actions(); err != nil {
		return err
	}
	return run(ctx, cancel, newApp(ctx, opts))
}

func run(ctx context.Context, cancel context.CancelFunc, app *App) error {
	quitting := make(chan struct{})
	app.opts.quitting = sync.OnceFunc(func() { close(quitting) })
	in, done, err := input(app.opts.Input)
	if err != nil {
		return err
	}
	defer done()
	app.opts.Input = in
	restore := func() {}
	if f, ok := in.(*os.File); ok {
		restore = saveTerminal(f)
	}
	program := tea.NewProgram(app, programOptions(ctx, app.opts)...)
	ended := make(chan error, 1)
	var wg sync.WaitGroup
	app.watch = func(s *subject) {
		wg.Go(func() { pump(s.gone, s.log, func() { program.Send(about{s, changed{}}) }) })
		if w := s.watching; w != nil {
			wg.Go(func() { w.listen(func(m filesChanged) { program.Send(about{s, m}) }) })
		}
	}
	for _, s := range app.subjects {
		app.watch(s)
	}
	if g := app.opts.Grid; g != nil {
		wg.Go(func() { pump(ctx.Done(), g.Source, func() { program.Send(gridChanged{}) }) })
	}
	if p := app.opts.Prompter; p != nil {
		wg.Go(func() { p.listen(ctx, func() { program.Send(asked{}) }) })
		defer p.end()
	}
	go func() { // outlives Run only if the terminal blocks
		_, err := program.Run()
		ended <- err
	}()

	err = waitForEnd(ctx, ended, quitting)
	if errors.Is(err, ErrBlocked) {
		restore()
		return err
	}
	cancel()
	wg.Wait()
	unsaved := errors.Join(app.endDrafts(), app.endNotes())
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		err = nil // the program was told to end
	}
	return errors.Join(err, unsaved)
}

// waitForEnd waits for the program, but not for long once it should end.
func waitForEnd(ctx context.Context, ended <-chan error, quitting <-chan struct{}) error {
	select {
	case err := <-ended:
		return err
	case <-quitting:
	case <-ctx.Done():
	}
	timer := time.NewTimer(blockedAfter)
	defer timer.Stop()
	select {
	case err := <-ended:
		return err
	case <-timer.C:
		return ErrBlocked
	}
}

// paintsPerSecond is how often the terminal gets what has changed, the most that
// the library takes. The app itself changes much less often (see framePause), but
// a key, and the first frame of all, waits only half as long as by default.
const paintsPerSecond = 120

func programOptions(ctx context.Context, opts Options) []tea.ProgramOption {
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithInput(opts.Input), tea.WithFPS(paintsPerSecond)}
	if opts.Output != nil {
		options = append(options, tea.WithOutput(opts.Output))
	}
	return append(options, opts.Program...)
}

// input returns where keys are read from, and a function that closes it if it
// was opened here.
func input(given io.Reader) (in io.Reader, done func(), err error) {
	switch {
	case given != nil:
		return given, func() {}, nil
	case IsTerminal(os.Stdin):
		return os.Stdin, func() {}, nil
	}
	tty, out, err := tea.OpenTTY()
	if err != nil {
		return nil, nil, fmt.Errorf("standard input is no terminal, and there is no other to read keys from: %w", err)
	}
	return tty, func() {
		_ = tty.Close()
		if out != tty {
			_ = out.Close()
		}
	}, nil
}
