package compare

import (
	"fmt"
	"io"
	"strings"
	"time"

	"mcpdbg/recordings/junit"
)

// WriteJUnit writes a report as JUnit XML: one test case for each kind of request (see
// Call), which fails if any difference in it counts.
func (r *Report) WriteJUnit(w io.Writer, name string) error {
	suite := junit.Suite{Name: name, Package: "mcpdbg", Start: r.B.start}
	failures := r.failures()
	add := func(name, from string, took time.Duration) {
		test := junit.Case{Name: name, Class: "mcpdbg." + from, Took: took}
		if groups := failures[name]; len(groups) > 0 {
			fail(&test, groups)
			delete(failures, name)
		}
		suite.Cases = append(suite.Cases, test)
	}
	for _, call := range r.Calls {
		add(callName(call.Method, call.Subject, call.From), call.From, time.Duration(call.Took)*time.Microsecond)
	}
	for _, g := range r.Groups { // groups without a request, such as notifications
		if name := callName(g.Method, g.Subject, g.From); len(failures[name]) > 0 {
			add(name, g.From, 0)
		}
	}
	return junit.Write(w, "", []junit.Suite{suite})
}

func (r *Report) failures() map[string][]*Group {
	out := map[string][]*Group{}
	for i := range r.Groups {
		if g := &r.Groups[i]; g.Counts {
			name := callName(g.Method, g.Subject, g.From)
			out[name] = append(out[name], g)
		}
	}
	return out
}

func callName(method, subject, from string) string {
	p := printer{TextOptions: TextOptions{Clean: printable}}
	return p.call(method, subject, from)
}

func fail(test *junit.Case, groups []*Group) {
	p := printer{TextOptions: TextOptions{Clean: printable}}
	for _, g := range groups {
		p.group(g)
	}
	first := &groups[0].Example
	test.Status, test.Type = junit.Failed, string(first.Class)
	test.Message, test.Text = p.what(first)+p.positions(first), "\n"+p.b.String()
}

// positions returns the entries of both sides in parentheses, "" without any.
func (p *printer) positions(d *Difference) string {
	var at []string
	for i, s := range []*Side{d.A, d.B} {
		if s != nil && s.N > 0 {
			at = append(at, fmt.Sprintf("n %d in %c", s.N, 'A'+i))
		}
	}
	if at == nil {
		return ""
	}
	return " (" + strings.Join(at, ", ") + ")"
}

// printable escapes characters that would break a line.
func printable(s string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(junit.Clean(s))
}
