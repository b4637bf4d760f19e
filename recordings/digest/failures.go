package digest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/session/summary"
)

const (
	// maxMessages is how many different messages of failures are counted.
	maxMessages = 1000
	// listedCalls is how many calls of a failure are described, and listedTools how many
	// tools are counted.
	listedCalls = 3
	listedTools = 20
)

// Failures are the error responses and results with isError of a log.
type Failures struct {
	Groups []Failure // the most frequent first
	More   int       // failures with further messages
}

// Of returns the number of the group of a message, from 1; 0 if there is none.
func (f *Failures) Of(message string) int {
	key := withoutNumbers(message)
	return 1 + slices.IndexFunc(f.Groups, func(g Failure) bool { return g.key == key })
}

// First returns the failed call that was sent first, and the number of its group; 0 if there
// is none.
func (f *Failures) First() (number int, first *Call) {
	for i := range f.Groups {
		if c := &f.Groups[i].Calls[0]; first == nil || c.Row < first.Row {
			number, first = i+1, c
		}
	}
	return number, first
}

// Count returns the number of failures.
func (f *Failures) Count() int {
	n := f.More
	for i := range f.Groups {
		n += f.Groups[i].Count
	}
	return n
}

// A Failure is the failures with one message.
type Failure struct {
	// Message is as rows show it. Numbers in which the failures differ are replaced by an
	// ellipsis.
	Message string      `json:"message"`
	Count   int         `json:"count"`
	Tools   []ToolCount `json:"tools"`                // the most frequent first
	More    int         `json:"more_tools,omitempty"` // failures of tools that Tools does not name
	Calls   []Call      `json:"calls"`                // the first ones
	Last    uint64      `json:"last_n"`               // number of the last call
	// Evidence is statements about the failures that hold for all of them.
	Evidence []string `json:"evidence,omitempty"`

	last     int // its row
	same     string
	key      string
	evidence evidence
}

// Varies reports whether the messages differ in numbers.
func (f *Failure) Varies() bool { return f.Message != f.same }

// A ToolCount is how many of some failures are of a tool or a method.
type ToolCount struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// ByTool names the tools with the counts of their failures, as in "search 17, sum 12".
func (f *Failure) ByTool() string {
	const shown = 5
	if len(f.Tools) == 1 && f.More == 0 {
		return f.Tools[0].Name
	}
	var names []string
	others := f.More
	for i, t := range f.Tools {
		if i < shown {
			names = append(names, fmt.Sprintf("%s %d", t.Name, t.Count))
		} else {
			others += t.Count
		}
	}
	if others > 0 {
		names = append(names, fmt.Sprintf("others %d", others))
	}
	return strings.Join(names, ", ")
}

func isError(result []byte) bool {
	var r struct {
		IsError bool `json:"isError"`
	}
	return json.Unmarshal(result, &r) == nil && r.IsError
}

// failed counts the failure that the response at a row reports.
func (d *reader) failed(response session.Row) {
	number, _ := response.Partner()
	request, ok := session.RowAt(d.src, number)
	if !ok || response.State == session.ReqDuplicate || response.State == session.ReqUnmatched || request.Msg == framing.Batch {
		return
	}
	method := d.src.Method(request.Method)
	message := response.Msg.String()
	if e, err := d.in.EntryInto(response, ReadBytes, d.buf[:0]); err == nil {
		message = summary.Response(method, e.Payload, e.FullSize)
		message = strings.TrimPrefix(message, "failed: ")
	}
	took := d.times.Times(number, request, response)
	c := Call{Row: number, T: request.T, State: request.State.String(), From: sender(request.Kind), Method: method}
	c.Took, _ = took.Answering(request.Kind)
	var arguments []byte
	if e, err := d.requestAt(request, method); err == nil {
		c.N, c.Tool, c.Arguments = e.N, summary.Call(method, e.Payload), summary.Request(method, e.Payload)
		arguments, _ = argumentsOf(&e)
	}
	if f := d.failure(message, c, arguments, response.T-request.T); f != nil {
		d.watch(f, number)
	}
}

