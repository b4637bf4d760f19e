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
	"github.com/charmbracelet/x/ansi"

	"mcpdbg/recordings/store"
	"mcpdbg/session"
	"mcpdbg/session/secret"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/traffic"
	"mcpdbg/ui/tty"
	"mcpdbg/ui/workspace"
)

// Options are what Run needs: a Session, a Source, Opened, a Grid, or a Launcher
// to choose with.
type Options struct {
	Settings

	// Grid, if set, is the first screen, which opens recordings and sessions. Run may
	// return before the grid's run is over, if the user confirms quitting or ctx is done.
	Grid *host.GridRun

	// Launcher, if set, opens further sessions and recordings for the user.
	Launcher host.Launcher
	// Session is the session to debug; nil shows a recording, to which nothing can
	// be sent. The caller closes it.
	Session *session.Session
	// Source is the log to show; nil means the session's log.
	Source session.Source
	// Title is shown in the header, such as "everything (local)".
	Title string
	// Start, usually Session.Open, if set, is called in the background once the screen is
	// drawn. Its error is shown. Its context ends when the user cancels the start or Run
	// returns.
	Start func(context.Context) error
	// Watch, if set, restarts the server when files change.
	Watch *workspace.Watch
	// Notes holds the user's marks and notes on the recording; nil keeps them in
	// memory.
	Notes *store.Notes
	// Opened are further sessions and recordings to show from the start; the first of all
	// is visible. The caller closes them, except for those that the user removes.
	Opened []workspace.Opened
	// Drafts is the folder for drafts of messages, a file for each server, created when
	// needed. "" keeps drafts in memory.
	Drafts string
	// DigestKey, if set, returns the key for digests of given values, nil if there is
	// none, so that an export without secrets finds the values.
	DigestKey func() *secret.Key
	// Prompter, if set, asks its questions in this interface.
	Prompter *tty.Prompter

	Input   io.Reader // nil means standard input, or the terminal if that is not one
	Output  io.Writer // nil means standard output
	NoColor bool      // no colours, like NO_COLOR

	// Program is added to the options of the program, for tests.
	Program []tea.ProgramOption

	quitting func() // called when the program is about to end
}

// ErrBlocked is the error of Run when the terminal no longer accepted output at the end.
// Its modes are restored, but the screen may not be cleared.
var ErrBlocked = errors.New("the terminal does not accept output")

// blockedAfter is how long the program may take to end.
const blockedAfter = 4 * time.Second

// Run shows the interface until the user quits or ctx is done; neither is an
// error. The caller handles signals, which should end ctx. The session is still
// running when Run returns; the caller ends it.
func Run(ctx context.Context, opts Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := checkSettings(opts.Settings); err != nil {
		return err
	}
	return run(ctx, cancel, opts, func(opts Options) *App { return newApp(ctx, opts) })
}

func checkSettings(s Settings) error {
	if _, err := traffic.ParseView(s.View); err != nil {
		return err
	}
	if len(s.Keys) == 0 {
		return nil // a test checks the keys of the program
	}
	_, err := ActionsOf(s)
	return err
}

// An opening makes the App when the program runs: the library writes the first frame at
// the first tick of its clock, 8 ms later, whatever happens meanwhile.
type opening struct {
	*App
	make func() *App
}

func (o *opening) Init() tea.Cmd {
	o.App = o.make()
	cmd := o.App.Init()
	_ = ansi.StringWidthWc("─") // fills the table of widths that writing needs
	return cmd
}

func (o *opening) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := o.App.Update(msg)
	return o, cmd
}

func run(ctx context.Context, cancel context.CancelFunc, opts Options, makeApp func(Options) *App) error {
	quitting := make(chan struct{})
	opts.quitting = sync.OnceFunc(func() { close(quitting) })
	in, done, err := input(opts.Input)
	if err != nil {
		return err
	}
	defer done()
	viewer := &host.Viewer{}
	defer viewer.Close() // an error leaves files in the folder for temporary ones
	if opts.Output == nil {
		opts.Output = os.Stdout
	}
	restore := func() {}
	if f, ok := in.(*os.File); ok {
		restore = tty.SaveSettings(f)
	}
	var wg sync.WaitGroup
	var program *tea.Program
	pressed, blocked := make(chan struct{}, 1), make(chan struct{})
	opts.Input = host.WatchInterrupts(in, func() {
		select {
		case pressed <- struct{}{}:
		default: // one is enough
		}
	})
	model := &opening{make: func() *App {
		app := makeApp(opts)
		app.outside.view = viewer.Open
		app.outside.watch = func(s *sessionScreen) { listen(&wg, s, func(msg tea.Msg) { program.Send(msg) }) }
		for _, s := range app.screens {
			app.outside.watch(s)
		}
		return app
	}}
	program = tea.NewProgram(model, programOptions(ctx, opts)...)
	if _, ok := opts.Output.(*os.File); ok {
		wg.Go(tty.OnResize(ctx, func() { program.Send(tea.RequestWindowSize()) }))
	}
	wg.Go(func() {
		noticeBlock(ctx.Done(), pressed, func() { program.Send(nil) }, sync.OnceFunc(func() { close(blocked) }))
	})
	ended := make(chan error, 1)
	if g := opts.Grid; g != nil {
		wg.Go(func() { pump(ctx.Done(), g.Source, func() { program.Send(gridChanged{}) }) })
	}
	if p := opts.Prompter; p != nil {
		wg.Go(func() { p.Listen(ctx, func() { program.Send(asked{}) }) })
		defer p.End()
	}
	// It is not killed: its last frame takes the pictures from the terminal.
	wg.Go(func() { <-ctx.Done(); program.Quit() })
	go func() { // outlives Run only if the terminal blocks
		_, err := program.Run()
		ended <- err
	}()

	err = waitForEnd(ctx, ended, quitting, blocked)
	if errors.Is(err, ErrBlocked) {
		restore()
		return err
	}
	cancel()
	wg.Wait()
	unsaved := model.end()
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		err = nil // the context ended the program, which is not an error
	}
	return errors.Join(err, unsaved)
}

