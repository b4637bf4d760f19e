package compare

import (
	"fmt"
	"strings"
)

// maxBrief is how many bytes of a value stand in a brief line, and maxDetails how
// many lines are below one.
const (
	maxBrief   = 60
	maxDetails = 6
)

// Brief says in a line each what counts, at most so many places, such as
//
//	~ tools/call add: /result/structuredContent/sum 3 -> 4
//	+ tools/list: /result/tools/multiply
//
// Lines of a diff stand below theirs, indented. The text is the servers': Clean
// of TextOptions is for the reader to do.
func (r *Report) Brief(most int) []string {
	var lines []string
	p, shown := printer{TextOptions: TextOptions{Clean: func(s string) string { return s }}}, 0
	for i := range r.Groups {
		g := &r.Groups[i]
		if !g.Counts {
			break // those that count come first
		}
		if shown == most {
			lines = append(lines, fmt.Sprintf("and changes in %s more", plural(r.counting()-shown, "place")))
			break
		}
		shown++
		lines = append(lines, p.brief(g))
		details := g.Example.Detail
		for _, line := range details[:min(len(details), maxDetails)] {
			lines = append(lines, "    "+line)
		}
		if n := len(details) - maxDetails; n > 0 {
			lines = append(lines, fmt.Sprintf("    and %s more", plural(n, "line")))
		}
	}
	return lines
}

// counting is how many places there are that count, as far as they are known.
func (r *Report) counting() int {
	n := r.MoreGroups
	for i := range r.Groups {
		if r.Groups[i].Counts {
			n++
		}
	}
	return n
}

// brief is the line of a group.
func (p *printer) brief(g *Group) string {
	mark, text := "~", ""
	d := &g.Example
	switch {
	case g.Class == ClassMissing:
		mark, text = "-", "not asked any more"
	case g.Class == ClassExtra:
		mark, text = "+", "asked for the first time"
	case g.Class == ClassOutcome || g.Class == ClassEra:
		text = sides(d)
	case g.Change == Schema:
		text = string(g.Pointer) + ": another schema"
	case g.Change == Added:
		mark, text = "+", strings.TrimSpace(string(g.Pointer)+" "+short(valueOf(d.B)))
	case g.Change == Removed:
		mark, text = "-", strings.TrimSpace(string(g.Pointer)+" "+short(valueOf(d.A)))
	case len(d.Detail) > 0:
		text = string(g.Pointer)
	default:
		text = string(g.Pointer) + " " + sides(d)
	}
	if g.Count > 1 {
		text += fmt.Sprintf(" (%d times)", g.Count)
	}
	return mark + " " + p.call(g.Method, g.Subject, g.From) + ": " + text
}

// sides are the values of both sides.
func sides(d *Difference) string { return short(valueOf(d.A)) + " -> " + short(valueOf(d.B)) }

func valueOf(s *Side) string {
	if s == nil || s.Value == "" {
		return "nothing"
	}
	return s.Value
}

// short is the beginning of a text.
func short(text string) string {
	if len(text) <= maxBrief {
		return text
	}
	return strings.ToValidUTF8(text[:maxBrief], "") + "..."
}
