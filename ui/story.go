package ui

import "mcpdbg/session"

const (
	// storyRows is how many events are read in one go; of a recording that is
	// opened, the last ones.
	storyRows = 4096
	// storyList is how many phases and how many notes are kept.
	storyList = 200
)

// A story is what the events of the log tell of the latest start: where the
// process is, how it got there, and what became of the connection. It is made
// of the log alone, so a recording tells the same.
type story struct {
	source session.Source
	rows   rowReader
	taken  int // of the events

	state    string // of the session, as last logged
	starting bool   // a start or its handshake is under way
	began    int64  // when that began, on the log's clock

	protocol, era string // that were agreed on

	row     int   // of the latest start entry
	startT  int64 // of it
	readyT  int64 // when the handshake was done
	ready   bool
	phases  []session.PhaseBody
	ending  []session.PhaseBody // steps that were taken to end it
	exited  *session.ExitedBody
	exitedT int64
	tree    session.ProcBody // the latest sample
	notes   []session.NoteBody
	start   session.StartBody
	env     session.EnvBody
	link    *session.LinkBody   // nil on this machine
	lost    *session.FailedBody // how it ended is not known
	failed  *session.StateBody  // there is no process: the start failed
}

// pull reads events that are new.
func (s *story) pull(events []uint32) {
	from := max(s.taken, len(events)-storyRows)
	for _, number := range events[from:] {
		if row, ok := s.rows.at(int(number)); ok {
			s.take(int(number), row)
		}
	}
	s.taken = len(events)
}

// take takes one event. What cannot be read is not told.
func (s *story) take(number int, row session.Row) {
	switch row.Kind {
	case session.KindState:
		if b, ok := body[session.StateBody](s, row); ok && b.Of == 0 {
			s.enter(b, row.T)
		}
	case session.KindPhase:
		if b, ok := body[session.PhaseBody](s, row); ok && s.starting {
			s.phases = keep(s.phases, b)
		} else if ok {
			s.ending = keep(s.ending, b)
		}
	case session.KindNote:
		if b, ok := body[session.NoteBody](s, row); ok {
			s.notes = keep(s.notes, b)
		}
	case session.KindStart:
		s.start, _ = body[session.StartBody](s, row)
		s.link, s.exited, s.ending, s.tree = nil, nil, nil, session.ProcBody{}
		s.row, s.startT, s.ready = number, row.T, false
	case session.KindExited:
		if b, ok := body[session.ExitedBody](s, row); ok {
			s.exited, s.exitedT = &b, row.T
		}
	case session.KindProc:
		if b, ok := body[session.ProcBody](s, row); ok {
			s.tree = b
		}
	case session.KindEnv:
		s.env, _ = body[session.EnvBody](s, row)
	case session.KindLink:
		if b, ok := body[session.LinkBody](s, row); ok {
			s.linked(b)
		}
	case session.KindFailed:
		if b, ok := body[session.FailedBody](s, row); ok {
			s.lost = &b
		}
	}
}

// enter takes a state of the session. A start that follows on another one, as
// after a probe that the server did not survive, is the same to the person.
func (s *story) enter(b session.StateBody, t int64) {
	s.state = b.State
	if b.Protocol != "" {
		s.protocol, s.era = b.Protocol, b.Era
	}
	switch session.State(b.State) {
	case session.Starting:
		if !s.starting {
			*s = story{source: s.source, rows: s.rows, taken: s.taken, state: b.State, starting: true, began: t}
		}
	case session.Handshaking:
	case session.Failed:
		s.starting = false
		if s.lost == nil {
			s.failed = &b
		}
	case session.Ready:
		s.readyT, s.ready, s.starting = t, true, false
	default:
		s.starting = false
	}
}

// linked takes a change of the connection; what cannot change is in the first
// such entry only.
func (s *story) linked(b session.LinkBody) {
	if s.link == nil {
		s.link = &b
		return
	}
	s.link.State, s.link.Error = b.State, b.Error
	if b.RTT != 0 {
		s.link.RTT = b.RTT
	}
}

// body reads the body of an event.
func body[B any](s *story, row session.Row) (b B, ok bool) {
	e, err := s.source.Entry(row, 0)
	return b, err == nil && e.DecodeBody(&b) == nil
}

// keep appends, and lets go of the oldest when there are too many.
func keep[T any](list []T, more T) []T {
	if len(list) == storyList {
		list = list[1:]
	}
	return append(list, more)
}
