package exchange

import (
	"encoding/json"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/executor"
)

// maxEvent is the longest line of an event that is read, in bytes.
const maxEvent = 1 << 20

// An Event is an entry of the log. The zero value means that there is none.
type Event struct {
	Seen bool
	Row  int
	T    int64
}

// A Process is the life of the process that was started last or is being started, from
// its start or the state before it, from the log alone.
type Process struct {
	State   session.State
	Run     uint16 // as on rows
	Attempt int    // processes that were ready before it and then replaced

	Begun   Event
	Ready   Event
	Exited  Event
	Closed  Event
	Failed  Event // the start failed
	Lost    Event // the connection was lost, and with it the exit status
	Linked  Event // the last change of the connection
	Waiting Event // bytes on stdout that have no newline so far

	Start   session.StartBody
	Env     session.EnvBody
	Exit    session.ExitedBody
	Failure session.StateBody
	Loss    session.FailedBody
	Link    session.LinkBody
	Partial session.WaitingBody
	Clues   session.EndClues // what may have ended it

	Handshake Handshake
}

// A Handshake is how a server took part in the handshake of its process.
type Handshake struct {
	Response   Event  // the last one
	Request    int    // row of its request
	Initialize bool   // that is initialize, not server/discover
	Refused    bool   // the response is an error
	Revision   string // in a result of initialize
	Echo       Event  // a request of the handshake that was sent back
}

// Process returns the life of the current process. It changes with Add.
func (f *Follower) Process() *Process { return &f.process }

// Over reports whether nothing more can come from the process.
func (p *Process) Over() bool { return p.Closed.Seen || p.Lost.Seen }

// Alive reports whether the process runs, as far as the log knows.
func (p *Process) Alive() bool { return p.Begun.Seen && !p.Exited.Seen && !p.Over() }

// By returns the party that ended the process, which is unknown while it runs.
func (p *Process) By() executor.EndedBy {
	if !p.Exited.Seen {
		return executor.EndedUnknown
	}
	return p.Clues.By(p.Exit, p.Exited.T)
}

// body reads the body of the current entry, unless it is too long.
func body[B any](c *session.Cursor) (b B, ok bool) {
	if _, row := c.Row(); row.Len > maxEvent {
		return b, false
	}
	e, err := c.Entry()
	return b, err == nil && e.DecodeBody(&b) == nil
}

// happened takes in an entry that has no bytes of a stream.
func (p *Process) happened(c *session.Cursor) {
	number, row := c.Row()
	at := Event{true, number, row.T}
	switch row.Kind {
	case session.KindState:
		if b, ok := body[session.StateBody](c); ok && b.Of == 0 {
			p.enter(b, at)
		}
	case session.KindStart:
		p.begin(p.State)
		p.Begun, p.Run = at, row.Run
		p.Start, _ = body[session.StartBody](c)
	case session.KindEnv:
		p.Env, _ = body[session.EnvBody](c)
	case session.KindPhase:
		if b, ok := body[session.PhaseBody](c); ok {
			p.Clues.Phase(b, row.T)
		}
	case session.KindAct:
		if b, ok := body[session.ActBody](c); ok {
			p.Clues.Act(b, p.Start.PID, row.T)
		}
	case session.KindWaiting:
		if b, ok := body[session.WaitingBody](c); ok {
			p.Waiting, p.Partial = at, b
		}
	case session.KindGap:
		if b, ok := body[session.GapBody](c); ok && (len(b.Streams) == 0 || slices.Contains(b.Streams, executor.Stdout.String())) {
			p.Waiting = Event{}
		}
	case session.KindExited:
		p.Exited = at
		p.Exit, _ = body[session.ExitedBody](c)
	case session.KindClosed:
		p.Closed = at
	case session.KindFailed:
		p.Lost = at
		p.Loss, _ = body[session.FailedBody](c)
	case session.KindLink:
		if b, ok := body[session.LinkBody](c); ok {
			p.Linked, p.Link = at, b
		}
	}
}

// enter takes in a state of the session.
func (p *Process) enter(b session.StateBody, at Event) {
	switch state := session.State(b.State); state {
	case session.Starting:
		p.begin(state)
	case session.Ready:
		p.Ready = at
	case session.Stopping:
		p.Clues.State(b, at.T)
	case session.Failed:
		if !p.Lost.Seen {
			p.Failed, p.Failure = at, b
		}
	}
	p.State = session.State(b.State)
}

func (p *Process) begin(state session.State) {
	attempt := p.Attempt
	if p.Ready.Seen {
		attempt++
	}
	*p = Process{State: state, Attempt: attempt}
}

// spoke takes in a row of stdout, whose messages did steps.
func (f *Follower) spoke(c *session.Cursor) {
	number, row := c.Row()
	p := &f.process
	if p.Waiting.Seen {
		if e, err := c.Entry(); err != nil || e.EOL != framing.NoEOL {
			p.Waiting = Event{}
		}
	}
	for i, s := range f.steps {
		switch at := (Event{true, number, row.T}); {
		case s.X == nil:
		case s.Kind == Answers && s.X.Handshake:
			h := &p.Handshake
			h.Response, h.Request, h.Initialize, h.Revision = at, int(s.Of.Row), s.X.initialize, ""
			h.Refused = s.X.Failed && (s.X.several || row.Flags&session.FlagError != 0) // else it was a probe
			if s.X.initialize && !h.Refused {
				h.Revision = revisionIn(c, i)
			}
		case s.Kind == Opens && !p.Handshake.Echo.Seen && !s.X.several && f.kindOf(row.Method) == begins:
			p.Handshake.Echo = at
		}
	}
}

// revisionIn returns the revision in the result of initialize, which is a member of the
// current entry.
func revisionIn(c *session.Cursor, member int) string {
	for i, m := range c.Messages() {
		if i == member {
			var result struct {
				ProtocolVersion string `json:"protocolVersion"`
			}
			_ = json.Unmarshal(m.RawResult(), &result)
			return result.ProtocolVersion
		}
	}
	return ""
}
