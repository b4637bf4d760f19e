package formats

import (
	"fmt"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/recordings/digest"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/elements"
	"mcpdbg/session/exchange"
)

const (
	// shownOpen is how many requests without a response have their content, and maxExample
	// how much of each message an example has.
	shownOpen  = 3
	maxExample = 1500
	// maxMessage of a message, a call or a remark is in a table or list.
	maxMessage = 200
	maxRules   = 20
)

// A report is the Markdown of a selection.
type report struct {
	Selection // of source
	source    *elements.Source
	b         strings.Builder
	times     *exchange.Table
	content   map[int]bool // rows whose content it has
	slow      map[int]bool // the slowest ones
}

// number returns the row of a call, or of its element of a batch.
func (r *report) number(c *digest.Call) int {
	return r.source.Number(session.Element{Row: c.Row, Index: c.Element - 1})
}

// causes lists the likely causes and when tools became slower.
func (r *report) causes(all []remark, slower []digest.Slowing) {
	for i := range slower {
		all = append(all, remark{Severity: "slower", Text: slower[i].String(), Row: slower[i].Row})
	}
	if len(all) == 0 {
		return
	}
	r.b.WriteString("\n### Likely causes\n\n")
	for _, c := range all[:min(len(all), maxRemarks)] {
		r.remark(c, "entry")
	}
	omitted(&r.b, "", len(all)-maxRemarks)
}

// problems lists one line for each rule, errors first.
func (r *report) problems(all []diagnosis.Problem) {
	if len(all) == 0 {
		return
	}
	r.b.WriteString("\n### Problems\n\n")
	shown := 0
	for shown < min(len(all), maxRules) && r.b.Len() < maxTables {
		where := "entry"
		if all[shown].Count > 1 {
			where = "first in entry"
		}
		r.remark(remarkOf(&all[shown]), where)
		shown++
	}
	omitted(&r.b, " rules: `mcpdbg rec info FILE`", len(all)-shown)
}

func (r *report) remark(c remark, where string) {
	fmt.Fprintf(&r.b, "- **%s** %s", c.Severity, inline(wording.Clip(c.Text, maxMessage, wording.Ellipsis)))
	if row, ok := session.RowAt(r.Source, c.Row); ok && c.Row >= 0 {
		if e, err := r.Source.Entry(row, 1); err == nil {
			fmt.Fprintf(&r.b, ", %s %d", where, e.N)
		}
	}
	if c.Try != "" {
		fmt.Fprintf(&r.b, "; %s", inline(wording.Clip(c.Try, maxMessage, wording.Ellipsis)))
	}
	r.b.WriteByte('\n')
}

// examples adds the first exchange of each kind of failure, and the requests without a
// response.
func (r *report) examples(d *digest.Digest) error {
	for i := range d.Failures.Groups[:min(len(d.Failures.Groups), maxFailures)] {
		g := &d.Failures.Groups[i]
		title := g.Message
		if g.Count > 1 {
			title += fmt.Sprintf(": the first of %d", g.Count)
		}
		if err := r.example(title, &g.Calls[0]); err != nil {
			return err
		}
	}
	if len(d.Unanswered) == 0 {
		return nil
	}
	calls(&r.b, "Requests without a response", "waited", d.Unanswered[:min(len(d.Unanswered), maxFailures)])
	omitted(&r.b, ": `--filter is:unanswered`", len(d.Unanswered)+d.MoreUnanswered-maxFailures)
	for i := range d.Unanswered[:min(len(d.Unanswered), shownOpen)] {
		if err := r.example("No response: "+d.Unanswered[i].Name(), &d.Unanswered[i]); err != nil {
			return err
		}
	}
	return nil
}

// example adds a call with its response.
func (r *report) example(title string, call *digest.Call) error {
	number := r.number(call)
	if r.b.Len() > maxExamples || r.content[number] {
		return nil
	}
	c, err := r.readCall(number)
	if err != nil {
		return err
	}
	r.content[number] = true
	fmt.Fprintf(&r.b, "\n#### %s\n\nEntry %s, at %s: %s\n\n%s", inline(wording.Clip(title, maxMessage, wording.Ellipsis)), call.Entry(),
		wording.Took(c.item.row.T), inline(wording.Clip(c.what, maxMessage, wording.Ellipsis)), fenced(&c.entry, maxExample))
	if c.response == nil {
		return nil
	}
	fmt.Fprintf(&r.b, "\nResponse in entry %d, after %s:\n\n%s", c.response.N, c.took, fenced(c.response, maxExample))
	return nil
}
