package workspace

import "mcpdbg/session"

const (
	// LifecycleRows is how many events are read at a time; on opening a
	// recording, only the last ones.
	LifecycleRows = 4096
	// LifecycleList is how many phases and how many notes are kept.
	LifecycleList = 200
)

// A Lifecycle is what the log's events report about the latest start: the state
// of the process, how it got there, and the state of the connection. It is
// derived from the log alone, so it is the same for a recording.
type Lifecycle struct {
	Source session.Source
	Rows   Rows
	taken  int // events read so far

	State    string // of the session, as last logged
	Starting bool   // a start or its handshake is in progress
	again    bool   // the process is or was ended, and the start goes on with another one
	Began    int64  // when Starting began, on the log's clock
	AgainT   int64  // when the latest process was begun, if the start went on with another one; else 0

	Protocol, Era string // agreed in the handshake

	Row     int   // row of the latest start entry
	StartT  int64 // time of that entry
	ReadyT  int64 // when the handshake completed
	Ready   bool
	Phases  []session.PhaseBody
	Ending  []session.PhaseBody // steps taken to end the process
	Exited  *session.ExitedBody
	ExitedT int64
	Tree    session.ProcBody // the latest sample
	Notes   []session.NoteBody
	Start   session.StartBody
	Env     session.EnvBody
	Link    *session.LinkBody   // nil for a local process
	LinkT   int64               // since when it has been in its state
	Lost    *session.FailedBody // the connection was lost: the exit status is unknown
	Failed  *session.StateBody  // the start failed: there is no process
	Before  *Lifecycle          // of the process before the start, as it ended; nil without one
}

// Pull reads new events.
func (s *Lifecycle) Pull(events []uint32) {
	from := max(s.taken, len(events)-LifecycleRows)
	for _, number := range events[from:] {
		if row, ok := s.Rows.At(int(number)); ok {
			s.take(int(number), row)
		}
	}
	s.taken = len(events)
}

// take applies one event. An unreadable event is ignored.
func (s *Lifecycle) take(number int, row session.Row) {
	switch row.Kind {
	case session.KindState:
		if b, ok := body[session.StateBody](s, row); ok && b.Of == 0 {
			s.enter(b, row.T)
		}
	case session.KindPhase:
		if b, ok := body[session.PhaseBody](s, row); ok && s.Starting {
			s.Phases = keep(s.Phases, b)
		} else if ok {
			s.Ending = keep(s.Ending, b)
		}
	case session.KindNote:
		if b, ok := body[session.NoteBody](s, row); ok {
			s.Notes = keep(s.Notes, b)
			if b.Code == session.NoteStartAgain {
				s.Starting, s.again, s.Failed = true, true, nil
			}
		}
	case session.KindStart:
		s.Start, _ = body[session.StartBody](s, row)
		s.Link, s.Exited, s.Ending, s.Tree = nil, nil, nil, session.ProcBody{}
		s.Row, s.StartT, s.Ready = number, row.T, false
	case session.KindExited:
		if b, ok := body[session.ExitedBody](s, row); ok {
			s.Exited, s.ExitedT = &b, row.T
		}
	case session.KindProc:
		if b, ok := body[session.ProcBody](s, row); ok {
			s.Tree = b
		}
	case session.KindEnv:
		s.Env, _ = body[session.EnvBody](s, row)
	case session.KindLink:
		if b, ok := body[session.LinkBody](s, row); ok {
			s.linked(b, row.T)
		}
	case session.KindFailed:
		if b, ok := body[session.FailedBody](s, row); ok {
			s.Lost = &b
		}
	}
}

// enter applies a state of the session. A start that goes on with another process,
// as after a probe that the server did not survive, continues the same Lifecycle.
func (s *Lifecycle) enter(b session.StateBody, t int64) {
	s.State = b.State
	if b.Protocol != "" {
		s.Protocol, s.Era = b.Protocol, b.Era
	}
	switch session.State(b.State) {
	case session.Starting:
		if !s.Starting {
			was := *s
			if was.Before != nil {
				was.Notes = append(cannotTell(was.Before.Notes), was.Notes...) // which is logged once for all restarts
			}
			*s = Lifecycle{Source: s.Source, Rows: s.Rows, taken: s.taken, State: b.State, Starting: true, Began: t}
			if was.Before = nil; was.Start.Process != "" {
				s.Before = &was
			}
		}
		if s.again {
			s.again, s.AgainT = false, t
		}
	case session.Handshaking:
	case session.Failed:
		s.Starting = false
		if s.Lost == nil {
			s.Failed = &b
		}
	case session.Ready:
		s.ReadyT, s.Ready, s.Starting = t, true, false
	default:
		s.Starting = s.again
	}
}

// linked applies a change of the connection; only the first entry has the parts
// that cannot change.
func (s *Lifecycle) linked(b session.LinkBody, t int64) {
	if s.Link == nil || s.Link.State != b.State {
		s.LinkT = t
	}
	if s.Link == nil {
		s.Link = &b
		return
	}
	s.Link.State, s.Link.Error = b.State, b.Error
	if b.RTT != 0 {
		s.Link.RTT = b.RTT
	}
}

// body decodes the body of an event.
func body[B any](s *Lifecycle, row session.Row) (b B, ok bool) {
	e, err := s.Source.Entry(row, 0)
	return b, err == nil && e.DecodeBody(&b) == nil
}

// keep appends more and drops the oldest element if the list is full.
func cannotTell(notes []session.NoteBody) (those []session.NoteBody) {
	for _, n := range notes {
		if n.Code == session.NoteCannotTell {
			those = append(those, n)
		}
	}
	return those
}

func keep[T any](list []T, more T) []T {
	if len(list) == LifecycleList {
		list = list[1:]
	}
	return append(list, more)
}
