package digest

import (
	"cmp"
	"encoding/json"
	"fmt"
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

	last int // its row
	same string
}

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
	d.failure(message, c)
}

// failure counts a call that failed with a message.
func (d *reader) failure(message string, c Call) {
	key := withoutNumbers(message)
	f := d.failures[key]
	if f == nil {
		if len(d.failures) >= maxMessages {
			d.more++
			return
		}
		f = &Failure{Message: message, same: message}
		d.failures[key] = f
	}
	if f.Count++; message != f.same {
		f.Message = key
	}
	f.last = max(f.last, c.Row) // batches are read after all rows
	if len(f.Calls) < listedCalls {
		d.describe(&c)
		f.Calls = append(f.Calls, c)
	} else if row, ok := session.RowAt(d.src, c.Row); ok && c.Tool == "" && c.Method == mcp.MethodToolsCall {
		c.Tool = d.toolOf(row)
	}
	f.name(&c)
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
func (d *reader) grouped() Failures {
	out := Failures{More: d.more}
	for _, f := range d.failures {
		last := Call{Row: f.last}
		d.describe(&last)
		f.Last = last.N
		sort.SliceStable(f.Tools, func(i, j int) bool {
			a, b := &f.Tools[i], &f.Tools[j]
			return -cmp.Compare(a.Count, b.Count) < 0
		})
		out.Groups = append(out.Groups, *f)
	}
	sort.Slice(out.Groups, func(i, j int) bool {
		a, b := &out.Groups[i], &out.Groups[j]
		return cmp.Or(-cmp.Compare(a.Count, b.Count), cmp.Compare(a.Calls[0].Row, b.Calls[0].Row)) < 0
	})
	return out
}

// withoutNumbers replaces each number in a message, after a code at its beginning, and
// each word with digits.
func withoutNumbers(message string) string {
	code, rest, found := strings.Cut(message, ": ")
	if !found || strings.Trim(code, "-0123456789") != "" {
		code, rest = "", message
	}
	var b strings.Builder
	if code != "" {
		b.WriteString(code + ": ")
	}
	for rest != "" {
		end := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		switch {
		case end < 0:
			end = len(rest)
		case end == 0:
			_, end = utf8.DecodeRuneInString(rest)
		}
		word := rest[:end]
		if strings.IndexFunc(word, unicode.IsDigit) >= 0 {
			word = "…"
		}
		b.WriteString(word)
		rest = rest[end:]
	}
	return b.String()
}
