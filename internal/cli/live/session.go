// Package live makes the sessions of commands: it chooses the executor, opens the
// recording, and ends the server however the command ends. It reports on standard error
// how a session ended. A Watch restarts the server when files change, and re-sends the
// last requests.
package live

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/localexec"
	"mcpdbg/session/target"
	"mcpdbg/sshexec"
	"mcpdbg/ui/widget/termsafe"
)

// With opens a session, calls do and ends the session.
func With(ctx context.Context, env *console.Env, t flags.Target, do func(context.Context, *Session) error) error {
	t, argv, err := flags.Choose(env, t)
	if err != nil {
		return err
	}
	l, err := Prepare(ctx, env, t, argv, env.Prompter())
	if err != nil {
		return err
	}
	WarnConfig(env, t.From)
	err = l.Open(ctx)
	if err == nil {
		Announce(env, l.Status().Process.Notices)
		err = do(ctx, l)
		err = console.WithHint(err, NoResponseHint(err, l.Log.Stats()))
	}
	err = console.Interrupted(ctx, err)
	report, endErr := l.End(ctx)
	ReportEnd(env, l, err != nil, report, err)
	return errors.Join(err, endErr)
}

// OutsideEnd returns the error of a lost connection, or a kill by the guard or the
// watchdog.
func (l *Session) OutsideEnd() error {
	info := l.Status().Process
	var lost *executor.LostError
	switch {
	case errors.As(info.Failure, &lost):
		return info.Failure
	case info.Exit != nil && session.EndedFromOutside(info.Exit.By):
		return &session.EndedError{Exit: *info.Exit}
	}
	return nil
}

// Session is a session, its log and its executor.
type Session struct {
	*session.Session
	Log  *recordings.File
	exec executor.Executor

	incomplete *console.IncompleteList // gets the log if it is incomplete
	urgent     context.Context         // done when servers must end at once
	stopUrgent func() bool             // stops watching Urgent
	signals    *console.Interrupts
	pruned     sync.WaitGroup // the removal of old recordings
}

// Prepare checks the flags and makes a session for argv, not yet started. The prompter
// asks about another machine.
func Prepare(ctx context.Context, env *console.Env, t flags.Target, argv []string, prompter executor.Prompter) (*Session, error) {
	if t.Record != "" && t.NoRecord {
		return nil, console.Usagef("--record and --no-record cannot be combined")
	}
	if err := flags.ReadAnswers(ctx, env, &t); err != nil {
		return nil, err
	}
	if err := WarnTemporary(env, &t); err != nil {
		return nil, err
	}
	cfg, err := t.SessionConfig(argv)
	if err != nil {
		return nil, err
	}
	if t.Capabilities != "" && !t.Person {
		for _, note := range flags.Conflicts(&cfg) {
			fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: note: "+note))
		}
	}
	exec, err := Executor(env, t, cfg.Command.Env, prompter)
	if err != nil {
		return nil, err
	}
	l, err := New(env, t, cfg, exec, recordings.Options{
		Path: t.Record, Dir: t.Recordings, Server: t.ServerName(argv), MaxPart: t.PartSize(),
	})
	if err != nil {
		return nil, console.WithHint(err, "--record FILE to choose another file, or --no-record")
	}
	if !t.NoRecord && t.Record == "" && t.Recordings == "" {
		l.pruned.Go(func() { PruneDefault(env.Urgent, func(text string) { l.Note(text, "") }) })
	}
	return l, nil
}

// New makes a session that exec starts.
func New(env *console.Env, t flags.Target, cfg session.Config, exec executor.Executor, place recordings.Options) (*Session, error) {
	place.NoRecord, place.Header = t.NoRecord, t.Header(cfg)
	var undigested error
	if !t.NoRecord {
		place.Header.Secrets, undigested = env.Digests(slices.Concat(cfg.Command.Env, cfg.Secrets))
	}
	log, err := recordings.Create(place)
	if err != nil {
		_ = exec.Close() // nothing was started
		return nil, console.Usagef("%v", err)
	}
	cfg.Executor, cfg.Log = exec, log
	if state, err := recordings.StateDir(); err == nil {
		cfg.Eras = target.ErasIn(state)
	}
	if path := log.Path(); path != "" {
		cfg.SpoolDir = filepath.Dir(path)
	}
	l := &Session{
		Session: session.New(cfg), Log: log, exec: exec, incomplete: &env.Incomplete, urgent: env.Urgent, signals: &env.Signals,
	}
	if undigested != nil {
		l.Note("no digests of the given values: "+undigested.Error(), "rec redact does not find them in this recording unless they are named: --env NAME")
	}
	env.Signals.Add(l)
	l.stopUrgent = context.AfterFunc(env.Urgent, func() { _ = l.Kill() }) // end reports processes that it could not kill
	if t.From != nil {
		l.Note(t.From.Origin(), "")
		for _, p := range t.From.Problems() {
			l.noteConfig(p, cfg.Command)
		}
	}
	return l, nil
}

// A token that the server gets in place of a value is a problem of the session too.
func (l *Session) noteConfig(p target.Problem, cmd executor.Command) {
	holds := func(text string) bool { return strings.Contains(text, p.Unset) }
	got := slices.ContainsFunc(cmd.Argv, holds) ||
		slices.ContainsFunc(cmd.Env, func(v executor.EnvVar) bool { return holds(v.Value) })
	if p.Unset == "" || !got {
		l.Note(p.Error(), p.Hint)
		return
	}
	note := session.NoteBody{Code: session.NoteUnset, Text: "the server got the text " + p.Unset + " (" + p.Error() + ")", Hint: p.Hint}
	_ = l.Log.Append([]session.Entry{session.NewEntry(session.KindNote, 0, note)}) // fails only when it is closed
}

// Executor returns the executor that the flags select.
func Executor(host *console.Env, t flags.Target, env []executor.EnvVar, prompter executor.Prompter) (executor.Executor, error) {
	if !t.SSH.Remote() {
		return over(host, &t, localexec.New(localexec.Options{Watchdog: append(host.Self, console.WatchdogCommand)}))
	}
	if err := t.SSH.CheckConfig(); err != nil {
		return nil, err
	}
	opts, err := t.SSH.Options(env)
	if err != nil {
		return nil, err
	}
	opts.Prompter, opts.Lease = prompter, t.Lease()
	exec, err := sshexec.New(opts)
	if err != nil {
		return nil, console.Usagef("--ssh: %v", err)
	}
	return over(host, &t, exec)
}

// End shuts the server down, however the command ended, and closes the log. A signal cuts
// the shutdown short, or the second one if the first ended ctx. An incomplete log is not
// an error: its Stats report it.
func (l *Session) End(ctx context.Context) (session.ShutdownReport, error) {
	defer l.signals.Begin()()
	defer l.signals.Remove(l)
	if ctx.Err() != nil {
		ctx = l.urgent
	}
	report, err := l.Close(ctx)
	l.stopUrgent()
	err = errors.Join(err, l.exec.Close())
	l.pruned.Wait()
	_ = l.Log.Close()
	l.incomplete.Add(l.Log)
	return report, err
}

// Ending reports whether the session is shutting its server down, or will when the ctx of
// its Open is done: a cancelled handshake ends the process.
func (l *Session) Ending() bool {
	status := l.Status()
	return status.State == session.Handshaking || status.State == session.Stopping || status.ShutdownStep.Step != 0
}
