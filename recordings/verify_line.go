package recordings

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"mcpdbg/framing"
	"mcpdbg/session"
)

var ulid = pattern(`^[0-7][0-9A-HJKMNP-TV-Z]{25}$`)

func (v *verifier) header(h session.Header) {
	switch {
	case h.Redacted == nil && !ulid().MatchString(h.ID):
		v.problem(0, "the header's id is not a ULID")
	case h.Start.IsZero() || h.Start.Location() != time.UTC:
		v.problem(0, "the header has no start time in UTC")
	case !slices.Contains([]string{"", "local", "ssh", session.PlacementExecServer}, h.Placement):
		v.problem(0, "the header's placement is not local, ssh or exec-server")
	case (h.Placement == session.PlacementExecServer) != (h.ExecServer != ""):
		v.problem(0, "the header's placement and exec_server do not match")
	case h.Placement == "ssh" && h.Host == "":
		v.problem(0, "the header has no host")
	case h.Mode != "" && h.Mode != session.ModeTap:
		v.problem(0, "the header's mode is not tap")
	case h.Argv == nil:
		v.problem(0, "the header has no argv")
	}
}

// A lineCheck is what can be found out without the lines before it.
type lineCheck struct {
	data      []byte // its payload is unescaped in place unless it is verbatim
	off, size int64  // size is larger than data if the line is too long
	entry     session.Entry
	bad       bool // the line is not an entry
	rep       representation
	// one message of a stream in its usual form, which violates no rule: shape is empty
	plain bool
	shape shape
}

func (b *lineBlock) check() {
	b.decoder.rows = false
	b.checks = b.checks[:0]
	b.each(b.checkLine)
	b.warnings.UnknownKeys, b.decoder.unknown = b.decoder.unknown, 0
}

func (b *lineBlock) checkLine(data []byte, off, size int64) {
	b.checks = append(b.checks, lineCheck{data: data, off: off, size: size})
	if size > int64(len(data)) {
		return
	}
	c, d := &b.checks[len(b.checks)-1], &b.decoder
	if c.plain = d.plainLine(&c.entry, data); !c.plain {
		c.shape.look(data)
		c.entry = session.Entry{}
		c.bad = d.into(&c.entry, data) != nil
		c.entry.Body = bytes.Clone(c.entry.Body) // it belongs to the decoder
	}
	c.rep = d.rep
	c.entry.DetectToolError()
}

// plainLine decodes a line if it is plain, without changing it.
func (d *decoder) plainLine(e *session.Entry, line []byte) bool {
	d.reset(line)
	return d.usual(e) && d.plain && d.payload(e) == nil && e.Msg.Verbatim && len(e.Payload)+len("}") == len(d.b)-d.i
}

// A shape is the syntax of a line that its decoded entry does not show.
type shape struct {
	members []member
	rules   []string // violated, worded to follow "entry 7: "
}

type member struct{ name, value []byte } // verbatim

// look must be called before decoding changes the bytes.
func (s *shape) look(line []byte) {
	if !utf8.Valid(line) {
		s.breaks("is not UTF-8")
	}
	if !json.Valid(line) {
		s.breaks("is not valid JSON")
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
				s.breaks("has an eol that is a single newline")
			}
		case "more":
			if string(m.value) != "true" {
				s.breaks("has a more that is not true")
			}
		case "raw":
			if loneSurrogate(m.value) {
				s.breaks("has a raw with half of a surrogate pair")
			}
		}
	}
}

func (s *shape) breaks(rule string) { s.rules = append(s.rules, rule) }

// order checks that n, t, k and seq come first, and that no member is repeated.
func (s *shape) order() {
	for i, name := range []string{"n", "t", "k"} {
		if i >= len(s.members) || string(s.members[i].name) != name {
			s.breaks("does not begin with n, t and k")
			break
		}
	}
	if i := s.index("seq"); i > 3 {
		s.breaks("has seq after other members")
	}
	for i, m := range s.members {
		if s.index(string(m.name)) < i {
			s.breaks("has a duplicate member")
			break
		}
	}
}

