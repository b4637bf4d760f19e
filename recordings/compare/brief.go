package compare

import (
	"fmt"
	"strings"

	"mcpdbg/internal/wording"
)

// maxBrief is the most bytes of a value in a brief line, and maxDetails the most
// detail lines below one.
const (
	maxBrief   = 60
	maxDetails = 6
)

// Brief returns a line for each of at most most places with a difference that counts,
// such as
//
//	~ tools/call add: /result/structuredContent/sum 3 -> 4
//	+ tools/list: /result/tools/multiply
//
// Lines of a diff follow their place, indented. The text comes from servers: the
// caller must sanitize it, as with TextOptions.Clean.
func (r *Report) Brief(most int) []string {
	var lines []string
	p, shown := printer{TextOptions: TextOptions{Clean: func(s string) string { return s }}}, 0
	for i := range r.Groups {
		g := &r.Groups[i]
		if !g.Counts {
			break // differences that count come first
		}
		if shown == most {
			lines = append(lines, fmt.Sprintf("and changes in %s more", wording.Plural(r.counting()-shown, "place")))
			break
		}
		shown++
		lines = append(lines, p.brief(g))
		details := g.Example.Detail
		for _, line := range details[:min(len(details), maxDetails)] {
			lines = append(lines, "    "+line)
		}
		if n := len(details) - maxDetails; n > 0 {
			lines = append(lines, fmt.Sprintf("    and %s more", wording.Plural(n, "line")))
		}
	}
	return lines
}

func (r *Report) counting() int {
	n := r.MoreGroups
	for i := range r.Groups {
		if r.Groups[i].Counts {
			n++
		}
	}
	return n
}

func (p *printer) brief(g *Group) string {
	mark, text := "~", ""
	d := &g.Example
	switch {
	case g.Class == ClassMissing:
		mark, text = "-", "no longer requested"
	case g.Class == ClassExtra:
		mark, text = "+", "newly requested"
	case g.Class == ClassOutcome || g.Class == ClassEra:
		text = sides(d)
	case g.Change == changeSchema:
		text = string(g.Pointer) + ": schema changed"
	case g.Change == changeAdded:
		mark, text = "+", strings.TrimSpace(string(g.Pointer)+" "+short(valueOf(d.B)))
	case g.Change == changeRemoved:
		mark, text = "-", strings.TrimSpace(string(g.Pointer)+" "+short(valueOf(d.A)))
	case len(d.Detail) > 0:
		text = string(g.Pointer)
	case d.Text != nil:
		a, b := d.Text.Changed()
		text = fmt.Sprintf("%s at %s: [%s] -> [%s]", g.Pointer, d.Text, a, b)
	default:
		text = string(g.Pointer) + " " + sides(d)
	}
	if g.Count > 1 {
		text += fmt.Sprintf(" (%d times)", g.Count)
	}
	return mark + " " + p.call(g.Method, g.Subject, g.From) + ": " + text
}

func sides(d *Difference) string { return short(valueOf(d.A)) + " -> " + short(valueOf(d.B)) }

func valueOf(s *Side) string {
	if s == nil || s.Value == "" {
		return "nothing"
	}
	return s.Value
}

func short(text string) string { return wording.ClipValid(text, maxBrief, wording.Dots) }
