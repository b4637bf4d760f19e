package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"mcpdbg/recordings"
	"mcpdbg/recordings/rerun"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui"
	"mcpdbg/ui/grid"
	"mcpdbg/ui/termsafe"
)

// This file, launcher.go and open.go are all outside ui/ that knows the interface.

func isTerminal(f *os.File) bool { return ui.IsTerminal(f) }

func isInterrupt(err error) bool { return errors.Is(err, ui.ErrInterrupted) }

// prompter asks on the terminal, for commands that have no screen.
func (a *app) prompter() *prompter {
	return &prompter{interrupt: a.interrupt, open: func() (terminal, error) {
		tty, err := ui.OpenTTY()
		if err != nil {
			return nil, err
		}
		return &promptTerminal{tty, a.signals.atExit(tty.Save())}, nil
	}}
}

// A promptTerminal is the terminal while a question is asked.
type promptTerminal struct {
	*ui.TTY
	done func() // nothing is to be restored any more
}

// Close implements io.Closer.
func (t *promptTerminal) Close() error {
	t.done()
	return t.TTY.Close()
}

// show runs the interface until the person leaves it or a signal, which is the
// error then, ends ctx.
func (a *app) show(ctx context.Context, opts ui.Options) error {
	defer context.AfterFunc(ctx, func() { a.signals.begin() })() // Run then ends within seconds
	defer a.signals.atExit(ui.SaveScreen())()
	err := ui.Run(ctx, opts)
	if err == nil {
		err = context.Cause(ctx)
	}
	return err
}

// interactive debugs argv on the screen, under a name, or that of the server.
// A server that does not start is shown there, with all that is known about it.
func (a *app) interactive(ctx context.Context, t targetFlags, argv []string, name string, w watchFlags) error {
	prompter := ui.NewPrompter()
	t.person = true
	files, err := w.watchFiles(&t)
	if err != nil {
		return err
	}
	l, err := a.prepare(ctx, t, argv, prompter)
	if err != nil {
		return errors.Join(err, closeFiles(files))
	}
	if name == "" {
		name = t.serverName(argv)
	}
	kept, _ := notesOf(l.log.Path(), l.log.Header().ID) // a new file has none
	more := &launcher{app: a, prompter: prompter, live: []*live{l}}
	opts := ui.Options{
		Settings: a.settings, Launcher: more, Session: l.Session, Source: l.log, Prompter: prompter,
		Title: title(name, t.ssh.dest), Start: l.Open, Drafts: draftsFolder(), Notes: kept,
	}
	if files != nil {
		over := w.over(l, files, true)
		defer over.close()
		opts.Start, opts.Watch = over.open, over.onScreen()
	}
	err = a.show(ctx, opts)
	return errors.Join(err, more.end(ctx, err))
}

// onScreen is the watch for the interface.
func (w *watching) onScreen() *ui.Watch {
	return &ui.Watch{
		What: strings.Join(w.globs, " "), Doing: w.Doing, Next: w.Next, Rest: w.Rest, Always: w.Always,
		Again: func(ctx context.Context, cause string) (*rerun.Round, error) {
			round, err := w.Again(ctx, cause)
			var failed *notBuilt
			if errors.As(err, &failed) {
				err = &ui.BuildError{Cause: failed.cause, Command: failed.command, Err: failed.err, Output: failed.output}
			}
			return round, err
		},
	}
}

// gridScreen is the interface on a run over targets, until the person leaves it.
// The run may still go on then; to end it and to wait for that is up to the
// caller. Stop has it end while it is on the screen.
func (a *app) gridScreen(ctx context.Context, fl *fleet, run grid.Source, name string, stop func()) error {
	prompter := ui.NewPrompter()
	l := &launcher{app: a, prompter: prompter, target: func(recording string) (targetFlags, bool, error) {
		for i := range run.Len() {
			if run.Row(i).Recording == recording {
				t, _, err := fl.at(i)
				return t, true, err
			}
		}
		return targetFlags{}, false, nil
	}}
	err := a.show(ctx, ui.Options{
		Settings: a.settings, Launcher: l, Prompter: prompter, Drafts: draftsFolder(),
		Grid: &ui.GridRun{
			Source: run, Title: name, Stop: stop,
			Open: func(_ context.Context, target int) (ui.Opened, error) {
				row := run.Row(target)
				o, err := l.recording(row.Recording)
				o.Title = title(row.Server, row.Host) // the names of the files of a run begin all the same
				return o, err
			},
			Fresh: func(ctx context.Context, target int) (ui.Opened, error) {
				t, argv, err := fl.at(target)
				if err != nil {
					return ui.Opened{}, err
				}
				return l.start(ctx, t, argv, run.Row(target).Server)
			},
		},
	})
	return errors.Join(err, l.end(ctx, err))
}

// homeScreen is the interface without a session: it lists what there is.
func (a *app) homeScreen(ctx context.Context) error {
	prompter := ui.NewPrompter()
	l := &launcher{app: a, prompter: prompter}
	err := a.show(ctx, ui.Options{Settings: a.settings, Launcher: l, Prompter: prompter, Drafts: draftsFolder()})
	return errors.Join(err, l.end(ctx, err))
}

// personAnswers has a person answer what the server asks, but for what is
// answered already. Ping needs nobody, and roots are the folder that the server
// is started in, as with other clients: many servers ask for them at once, and a
// session should not begin with a question.
func personAnswers(given session.Answers, folder string) map[string]session.Policy {
	all := map[string]session.Policy{}
	for _, method := range session.AskMethods() {
		if _, canned := given[method]; !canned && method != mcp.MethodPing {
			all[method] = session.Policy{Mode: session.PolicyAsk}
		}
	}
	if _, asks := all[mcp.MethodRoots]; asks && folder != "" {
		all[mcp.MethodRoots] = session.Policy{Mode: session.PolicyCanned, Answer: rootsOf(folder)}
	}
	return all
}

// rootsOf is the answer to roots/list with one folder.
func rootsOf(folder string) json.RawMessage {
	path := filepath.ToSlash(folder)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/...
	}
	type root struct {
		URI  string `json:"uri"`
		Name string `json:"name"`
	}
	uri := url.URL{Scheme: "file", Path: path}
	answer, _ := json.Marshal(map[string][]root{"roots": {{uri.String(), filepath.Base(folder)}}}) // strings always encode
	return answer
}

// draftsFolder is where the interface keeps what was begun to be written; ""
// where there is no place for it.
func draftsFolder() string {
	state, err := recordings.StateDir()
	if err != nil {
		return ""
	}
	return filepath.Join(state, "drafts")
}

// reportNeeded says what it took to end the server.
func (a *app) reportNeeded(report session.ShutdownReport) {
	if report.Needed == 0 || report.Exit == nil {
		return
	}
	fmt.Fprintln(a.stderr, termsafe.String("mcpdbg: "+report.Outcome()))
}
