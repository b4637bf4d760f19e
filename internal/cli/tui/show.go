// Package tui wires sessions and recordings to the interface: it shows the list of both,
// a live session, recordings, or a run over targets, and opens what the user chooses
// there. However the interface ends, its servers are gone when a function returns.
package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/live"
	filewatch "mcpdbg/internal/watch"
	"mcpdbg/recordings"
	"mcpdbg/recordings/replay"
	"mcpdbg/recordings/store"
	"mcpdbg/ui"
	"mcpdbg/ui/host"
	"mcpdbg/ui/tty"
	"mcpdbg/ui/widget/grid"
	"mcpdbg/ui/workspace"
)

// showScreen runs the interface until the user leaves it or a signal ends ctx, which is
// then the error.
func showScreen(ctx context.Context, env *console.Env, opts ui.Options) error {
	defer context.AfterFunc(ctx, func() { env.Signals.Begin() })() // Run then ends within seconds
	defer env.Signals.AtExit(tty.SaveScreen())()
	opts.DigestKey = env.DigestKey
	err := ui.Run(ctx, opts)
	if err == nil {
		err = context.Cause(ctx)
	}
	return err
}

// ShowSession debugs argv in the interface, under name or else the server's. The
// interface also shows a server that failed to start.
func ShowSession(ctx context.Context, env *console.Env, t flags.Target, argv []string, name string, w flags.Watch) error {
	prompter := tty.NewPrompter()
	t.Person = true
	files, err := live.WatchFiles(&w, &t, false)
	if err != nil {
		return err
	}
	l, err := live.Prepare(ctx, env, t, argv, prompter)
	if err != nil {
		return errors.Join(err, live.CloseWatch(files))
	}
	if name == "" {
		name = t.ServerName(argv)
	}
	kept, _ := notesOf(l.Log.Path(), l.Log.Header().ID) // a new file has none
	more := &Launcher{Env: env, prompter: prompter, tokens: t.ExecServer.Tokens, live: []*live.Session{l}}
	opts := ui.Options{
		Settings: env.Settings, Launcher: more, Session: l.Session, Source: l.Log, Prompter: prompter,
		Title: title(name, place(l.Log.Header())), Start: l.Open, Drafts: draftsFolder(), Notes: kept,
	}
	if files != nil {
		over := live.NewWatch(&w, l, files, true)
		defer over.Close()
		opts.Start, opts.Watch = over.Open, watchOn(over)
	}
	err = showScreen(ctx, env, opts)
	return errors.Join(err, more.End(ctx, err))
}

func watchOn(w *live.Watch) *workspace.Watch {
	return &workspace.Watch{
		What: strings.Join(w.Globs, " "), Doing: w.Doing, Next: w.Next, Rest: w.SendHeld, Always: w.Always,
		Again: func(ctx context.Context, cause string) (*replay.Round, error) {
			round, err := w.Again(ctx, cause)
			if failed, ok := errors.AsType[*filewatch.BuildError](err); ok {
				err = &workspace.BuildError{Cause: failed.Cause, Command: failed.Command, Err: failed.Err, Output: failed.Output}
			}
			return round, err
		},
	}
}

// Grid describe a run over targets.
type Grid struct {
	Title string
	Stop  func()                                           // ends the run
	At    func(target int) (flags.Target, []string, error) // how a target is started
}

// ShowGrid shows a run until the user leaves it. The caller ends the run and waits for
// that.
func ShowGrid(ctx context.Context, env *console.Env, run grid.Source, opts Grid) error {
	prompter := tty.NewPrompter()
	l := &Launcher{Env: env, prompter: prompter, tokens: new(flags.Tokens), Target: func(recording string) (flags.Target, bool, error) {
		for i := range run.Len() {
			if run.Row(i).Recording == recording {
				t, _, err := opts.At(i)
				return t, true, err
			}
		}
		return flags.Target{}, false, nil
	}}
	err := showScreen(ctx, env, ui.Options{
		Settings: env.Settings, Launcher: l, Prompter: prompter, Drafts: draftsFolder(),
		Grid: &host.GridRun{
			Source: run, Title: opts.Title, Stop: opts.Stop,
			Open: func(ctx context.Context, target int) (workspace.Opened, error) {
				row := run.Row(target)
				o, err := l.recording(ctx, row.Recording)
				o.Title = title(row.Server, row.Host) // file names of a run all begin alike
				return o, err
			},
			StartNew: func(ctx context.Context, target int) (workspace.Opened, error) {
				t, argv, err := opts.At(target)
				if err != nil {
					return workspace.Opened{}, err
				}
				return l.start(ctx, t, argv, run.Row(target).Server)
			},
		},
	})
	return errors.Join(err, l.End(ctx, err))
}

// ShowHome is the program without arguments: servers and recordings in the interface, or
// printed where there is no terminal.
func ShowHome(ctx context.Context, env *console.Env) error {
	if !env.Terminal {
		h := discover()
		_, err := io.WriteString(env.Stdout, homeText(&h))
		return err
	}
	prompter := tty.NewPrompter()
	l := &Launcher{Env: env, prompter: prompter, tokens: new(flags.Tokens)}
	err := showScreen(ctx, env, ui.Options{Settings: env.Settings, Launcher: l, Prompter: prompter, Drafts: draftsFolder()})
	return errors.Join(err, l.End(ctx, err))
}

// For drafts, or "" without a state folder.
func draftsFolder() string {
	state, err := recordings.StateDir()
	if err != nil {
		return ""
	}
	return filepath.Join(state, "drafts")
}

// ShowRecordings shows recordings in the interface. It returns their errors before the
// interface starts. Attach steers the live taps that write them.
func ShowRecordings(ctx context.Context, env *console.Env, files []string, attach bool) error {
	prompter := tty.NewPrompter()
	l := &Launcher{Env: env, prompter: prompter, tokens: new(flags.Tokens)}
	var opened []workspace.Opened
	for _, path := range files {
		o, err := l.recording(ctx, path)
		if err == nil && attach {
			if o.Tap == nil || o.Tap.Link == nil {
				err = console.WithHint(console.Usagef("--attach: no live tap that can be steered writes %s", path), "mcpdbg tap ls")
			} else {
				o.Tap.Attach = true
			}
		}
		if err != nil {
			return errors.Join(err, l.End(ctx, nil))
		}
		opened = append(opened, o)
	}
	err := showScreen(ctx, env, ui.Options{
		Settings: env.Settings, Launcher: l, Opened: opened, Prompter: prompter, Drafts: draftsFolder(),
	})
	return errors.Join(err, l.End(ctx, err))
}

// notesOf returns notes on a recording, or a warning: it is opened without them.
func notesOf(path, id string) (kept *store.Notes, warning string) {
	if path == "" {
		return nil, "" // not recorded
	}
	kept, err := store.OpenNotes(path, id)
	if err != nil {
		return nil, fmt.Sprintf("marks and notes cannot be saved: %v", err)
	}
	return kept, ""
}
