package digest

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
)

const (
	// fewApart is how many calls must have failed and how many succeeded to be compared. If
	// manyFine succeeded, fewer calls that failed are compared, except for moments and limits.
	fewApart, manyFine = 5, 20
	// maxSets tools are known, counted for each message of failures and for the calls that
	// succeeded; maxArguments of each, and maxValues of each of those.
	maxSets, maxArguments, maxValues = 1000, 30, 16
	// maxValue is the longest value of an argument that is compared, in bytes.
	maxValue = 40
)

// A callSet is some calls of a tool.
type callSet struct {
	calls       int
	unread      bool  // not all arguments are known
	unsure      bool  // others may have succeeded: they are tasks, or their responses are unreadable
	mixed       bool  // others may have succeeded between them
	first, last int64 // when they were sent
	firstEntry  uint64
	lastEntry   uint64
	arguments   map[string]*values
}

// values are those of one argument.
type values struct {
	calls, numbers int // that have it, and as a number
	min, max       number
	divisor        int64    // the greatest common one, 1 if not all are integers; 0 without numbers
	some           []int64  // different numbers
	others         []string // JSON, sorted
	more           bool     // there are others that are not known
}

// argumentsOf returns the arguments of a call, as JSON: nil if they are not known. It reports
// whether the call is to be a task, whose result comes later.
func argumentsOf(e *session.Entry) (arguments []byte, task bool) {
	if e.Cut {
		return nil, false
	}
	arguments = []byte("{}")
	for name, value := range members(e.Msg.Params.Of(e.Payload)) {
		switch string(name) {
		case "arguments":
			arguments = value
		case "task":
			task = true
		}
	}
	return arguments, task
}

// members yields the name and the value of each member of an object that is valid JSON.
func members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		c := framing.Cursor{Data: object}
		for ok := c.Accept('{'); ok && c.Item(); {
			name := c.Name()
			if !yield(name, c.Value()) {
				return
			}
		}
	}
}

// setOf returns the calls of a tool, nil if there is no room for another one.
func setOf(all map[string]*callSet, tool string, room *int) *callSet {
	s := all[tool]
	if s == nil && *room > 0 {
		*room--
		s = &callSet{}
		all[tool] = s
	}
	return s
}

// add adds a call sent with an entry at a time, with its arguments; nil if they are not
// known.
func (s *callSet) add(t int64, entry uint64, arguments []byte) {
	s.begin(t, entry)
	s.end(t, entry)
	s.calls++
	s.unread = s.unread || arguments == nil
	for name, text := range members(arguments) {
		v := s.arguments[string(name)]
		if v == nil {
			if len(s.arguments) == maxArguments || len(name) > maxValue {
				s.unread = true
				continue
			}
			v = &values{}
			s.arguments[string(name)] = v
		}
		v.add(text)
	}
}

// addAmong adds a call that did not succeed, given those of its tool that were sent so far and
// did.
func (s *callSet) addAmong(fine *callSet, t int64, entry uint64, arguments []byte) {
	s.mixed = s.mixed || s.calls > 0 && (t < s.last || fine != nil && fine.last >= s.last)
	s.add(t, entry, arguments)
}

// begin keeps the first call of all, which are added in the order of their responses.
func (s *callSet) begin(t int64, entry uint64) {
	if s.calls == 0 {
		s.arguments = map[string]*values{}
	}
	if s.calls == 0 || t < s.first || t == s.first && entry < s.firstEntry {
		s.first, s.firstEntry = t, entry
	}
}

func (s *callSet) end(t int64, entry uint64) {
	if s.calls == 0 || t >= s.last {
		s.last, s.lastEntry = t, entry
	}
}

func (v *values) add(text []byte) {
	v.calls++
	if first := text[0]; (first == '-' || first >= '0' && first <= '9') && len(text) <= maxValue {
		if n, err := strconv.ParseFloat(string(text), 64); err == nil {
			v.divide(text)
			if v.numbers > 0 && n > v.min.value && n < v.max.value {
				v.numbers++
				return
			}
			one := number{n, string(text)}
			v.number(one, one, 1)
			return
		}
	}
	if !v.more {
		v.other(string(text[:min(len(text), maxValue+1)]))
	}
}