// failure counts a call that failed with a message, given its arguments, nil if those are
// not known, and the time until its response. It returns nil if there is no room.
func (d *reader) failure(message string, c Call, arguments []byte, took int64) *Failure {
	key := withoutNumbers(message)
	f := d.failures[key]
	if f == nil {
		if len(d.failures) >= maxMessages {
			d.more++
			return nil
		}
		f = &Failure{Message: message, same: message, key: key}
		d.failures[key] = f
	}
	if f.Count++; message != f.same {
		f.Message = key
	}
	f.last = max(f.last, c.Row) // batches are read after all rows
	d.describe(&c)
	if at := sort.Search(len(f.Calls), func(i int) bool { return c.before(&f.Calls[i]) }); at < listedCalls {
		f.Calls = slices.Insert(f.Calls, at, c)
		f.Calls = f.Calls[:min(len(f.Calls), listedCalls)]
	}
	f.name(&c)
	f.evidence.add(message, &c, arguments, took, d.succeeded[c.Tool], &d.room)
	return f
}

// before reports whether a call was sent before another one.
func (c *Call) before(other *Call) bool {
	return cmp.Or(cmp.Compare(c.Row, other.Row), cmp.Compare(c.Element, other.Element)) < 0
}

// name counts the tool or method of a call.
func (f *Failure) name(c *Call) {
	name := c.Method
	if c.Method == mcp.MethodToolsCall {
		name = cmp.Or(c.Tool, c.Method)
	}
	at := slices.IndexFunc(f.Tools, func(t ToolCount) bool { return t.Name == name })
	switch {
	case at >= 0:
		f.Tools[at].Count++
	case len(f.Tools) < listedTools:
		f.Tools = append(f.Tools, ToolCount{name, 1})
	default:
		f.More++
	}
}

// grouped returns the failures, the most frequent first.
func (d *reader) grouped(ctx context.Context) Failures {
	groups := slices.Collect(maps.Values(d.failures))
	sort.Slice(groups, func(i, j int) bool {
		a, b := groups[i], groups[j]
		return a.Count > b.Count || a.Count == b.Count && a.Calls[0].before(&b.Calls[0])
	})
	d.claims(ctx, groups)
	out := Failures{More: d.more}
	for _, f := range groups {
		last := Call{Row: f.last}
		d.describe(&last)
		f.Last = last.N
		if !d.timed {
			f.evidence.sooner, f.evidence.later = 0, 0
		}
		f.Evidence = f.state(d.succeeded)
		sort.SliceStable(f.Tools, func(i, j int) bool {
			a, b := &f.Tools[i], &f.Tools[j]
			return -cmp.Compare(a.Count, b.Count) < 0
		})
		out.Groups = append(out.Groups, *f)
	}
	return out
}

// withoutNumbers replaces each number in a message, after a code at its beginning, and
// each word with digits.
func withoutNumbers(message string) string {
	code, rest := splitCode(message)
	b := strings.Builder{}
	b.WriteString(code)
	for word := range words(rest) {
		if strings.IndexFunc(word, unicode.IsDigit) >= 0 {
			word = "…"
		}
		b.WriteString(word)
	}
	return b.String()
}

// splitCode splits a message behind a code at its beginning, if it has one.
func splitCode(message string) (code, rest string) {
	at := strings.Index(message, ": ")
	if at < 0 || strings.Trim(message[:at], "-0123456789") != "" {
		return "", message
	}
	return message[:at+2], message[at+2:]
}

// words yields the words of a text, of letters and digits, and each character between them.
func words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
			switch {
			case end < 0:
				end = len(text)
			case end == 0:
				_, end = utf8.DecodeRuneInString(text)
			}
			if !yield(text[:end]) {
				return
			}
			text = text[end:]
		}
	}
}
