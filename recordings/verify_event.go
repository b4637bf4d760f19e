package recordings

import (
	"reflect"

	"mcpdbg/session"
)

// The longest texts of others that entries quote, in bytes.
const (
	longestSaid = 4 << 10
	longestHead = 256
)

// An event is what the format says of the entries of one kind.
type event struct {
	body  any      // a struct that its members decode to; nil: it carries bytes
	needs []string // members that are always there
}

// events are the kinds, as docs/recording-format.md lists them.
var events = map[session.Kind]event{
	session.KindStart:   {session.StartBody{}, []string{"process"}},
	session.KindEnv:     {session.EnvBody{}, []string{"policy"}},
	session.KindPhase:   {session.PhaseBody{}, []string{"phase"}},
	session.KindState:   {session.StateBody{}, []string{"state"}},
	session.KindStdin:   {},
	session.KindWrite:   {session.WriteBody{}, []string{"of", "status", "bytes"}},
	session.KindStdout:  {nil, []string{"seq"}},
	session.KindStderr:  {nil, []string{"seq"}},
	session.KindWaiting: {session.WaitingBody{}, []string{"stream", "bytes"}},
	session.KindExited:  {session.ExitedBody{}, []string{"seq"}},
	session.KindClosed:  {session.ClosedBody{}, []string{"seq", "stdout", "stderr", "stdin"}},
	session.KindFailed:  {session.FailedBody{}, []string{"error", "stdout", "stderr", "stdin"}},
	session.KindLagged:  {session.LaggedBody{}, []string{"events"}},
	session.KindHeld:    {session.HeldBody{}, []string{"begin", "streams"}},
	session.KindGap:     {session.GapBody{}, []string{"from", "to", "bytes"}},
	session.KindAct:     {session.ActBody{}, []string{"act"}},
	session.KindProc:    {session.ProcBody{}, []string{"tree"}},
	session.KindLink:    {session.LinkBody{}, []string{"state"}},
	session.KindNote:    {session.NoteBody{}, []string{"text"}},
	session.KindPart:    {session.PartBody{}, []string{"next"}},
	session.KindEnd:     {session.EndBody{}, []string{"entries"}},
}

// event holds an entry against what the format says of its kind, and of its
// place. It returns the decoded body, nil if the entry has none.
func (v *verifier) event(e *session.Entry) any {
	what, known := events[e.Kind]
	if !known {
		return nil
	}
	for _, name := range what.needs {
		if !v.shape.has(name) {
			v.problem(e.N, "is %s, and has no %s", e.Kind, name)
		}
	}
	v.place(e)
	if what.body == nil {
		return nil
	}
	into := reflect.New(reflect.TypeOf(what.body))
	if err := e.DecodeBody(into.Interface()); err != nil {
		v.problem(e.N, "%v", err)
		return nil
	}
	body := into.Elem().Interface()
	v.values(e, body)
	return body
}

// place holds an entry against those before it.
func (v *verifier) place(e *session.Entry) {
	if v.ended {
		v.problem(e.N, "comes after the end")
		v.ended = false // said once
	}
	if v.answers && e.Kind != session.KindStdin {
		v.problem(e.N, "stands where the stdin has to be that the act before it tells of")
	}
	v.answers = false
	switch e.Kind {
	case session.KindStdout, session.KindStderr, session.KindExited, session.KindClosed:
		if v.closed {
			v.problem(e.N, "comes after the last event of %s", v.process)
		}
	case session.KindFailed:
		if v.shape.has("seq") {
			v.problem(e.N, "is failed, and has a seq")
		}
	}
}

// values holds the members of an entry against what may stand in them.
func (v *verifier) values(e *session.Entry, body any) {
	switch b := body.(type) {
	case session.WriteBody:
		v.earlier(e, b.Of)
	case session.StateBody:
		v.earlier(e, b.Of)
		v.said(e, b.Said)
	case session.NoteBody:
		v.said(e, b.Said)
	case session.FailedBody:
		v.said(e, b.Said)
	case session.ActBody:
		v.answers = b.Act == session.ActAnswer && b.Key == "" || b.Act == session.ActAgain
	case session.WaitingBody:
		if b.Stream != "stdout" && b.Stream != "stderr" {
			v.problem(e.N, "waits on a stream that there is not")
		}
		if max(len(b.Head), len(b.Head64)) > longestHead {
			v.problem(e.N, "quotes more than %d bytes that wait", longestHead)
		}
	case session.GapBody:
		if b.From == 0 || b.To < b.From {
			v.problem(e.N, "is a gap from %d to %d", b.From, b.To)
		}
	case session.HeldBody:
		if b.End != 0 && b.End < b.Begin {
			v.problem(e.N, "was held from %d to %d", b.Begin, b.End)
		}
	}
}

// earlier sees that an entry tells of one before it.
func (v *verifier) earlier(e *session.Entry, of uint64) {
	if of >= e.N {
		v.problem(e.N, "tells of entry %d, which is not before it", of)
	}
}

func (v *verifier) said(e *session.Entry, text string) {
	if len(text) > longestSaid {
		v.problem(e.N, "has a said of %d bytes; at most %d are quoted", len(text), longestSaid)
	}
}
