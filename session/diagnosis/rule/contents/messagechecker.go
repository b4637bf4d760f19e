package contents

import (
	"bytes"
	"strconv"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

// A messageChecker is at a place in a message. It is only valid during the call of the checker.
type messageChecker struct {
	report   message.Report
	at       message.Place
	revision string // "" if it is unknown
	method   string // of the request that the message answers
	sent     []byte // the method of any other message
	name     string // of the item that path begins in
	path     []step
	hasMeta  bool // the message may have a _meta member
}

// A step is a part of the path to a value: to a member, or to an item of an array or a
// dictionary.
type step struct {
	of    kind
	part  string // of a JSON Pointer, with its slash; the key of an item of a dictionary
	index int    // of an item of an array
}

type kind uint8

const (
	member kind = iota
	element
	entry
)

// maxMethod is the longest method that a location names, in bytes.
const maxMethod = 100

// begin prepares the checks of a message. method is that of the request that
// it answers.
func (c *Checker) begin(m *message.Message, method string) *messageChecker {
	s := &c.checking
	*s = messageChecker{report: c.report, at: m.At, method: method, sent: m.Of(m.Method), path: s.path[:0], hasMeta: mentionsMeta(m.Bytes)}
	if m.Revision != c.revision && (mcp.IsLegacy(m.Revision) || mcp.IsModern(m.Revision)) {
		c.revision = m.Revision
	}
	if m.Revision == c.revision {
		s.revision = m.Revision
	}
	return s
}

// mentionsMeta reports whether a text may have a _meta member. It searches from the
// underscore on: messages have many quotes, and searching for one takes six times as long.
func mentionsMeta(text []byte) bool { return bytes.Contains(text, []byte(`_meta"`)) }

func (s *messageChecker) since(revision string) bool { return s.revision >= revision }

func (s *messageChecker) before(revision string) bool {
	return s.revision != "" && s.revision < revision
}

func (s *messageChecker) modern() bool { return s.since(mcp.V20260728) }

func (s *messageChecker) enter(part string) { s.path = append(s.path, step{part: part}) }

func (s *messageChecker) enterItem(index int) {
	s.path = append(s.path, step{of: element, index: index})
}

func (s *messageChecker) enterKey(key string) { s.path = append(s.path, step{of: entry, part: key}) }

func (s *messageChecker) leave() { s.path = s.path[:len(s.path)-1] }

// each checks the objects in the array at a member, whose part of the path is given; ""
// is the current value.
func (s *messageChecker) each(part string, array []byte, check func(object []byte)) {
	if !isArray(array) {
		return
	}
	s.enter(part)
	defer s.leave()
	index := 0
	for element := range message.Elements(array) {
		if isObject(element) {
			s.enterItem(index)
			check(element)
			s.leave()
		}
		index++
	}
}

// found reports a problem at a member of the current value; "" is the value itself. The
// member may have indexes of arrays.
func (s *messageChecker) found(rule *diagnosis.Rule, member, detail string) {
	s.foundAs(rule, rule.Severity, member, detail)
}

// foundAs reports a problem with a severity other than that of its rule.
func (s *messageChecker) foundAs(rule *diagnosis.Rule, severity diagnosis.Severity, member, detail string) {
	method := s.method
	if method == "" {
		method = string(s.sent)
	}
	where := diagnosis.Location{Method: method[:min(len(method), maxMethod)], Name: s.name}
	where.Pointer, where.At = s.pointers(member)
	s.report(rule, severity, s.at, where, detail)
}

// pointers returns the JSON Pointer to a member of the current value with * for every
// item, and the one with indexes and keys, "" if there are none. last is as in found.
func (s *messageChecker) pointers(last string) (pointer, at string) {
	var general, exact strings.Builder
	for _, step := range s.path {
		switch step.of {
		case member:
			general.WriteString(step.part)
			exact.WriteString(step.part)
			continue
		case entry:
			exact.WriteString("/" + wording.EscapePointer(clip(step.part)))
		case element:
			exact.WriteString("/" + strconv.Itoa(step.index))
		}
		general.WriteString("/*")
	}
	pointer, at = general.String()+generalize(last), exact.String()+clip(last)
	if pointer == at {
		at = ""
	}
	return pointer, at
}

// generalize replaces the indexes in a JSON Pointer by *, and cuts it.
func generalize(pointer string) string {
	parts := strings.Split(pointer, "/")
	for i, part := range parts {
		if part != "" && strings.Trim(part, "0123456789") == "" {
			parts[i] = "*"
		}
	}
	return clip(strings.Join(parts, "/"))
}
