// Package junit writes test results as JUnit XML.
//
// The format has no single schema. The output is valid by those in use: the one for Ant
// as written by Windy Road, which Azure DevOps accepts, and those of Jenkins (junit-4
// and the xUnit plugin's junit-10). Where they disagree, the strictest one wins: every
// attribute that one of them requires is present in the required form, and none that
// another one does not allow.
package junit

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A Suite is a set of test results.
type Suite struct {
	Name       string
	Package    string // the package; "" means Name
	Host       string // where it ran; "" is localhost
	Start      time.Time
	Properties []Property
	Cases      []Case
	Out, Err   string
}

// A Property is additional information about a suite.
type Property struct{ Name, Value string }

// A Status is the result of a case.
type Status uint8

// The results. Failed is a check that failed, Errored one that could not be run,
// Skipped one that was not reached.
const (
	Passed Status = iota
	Failed
	Errored
	Skipped
)

// A Case is one check.
type Case struct {
	Name, Class string
	Took        time.Duration
	Status      Status
	// Type is the class of a failure or error, Message is one line, and Text has all
	// details. For skipped cases only Text is used: the reason.
	Type, Message, Text string
}

// Write writes suites as one document. Texts may be anything: control characters,
// bidirectional controls, and characters not allowed in XML are written as escapes.
func Write(w io.Writer, suites []Suite) error {
	doc := document{Suites: make([]suiteXML, 0, len(suites))}
	for i := range suites {
		doc.Suites = append(doc.Suites, suites[i].xml(i))
	}
	text, err := xml.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	text = bytes.ReplaceAll(text, []byte("&#xA;"), []byte("\n")) // readable without an XML parser
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

// The elements, with their parts in the order that all schemas accept.
type (
	document struct {
		XMLName xml.Name   `xml:"testsuites"`
		Suites  []suiteXML `xml:"testsuite"`
	}
	suiteXML struct {
		Name       string        `xml:"name,attr"`
		Package    string        `xml:"package,attr"`
		ID         int           `xml:"id,attr"`
		Host       string        `xml:"hostname,attr"`
		Timestamp  string        `xml:"timestamp,attr"`
		Tests      int           `xml:"tests,attr"`
		Failures   int           `xml:"failures,attr"`
		Errors     int           `xml:"errors,attr"`
		Skipped    int           `xml:"skipped,attr"`
		Time       string        `xml:"time,attr"`
		Properties []propertyXML `xml:"properties>property"`
		Cases      []caseXML     `xml:"testcase"`
		Out        string        `xml:"system-out"`
		Err        string        `xml:"system-err"`
	}
	propertyXML struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	caseXML struct {
		Name    string      `xml:"name,attr"`
		Class   string      `xml:"classname,attr"`
		Time    string      `xml:"time,attr"`
		Skipped *string     `xml:"skipped"`
		Error   *problemXML `xml:"error"`
		Failure *problemXML `xml:"failure"`
	}
	problemXML struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

func (s *Suite) xml(id int) suiteXML {
	x := suiteXML{
		Name: name(s.Name), Package: name(cmp.Or(s.Package, s.Name)), ID: id, Host: name(cmp.Or(s.Host, "localhost")),
		Timestamp: s.Start.UTC().Format("2006-01-02T15:04:05"), Tests: len(s.Cases), Out: Clean(s.Out), Err: Clean(s.Err),
		// One schema requires the element, and another one refuses it without a
		// property in it.
		Properties: []propertyXML{{"tool", "mcpdbg"}},
	}
	for _, p := range s.Properties {
		x.Properties = append(x.Properties, propertyXML{name(p.Name), Clean(p.Value)})
	}
	var total time.Duration
	for _, c := range s.Cases {
		total += c.Took
		x.Cases = append(x.Cases, c.xml())
		switch c.Status {
		case Failed:
			x.Failures++
		case Errored:
			x.Errors++
		case Skipped:
			x.Skipped++
		}
	}
	x.Time = seconds(total)
	return x
}

func (c *Case) xml() caseXML {
	x := caseXML{Name: name(c.Name), Class: name(c.Class), Time: seconds(c.Took)}
	text := Clean(c.Text)
	problem := &problemXML{Clean(c.Message), Clean(c.Type), text}
	switch c.Status {
	case Failed:
		x.Failure = problem
	case Errored:
		x.Error = problem
	case Skipped:
		x.Skipped = &text
	}
	return x
}

// name returns s as a single line that is not empty.
func name(s string) string {
	return cmp.Or(strings.Join(strings.Fields(Clean(s)), " "), "-")
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", max(d, 0).Seconds()) }

// Clean replaces control characters, characters that reorder or hide text, and invalid
// UTF-8 by escapes. Newlines and tabs stay.
func Clean(text string) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r == '\r' && strings.HasPrefix(text[i:], "\r\n"):
		case r == '\n', r == '\t', unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
	}
	return b.String()
}
