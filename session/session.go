package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
	"mcpdbg/session/secret"
)

// Default times.
const (
	DefaultStartupTimeout = 30 * time.Second
	DefaultTimeout        = 300 * time.Second
	// ProbeTimeout is how long server/discover may stay unanswered before initialize is
	// sent as well, KnownProbeTimeout the same for a command that is known to speak the
	// modern era; at most half of the startup timeout.
	ProbeTimeout      = 1500 * time.Millisecond
	KnownProbeTimeout = 10 * time.Second
	// Grace is how long the shutdown sequence waits after each step.
	Grace = 2 * time.Second
)

// Errors that callers decide on.
var (
	ErrNotRunning = errors.New("no server is running")
	ErrRunning    = errors.New("a process is still running")
	ErrClosed     = errors.New("session is closed")
	ErrEnded      = errors.New("server ended before it answered")
	ErrTimeout    = errors.New("timed out")
	// ErrEcho is the error for a request that came back as a request of the
	// program.
	ErrEcho = errors.New("the program sends back what it receives; is it an MCP server?")
)

// Config configures a session. Executor, Command and Log are required.
type Config struct {
	Executor executor.Executor
	Command  executor.Command // the session sets its ID, OnPhase and OnBegin
	Log      Log              // closed by the caller
	// Secrets are further values that are shown as ${NAME} in the command lines of
	// processes.
	Secrets []executor.EnvVar

	// Era is the protocol era to use. With Auto, a restart begins with the era
	// that was found before: restarting while editing skips the probe.
	Era      mcp.Era
	Protocol string // revision to request; "" means the era's newest
	// Prefer is the era that is tried first if Era is Auto, and Protocol is then a
	// revision of it; if the server refuses it, the other era's newest is requested. Auto
	// means that Protocol, or the server, decides.
	Prefer mcp.Era
	// Capabilities, if set, is a JSON object that is declared instead of the capabilities
	// derived from the policies.
	Capabilities json.RawMessage

	// Eras, if set, remembers which commands speak the modern era, so that a slow server
	// is not started twice each time. Only used if both eras are tried.
	Eras EraMemory

	// StartupTimeout limits start and handshake of each process (of up to three), not
	// counting prompts; 0 means DefaultStartupTimeout.
	StartupTimeout time.Duration
	Timeout        time.Duration // one request; 0 means DefaultTimeout

	ClientName, ClientVersion string

	// OnPhase, if set, is called for each step of a start and of a handshake, when it
	// begins, with a zero End, and when it ends; for some only at their end. It runs on
	// the goroutine that opens or restarts the session and must do neither. The step
	// waits for it: executor.Pause of ctx pauses the startup timeout.
	OnPhase func(ctx context.Context, p executor.Phase)

	// Policies determine, by method, how server requests are answered and which client
	// capabilities are declared. By default ping is answered and all else gets -32601.
	// Policies that Policy.Check rejects are ignored. Answers are canned answers for
	// methods without a policy.
	Policies map[string]Policy
	Answers  Answers

	// SpoolDir is the folder for the files of CallOptions.Long; "" means that of the
	// system.
	SpoolDir string

	LineLimit      int // bytes; 0 means framing.DefaultLimit
	PinLimit       int // bytes; 0 means executor.DefaultPinLimit
	Overrun        executor.Overrun
	CollectorDelay time.Duration // before each event and each recovering read, to test the effects of lag
}

// State is the state of a session. The zero value is Idle.
type State string

// The states. Exited: the leader has exited but a stream is still open.
const (
	Idle        State = ""
	Starting    State = "starting"
	Handshaking State = "handshaking"
	Ready       State = "ready"
	Running     State = "running" // without a handshake
	Stopping    State = "stopping"
	Exited      State = "exited"
	Closed      State = "closed"
	Failed      State = "failed"
)

// Server describes the server, as known from the handshake.
type Server struct {
	Era          mcp.Era
	Protocol     string
	Name         string
	Version      string
	Capabilities json.RawMessage
	Instructions string
}

