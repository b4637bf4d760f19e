package filter

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// A Verdict is the result of testing a row without its message.
type Verdict uint8

// The verdicts.
const (
	No Verdict = iota
	Yes
	Unread // the message must be read
)

func verdictOf(ok bool) Verdict {
	if ok {
		return Yes
	}
	return No
}

func (v Verdict) negated() Verdict {
	switch v {
	case Yes:
		return No
	case No:
		return Yes
	}
	return Unread
}

type test interface {
	// row decides by the row if it can; index is that of the word.
	row(m *Matcher, index int, r session.Row) Verdict
	// message decides if row could not.
	message(msg *message) bool
	// contextual reports whether row depends on more than the fields that equal rows
	// share. If Matcher.rough is set, row must not use more.
	contextual() bool
}

// ownRow is for tests that depend on those fields only.
type ownRow struct{}

func (ownRow) contextual() bool { return false }

// decided is for tests that also never need the message.
type decided struct{ ownRow }

func (decided) message(*message) bool { return false }

type methodTest struct {
	decided
	part    string // in lower case
	pattern *regexp.Regexp
}

func newMethodTest(value string) methodTest {
	if pattern := wildcards(value); pattern != nil {
		return methodTest{pattern: pattern}
	}
	return methodTest{part: strings.ToLower(value)}
}

// wildcards returns the regular expression of a value with * or ?, ignoring case, else
// nil.
func wildcards(value string) *regexp.Regexp {
	if !strings.ContainsAny(value, "*?") {
		return nil
	}
	expr := regexp.QuoteMeta(value)
	expr = strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(expr)
	return regexp.MustCompile("(?is)^" + expr + "$")
}

func (t methodTest) row(m *Matcher, index int, r session.Row) Verdict {
	return verdictOf(m.method(index, r.Method, t.name))
}

func (t methodTest) name(name string) bool {
	if t.pattern != nil {
		return t.pattern.MatchString(name)
	}
	return name != "" && strings.Contains(strings.ToLower(name), t.part)
}

// idTest tests the id of a message, a number or the inside of a string.
type idTest struct {
	ownRow
	id string
}

func (t idTest) row(_ *Matcher, _ int, r session.Row) Verdict {
	switch r.Msg {
	case framing.Request, framing.Response, framing.ErrorResponse:
		if r.Kind == session.KindStdin || r.Kind == session.KindStdout {
			return Unread
		}
	}
	return No
}

func (t idTest) message(msg *message) bool {
	id := msg.id()
	return string(id) == t.id || len(id) > 1 && id[0] == '"' && string(id[1:len(id)-1]) == t.id
}

type dirTest struct {
	decided
	kind session.Kind
}

func (t dirTest) row(_ *Matcher, _ int, r session.Row) Verdict {
	return verdictOf(r.Kind == t.kind || r.Kind == session.KindStderr && t.kind == session.KindStdout)
}

type kindTest struct {
	decided
	kinds []framing.Kind
}

func (t kindTest) row(_ *Matcher, _ int, r session.Row) Verdict {
	message := r.Kind == session.KindStdin || r.Kind == session.KindStdout
	return verdictOf(message && slices.Contains(t.kinds, r.Msg))
}

type entryTest struct {
	decided
	kinds [session.KindEnd + 1]bool
}

func (t entryTest) row(_ *Matcher, _ int, r session.Row) Verdict {
	return verdictOf(r.Kind <= session.KindEnd && t.kinds[r.Kind])
}

type errorTest struct{ decided }

func (errorTest) row(_ *Matcher, _ int, r session.Row) Verdict {
	return verdictOf(r.Msg == framing.ErrorResponse || r.Msg == framing.Response && r.Flags&session.FlagError != 0)
}

type strayTest struct{ decided }

func (strayTest) row(_ *Matcher, _ int, r session.Row) Verdict { return verdictOf(IsStray(r)) }

type errTest struct{ decided }

func (errTest) row(_ *Matcher, _ int, r session.Row) Verdict { return verdictOf(IsProblem(r)) }

// IsStray reports whether a row is a line of stdout that is not a JSON-RPC message.
func IsStray(r session.Row) bool { return r.IsStray() }

// IsProblem reports whether a row has an error or a problem, for the word err. A probe
// without a response, or with a late one, is as expected.
func IsProblem(r session.Row) bool {
	if r.Flags&session.FlagProblem != 0 || IsStray(r) || r.State == session.ReqDuplicate {
		return true
	}
	if r.Flags&session.FlagProbe != 0 {
		return false
	}
	if r.Flags&session.FlagError != 0 {
		return true
	}
	if r.Kind == session.KindGap || r.Kind == session.KindFailed {
		return true
	}
	switch r.State {
	case session.ReqFailed, session.ReqTimedOut, session.ReqLost, session.ReqUnmatched:
		return true
	}
	return false
}

// latencyTest compares the server's time for a request, the same for its response.
type latencyTest struct {
	decided
	over  bool
	limit int64 // microseconds
}

func (latencyTest) contextual() bool { return true }

func (t latencyTest) row(m *Matcher, _ int, r session.Row) Verdict {
	if m.rough && r.Paired() {
		return Unread
	}
	took, ok := m.latency(r)
	return verdictOf(ok && (t.over && took > t.limit || !t.over && took < t.limit))
}

// IndexFold returns the index of lower, ASCII in lower case, in text, ignoring case, or
// -1.
func IndexFold(text, lower []byte) int {
	if len(lower) == 0 {
		return 0
	}
	first := lower[0]
	upper := first
	if first >= 'a' && first <= 'z' {
		upper -= 'a' - 'A'
	}
	for at := 0; at+len(lower) <= len(text); at++ {
		i := indexEither(text[at:len(text)-len(lower)+1], first, upper)
		if i < 0 {
			return -1
		}
		if at += i; equalFold(text[at:at+len(lower)], lower) {
			return at
		}
	}
	return -1
}

func indexEither(text []byte, a, b byte) int {
	i := bytes.IndexByte(text, a)
	if a == b || i == 0 {
		return i
	}
	if i > 0 {
		text = text[:i]
	}
	if j := bytes.IndexByte(text, b); j >= 0 {
		return j
	}
	return i
}

func equalFold(text, lower []byte) bool {
	for i, c := range text {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
