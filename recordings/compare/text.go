package compare

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"mcpdbg/internal/wording"
)

// TextOptions are the options of WriteText.
type TextOptions struct {
	// Clean sanitizes text of servers for the output; nil leaves it as it is. It
	// must return text without newlines and tabs.
	Clean func(string) string
	// Reveal shows the first of the masked values.
	Reveal bool
	// NameA and NameB are the names of the sessions, "A" and "B" if empty.
	NameA, NameB string
}

// WriteText writes a report for people: the first difference with its position in both
// sessions, then all differences in groups, then those that do not count.
func (r *Report) WriteText(w io.Writer, opts TextOptions) error {
	p := printer{TextOptions: opts}
	if p.Clean == nil {
		p.Clean = func(s string) string { return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(s) }
	}
	p.report(r)
	_, err := w.Write(p.b.Bytes())
	return err
}

type printer struct {
	TextOptions
	runs bool // a session has several processes
	b    bytes.Buffer
}

func (p *printer) line(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n", args...) }

func (p *printer) report(r *Report) {
	p.session("A", p.NameA, r.A)
	p.session("B", p.NameB, r.B)
	p.summary(r)
	p.runs = r.A.Runs > 1 || r.B.Runs > 1
	if r.First != nil {
		p.line("\nFirst difference: %s", p.what(r.First))
		p.where("A", r.First.A, len(r.First.Detail) == 0)
		p.where("B", r.First.B, len(r.First.Detail) == 0)
		for _, line := range r.First.Detail {
			p.line("     %s", p.Clean(line))
		}
	}
	p.groups(r)
	p.masked(r)
	p.ignored(r)
	p.timing(r)
}

func (p *printer) session(letter, name string, s Session) {
	if name == "" {
		name = s.ID
	}
	p.line("%s", strings.TrimSpace(fmt.Sprintf("%s  %s  %s in %s  %s", letter, p.Clean(name), wording.Plural(s.Exchanges, "call"), wording.Plural(s.Entries, "entry"),
		p.Clean(strings.Join(s.Servers, ", ")))))
}

func (p *printer) summary(r *Report) {
	lone := 0
	for _, g := range r.Groups {
		if g.Class == ClassMissing || g.Class == ClassExtra {
			lone += g.Count
		}
	}
	text := fmt.Sprintf("%s compared, %d equal, %d differ", wording.Plural(r.Compared, "call"), r.Equal, r.Compared-r.Equal)
	if lone > 0 {
		text += fmt.Sprintf(", %d on one side only", lone)
	}
	if r.OverLimit > 0 {
		text += fmt.Sprintf("; %s exceeded", wording.Plural(r.OverLimit, "time limit"))
	}
	if r.NotesDiffer > 0 {
		text += fmt.Sprintf("; %s of notes", differing(r.NotesDiffer))
	}
	if !r.Differs {
		text += ": the same"
	}
	p.line("%s", text)
}

func differing(n int) string {
	if n == 1 {
		return "a different count"
	}
	return fmt.Sprintf("%d different counts", n)
}

func (p *printer) what(d *Difference) string {
	return fmt.Sprintf("%s, %s", p.call(d.Method, d.Subject, d.From), p.place(d.Class, string(d.Pointer), d.Change))
}

func (p *printer) call(method, subject, from string) string {
	text := p.Clean(method)
	if subject != "" {
		text += " " + p.Clean(subject)
	}
	if from == "server" && method != strayLines {
		text += " (from server)"
	}
	return text
}

func (p *printer) place(class Class, pointer string, change Change) string {
	switch class {
	case ClassMissing:
		return "only in A"
	case ClassExtra:
		return "only in B"
	case ClassOutcome:
		return "different outcome"
	case ClassEra:
		return "different era"
	case ClassProgress:
		return "different progress"
	case ClassDuplicate:
		return "different number of responses"
	case ClassTime:
		return "took too long"
	case ClassNotes:
		return "different count"
	case ClassOrder:
		return "different order at " + p.Clean(pointer)
	}
	if change == changeSchema {
		return p.Clean(pointer) + ": schema changed"
	}
	return p.Clean(pointer) + " " + string(change)
}

// where writes the position of a side of a difference, and its value if value is set.
func (p *printer) where(letter string, s *Side, value bool) {
	if s == nil {
		p.line("  %s  nothing", letter)
		return
	}
	text := "  " + letter
	if s.N > 0 {
		text += "  " + p.position(s)
	}
	if value && s.Value != "" {
		text += "  " + p.Clean(s.Value)
	}
	p.line("%s", text)
}

// position returns a position in the form that the user interface accepts.
func (p *printer) position(s *Side) string {
	text := fmt.Sprintf("n %d", s.N)
	if s.Seq > 0 {
		text += fmt.Sprintf(" seq %d", s.Seq)
	}
	if p.runs {
		text += fmt.Sprintf(" of run %d", s.Run)
	}
	return text
}

func (p *printer) groups(r *Report) {
	counted := true
	for i, g := range r.Groups {
		if i == 0 && g.Counts {
			p.line("\nDifferences")
		}
		if counted && !g.Counts {
			counted = false
			p.line("\nDifferences that do not count (use --logs and --envelope to count notes and envelopes)")
		}
		p.group(&g)
	}
	if r.MoreGroups > 0 {
		p.line("  and %d more in other places", r.MoreGroups)
	}
}

func (p *printer) group(g *Group) {
	times := ""
	if g.Count > 1 {
		times = fmt.Sprintf("  %d times", g.Count)
	}
	p.line("  %-8s %s, %s%s", g.Class, p.call(g.Method, g.Subject, g.From), p.place(g.Class, string(g.Pointer), g.Change), times)
	d := &g.Example
	for _, line := range d.Detail {
		p.line("             %s", p.Clean(line))
	}
	if len(d.Detail) == 0 {
		p.side("A", d.A)
		p.side("B", d.B)
	}
}

// side writes one side of a group's example if it has a value.
func (p *printer) side(letter string, s *Side) {
	if s != nil && s.Value != "" {
		p.b.WriteString("           ")
		p.where(letter, s, true)
	}
}

func (p *printer) masked(r *Report) {
	if len(r.Masked) == 0 {
		return
	}
	total := r.MoreMasked
	for _, m := range r.Masked {
		total += m.Count
	}
	hint := " (--reveal shows them)"
	if p.Reveal {
		hint = ""
	}
	p.line("\nEqual by type: %s%s", wording.Plural(total, "value"), hint)
	for _, m := range r.Masked {
		p.line("  %-9s %s, %s  %d", m.Type, p.call(m.Method, m.Subject, ""), p.Clean(string(m.Pointer)), m.Count)
		if p.Reveal {
			p.line("           A %s", p.Clean(m.A))
			p.line("           B %s", p.Clean(m.B))
		}
	}
}

func (p *printer) ignored(r *Report) {
	if len(r.Ignored) == 0 {
		return
	}
	p.line("\nIgnored by rules")
	for _, i := range r.Ignored {
		p.line("  %s  %s", p.Clean(i.Rule), wording.Plural(i.Count, "time"))
	}
}

func (p *printer) timing(r *Report) {
	if len(r.Timing) == 0 {
		return
	}
	title := "\nResponse times (do not count)"
	if r.TimesCount {
		title = "\nResponse times"
	}
	p.line("%s", title)
	t := tabwriter.NewWriter(&p.b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  \tresponses\tp50\t\tp95")
	for _, m := range r.Timing {
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\t%s\n", p.call(m.Method, "", m.From), both(fmt.Sprint(m.A.Count), fmt.Sprint(m.B.Count)),
			both(micros(m.A.P50), micros(m.B.P50)), factor(m.P50), both(micros(m.A.P95), micros(m.B.P95)), factor(m.P95))
	}
	_ = t.Flush() // can't fail: writes into memory
}

func both(a, b string) string {
	if a == b {
		return a
	}
	return a + " -> " + b
}

func factor(f float64) string {
	if f == 0 {
		return ""
	}
	return FormatRatio(f) + "x"
}

// FormatRatio formats a ratio of times with its significant digits: two, or all of the
// integer part.
func FormatRatio(f float64) string {
	if f >= 10 {
		return strconv.FormatFloat(f, 'f', 0, 64)
	}
	return strconv.FormatFloat(f, 'g', 2, 64)
}

// micros formats a time in microseconds, "-" for 0.
func micros(us int64) string {
	if us == 0 {
		return "-"
	}
	return wording.Took(us)
}
