package recordings

import (
	"bytes"
	"encoding/json"
	"time"
	"unicode/utf8"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// What a ULID looks like (github.com/ulid/spec).
var ulid = pattern(`^[0-7][0-9A-HJKMNP-TV-Z]{25}$`)

// header holds the first line against the format.
func (v *verifier) header(h session.Header) {
	switch {
	case h.Redacted == nil && !ulid().MatchString(h.ID):
		v.problem(0, "the header's id is no ULID")
	case h.Start.IsZero() || h.Start.Location() != time.UTC:
		v.problem(0, "the header has no start in UTC")
	case h.Placement != "" && h.Placement != "local" && h.Placement != "ssh":
		v.problem(0, "the header's placement is neither local nor ssh")
	case h.Placement == "ssh" && h.Host == "":
		v.problem(0, "the header names no host")
	case h.Argv == nil:
		v.problem(0, "the header has no argv")
	}
}

// A shape is how a line is written, as far as what it decodes to does not tell.
type shape struct {
	members []member
	rules   []string // that it breaks, in words that follow "entry 7: "
}

type member struct{ name, value []byte } // as they stand in the line

// look reads the shape of a line, before decoding changes its bytes.
func (s *shape) look(line []byte) {
	*s = shape{members: s.members[:0], rules: s.rules[:0]}
	if !utf8.Valid(line) {
		s.breaks("is not UTF-8")
	}
	if !json.Valid(line) {
		s.breaks("is no JSON")
	}
	m := members{b: trimRight(line)}
	for first := true; ; first = false {
		name, ok := m.next(first)
		if !ok {
			break
		}
		s.members = append(s.members, member{name, m.skip()})
	}
	s.order()
	for _, m := range s.members {
		switch string(m.name) {
		case "eol":
			if string(m.value) == `"\n"` {
				s.breaks("gives an eol that is one newline")
			}
		case "more":
			if string(m.value) != "true" {
				s.breaks("gives a more that is not true")
			}
		case "raw":
			if loneSurrogate(m.value) {
				s.breaks("has a raw with half of a surrogate pair")
			}
		}
	}
}

func (s *shape) breaks(rule string) { s.rules = append(s.rules, rule) }

// order sees that n, t, k and seq come first, and no member twice.
func (s *shape) order() {
	for i, name := range []string{"n", "t", "k"} {
		if i >= len(s.members) || string(s.members[i].name) != name {
			s.breaks("does not begin with n, t and k")
			break
		}
	}
	if i := s.index("seq"); i > 3 {
		s.breaks("has its seq behind other members")
	}
	for i, m := range s.members {
		if s.index(string(m.name)) < i {
			s.breaks("has a member twice")
			break
		}
	}
}

// index is where the member is; -1: nowhere.
func (s *shape) index(name string) int {
	for i, m := range s.members {
		if string(m.name) == name {
			return i
		}
	}
	return -1
}

func (s *shape) has(name string) bool { return s.index(name) >= 0 }

// loneSurrogate tells whether the inside of a JSON string has half a pair.
func loneSurrogate(inside []byte) bool {
	for rest := inside; ; {
		i := bytes.IndexByte(rest, '\\')
		if i < 0 || i+1 == len(rest) {
			return false
		}
		rest = rest[i:]
		r, n := unicodeEscape(rest)
		if n == 6 && r == utf8.RuneError && !bytes.EqualFold(rest[2:6], []byte("fffd")) {
			return true
		}
		rest = rest[max(n, 2):]
	}
}

// flow is what the format says of the entries of one stream in their order.
type flow struct {
	part  bool // the last one was a part, and goes on
	ended bool // the last one was cut short by the end of the stream
}

// stream holds an entry of a stream against the format. line is as it was
// decoded: with its payload verbatim, or in other bytes.
func (v *verifier) stream(e *session.Entry, line []byte) {
	f := &v.flows[e.Kind]
	continued := f.part
	v.payload(e, line, continued)
	v.chunksOf(e)
	if e.More && e.EOL != framing.NoEOL {
		v.problem(e.N, "is a part of a line, and has an end of line")
	}
	if e.Kind == session.KindStdin {
		if v.shape.has("seq") {
			v.problem(e.N, "is stdin, and has a seq")
		}
		return
	}
	if bytes.IndexByte(e.Payload, '\n') >= 0 {
		v.problem(e.N, "holds more than one line")
	}
	if f.ended {
		v.problem(e.N, "comes after a line that the end of %s cut short", e.Kind)
	}
	f.part, f.ended = e.More, e.EOL == framing.NoEOL && !e.More
}

// payload sees that the payload stands under the name that it has to.
func (v *verifier) payload(e *session.Entry, line []byte, continued bool) {
	rep, msg := v.decoder.rep, e.Msg
	if e.Kind == session.KindStderr && rep == verbatim {
		msg = framing.Scan(e.Payload) // nobody looks for messages there, but m is m
	}
	want := represent(&session.Entry{Kind: e.Kind, Payload: e.Payload, EOL: e.EOL, More: e.More || continued, Msg: msg})
	switch {
	case rep != want && rep == verbatim && (e.More || continued):
		v.problem(e.N, "is a part of a line, and its payload is m")
	case rep != want:
		v.problem(e.N, "has its payload as %s, and it should be %s", rep, want)
	case rep == verbatim:
		from, to := bytes.Index(line, []byte(`,"m":`)), bytes.LastIndexByte(line, '}')
		if from < 0 || !bytes.Equal(line[from+len(`,"m":`):to], e.Payload) {
			v.problem(e.N, `has an m that does not stand between the first ,"m": and the last }`)
		}
	}
}

// chunksOf holds first, cuts and what belongs to them against each other.
func (v *verifier) chunksOf(e *session.Entry) {
	if v.shape.has("first") && (e.First == 0 || e.First >= e.Seq) {
		v.problem(e.N, "began in chunk %d, and was complete with chunk %d", e.First, e.Seq)
	}
	if len(e.Cuts) > 0 && e.First == 0 {
		v.problem(e.N, "has cuts and no first")
	}
	if len(e.Cuts) > framing.MaxCuts {
		v.problem(e.N, "has %d cuts; at most %d are written", len(e.Cuts), framing.MaxCuts)
	}
	last := framing.Cut{Seq: e.First}
	for _, c := range e.Cuts {
		if c.Seq <= last.Seq || c.Off < last.Off || c.Seq > e.Seq {
			v.problem(e.N, "has cuts that are not in order: chunk %d at byte %d", c.Seq, c.Off)
			break
		}
		last = c
	}
	dropped, ranged := v.shape.has("cuts_dropped"), v.shape.has("cuts_range")
	switch {
	case dropped != ranged || dropped && e.CutsDropped == 0:
		v.problem(e.N, "does not say which cuts were dropped, and how many")
	case dropped:
		var r [2]uint64
		value := v.shape.members[v.shape.index("cuts_range")].value
		if json.Unmarshal(value, &r) != nil || r != [2]uint64{last.Seq + 1, e.Seq} {
			v.problem(e.N, "dropped cuts between chunk %d and %d, and says %.50s", last.Seq+1, e.Seq, value)
		}
	case len(e.Cuts) > 0 && last.Seq != e.Seq:
		v.problem(e.N, "was complete with chunk %d, and its last cut is chunk %d", e.Seq, last.Seq)
	}
}
