package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

// NoteStartAgain is the code of the note for a start that goes on with another
// process: the present one is or will be ended, and is not used.
const NoteStartAgain = "start.again"

// An EraMemory remembers which commands speak the modern era. Its methods may be called
// from any goroutine.
type EraMemory interface {
	// SpeaksModern reports whether the command of a process is known to. After an
	// error nothing is known.
	SpeaksModern(executor.Info) (bool, error)
	// Remember notes whether it does.
	Remember(process executor.Info, modern bool)
}

// A launch is the start of one process with its handshake.
type launch struct {
	era       mcp.Era // the only one to use; Auto: either
	first     mcp.Era // to begin with
	version   string  // to request; "" means the newest
	fixed     bool    // a person chose the version
	pinned    bool    // a person chose the era
	replacing bool    // the process before it was ended to use the modern era
}

// maxLaunches is how many processes one start may take: one of either era may
// follow the first.
const maxLaunches = 3

// Open starts the process and performs the handshake. If a process shows that it
// can be used in one era only, or not at all after a probe, another one takes its
// place. On failure no process is left running and the error is an *OpenError; if
// a process is already running, the error is ErrRunning and that process is not
// touched.
func (s *Session) Open(ctx context.Context) error {
	s.life.Lock()
	defer s.life.Unlock()
	return s.open(ctx)
}

func (s *Session) open(ctx context.Context) error {
	if err := s.checkStart(); err != nil {
		return err
	}
	opening, settled := s.opening(ctx)
	defer func() { _ = settled(nil) }()
	l := s.firstLaunch()
	for launches := 1; ; launches++ {
		err := s.launch(opening, l, settled)
		next, note, ok := l.after(err)
		gaveUp := opening.Err() != nil && errors.As(err, new(*OpenError))
		if !ok || launches == maxLaunches || gaveUp {
			return err
		}
		err = s.endReplaced(ctx, err, note)
		if err == nil {
			err = context.Cause(opening)
		}
		if err != nil {
			return s.openFailed(opening, fmt.Errorf("start again: %w", err))
		}
		l = next
	}
}

// firstLaunch begins in the era of the previous process, else in the one that Config
// prefers, else with the probe.
func (s *Session) firstLaunch() launch {
	era := s.cfg.Era
	if era == mcp.Auto && s.cfg.Prefer == mcp.Auto && s.cfg.Protocol != "" {
		era = mcp.Legacy
		if mcp.IsModern(s.cfg.Protocol) {
			era = mcp.Modern
		}
	}
	l := launch{era: era, first: era, version: s.cfg.Protocol, pinned: era != mcp.Auto}
	if !l.pinned {
		s.mu.Lock()
		known := s.known
		s.mu.Unlock()
		l.first = s.cfg.Prefer
		if known != mcp.Auto && known != l.first {
			l.first, l.version = known, ""
		}
		if l.first == mcp.Auto {
			l.first = mcp.Modern // the probe
		}
	}
	l.fixed = l.version != ""
	return l
}

// launch starts a process and performs the handshake. It calls settled on success. After
// an error no process is left running, unless it is a *replacement.
func (s *Session) launch(ctx context.Context, l launch, settled func(error) error) error {
	ctx, cancel := executor.WithPausableTimeout(ctx, s.cfg.StartupTimeout, ErrTimeout)
	defer cancel()
	err := s.start(ctx)
	if err == nil {
		s.setState(Handshaking, StateBody{})
		err = s.handshake(ctx, l)
	}
	cause := context.Cause(ctx)
	if err == nil {
		err = settled(nil)
	}
	if err == nil {
		server := s.Status().Server
		s.setState(Ready, StateBody{Era: string(server.Era), Protocol: server.Protocol, Server: wording.Join(" ", server.Name, server.Version)})
		return nil
	}
	var replaced *replacement
	switch {
	case !errors.As(err, &replaced):
	case cause != nil:
		err = cause
	case replaced.died != nil && !s.hasExited():
		err = replaced.died
	default:
		return replaced
	}
	s.mu.Lock()
	s.known = mcp.Auto
	s.mu.Unlock()
	return s.openFailed(ctx, err)
}

func (s *Session) hasExited() bool {
	r, err := s.current()
	return err == nil && r.hasExited()
}

// A replacement is the error of a handshake after which another process is started.
type replacement struct {
	era     mcp.Era       // of the next process
	version string        // the modern revision that the server speaks
	took    time.Duration // until it said so
	died    error         // how it ended at the probe
}

// Error describes what the process did.
func (e *replacement) Error() string {
	if e.era == mcp.Modern {
		return "the server also speaks " + e.version
	}
	return "server ended at server/discover (" + e.died.Error() + ")"
}

// after returns the launch that follows one that ended with an error, and the note about
// it; ok is false if none does.
func (l launch) after(err error) (next launch, note string, ok bool) {
	var replaced *replacement
	var failed *OpenError
	legacy := launch{era: mcp.Legacy, first: mcp.Legacy}
	switch {
	case errors.As(err, &replaced) && replaced.era == mcp.Modern:
		note = fmt.Sprintf("%v; started again to use it (it took %s to answer)", replaced, micros(replaced.took.Microseconds()))
		return launch{era: mcp.Modern, first: mcp.Modern, version: replaced.version, replacing: true}, note, true
	case errors.As(err, &replaced):
		return legacy, fmt.Sprintf("%v: started again for a legacy handshake", replaced), true
	case l.replacing && errors.As(err, &failed) && failed.Reason != ReasonCancel:
		return legacy, "could not be used in the modern era: started again for a legacy handshake", true
	}
	return launch{}, "", false
}

// endReplaced ends the process of a launch, if it still runs, and waits until it is
// closed: the next one may need its names, ports and locks.
func (s *Session) endReplaced(ctx context.Context, why error, note string) error {
	hint, r := "", (*run)(nil)
	if errors.As(why, new(*replacement)) {
		var err error
		if r, err = s.current(); err != nil {
			return err
		}
		if r.hasExited() {
			hint = r.lines.lastStderr()
		}
	}
	s.append(NewEntry(KindNote, 0, NoteBody{Text: note, Hint: hint, Code: NoteStartAgain}))
	var err error
	switch {
	case r == nil: // it has failed, and was ended
	case r.hasExited():
		_, err = s.shutdown.terminate(r, executor.EndedByShutdown)
	default:
		_, err = s.shutdown.run(ctx, executor.EndedByShutdown)
	}
	return err
}
