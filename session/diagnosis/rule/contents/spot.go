package contents

import (
	"bytes"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

// A spot is a place in a message. It is only valid during the call of the checker.
type spot struct {
	report   message.Report
	at       message.Place
	revision string   // "" if it is unknown
	method   string   // of the request that the message answers
	sent     []byte   // the method of any other message
	name     string   // of the item that path begins in
	path     []string // parts of a JSON Pointer, each with its slash
	hasMeta  bool     // the message may have a _meta member
}

// maxMethod is the longest method that a location names, in bytes.
const maxMethod = 100

// begin moves the spot of the checker to a message. method is that of the request that
// it answers.
func (c *Checker) begin(m *message.Message, method string) *spot {
	s := &c.spot
	*s = spot{report: c.report, at: m.At, method: method, sent: m.Of(m.Method), path: s.path[:0], hasMeta: mentionsMeta(m.Bytes)}
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

// since reports whether the revision is known, and a given one or a later one.
func (s *spot) since(revision string) bool { return s.revision >= revision }

// before reports whether the revision is known, and before a given one.
func (s *spot) before(revision string) bool { return s.revision != "" && s.revision < revision }

// modern reports whether the message is of the modern era.
func (s *spot) modern() bool { return s.since(mcp.V20260728) }

// enter goes to a member, or to several as in "/content/*".
func (s *spot) enter(part string) { s.path = append(s.path, part) }

// leave goes back to the enclosing value.
func (s *spot) leave() { s.path = s.path[:len(s.path)-1] }

// each checks the elements of an array of objects. part is its pointer with "/*".
func (s *spot) each(part string, array []byte, check func(object []byte)) {
	if !isArray(array) {
		return
	}
	s.enter(part)
	defer s.leave()
	for at := range framing.Elements(array) {
		if element := at.Of(array); isObject(element) {
			check(element)
		}
	}
}

// found reports a problem at a member of the current value; "" is the value itself.
func (s *spot) found(rule *diagnosis.Rule, member, detail string) {
	s.foundAs(rule, rule.Severity, member, detail)
}

// foundAs reports a problem with a severity other than that of its rule.
func (s *spot) foundAs(rule *diagnosis.Rule, severity diagnosis.Severity, member, detail string) {
	method := s.method
	if method == "" {
		method = string(s.sent)
	}
	where := diagnosis.Location{Method: method[:min(len(method), maxMethod)], Name: s.name, Pointer: strings.Join(s.path, "") + member}
	s.report(rule, severity, s.at, where, detail)
}