// divide adds a number to the common divisor.
func (v *values) divide(text []byte) {
	if v.divisor == 1 {
		return
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || n == math.MinInt64 {
		v.divisor = 1
		return
	}
	v.divisor = gcd(max(n, -n), v.divisor)
	if len(v.some) < maxValues && !slices.Contains(v.some, n) {
		v.some = append(v.some, n)
	}
}

func (v *values) number(least, most number, calls int) {
	if v.numbers == 0 || least.less(v.min) {
		v.min = least
	}
	if v.numbers == 0 || v.max.less(most) {
		v.max = most
	}
	v.numbers += calls
}

func (v *values) other(text string) {
	at, known := slices.BinarySearch(v.others, text)
	switch {
	case known:
	case len(text) > maxValue || len(v.others) == maxValues:
		v.more = true
	default:
		v.others = slices.Insert(v.others, at, text)
	}
}

// merge adds the calls of another set.
func (s *callSet) merge(o *callSet) {
	s.unsure = s.unsure || o.unsure
	if o.calls == 0 {
		return
	}
	s.mixed = o.mixed || s.calls > 0 // each set knows only calls of its own tool
	s.begin(o.first, o.firstEntry)
	s.end(o.last, o.lastEntry)
	s.calls, s.unread = s.calls+o.calls, s.unread || o.unread
	for name, from := range o.arguments {
		v := s.arguments[name]
		if v == nil {
			v = &values{}
			s.arguments[name] = v
		}
		v.calls, v.more = v.calls+from.calls, v.more || from.more
		if from.numbers > 0 {
			v.number(from.min, from.max, from.numbers)
		}
		for _, text := range from.others {
			v.other(text)
		}
	}
}

func (s *callSet) comparable(o *callSet) bool {
	return s.calls >= fewApart && o.calls >= fewApart && !o.unsure
}

// apart describes what all of some failed calls have, and no call that succeeded has. of
// names their tools.
func apart(failed, fine *callSet, of string) (all []string) {
	few := failed.calls < fewApart
	if !failed.comparable(fine) && (!few || failed.calls == 0 || fine.calls < manyFine || fine.unsure) {
		return nil
	}
	switch {
	case few:
	case failed.first > fine.last:
		all = append(all, fmt.Sprintf("no call%s from entry %d (%s) on succeeded", of, failed.firstEntry, wording.Took(failed.first)))
	case failed.last < fine.first:
		all = append(all, fmt.Sprintf("no call%s before the last of these succeeded", of))
	case !failed.mixed && fine.first < failed.first && failed.last < fine.last:
		all = append(all, fmt.Sprintf("no call%s from entry %d (%s) to entry %d (%s) succeeded; earlier and later ones did",
			of, failed.firstEntry, wording.Took(failed.first), failed.lastEntry, wording.Took(failed.last)))
	}
	if failed.unread || fine.unread {
		return all
	}
	for _, name := range slices.Sorted(maps.Keys(failed.arguments)) {
		other := fine.arguments[name]
		if other == nil {
			other = &values{}
		}
		if text := failed.arguments[name].apart(name, other, failed.calls, fine.calls); text != "" {
			all = append(all, text)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fine.arguments)) {
		if failed.arguments[name] == nil && fine.arguments[name].calls == fine.calls {
			all = append(all, fmt.Sprintf("only without the argument %s; every call that succeeded has it", name))
		}
	}
	return all
}

// apart describes an argument of failed calls, "" if calls that succeeded have the like.
func (v *values) apart(name string, fine *values, failedCalls, fineCalls int) string {
	if v.calls < failedCalls {
		return ""
	}
	numbers := failedCalls >= fewApart && v.numbers == failedCalls && fine.numbers >= fewApart && fine.numbers == fine.calls
	switch {
	case fine.calls == 0:
		return fmt.Sprintf("only with the argument %s; no call that succeeded has it", name)
	case numbers && fine.max.less(v.min):
		return fmt.Sprintf("only for %s from %s, where no call succeeded; calls up to %s did", name, v.min.text, fine.max.text)
	case numbers && v.max.less(fine.min):
		return fmt.Sprintf("only for %s up to %s, where no call succeeded; calls from %s did", name, v.max.text, fine.min.text)
	case v.numbers == 0 && len(v.others) == 1 && !v.more && !fine.more && !slices.Contains(fine.others, v.others[0]) && fine.calls == fineCalls:
		return fmt.Sprintf("only for %s=%s, with which no call succeeded", name, v.others[0])
	}
	return ""
}

// compare describes how calls differ from those of the same tools that succeeded, both by
// tool, unless there are more than those known. Without a difference it says so, if that is
// wanted.
func compare(calls, succeeded map[string]*callSet, count int, orNone bool) (all []string) {
	failed, fine, of := &callSet{}, &callSet{}, " of these tools"
	for tool, s := range calls {
		if len(calls) == 1 {
			of = wording.IfAny(" of ", wording.Clip(tool, maxValue, wording.Ellipsis))
		}
		failed.merge(s)
		if other := succeeded[tool]; other != nil {
			fine.merge(other)
		}
	}
	if failed.calls != count {
		return nil
	}
	all = apart(failed, fine, of)
	if len(calls) > 1 && len(all) == 0 {
		for _, tool := range slices.Sorted(maps.Keys(calls)) {
			if other := succeeded[tool]; other != nil {
				for _, text := range apart(calls[tool], other, "") {
					all = append(all, tool+": "+text)
				}
			}
		}
	}
	if len(all) == 0 && orNone && failed.comparable(fine) && !failed.unread && !fine.unread {
		all = append(all, "no moment, limit of a number or short text of one argument was found that only these calls have")
	}
	return all[:min(len(all), maxEvidence)]
}