// index returns -1 without the member.
func (s *shape) index(name string) int {
	for i, m := range s.members {
		if string(m.name) == name {
			return i
		}
	}
	return -1
}

func (s *shape) has(name string) bool { return s.index(name) >= 0 }

// loneSurrogate reports whether the inside of a JSON string has half a surrogate pair.
func loneSurrogate(inside []byte) bool {
	for rest := inside; ; {
		i := bytes.IndexByte(rest, '\\')
		if i < 0 || i+1 == len(rest) {
			return false
		}
		rest = rest[i:]
		r, n := framing.Escape(rest)
		if utf16.IsSurrogate(r) {
			return true
		}
		rest = rest[max(n, 2):]
	}
}

// A flow is the state of a stream for checking its entries in order.
type flow struct {
	part  bool // the last entry was a part of a line that continues
	ended bool // the last entry was cut short by the end of the stream
}

func (v *verifier) stream(e *session.Entry) {
	f := &v.flows[e.Kind]
	if continued := f.part; continued || !v.current.plain {
		v.payload(e, continued)
		v.chunksOf(e)
	}
	if e.More && e.EOL != framing.NoEOL {
		v.problem(e.N, "is a part of a line, but has a line ending")
	}
	if e.Kind == session.KindStdin && v.report.Header.Mode != session.ModeTap {
		if e.Seq != 0 || v.current.shape.has("seq") {
			v.problem(e.N, "stdin entry with a seq")
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

func (v *verifier) payload(e *session.Entry, continued bool) {
	line, rep, msg := v.current.data, v.current.rep, e.Msg
	if e.Kind == session.KindStderr && rep == verbatim {
		msg = framing.Scan(e.Payload) // stderr is not scanned for messages, but m must be one
	}
	want := represent(&session.Entry{Kind: e.Kind, Payload: e.Payload, EOL: e.EOL, More: e.More || continued, Msg: msg})
	switch {
	case rep != want && rep == verbatim && (e.More || continued):
		v.problem(e.N, "is a part of a line, but its payload is m")
	case rep != want:
		v.problem(e.N, "has its payload as %s instead of %s", rep, want)
	case rep == verbatim:
		from, to := bytes.Index(line, []byte(`,"m":`)), bytes.LastIndexByte(line, '}')
		if from < 0 || !bytes.Equal(line[from+len(`,"m":`):to], e.Payload) {
			v.problem(e.N, `has an m that is not between the first ,"m": and the last }`)
		}
	}
}

func (v *verifier) chunksOf(e *session.Entry) {
	if v.current.shape.has("first") && (e.First == 0 || e.First >= e.Seq) {
		v.problem(e.N, "begins in chunk %d, but ends in chunk %d", e.First, e.Seq)
	}
	if len(e.Cuts) > 0 && e.First == 0 {
		v.problem(e.N, "has cuts but no first")
	}
	if len(e.Cuts) > framing.MaxCuts {
		v.problem(e.N, "has %d cuts; the limit is %d", len(e.Cuts), framing.MaxCuts)
	}
	last := framing.Cut{Seq: e.First}
	for _, c := range e.Cuts {
		if c.Seq <= last.Seq || c.Off < last.Off || c.Seq > e.Seq {
			v.problem(e.N, "has cuts out of order: chunk %d at byte %d", c.Seq, c.Off)
			break
		}
		last = c
	}
	dropped, ranged := v.current.shape.has("cuts_dropped"), v.current.shape.has("cuts_range")
	switch {
	case dropped != ranged || dropped && e.CutsDropped == 0:
		v.problem(e.N, "has cuts_dropped or cuts_range missing or zero")
	case dropped:
		var r [2]uint64
		value := v.current.shape.members[v.current.shape.index("cuts_range")].value
		if json.Unmarshal(value, &r) != nil || r != [2]uint64{last.Seq + 1, e.Seq} {
			v.problem(e.N, "dropped the cuts of chunks %d to %d, but cuts_range is %.50s", last.Seq+1, e.Seq, value)
		}
	case len(e.Cuts) > 0 && last.Seq != e.Seq:
		v.problem(e.N, "ends in chunk %d, but its last cut is chunk %d", e.Seq, last.Seq)
	}
}
