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
)

// Default times.
const (
	DefaultStartupTimeout = 30 * time.Second
	DefaultTimeout        = 300 * time.Second
	// ProbeTimeout is how long server/discover goes unanswered before initialize is
	// sent as well.
	ProbeTimeout = 1500 * time.Millisecond
	// Grace is how long each step of the shutdown ladder waits for the next.
	Grace = 2 * time.Second
)

// Errors that callers decide on.
var (
	ErrNotRunning = errors.New("no server is running")
	ErrRunning    = errors.New("a process is still there")
	ErrClosed     = errors.New("session is closed")
	ErrEnded      = errors.New("server ended before it answered")
	ErrTimeout    = errors.New("no answer in time")
	// ErrEcho says that a request of ours came back as a request of the program.
	ErrEcho = errors.New("the program sends back what it receives; is it an MCP server?")
)

// Config is what a session needs. Executor, Command and Log are required.
type Config struct {
	Executor executor.Executor
	Command  executor.Command // its ID, OnPhase and OnBegin are the session's to set
	Log      Log              // stays the caller's to close
	// Secrets are values, besides those of Command.Env, that stand as ${NAME} in
	// what is told of command lines of processes.
	Secrets []executor.EnvVar

	// Era is the one to speak. While it is Auto a restart begins with the era that
	// was found before: who edits a server does not wait for a probe each time.
	Era      mcp.Era
	Protocol string // revision to ask for; "" means the era's newest
	// Prefer is the era that is tried first while Era is Auto, and Protocol then
	// is a revision of that; a server that refuses it is asked for the newest of
	// the other era. Auto means that Protocol, or the server, decides.
	Prefer mcp.Era
	// Capabilities, if set, are declared as the client's, as they are, instead of
	// those that the policies come to: a JSON object.
	Capabilities json.RawMessage

	// StartupTimeout is for start and handshake, without the time in which
	// somebody is asked; 0 means DefaultStartupTimeout.
	StartupTimeout time.Duration
	Timeout        time.Duration // one request; 0 means DefaultTimeout

	ClientName, ClientVersion string

	// OnPhase, if set, is told each step of a start and of a handshake, as it
	// begins, with a zero End, and as it ends; some are told at their end only. It
	// is called by who opens or restarts the session, and may not do either. The
	// step waits for it: executor.Pause of ctx stops the clocks of the start.
	OnPhase func(ctx context.Context, p executor.Phase)

	// Policies say, by method, what becomes of the server's own requests, and
	// decide which client capabilities are declared. Without any, ping is
	// answered and everything else gets -32601. One that Policy.Check refuses
	// counts as none. Answers are canned ones, where Policies say nothing.
	Policies map[string]Policy
	Answers  Answers

	LineLimit      int // bytes; 0 means framing.DefaultLimit
	PinLimit       int // bytes; 0 means executor.DefaultPinLimit
	Overrun        executor.Overrun
	CollectorDelay time.Duration // before each event, and each read that makes up for a lag: to learn and test what lag does
}

// State is where a session is. The zero value is Idle.
type State string

// The states. Exited: the leader has ended but a stream is still open.
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

// Server is what the handshake told.
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

	hide *strings.Replacer // puts names in the place of secrets

	life sync.Mutex // one start, restart or shutdown at a time
	send turn       // orders standard input: the entry, then the pipe

	outEntries [2]Entry // both guarded by send
	outLine    []byte

	ids   atomic.Uint64
	calls calls
	asks  asks

	mu       sync.Mutex
	policies policies
	declared string // the capabilities that a legacy server was told; "" if none was
	run      *run
	state    State
	server   Server
	known    mcp.Era // that the last handshake found; Auto before, and after one that failed
	underway executor.Phase
	closed   bool
	ending   Ending
	hurry    chan<- struct{}       // ends the wait of a step of the ladder; nil without one
	left     []executor.Descendant // whom processes left behind; told by the next report
	// spared and cannotTell are those of the next report.
	spared     []executor.Descendant
	cannotTell []string
	// killedOne is ShutdownReport.Killed of the next report.
	killedOne bool
	// giveUpOpen ends a start or handshake; nil if there is none.
	giveUpOpen func()
}

// New returns a session that has not started anything yet.
func New(cfg Config) *Session {
	if cfg.StartupTimeout == 0 {
		cfg.StartupTimeout = DefaultStartupTimeout
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = DefaultTimeout
	}
	hide := concealer(slices.Concat(cfg.Command.Env, cfg.Secrets))
	return &Session{cfg: cfg, log: cfg.Log, hide: hide, send: make(turn, 1), policies: newPolicies(&cfg)}
}

// Log returns the session's log.
func (s *Session) Log() Log { return s.log }

// Status is a session at one moment.
type Status struct {
	State   State
	Server  Server
	Process executor.Info // the latest process; StateUnknown if there was none
	// Phase is the step of a start or a handshake that is under way, such as to
	// connect to a host; its End is zero, and all of it when there is none. The
	// end of a step is an entry, its begin is not: Changed does not tell of it.
	// Who shows it has a clock to show beside it, and asks as often as that
	// moves while State is Starting or Handshaking.
	Phase executor.Phase
	// Ending is the step of the shutdown ladder that is under way. As with Phase,
	// who shows it has a clock beside it.
	Ending Ending
}

// Status returns the session's status.
func (s *Session) Status() Status {
	s.mu.Lock()
	st := Status{State: s.state, Server: s.server, Phase: s.underway, Ending: s.ending}
	r := s.run
	s.mu.Unlock()
	if r != nil {
		st.Process = r.info()
	}
	return st
}