func (o *opening) end() error {
	if o.App == nil {
		return nil // the program failed before
	}
	return errors.Join(endDrafts(o.App), endNotes(o.App))
}

func endNotes(a *App) error {
	var errs []error
	for _, s := range a.screens {
		errs = append(errs, s.ws.Notes.End())
	}
	return errors.Join(errs...)
}

// noticeBlock calls block when the program takes no message for blockedAfter after a
// ctrl+c. While its output blocks, it may not even take the key.
func noticeBlock(done, pressed <-chan struct{}, send, block func()) {
	for {
		select {
		case <-done:
			return
		case <-pressed:
			timer := time.AfterFunc(blockedAfter, block)
			send()
			timer.Stop()
		}
	}
}

// waitForEnd waits a limited time for the program once it should end, and no longer once
// it is blocked.
func waitForEnd(ctx context.Context, ended <-chan error, quitting, blocked <-chan struct{}) error {
	select {
	case err := <-ended:
		return err
	case <-blocked:
		return ErrBlocked
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

// paintsPerSecond is how often changes are written to the terminal, the maximum of the
// library. The app changes less often (see framePause), but a key and the first frame
// wait half as long as by default.
const paintsPerSecond = 120

func programOptions(ctx context.Context, opts Options) []tea.ProgramOption {
	options := []tea.ProgramOption{tea.WithContext(context.WithoutCancel(ctx)), tea.WithoutSignalHandler(), tea.WithInput(opts.Input),
		tea.WithOutput(opts.Output), tea.WithFPS(paintsPerSecond)}
	if terminal, ok := opts.Output.(*os.File); ok {
		options = append(options, tea.WithFilter(tty.LatestSize(terminal)))
	}
	return append(options, opts.Program...)
}

func input(given io.Reader) (in io.Reader, done func(), err error) {
	switch {
	case given != nil:
		return given, func() {}, nil
	case tty.IsTerminal(os.Stdin):
		return os.Stdin, func() {}, nil
	}
	tty, out, err := tea.OpenTTY()
	if err != nil {
		return nil, nil, fmt.Errorf("standard input is not a terminal, and no other terminal can be opened: %w", err)
	}
	return tty, func() {
		_ = tty.Close()
		if out != tty {
			_ = out.Close()
		}
	}, nil
}

// A changing signals its changes, as session.Source and grid.Source do.
type changing interface{ Changed() <-chan struct{} }

// listen sends the news of a session.
func listen(wg *sync.WaitGroup, s *sessionScreen, send func(tea.Msg)) {
	ring := func() { send(addressed{s, changed{}}) }
	wg.Go(func() { pump(s.ws.Closed, s.ws.Log, ring) })
	if t := s.ws.Tap; t != nil && t.Link != nil {
		link := t.Link // Pull forgets it when the tap has ended
		wg.Go(func() { follow(s.ws.Closed, link, ring) })
	}
	wg.Go(func() { s.watching.Listen(func(m host.Message) { send(addressed{s, m}) }) })
}

// follow calls ring when a live tap has news, at most once a frame, until it ends or gone is
// closed.
func follow(gone <-chan struct{}, link workspace.TapLink, ring func()) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-link.Changed():
		case <-link.Done():
			ring()
			return
		case <-gone:
			return
		}
		ring()
		pause.Reset(kit.FrameInterval)
		select {
		case <-pause.C:
		case <-gone:
			return
		}
	}
}

// pump calls ring when the log has changed, at most once a frame, until gone is closed.
// It waits for ring to return.
func pump(gone <-chan struct{}, source changing, ring func()) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		// Taken before ring reads the log, so that later changes close it.
		news := source.Changed()
		ring()
		pause.Reset(kit.FrameInterval)
		select {
		case <-news:
		case <-gone:
			return
		}
		select {
		case <-pause.C:
		case <-gone:
			return
		}
	}
}
