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
	failures  *digest.Failures
	earliest  int // the group of the first failure
}

// number returns the row of a call, or of its element of a batch.
func (r *report) number(c *digest.Call) int {
	return r.source.Number(session.Element{Row: c.Row, Index: c.Element - 1})
}

// causes lists the likely causes. Those that are failures have their names.
func (r *report) causes(all []remark) {
	if len(all) == 0 {
		return
	}
	r.b.WriteString("\n### Likely causes\n\n")
	for _, c := range all[:min(len(all), maxRemarks)] {
		where := "entry"
		if c.Failure > 0 {
			where = "first in entry"
		}
		r.remark(c, where)
	}
	omitted(&r.b, "", len(all)-maxRemarks)
}

// problems lists one line for each rule, errors first.
func (r *report) problems(all []diagnosis.Problem) {
	if len(all) == 0 {
		return
	}
	r.b.WriteString("\n### Problems\n\nWhat the rules found. \"times\" counts what breaks a rule, whether the calls failed or not.\n\n")
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
	name := c.Severity
	if c.Failure > 0 {
		name = failureName(c.Failure)
	}
	fmt.Fprintf(&r.b, "- **%s**%s %s", name, r.isEarliest(c.Failure, " (the first failure)"), inline(wording.Clip(c.Text, maxMessage, wording.Ellipsis)))
	if row, ok := session.RowAt(r.Source, c.Row); ok && c.Row >= 0 {
		if e, err := r.Source.Entry(row, 1); err == nil {
			fmt.Fprintf(&r.b, ", %s %d", where, e.N)
		}
	}
	for _, text := range append(c.Evidence, c.Try) {
		r.b.WriteString(wording.IfAny("; ", inline(wording.Clip(text, maxMessage, wording.Ellipsis))))
	}
	r.b.WriteByte('\n')
}

// failureName names a group of failures in a report.
func failureName(number int) string { return fmt.Sprint("F", number) }

// isEarliest returns a text for the group that the first failure is in, if others come before.
func (r *report) isEarliest(number int, text string) string {
	if number == r.earliest && number > 0 && len(r.failures.Groups) > 1 {
		return text
	}
	return ""
}

// failed describes each message of failures, with the first exchange.
func (r *report) failed() error {
	all := r.failures
	if len(all.Groups) == 0 {
		return nil
	}
	r.b.WriteString("\n### Failed calls by message, the most frequent first\n")
	shown := 0
	for i := range all.Groups[:min(len(all.Groups), maxFailures)] {
		g := &all.Groups[i]
		shown += g.Count
		fmt.Fprintf(&r.b, "\n#### %s%s: %s\n\n", failureName(i+1), r.isEarliest(i+1, ", the first failure"), inline(wording.Clip(g.Message, maxMessage, wording.Ellipsis)))
		if g.Count > 1 {
			var numbers []string
			for i := range g.Calls {
				numbers = append(numbers, g.Calls[i].Entry())
			}
			if g.Count > len(numbers) {
				numbers = append(numbers, "…", fmt.Sprint(g.Last))
			}
			fmt.Fprintf(&r.b, "%d calls: %s; entries %s.\n", g.Count, inline(wording.Clip(g.ByTool(), maxMessage, wording.Ellipsis)), strings.Join(numbers, ", "))
		}
		if err := r.example(&g.Calls[0]); err != nil {
			return err
		}
	}
	omitted(&r.b, " with other messages: `--filter is:failed`", all.Count()-shown)
	return nil
}

// unanswered lists the requests without a response, with the content of those that their
// rows do not show whole.
func (r *report) unanswered(d *digest.Digest) error {
	if len(d.Unanswered) == 0 {
		return nil
	}
	r.b.WriteString("\n### Requests without a response\n\n| entry | request id | at | call | waited | next request of the client |\n|--:|--:|--:|---|--:|--:|\n")
	for i := range d.Unanswered[:min(len(d.Unanswered), maxFailures)] {
		c := &d.Unanswered[i]
		next := ""
		if c.Next != nil {
			next = "after " + wording.Took(*c.Next)
		}
		fmt.Fprintf(&r.b, "| %s | %s | %s | %s | %s | %s |\n", c.Entry(), inline(c.ID), wording.Took(c.T), inline(wording.Clip(c.Words(), maxMessage, wording.Ellipsis)), wording.Took(c.Took), next)
	}
	omitted(&r.b, ": `--filter is:unanswered`", len(d.Unanswered)+d.MoreUnanswered-maxFailures)
	for i := range d.Unanswered[:min(len(d.Unanswered), shownOpen)] {
		c := &d.Unanswered[i]
		words := c.Words()
		if len(words) < maxMessage && !strings.Contains(words, wording.Ellipsis) && !strings.Contains(words, wording.Dots) {
			continue
		}
		r.b.WriteByte('\n')
		if err := r.example(c); err != nil {
			return err
		}
	}
	return nil
}

// example adds a call with its response.
func (r *report) example(call *digest.Call) error {
	number := r.number(call)
	c, err := r.readCall(number)
	if err != nil {
		return err
	}
	fmt.Fprintf(&r.b, "Entry %s, at %s: %s", call.Entry(), wording.Took(c.item.row.T), inline(wording.Clip(c.what, maxMessage, wording.Ellipsis)))
	if c.response != nil {
		fmt.Fprintf(&r.b, "; response in entry %d after %s", c.response.N, c.took)
	}
	r.b.WriteByte('\n')
	if r.b.Len() > maxExamples || r.content[number] {
		return nil
	}
	r.content[number] = true
	r.b.WriteString("\n" + exchanged(&c.entry, c.response, maxExample))
	return nil
}
