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
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"mcpdbg/internal/wording"
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

// Failed is a check that failed, Errored one that could not be run, Skipped one that was
// not reached.
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
// bidirectional controls, and characters not allowed in XML are written as escapes. The
// verdict, if it is not empty, is a comment at the top: no element for it is in all schemas.
func Write(w io.Writer, verdict string, suites []Suite) error {
	x := new(document)
	x.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	if verdict != "" {
		x.WriteString("<!-- " + strings.ReplaceAll(name(verdict), "--", "-&#45;") + " -->\n")
	}
	x.open("testsuites")
	for i := range suites {
		x.suite(&suites[i], i)
	}
	x.end("testsuites")
	_, err := w.Write(x.Bytes())
	return err
}

// suite writes the parts in the order that all schemas accept.
func (x *document) suite(s *Suite, id int) {
	var counts [Skipped + 1]int
	var total time.Duration
	for _, c := range s.Cases {
		counts[c.Status]++
		total += c.Took
	}
	x.open("testsuite",
		"name", name(s.Name), "package", name(cmp.Or(s.Package, s.Name)), "id", strconv.Itoa(id), "hostname", name(cmp.Or(s.Host, "localhost")),
		"timestamp", s.Start.UTC().Format("2006-01-02T15:04:05"), "tests", strconv.Itoa(len(s.Cases)), "failures", strconv.Itoa(counts[Failed]),
		"errors", strconv.Itoa(counts[Errored]), "skipped", strconv.Itoa(counts[Skipped]), "time", seconds(total))
	// One schema requires the element, and another one refuses it without a
	// property in it.
	x.open("properties")
	x.text("property", "", "name", "tool", "value", "mcpdbg")
	for _, p := range s.Properties {
		x.text("property", "", "name", name(p.Name), "value", Clean(p.Value))
	}
	x.end("properties")
	for _, c := range s.Cases {
		x.testcase(&c)
	}
	x.text("system-out", Clean(s.Out))
	x.text("system-err", Clean(s.Err))
	x.end("testsuite")
}

func (x *document) testcase(c *Case) {
	attributes := []string{"name", name(c.Name), "classname", name(c.Class), "time", seconds(c.Took)}
	if c.Status == Passed {
		x.text("testcase", "", attributes...)
		return
	}
	x.open("testcase", attributes...)
	switch c.Status {
	case Failed:
		x.text("failure", Clean(c.Text), "message", Clean(c.Message), "type", Clean(c.Type))
	case Errored:
		x.text("error", Clean(c.Text), "message", Clean(c.Message), "type", Clean(c.Type))
	case Skipped:
		x.text("skipped", Clean(c.Text))
	}
	x.end("testcase")
}

// name returns a single line that is not empty.
func name(s string) string {
	return cmp.Or(strings.Join(strings.Fields(Clean(s)), " "), "-")
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", max(d, 0).Seconds()) }

// A document is indented by depth. The package encoding/xml would fill its tables of
// entities whenever the program starts.
type document struct {
	bytes.Buffer
	depth int
}

func (x *document) open(element string, attributes ...string) {
	x.begin(element, attributes)
	x.WriteString(">\n")
	x.depth++
}

func (x *document) end(element string) {
	x.depth--
	x.indent()
	x.WriteString("</" + element + ">\n")
}

func (x *document) text(element, text string, attributes ...string) {
	x.begin(element, attributes)
	x.WriteString(">" + escape(text) + "</" + element + ">\n")
}

// Names and values of attributes alternate.
func (x *document) begin(element string, attributes []string) {
	x.indent()
	x.WriteString("<" + element)
	for i := 0; i < len(attributes); i += 2 {
		x.WriteString(" " + attributes[i] + `="` + escape(attributes[i+1]) + `"`)
	}
}

func (x *document) indent() { x.WriteString(strings.Repeat("  ", x.depth)) }

// Newlines stay, so that it can be read without an XML parser.
func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "\t", "&#x9;").Replace(text)
}

// Clean replaces control characters, characters that reorder or hide text, and invalid
// UTF-8 by escapes. Newlines and tabs stay.
func Clean(text string) string { return wording.Visible(strings.ReplaceAll(text, "\r\n", "\n")) }