// A Session owns one process at a time. All methods may be called from any
// goroutine. Close must be called.
type Session struct {
	cfg Config
	log Log

	redactor *strings.Replacer // replaces secrets with names
	argv     []string          // the first command
	edited   []string          // the command that a person wrote later, for the log

	life sync.Mutex // one start, restart or shutdown at a time
	send turn       // orders standard input: the entry, then the pipe

	outEntries [2]Entry // both guarded by send
	outLine    []byte

	ids      atomic.Uint64
	calls    calls
	requests serverRequests

	mu           sync.Mutex
	shutdown     shutdown
	run          *run
	state        State
	server       Server
	logLevel     string  // set for the current process; "" is its default
	known        mcp.Era // found by the last handshake; Auto before the first and after a failed one
	currentPhase executor.Phase
	closed       bool
	cancelOpen   func()
}

// New returns a session without a process.
func New(cfg Config) *Session {
	if cfg.StartupTimeout == 0 {
		cfg.StartupTimeout = DefaultStartupTimeout
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = DefaultTimeout
	}
	redactor := secret.Replacer(slices.Concat(cfg.Command.Env, cfg.Secrets))
	s := &Session{cfg: cfg, log: cfg.Log, redactor: redactor, argv: cfg.Command.Argv, send: make(turn, 1)}
	s.requests.s, s.requests.policies = s, newPolicies(&cfg)
	s.shutdown.s = s
	return s
}

// Log returns the session's log.
func (s *Session) Log() Log { return s.log }

// Status is the status of a session at one moment.
type Status struct {
	State   State
	Server  Server
	Process executor.Info // the latest process; StateUnknown if there was none
	// Phase is the current step of a start or handshake, with a zero End; zero without
	// one. Only the end of a step is logged and reported by Changed: a UI that shows
	// Phase should poll Status while State is Starting or Handshaking.
	Phase executor.Phase
	// ShutdownStep is the current step of the shutdown sequence, to be polled too.
	ShutdownStep ShutdownStep
	// LogLevel is the level of log messages that was set for the current process, by
	// SetLogLevel or a Request of logging/setLevel. "" is the server's default.
	LogLevel string
	// OpenLine is the entry of a line on stdin that has no newline yet, or 0: the server
	// waits for its end, and the next message continues it.
	OpenLine uint64
}

// Status returns the session's status.
func (s *Session) Status() Status {
	s.mu.Lock()
	st := Status{State: s.state, Server: s.server, LogLevel: s.logLevel, Phase: s.currentPhase, ShutdownStep: s.shutdown.step}
	r := s.run
	s.mu.Unlock()
	if r != nil {
		st.Process = r.info()
		if st.Process.Exit == nil {
			st.OpenLine = r.openLine.Load()
		}
	}
	return st
}

// era is for each request; Status asks for the state of the process too.
func (s *Session) era() mcp.Era {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.server.Era
}

// Start starts the process without a handshake and returns when it runs. The
// error is ErrRunning, ErrClosed or an *OpenError.
func (s *Session) Start(ctx context.Context) error {
	s.life.Lock()
	defer s.life.Unlock()
	if err := s.checkStart(); err != nil {
		return err
	}
	ctx, cancel := executor.WithPausableTimeout(ctx, s.cfg.StartupTimeout, ErrTimeout)
	defer cancel()
	ctx, settled := s.opening(ctx)
	if err := settled(s.start(ctx)); err != nil {
		return s.openFailed(ctx, err)
	}
	s.setState(Running, StateBody{})
	return nil
}

var errGivenUp = fmt.Errorf("%w: given up", context.Canceled)

// opening lets Escalate cancel a start until settled is called, which returns the error
// of the start: a cancelled start has failed, even if it completed.
func (s *Session) opening(ctx context.Context) (opening context.Context, settled func(error) error) {
	opening, giveUp := context.WithCancelCause(ctx)
	s.mu.Lock()
	s.cancelOpen = func() { giveUp(errGivenUp) }
	s.mu.Unlock()
	return opening, func(err error) error {
		s.mu.Lock()
		s.cancelOpen = nil
		s.mu.Unlock()
		cause := context.Cause(opening)
		giveUp(nil)
		if err == nil && errors.Is(cause, errGivenUp) {
			return cause
		}
		return err
	}
}

