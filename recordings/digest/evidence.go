package digest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"mcpdbg/internal/wording"
	"mcpdbg/session/mcp"
)

const (
	// fewEcho is how many failures must repeat an argument.
	fewEcho = 3
	// maxEvidence is how many statements a failure has.
	maxEvidence = 4
	// maxQuoted of a line on stderr is quoted, in bytes.
	maxQuoted = 100
)

// evidence collects what the failures with one message have in common.
type evidence struct {
	calls map[string]*callSet // by tool
	// numbers has one element for each number in the messages.
	numbers []echo
	// sooner and later count the responses that came long before the time that their
	// message names, and those that came no sooner.
	sooner, later int
	named         string       // the time that the first one names
	took          int64        // by that call
	entry         uint64       // of that call
	lines         []stderrLine // that all have
	watched       bool         // lines are those of the first calls
	claimed       []string
}

// An echo is a number in the messages of failures.
type echo struct {
	first  string
	entry  uint64 // of that call
	varies bool
	names  []string // arguments that had this value in all calls
}

// add adds a failed call, given its arguments, nil if they are not known, and the time until
// its response. fine are the calls of its tool that were sent before that and succeeded. room is how many more tools can be added.
func (v *evidence) add(message string, c *Call, arguments []byte, took int64, fine *callSet, room *int) {
	if v.calls == nil {
		v.calls = map[string]*callSet{}
	}
	if c.Method == mcp.MethodToolsCall && c.From == "client" {
		if s := setOf(v.calls, c.Tool, room); s != nil {
			s.addAmong(fine, c.T, c.N, arguments)
		}
	}
	v.addNumbers(message, c.N, arguments)
	us, text := namedTime(message)
	switch {
	case us == 0:
	case us > 2*took:
		if v.sooner == 0 {
			v.named, v.took, v.entry = text, took, c.N
		}
		v.sooner++
	case us <= took:
		if v.later == 0 {
			v.named, v.took = text, took
		}
		v.later++
	}
}

// addNumbers compares the words with digits, in which messages of a group may differ.
func (v *evidence) addNumbers(message string, entry uint64, arguments []byte) {
	_, rest := splitCode(message)
	at, isFirst := 0, v.numbers == nil
	for word := range words(rest) {
		if strings.IndexFunc(word, unicode.IsDigit) < 0 {
			continue
		}
		names := numbersOf(arguments, word)
		switch {
		case isFirst:
			v.numbers = append(v.numbers, echo{first: word, entry: entry, names: names})
		case at < len(v.numbers):
			e := &v.numbers[at]
			e.varies = e.varies || word != e.first
			e.names = slices.DeleteFunc(e.names, func(name string) bool { return !slices.Contains(names, name) })
		}
		at++
	}
}

// numbersOf returns the names of the arguments that are this number.
func numbersOf(arguments []byte, number string) (names []string) {
	for name, value := range members(arguments) {
		if string(value) == number && len(name) <= maxValue {
			names = append(names, string(name))
		}
	}
	return names
}

var (
	// ranOut matches texts that say that a time ran out, unlike those that say which one to
	// wait or to use.
	ranOut = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)time[d -]*out|deadline|waited|gave up|no (?:response|reply|answer|data)`)
	})
	decimal    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9][.,][0-9]`) })
	advised    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)retry|again|must|should|invalid`) })
	timeInText = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:^|[^\w.])(([0-9]+(?:\.[0-9]+)?) ?(?:(ms|milliseconds?)|(s|secs?|seconds?)|min|minutes?))\b`)
	})
)

// namedTime returns the time of which a message says that it ran out, in microseconds and as
// its text, 0 if it does not name one.
func namedTime(message string) (us int64, text string) {
	m := timeInText().FindStringSubmatch(message)
	if m == nil || !ranOut().MatchString(message) || advised().MatchString(message) {
		return 0, ""
	}
	unit := 60e6
	switch {
	case m[3] != "":
		unit = 1e3
	case m[4] != "":
		unit = 1e6
	}
	n, err := strconv.ParseFloat(m[2], 64)
	if err != nil || n*unit > 1e15 {
		return 0, ""
	}
	return int64(n * unit), m[1]
}

// state describes the evidence of a failure, given the calls that succeeded, by tool; nil if
// those are not known.
func (f *Failure) state(succeeded map[string]*callSet) (all []string) {
	v := &f.evidence
	switch {
	case v.sooner == f.Count && f.Count == 1:
		all = append(all, fmt.Sprintf("the message names %s; the response came after %s", v.named, wording.Took(v.took)))
	case v.sooner == f.Count:
		all = append(all, fmt.Sprintf("the message names %s; the response came after %s (entry %d; in all %d it came sooner than named)", v.named, wording.Took(v.took), v.entry, f.Count))
	case v.later == f.Count:
		text := "the response came no sooner than the message names: "
		if f.Count > 1 {
			text = fmt.Sprintf("all %d responses came no sooner than their messages name, such as ", f.Count)
		}
		all = append(all, fmt.Sprintf("%s%s, after %s", text, v.named, wording.Took(v.took)))
	}
	for i, e := range v.numbers {
		if f.Count < fewEcho || !e.varies || len(e.names) == 0 {
			continue
		}
		article, number, before := "the", "number", 0
		for _, other := range v.numbers[:i] {
			if strings.Trim(other.first, "0123456789") == "" {
				before++
			}
		}
		switch {
		case decimal().MatchString(f.same): // two of v.numbers
			article = "a"
		case len(v.numbers) > 1:
			number = wording.Ordinal(before+1) + " number"
		}
		text := fmt.Sprintf("%s %s in the message is always the argument %s (%s in entry %d)", article, number, wording.List(e.names), e.first, e.entry)
		all = append(all, text+e.larger(v.calls, succeeded))
	}
	all = append(all, v.claimed...)
	if succeeded != nil {
		all = append(all, compare(v.calls, succeeded, f.Count, len(all) == 0)...)
	}
	return all[:min(len(all), maxEvidence)]
}

// larger states that calls of the only tool succeeded with a larger number than the first one
// that failed, "" if none did or that is not known.
func (e *echo) larger(calls, succeeded map[string]*callSet) string {
	value, err := strconv.ParseFloat(e.first, 64)
	if err != nil || len(e.names) != 1 || len(calls) != 1 {
		return ""
	}
	first := number{value, e.first}
	most := first
	for tool := range calls {
		if s := succeeded[tool]; s != nil && !s.unsure {
			if v := s.arguments[e.names[0]]; v != nil && v.numbers > 0 {
				if most.less(v.max) {
					most = v.max
				}
			}
		}
	}
	if most == first {
		return ""
	}
	return fmt.Sprintf("; a larger %s succeeded, too (up to %s)", e.names[0], most.text)
}
