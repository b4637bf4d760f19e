package compare

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// junitSuites are the elements of a JUnit report that its readers share.
type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name      string        `xml:"name,attr"`
	Classname string        `xml:"classname,attr"`
	Time      string        `xml:"time,attr"`
	Failure   *junitFailure `xml:"failure,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes a report as JUnit XML: one test case for each way in which
// the server was asked (see Call), failed if anything of it differs that counts.
func (r *Report) WriteJUnit(w io.Writer, name string) error {
	suite := junitSuite{Name: name, Time: "0"}
	total := int64(0)
	failures := r.failures()
	for _, call := range r.Calls {
		test := junitCase{Name: callName(call.Method, call.Subject, call.From), Classname: "mcpdbg." + call.From, Time: seconds(call.Took)}
		total += call.Took
		if groups := failures[callName(call.Method, call.Subject, call.From)]; len(groups) > 0 {
			test.Failure = failure(groups)
			suite.Failures++
			delete(failures, test.Name)
		}
		suite.Cases = append(suite.Cases, test)
	}
	for _, g := range r.Groups { // of what is no request, such as notifications
		key := callName(g.Method, g.Subject, g.From)
		if groups := failures[key]; len(groups) > 0 {
			suite.Cases = append(suite.Cases, junitCase{Name: key, Classname: "mcpdbg." + g.From, Time: "0", Failure: failure(groups)})
			suite.Failures++
			delete(failures, key)
		}
	}
	suite.Tests, suite.Time = len(suite.Cases), seconds(total)
	doc := junitSuites{Name: "mcpdbg", Tests: suite.Tests, Failures: suite.Failures, Suites: []junitSuite{suite}}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(doc); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// failures are the groups that count, by what was asked.
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

// failure tells of all groups of one call.
func failure(groups []*Group) *junitFailure {
	p := printer{TextOptions: TextOptions{Clean: printable}}
	for _, g := range groups {
		p.group(g)
	}
	first := groups[0]
	return &junitFailure{
		Message: p.place(first.Class, string(first.Pointer), first.Change), Type: string(first.Class), Text: "\n" + p.b.String(),
	}
}

// printable replaces what XML can't hold, and what would break a line.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f || r == 0xfffe || r == 0xffff {
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

func seconds(us int64) string { return fmt.Sprintf("%.6f", float64(us)/1e6) }
