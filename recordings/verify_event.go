package recordings

import (
	"cmp"
	"reflect"
	"sort"

	"mcpdbg/session"
)

// Limits of the text that entries quote, in bytes.
const (
	maxSaid = 4 << 10
	maxHead = 256
)

type event struct {
	body  any      // the struct that its members decode to; nil: it carries bytes
	needs []string // required members
}

// The kinds, in the order of docs/reference/recording-format.md.
var events = map[session.Kind]event{
	session.KindStart:      {session.StartBody{}, []string{"process"}},
	session.KindEnv:        {session.EnvBody{}, []string{"policy"}},
	session.KindPhase:      {session.PhaseBody{}, []string{"phase"}},
	session.KindState:      {session.StateBody{}, []string{"state"}},
	session.KindStdin:      {},
	session.KindWrite:      {session.WriteBody{}, []string{"of", "status", "bytes"}},
	session.KindStdout:     {nil, []string{"seq"}},
	session.KindStderr:     {nil, []string{"seq"}},
	session.KindWaiting:    {session.WaitingBody{}, []string{"stream", "bytes"}},
	session.KindExited:     {session.ExitedBody{}, []string{"seq"}},
	session.KindClosed:     {session.ClosedBody{}, []string{"seq", "stdout", "stderr", "stdin"}},
	session.KindFailed:     {session.FailedBody{}, []string{"error", "stdout", "stderr", "stdin"}},
	session.KindLagged:     {session.LaggedBody{}, []string{"events"}},
	session.KindHeld:       {session.HeldBody{}, []string{"begin", "streams"}},
	session.KindGap:        {session.GapBody{}, []string{"from", "to", "bytes"}},
	session.KindAct:        {session.ActBody{}, []string{"act"}},
	session.KindProc:       {session.ProcBody{}, []string{"tree"}},
	session.KindLink:       {session.LinkBody{}, []string{"state"}},
	session.KindNote:       {session.NoteBody{}, []string{"text"}},
	session.KindFromClient: {session.ClientBody{}, []string{"why"}},
	session.KindToClient:   {session.ClientBody{}, []string{"why"}},
	session.KindPart:       {session.PartBody{}, []string{"next"}},
	session.KindEnd:        {session.EndBody{}, []string{"entries"}},
}

// event returns the decoded body, nil if the entry has none.
func (v *verifier) event(e *session.Entry) any {
	if v.current.plain {
		v.place(e)
		return nil
	}
	what, known := events[e.Kind]
	if !known {
		return nil
	}
	for _, name := range what.needs {
		if !v.current.shape.has(name) {
			v.problem(e.N, "%s entry without %s", e.Kind, name)
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

// place checks an entry against those before it.
func (v *verifier) place(e *session.Entry) {
	if v.ended {
		v.problem(e.N, "comes after the end entry")
		v.ended, v.report.Whole = false, false // report it once
	}
	if v.answers && e.Kind != session.KindStdin {
		v.problem(e.N, "is not the stdin entry that must follow the act before it")
	}
	v.answers = false
	switch e.Kind {
	case session.KindStdout, session.KindStderr, session.KindExited, session.KindClosed:
		if v.closed {
			v.problem(e.N, "comes after the last event of %s", v.process)
		}
	case session.KindFailed:
		if v.current.shape.has("seq") {
			v.problem(e.N, "failed entry with a seq")
		}
	}
}

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
		if k := session.ParseKind([]byte(b.Stream)); !k.IsStream() || k == session.KindStdin && v.report.Header.Mode != session.ModeTap {
			v.problem(e.N, "waits on an unknown stream")
		}
		if max(len(b.Head), len(b.Head64)) > maxHead {
			v.problem(e.N, "quotes more than %d waiting bytes", maxHead)
		}
	case session.ClientBody:
		v.numbers.add(cmp.Or(b.First, e.Seq), e.Seq)
	case session.GapBody:
		if b.From == 0 || b.To < b.From {
			v.problem(e.N, "has an invalid gap from %d to %d", b.From, b.To)
		}
	case session.HeldBody:
		if b.End != 0 && b.End < b.Begin {
			v.problem(e.N, "has an invalid hold from %d to %d", b.Begin, b.End)
		}
	}
}

// earlier checks that an entry refers to one before it.
func (v *verifier) earlier(e *session.Entry, of uint64) {
	if of >= e.N {
		v.problem(e.N, "refers to entry %d, which is not before it", of)
	}
}

func (v *verifier) said(e *session.Entry, text string) {
	if len(text) > maxSaid {
		v.problem(e.N, "has a said of %d bytes; the limit is %d", len(text), maxSaid)
	}
}

// maxRanges take 16 bytes each.
const maxRanges = 1 << 20

// numbers is a set of sequence numbers from 1 on, in bounded memory: scattered means that
// there were too many ranges and the set is unknown.
type numbers struct {
	ranges    []numberRange
	scattered bool
}

type numberRange struct{ from, to uint64 }

// add adds from to to. Numbers arrive nearly in order, so most ranges continue the last
// one.
func (s *numbers) add(from, to uint64) {
	if from == 0 || to < from || s.scattered {
		return
	}
	if last := len(s.ranges) - 1; last >= 0 {
		r := &s.ranges[last]
		if from >= r.from && from-1 <= r.to {
			r.to = max(r.to, to)
			return
		}
	}
	if len(s.ranges) == maxRanges {
		s.merge()
		s.scattered = len(s.ranges) > maxRanges/2
	}
	s.ranges = append(s.ranges, numberRange{from, to})
}

func (s *numbers) merge() {
	sort.Slice(s.ranges, func(i, j int) bool {
		a, b := &s.ranges[i], &s.ranges[j]
		return cmp.Compare(a.from, b.from) < 0
	})
	merged := s.ranges[:0]
	for _, r := range s.ranges {
		if last := len(merged) - 1; last >= 0 && r.from-1 <= merged[last].to {
			merged[last].to = max(merged[last].to, r.to)
			continue
		}
		merged = append(merged, r)
	}
	s.ranges = merged
}

// holes returns the missing ranges between 1 and the last number.
func (s *numbers) holes() (missing []numberRange) {
	if s.scattered {
		return nil
	}
	s.merge()
	next := uint64(1)
	for _, r := range s.ranges {
		if r.from > next {
			missing = append(missing, numberRange{next, r.from - 1})
		}
		next = r.to + 1
	}
	return missing
}