// checkStart returns an error if no process can be started now. The lock life is held.
func (s *Session) checkStart() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return ErrClosed
	case s.run != nil && !s.run.over():
		return fmt.Errorf("%w: %s", ErrRunning, s.run.proc.ID())
	}
	return nil
}

// start spawns the process and subscribes to it. The lock life is held.
func (s *Session) start(ctx context.Context) error {
	s.mu.Lock()
	s.run, s.server, s.requests.declared, s.logLevel = nil, Server{}, "", ""
	s.requests.policies.restart()
	s.mu.Unlock()
	s.setState(Starting, StateBody{})

	cmd := s.cfg.Command
	cmd.ID, cmd.Pinned = "", true
	cmd.OnBegin = func(p executor.Phase) { s.beginPhase(ctx, p) }
	cmd.OnPhase = func(p executor.Phase) { s.finishPhase(ctx, p) }
	proc, err := s.cfg.Executor.Start(ctx, cmd)
	s.setPhase(executor.Phase{})
	if err != nil {
		s.setState(Failed, startFailed(err))
		return err
	}
	r := newRun(s, proc)
	s.mu.Lock()
	s.run = r
	s.mu.Unlock()
	return r.begin()
}

func (s *Session) current() (*run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, ErrClosed
	case s.run == nil:
		return nil, ErrNotRunning
	}
	return s.run, nil
}

// Done returns a channel that is closed when the current process has exited and
// both its streams have reached EOF, or it is lost. Without a process the
// channel is already closed.
func (s *Session) Done() <-chan struct{} {
	if r, err := s.current(); err == nil {
		return r.done
	}
	done := make(chan struct{})
	close(done)
	return done
}

// ExitedChan returns a channel that is closed when the leader of the current
// process has exited.
func (s *Session) ExitedChan() <-chan struct{} {
	if r, err := s.current(); err == nil {
		return r.exited
	}
	done := make(chan struct{})
	close(done)
	return done
}

// setState moves the session to a state and logs it. A process that has ended is never
// shown as ready or stopping again.
func (s *Session) setState(state State, body StateBody) {
	s.mu.Lock()
	if over := s.state == Closed || s.state == Failed || s.state == Exited; over &&
		slices.Contains([]State{Handshaking, Ready, Running, Stopping}, state) && s.run != nil && s.run.hasExited() {
		s.mu.Unlock()
		return
	}
	s.state = state
	s.mu.Unlock()
	body.State = string(state)
	s.append(NewEntry(KindState, 0, body))
}

func (s *Session) beginPhase(ctx context.Context, p executor.Phase) {
	s.setPhase(p)
	if s.cfg.OnPhase != nil {
		s.cfg.OnPhase(ctx, p)
	}
}

func (s *Session) finishPhase(ctx context.Context, p executor.Phase) {
	s.setPhase(executor.Phase{})
	s.phase(p.Name, p.Detail, p.End.Sub(p.Begin), p.Err)
	if s.cfg.OnPhase != nil {
		s.cfg.OnPhase(ctx, p)
	}
}

// setPhase sets the step that Status shows; zero for none.
func (s *Session) setPhase(p executor.Phase) {
	s.mu.Lock()
	s.currentPhase = p
	s.mu.Unlock()
}

func (s *Session) phase(name, detail string, took time.Duration, err error) {
	body := PhaseBody{Phase: name, Detail: detail, Took: took.Microseconds()}
	if err != nil {
		body.Error = err.Error()
	}
	s.append(NewEntry(KindPhase, 0, body))
}

// Note logs a note.
func (s *Session) Note(text, hint string) {
	s.append(NewEntry(KindNote, 0, NoteBody{Text: text, Hint: hint}))
}

// Act logs an action of a person, such as act "kill".
func (s *Session) Act(act, detail string, of uint64) {
	s.append(NewEntry(KindAct, 0, ActBody{Act: act, Detail: detail, Of: of}))
}

// append logs one entry without stream bytes. It fails only when the log is closed, which
// is ignored.
func (s *Session) append(e Entry) {
	_ = s.log.Append([]Entry{e})
}
