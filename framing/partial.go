package framing

import "bytes"

// maxTail is how many bytes at the end of a line a Partial looks at.
const maxTail = 4 << 10

// A Partial finds out to which request a line responds that can't be read as a whole,
// because it comes in parts or is nested too deep. It parses the first part as far as
// that goes, and the last 4 KiB of the line from its end. It never takes a member of an
// inner object for one of the message, if the line is a message.
//
// The zero Partial is ready for the first part. Its members are exported so that they
// can be stored.
type Partial struct {
	Begun  bool   // a part was added
	Found  bool   // the response is known
	Kind   Kind   // Response or ErrorResponse, once that is known
	ID     []byte // raw, once it is known
	Other  bool   // the line is something else
	Ending []byte // the last bytes so far
}

// Add takes the next part of the line; ended says that the line ends with it. It reports
// whether the part shows to which request the line responds: see ID and Kind.
func (p *Partial) Add(part []byte, ended bool) bool {
	if p.Found || p.Other {
		return false
	}
	if !p.Begun {
		p.Begun = true
		p.apply(partialHead(part))
	}
	if !p.known() {
		p.Ending = append(p.Ending, part[max(0, len(part)-maxTail):]...)
		if over := len(p.Ending) - maxTail; over > 0 {
			p.Ending = append(p.Ending[:0], p.Ending[over:]...)
		}
	}
	if ended && !p.known() {
		p.apply(partialTail(p.Ending))
	}
	if p.Found = p.known(); p.Found {
		p.Ending = nil
	}
	return p.Found
}

// known reports whether the line is a response with a known id.
func (p *Partial) known() bool {
	return !p.Other && len(p.ID) > 0 && (p.Kind == Response || p.Kind == ErrorResponse)
}

// apply applies what a piece of the line shows.
func (p *Partial) apply(id []byte, kind Kind) {
	if p.Kind == NotJSON {
		p.Kind = kind
	}
	if len(p.ID) == 0 && string(id) != "null" {
		p.ID = bytes.Clone(id)
	}
	p.Other = kind == Request || kind == Notification || kind == Other || id != nil && !bytes.Equal(id, p.ID)
}

// partialHead returns the id in the beginning of a message, nil if there is none, and its
// kind: NotJSON if that is not known, Other if it is not a message. It reads no further
// than it has to.
func partialHead(head []byte) (id []byte, kind Kind) {
	if beyondSpans(head) {
		return nil, NotJSON
	}
	var stack [(MaxDepth + 63) / 64]uint64
	s := scanner{line: head, stack: stack[:]}
	i := s.space(0)
	if i >= len(head) || head[i] != '{' {
		return nil, Other
	}
	var m Message
	for more := true; more; {
		if i, more = s.partialMember(s.space(i+1), &m); i < 0 {
			return nil, Other
		}
	}
	return m.ID.Of(head), m.partialKind()
}

// partialMember reads the next member of the line's outermost object, which may be cut,
// and returns the offset after it. The offset is -1 if the line is not a message, and
// more is false if nothing more is to be read.
func (s *scanner) partialMember(i int, m *Message) (next int, more bool) {
	b := s.line
	nameEnd, at := s.key(i)
	if at < 0 || at >= len(b) {
		return s.cut(at), false
	}
	field := m.member(b[i+1 : nameEnd-1])
	if field != nil && field != &m.ID { // its name suffices
		*field = Span{uint32(at), uint32(at + 1)}
	}
	if m.ID != (Span{}) && m.kind() != Other {
		return at, false
	}
	end := s.value(at, 1)
	if end < 0 || end == len(b) { // a number may go on
		return s.cut(end), false
	}
	if field == &m.ID {
		*field = Span{uint32(at), uint32(end)}
	}
	if end = s.space(end); end < len(b) && b[end] != ',' && b[end] != '}' {
		return -1, false
	}
	return end, end < len(b) && b[end] == ','
}

// cut returns the end of the line if what ends at i, -1 if it is malformed, is only cut
// there or nested too deep, and else -1.
func (s *scanner) cut(i int) int {
	if i < 0 && s.bad < len(s.line) && s.found&ProblemTooDeep == 0 {
		return -1
	}
	return len(s.line)
}

// NotJSON if the known members do not decide the kind.
func (m *Message) partialKind() Kind {
	if kind := m.kind(); kind != Other {
		return kind
	}
	return NotJSON
}

// partialTail is partialHead for the end of a message: it reads the last members that are
// whole.
func partialTail(tail []byte) (id []byte, kind Kind) {
	at := lastMembers(tail)
	if at < 0 {
		return nil, NotJSON
	}
	object := append([]byte{'{'}, tail[at:]...)
	m := Scan(object)
	if !m.Valid() {
		return nil, NotJSON
	}
	return m.ID.Of(object), m.partialKind()
}
