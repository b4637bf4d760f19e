package junit

import (
	"bytes"
	"strings"
)

// A document is XML text, indented by depth. The package encoding/xml would fill its
// tables of entities whenever the program starts.
type document struct {
	bytes.Buffer
	depth int
}

// open begins an element with other elements in it.
func (x *document) open(element string, attributes ...string) {
	x.begin(element, attributes)
	x.WriteString(">\n")
	x.depth++
}

// end ends the element that was opened last.
func (x *document) end(element string) {
	x.depth--
	x.indent()
	x.WriteString("</" + element + ">\n")
}

// text writes an element with text in it.
func (x *document) text(element, text string, attributes ...string) {
	x.begin(element, attributes)
	x.WriteString(">" + escape(text) + "</" + element + ">\n")
}

// begin writes the beginning of an element. Names and values of attributes
// alternate.
func (x *document) begin(element string, attributes []string) {
	x.indent()
	x.WriteString("<" + element)
	for i := 0; i < len(attributes); i += 2 {
		x.WriteString(" " + attributes[i] + `="` + escape(attributes[i+1]) + `"`)
	}
}

func (x *document) indent() { x.WriteString(strings.Repeat("  ", x.depth)) }

// escape returns text for an element or an attribute. Newlines stay, so that it can be
// read without an XML parser.
func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "\t", "&#x9;").Replace(text)
}
