package compare

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"mcpdbg/internal/wording"
	"mcpdbg/recordings/match"
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
		a, b := r.First.values()
		p.where("A", r.First.A, a)
		p.where("B", r.First.B, b)
		p.details("     ", r.First)
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
	p.line("%s", strings.TrimSpace(fmt.Sprintf("%s  %s  %s in %s  %s", letter, p.Clean(name), wording.Plural(s.Exchanges-s.Pages, "call"), wording.Plural(s.Entries, "entry"),
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
	if r.NotCompared > 0 {
		text += fmt.Sprintf(", %d not compared (only one side has the handshake or the list)", r.NotCompared)
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
	return fmt.Sprintf("%s, %s", p.callWith(d), p.placeOf(d))
}

// callWith returns a call with its arguments.
func (p *printer) callWith(d *Difference) string {
	return p.call(d.Method, d.Subject, d.From) + wording.IfAny(" ", p.Clean(d.Arguments))
}

func (p *printer) placeOf(d *Difference) string {
	text := p.place(d.Class, string(d.Pointer), d.Change)
	if d.Text != nil {
		text += " at " + d.Text.String()
	}
	return text
}

// values returns what to show of both sides, "" for what the detail shows.
func (d *Difference) values() (a, b string) {
	switch {
	case len(d.Detail) > 0:
		return "", ""
	case d.Text != nil:
		return d.Text.A, d.Text.B
	}
	return d.A.value(), d.B.value()
}

func (s *Side) value() string {
	if s == nil {
		return ""
	}
	return s.Value
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

// where writes the position of a side of a difference, and a value if there is one.
func (p *printer) where(letter string, s *Side, value string) {
	if s == nil {
		p.line("  %s  nothing", letter)
		return
	}
	text := "  " + letter
	if s.N > 0 {
		text += "  " + p.position(s)
	}
	p.line("%s", text+wording.IfAny("  ", p.Clean(value)))
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

// group writes what a group has in common, and its first difference.
func (p *printer) group(g *Group) {
	d := &g.Example
	if g.Count == 1 {
		p.line("  %-8s %s", g.Class, p.what(d))
	} else {
		p.line("  %-8s %s, %s  %d times", g.Class, p.call(g.Method, g.Subject, g.From), p.place(g.Class, string(g.Pointer), g.Change), g.Count)
		if first := p.within(d, g.Pointer); first != "" {
			p.line("             first %s", first)
		}
	}
	a, b := d.values()
	p.side("A", d.A, a)
	p.side("B", d.B, b)
	p.details("             ", d)
	p.others(g)
}

// details writes the lines of a diff, or the further places of a text.
func (p *printer) details(indent string, d *Difference) {
	for _, line := range d.Detail {
		p.line("%s%s", indent, p.Clean(line))
	}
	if d.Note != "" {
		p.line("%s%s", indent, p.Clean(d.Note))
	}
	if d.Text == nil {
		return
	}
	for i := range d.Text.More {
		place := &d.Text.More[i]
		a, b := place.Changed()
		p.line("%salso at %s  [%s] -> [%s]", indent, place, p.Clean(a), p.Clean(b))
	}
	if n := d.Text.Places - textPlaces; n > 0 {
		p.line("%sand at %s", indent, wording.Plural(n, "more place"))
	}
}

// within returns how a difference differs from another one of its group: the arguments, and
// its place.
func (p *printer) within(d *Difference, other match.Pointer) string {
	words := []string{p.Clean(d.Arguments)}
	if d.Pointer != other {
		words = append(words, p.Clean(string(d.Pointer)))
	}
	if d.Text != nil {
		words = append(words, "at "+d.Text.String())
	}
	return wording.Join(" ", words...)
}

// others writes where else a difference is, and what differs there.
func (p *printer) others(g *Group) {
	for i := range g.others {
		d := &g.others[i]
		a, b := d.values()
		text := p.within(d, g.Example.Pointer)
		switch {
		case d.Text != nil || a+b == "":
		case a == "" && d.Change == changeChanged: // a limit of times
			text += p.Clean(": " + short(b))
		default:
			text += p.Clean(": " + short(cmp.Or(a, "nothing")) + " -> " + short(cmp.Or(b, "nothing")))
		}
		at := cmp.Or(d.A, d.B)
		if at == nil || at.N == 0 {
			return // all are about no single call
		}
		if d.Text == nil {
			p.line("             also %s %s", p.position(at), strings.TrimPrefix(text, ": "))
			continue
		}
		p.line("             also %s", text)
		p.side("A", d.A, a)
		p.side("B", d.B, b)
	}
	if more := g.Count - 1 - len(g.others); more > 0 && len(g.others) > 0 {
		p.line("             and %d more", more)
	}
}

// side writes one side of a group's example if it has a position or a value.
func (p *printer) side(letter string, s *Side, value string) {
	if s != nil && (s.N > 0 || value != "") {
		p.b.WriteString("           ")
		p.where(letter, s, value)
	}
}

// maxGuesses is the most places whose values are equal by a guess that are listed.
const maxGuesses = 20

// masked writes the values that are equal by type: how many in each place, and both if the
// type is a guess.
func (p *printer) masked(r *Report) {
	var guesses []*Masked
	total, guessed := r.MoreMasked, 0
	for i := range r.Masked {
		m := &r.Masked[i]
		if total += m.Count; m.Guess {
			guesses = append(guesses, m)
			guessed += m.Count
		}
	}
	if total == 0 {
		return
	}
	if certain := total - guessed; certain > 0 {
		hint := " (--reveal shows them)"
		if p.Reveal {
			hint = ""
		}
		p.line("\nEqual by type: %s%s", wording.Plural(certain, "value"), hint)
		for i := range r.Masked {
			if m := &r.Masked[i]; !m.Guess {
				p.maskedPlace(m, p.Reveal)
			}
		}
	}
	if len(guesses) == 0 {
		return
	}
	p.line("\nTaken as equal, because both look like the same type: %s", wording.Plural(guessed, "value"))
	shown := len(guesses)
	if !p.Reveal {
		shown = min(shown, maxGuesses)
	}
	for _, m := range guesses[:shown] {
		p.maskedPlace(m, true)
	}
	if more := len(guesses) - shown; more > 0 {
		p.line("  and %s more; --reveal lists all", wording.Plural(more, "place"))
	}
	m := guesses[0]
	p.line("  a rule makes them count: keep %s %s", p.Clean(methodOf(m.Method, m.Subject)), p.Clean(string(m.Pointer)))
}

func (p *printer) maskedPlace(m *Masked, values bool) {
	place := p.Clean(string(m.Pointer))
	a, b := m.A, m.B
	if m.Text != nil {
		place, a, b = place+" at "+m.Text.String(), m.Text.A, m.Text.B
	}
	call, first := p.call(m.Method, m.Subject, ""), ""
	if arguments := p.Clean(m.Arguments); m.Count == 1 {
		call += wording.IfAny(" ", arguments)
	} else {
		first = wording.IfAny(", first ", arguments)
	}
	p.line("  %-9s %s, %s  %d%s", m.Type, call, place, m.Count, first)
	if values {
		p.line("           A %s", p.Clean(a))
		p.line("           B %s", p.Clean(b))
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

// maxTimed is the most tools of a method whose times are listed.
const maxTimed = 20

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
	tools := 0
	for i, m := range r.Timing {
		name := p.call(m.Method, "", m.From)
		if m.Subject == "" {
			tools = 0
		} else if name, tools = "  "+p.Clean(m.Subject), tools+1; tools > maxTimed {
			if i+1 == len(r.Timing) || r.Timing[i+1].Subject == "" {
				fmt.Fprintf(t, "    and %d more\t\t\t\t\t\n", tools-maxTimed)
			}
			continue
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\t%s\n", name, both(fmt.Sprint(m.A.Count), fmt.Sprint(m.B.Count)),
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