// Start starts the process and returns when it runs, without a handshake. The
// error is ErrRunning, ErrClosed or an *OpenError.
func (s *Session) Start(ctx context.Context) error {
	s.life.Lock()
	defer s.life.Unlock()
	if err := s.mayStart(); err != nil {
		return err
	}
	ctx, cancel := executor.WithPatience(ctx, s.cfg.StartupTimeout, ErrTimeout)
	defer cancel()
	ctx, settled := s.opening(ctx)
	if err := settled(s.start(ctx)); err != nil {
		return s.openFailed(ctx, err)
	}
	s.setState(Running, StateBody{})
	return nil
}

// Open starts the process and shakes hands. On any failure nothing is left
// running and the error is an *OpenError; with a process there already it is
// ErrRunning, and that one stays.
func (s *Session) Open(ctx context.Context) error {
	s.life.Lock()
	defer s.life.Unlock()
	return s.open(ctx)
}

func (s *Session) open(ctx context.Context) error {
	if err := s.mayStart(); err != nil {
		return err
	}
	ctx, cancel := executor.WithPatience(ctx, s.cfg.StartupTimeout, ErrTimeout)
	defer cancel()
	ctx, settled := s.opening(ctx)
	err := s.start(ctx)
	if err == nil {
		s.setState(Handshaking, StateBody{})
		err = s.handshake(ctx)
	}
	if err = settled(err); err != nil {
		return s.openFailed(ctx, err)
	}
	server := s.Status().Server
	s.setState(Ready, StateBody{Era: string(server.Era), Protocol: server.Protocol, Server: join(server.Name, server.Version)})
	return nil
}

// errGivenUp is why a start or handshake ends that a person gives up.
var errGivenUp = fmt.Errorf("%w: given up", context.Canceled)

// opening lets Escalate give up a start until settled is called, which says how
// the start ended: one that was given up has failed, however far it came.
func (s *Session) opening(ctx context.Context) (opening context.Context, settled func(error) error) {
	opening, giveUp := context.WithCancelCause(ctx)
	s.mu.Lock()
	s.giveUpOpen = func() { giveUp(errGivenUp) }
	s.mu.Unlock()
	return opening, func(err error) error {
		s.mu.Lock()
		s.giveUpOpen = nil
		s.mu.Unlock()
		cause := context.Cause(opening)
		giveUp(nil)
		if err == nil && errors.Is(cause, errGivenUp) {
			return cause
		}
		return err
	}
}

// mayStart tells why no process can be started now. The lock life is held.
func (s *Session) mayStart() error {
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
	s.run, s.server, s.declared = nil, Server{}, ""
	s.mu.Unlock()
	s.setState(Starting, StateBody{})

	cmd := s.cfg.Command
	cmd.ID, cmd.Pinned = "", true
	cmd.OnBegin = func(p executor.Phase) { s.phaseBegins(ctx, p) }
	cmd.OnPhase = func(p executor.Phase) { s.phaseEnds(ctx, p) }
	proc, err := s.cfg.Executor.Start(ctx, cmd)
	s.phaseIs(executor.Phase{})
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

// current is the process that messages go to.
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

// Done is closed when the process there is now has ended and both its streams
// are at their end, or it is lost. Without a process it is closed already.
func (s *Session) Done() <-chan struct{} {
	if r, err := s.current(); err == nil {
		return r.done
	}
	done := make(chan struct{})
	close(done)
	return done
}

// ExitedChan is closed when the leader of the process there is now has ended.
func (s *Session) ExitedChan() <-chan struct{} {
	if r, err := s.current(); err == nil {
		return r.exited
	}
	done := make(chan struct{})
	close(done)
	return done
}

// setState moves the session to a state and logs it. A process that has ended
// is never shown as ready or stopping again.
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

// phaseBegins makes p the step that Status shows, and tells of it.
func (s *Session) phaseBegins(ctx context.Context, p executor.Phase) {
	s.phaseIs(p)
	if s.cfg.OnPhase != nil {
		s.cfg.OnPhase(ctx, p)
	}
}

// phaseEnds logs a step of the start, while the start goes on.
func (s *Session) phaseEnds(ctx context.Context, p executor.Phase) {
	s.phaseIs(executor.Phase{})
	s.phase(p.Name, p.Detail, p.End.Sub(p.Begin), p.Err)
	if s.cfg.OnPhase != nil {
		s.cfg.OnPhase(ctx, p)
	}
}

// phaseIs makes p the step that Status shows; the zero Phase is none.
func (s *Session) phaseIs(p executor.Phase) {
	s.mu.Lock()
	s.underway = p
	s.mu.Unlock()
}

// phase logs one timed step.
func (s *Session) phase(name, detail string, took time.Duration, err error) {
	body := PhaseBody{Phase: name, Detail: detail, Took: took.Microseconds()}
	if err != nil {
		body.Error = err.Error()
	}
	s.append(NewEntry(KindPhase, 0, body))
}

// Note logs a remark.
func (s *Session) Note(text, hint string) {
	s.append(NewEntry(KindNote, 0, NoteBody{Text: text, Hint: hint}))
}

// Act logs what a person did, such as act "kill".
func (s *Session) Act(act, detail string, of uint64) {
	s.append(NewEntry(KindAct, 0, ActBody{Act: act, Detail: detail, Of: of}))
}

// append logs one entry that carries no stream bytes. The log's only error is
// that it is closed: then nobody reads any more.
func (s *Session) append(e Entry) {
	_ = s.log.Append([]Entry{e})
}

func join(name, version string) string {
	if name == "" || version == "" {
		return name + version
	}
	return name + " " + version
}
