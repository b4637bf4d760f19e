package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/wording"
	"mcpdbg/ui/widget/termsafe"
)

const (
	maxNamed      = 24 // targets named per group
	maxGroupLines = 6  // lines of evidence per group
)

// Summary writes the outcome as text safe for a terminal: failures by cause, grouping
// targets with the same message, each hint once, and the slowest target of each phase.
func Summary(w io.Writer, r *verify.Report) error {
	b := bufio.NewWriter(w)
	counts := r.Tally()
	_, _ = b.WriteString(passed(&counts, wording.Plural(len(r.Targets), "target"))) // Flush reports errors
	_, _ = fmt.Fprintf(b, ", in %s\n", duration(r.DurationMS))
	s := summary{b: b, several: severalServers(r), hints: map[string]bool{}}
	for _, g := range groups(r.Targets) {
		s.group(r, g)
	}
	s.others(r)
	s.cannotTell(r.Targets)
	s.slowest(r.Targets)
	if r.Checked != "" {
		_, _ = fmt.Fprintf(b, "\nchecked: %s\n", termsafe.Line(r.Checked))
	}
	if r.Again != "" {
		_, _ = fmt.Fprintf(b, "again: %s\n", termsafe.Line(r.Again))
	}
	return b.Flush()
}

// cannotTell groups passed targets with the same text.
func (s *summary) cannotTell(targets []verify.Result) {
	var order []string
	by := map[string][]*verify.Result{}
	for i := range targets {
		t := &targets[i]
		for _, doubt := range t.CannotTell {
			if !t.OK {
				continue
			}
			if by[doubt] == nil {
				order = append(order, doubt)
			}
			by[doubt] = append(by[doubt], t)
		}
	}
	for _, doubt := range order {
		_, _ = fmt.Fprintf(s.b, "\nok?: %s\n", s.names(by[doubt]))
		termsafe.Fold(s.b, "  ", "  ", termsafe.Line(doubt))
	}
}

func severalServers(r *verify.Report) bool {
	return slices.ContainsFunc(r.Targets, func(t verify.Result) bool { return t.Server != r.Targets[0].Server })
}

type group struct {
	cause   verify.Cause
	targets []*verify.Result
}

func groups(targets []verify.Result) []*group {
	var all []*group
	known := map[string]*group{}
	for i := range targets {
		t := &targets[i]
		if t.OK || t.Outcome == verify.OutcomeTolerated || t.Outcome == verify.OutcomeSkipped || t.Outcome == verify.OutcomeStopped {
			continue
		}
		key := strings.Join([]string{string(t.Cause), t.Code, general(t.Message, t.Host, t.Server)}, "\n")
		if t.Cause == verify.CauseTimeout { // the reasons of timeouts are in the hint
			key += "\n" + general(t.Hint, t.Host, t.Server)
		}
		g := known[key]
		if g == nil {
			g = &group{cause: t.Cause}
			known[key] = g
			all = append(all, g)
		}
		g.targets = append(g.targets, t)
	}
	slices.SortStableFunc(all, func(a, b *group) int {
		return cmp.Or(cmp.Compare(slices.Index(causes, a.cause), slices.Index(causes, b.cause)), len(b.targets)-len(a.targets))
	})
	return all
}

// general removes the parts that differ between hosts: names, addresses, numbers.
func general(message, host, server string) string {
	for _, name := range append([]string{host, server}, places(message)...) {
		if name != "" {
			message = withoutName(message, name)
		}
	}
	var b strings.Builder
	number := false
	for _, r := range message {
		digit := r >= '0' && r <= '9' || number && (r == '.' || r == ':')
		if !digit {
			b.WriteRune(r)
		} else if !number {
			b.WriteByte('#')
		}
		number = digit
	}
	return b.String()
}

// withoutName replaces a name by *, except within a word.
func withoutName(message, name string) string {
	parts := strings.Split(message, name)
	var b strings.Builder
	b.WriteString(parts[0])
	for i, part := range parts[1:] {
		before, _ := utf8.DecodeLastRuneInString(parts[i])
		after, _ := utf8.DecodeRuneInString(part)
		if inWord(before) || inWord(after) {
			b.WriteString(name)
		} else {
			b.WriteByte('*')
		}
		b.WriteString(part)
	}
	return b.String()
}

func inWord(r rune) bool {
	return r == '-' || r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// places returns alias and address of a host from the beginning of a message, as in
// "start on web-1 (me@web-1.example.org:22): connection refused"; otherwise nothing.
func places(message string) []string {
	where, _, _ := strings.Cut(message, ": ")
	_, at, found := strings.Cut(where, " on ")
	if !found {
		return nil
	}
	alias, hop, found := strings.Cut(strings.TrimSuffix(at, ")"), " (")
	if !found {
		alias, hop = "", at
	}
	if strings.Contains(alias+hop, " ") {
		return nil
	}
	hop = hop[strings.LastIndexByte(hop, '@')+1:]
	if port := strings.LastIndexByte(hop, ':'); port > 0 {
		hop = hop[:port]
	}
	return []string{hop, alias}
}

type summary struct {
	b       *bufio.Writer
	several bool            // more than one server
	hints   map[string]bool // hints already written
}

// group gives details of the first target only.
func (s *summary) group(r *verify.Report, g *group) {
	first := g.targets[0]
	title := termsafe.Line(string(g.cause))
	if first.Code != "" && first.Code != title {
		title += " (" + termsafe.Line(first.Code) + ")"
	}
	if first.Cause == verify.CauseTimeout {
		title += ", " + termsafe.Line(string(first.Phase))
	}
	if first.Side != "" {
		title += ", on the side of the " + termsafe.Line(string(first.Side))
		if !r.FailOn.CountsTarget(first) {
			title += " (not counted: --fail-on " + termsafe.Line(r.FailOn.String()) + ")"
		}
	}
	message := termsafe.Line(cmp.Or(first.Message, "no message"))
	if len(g.targets) == 1 {
		_, _ = fmt.Fprintf(s.b, "\n%s: %s\n", title, s.names(g.targets))
		termsafe.Fold(s.b, "  ", "  ", message)
	} else {
		_, _ = fmt.Fprintf(s.b, "\n%s: %s\n", title, wording.Plural(len(g.targets), "target"))
		termsafe.Fold(s.b, "  ", "  ", s.names(g.targets))
		termsafe.Fold(s.b, "  ", "  ", "such as "+s.names(g.targets[:1])+": "+message)
	}
	s.since(g.targets)
	s.evidence(first)
	for _, t := range g.targets {
		if hint := general(t.Hint, t.Host, t.Server); hint != "" && !s.hints[hint] {
			s.hints[hint] = true
			s.hint(t.Hint)
		}
	}
	if first.Recording() != "" {
		_, _ = fmt.Fprintf(s.b, "  see: mcpdbg open %s\n", termsafe.Line(first.Recording()))
	}
	if first.Debug != "" {
		_, _ = fmt.Fprintf(s.b, "  debug: %s\n", termsafe.Line(first.Debug))
	}
}

// since names the oldest failure of a group, and the new ones; nothing without a history.
func (s *summary) since(targets []*verify.Result) {
	var oldest *verify.Result
	fresh := 0
	for _, t := range targets {
		switch {
		case t.Since == nil:
		case t.Runs == 1:
			fresh++
		case oldest == nil || t.Since.Before(*oldest.Since):
			oldest = t
		}
	}
	if oldest != nil {
		_, _ = fmt.Fprintf(s.b, "  failing since %s, %d runs", oldest.Since.UTC().Format("01-02 15:04 UTC"), oldest.Runs)
		if len(targets) > 1 {
			_, _ = fmt.Fprintf(s.b, ": %s", s.names([]*verify.Result{oldest}))
		}
		_ = s.b.WriteByte('\n')
	}
	if fresh > 0 {
		_, _ = fmt.Fprintf(s.b, "  new in this run: %s\n", wording.Plural(fresh, "target"))
	}
}

// others names the targets that neither passed nor count as failed.
func (s *summary) others(r *verify.Report) {
	by := map[verify.Outcome][]*verify.Result{}
	for i := range r.Targets {
		t := &r.Targets[i]
		by[t.Outcome] = append(by[t.Outcome], t)
	}
	for _, t := range by[verify.OutcomeTolerated] {
		termsafe.Fold(s.b, "\ntolerated: ", "  ", termsafe.Line(s.names([]*verify.Result{t})+": "+OneLine(t)+" ("+t.Tolerated.Reason+")"))
	}
	for _, one := range []struct {
		outcome verify.Outcome
		title   string
	}{{verify.OutcomeStopped, "not begun"}, {verify.OutcomeSkipped, "skipped"}} {
		if list := by[one.outcome]; len(list) > 0 {
			termsafe.Fold(s.b, "\n"+one.title+": ", "  ", termsafe.Line(s.names(list)+" ("+list[0].Message+")"))
		}
	}
}

func (s *summary) hint(hint string) {
	for i, line := range termsafe.Lines(hint) {
		lead := "  try: "
		if i > 0 {
			lead = "       "
		}
		_, _ = fmt.Fprintln(s.b, lead+line)
	}
}

func (s *summary) names(targets []*verify.Result) string {
	var names []string
	for _, t := range targets[:min(len(targets), maxNamed)] {
		name := termsafe.Line(t.Where())
		if s.several {
			name += "/" + termsafe.Line(t.Server)
		}
		names = append(names, name)
	}
	text := strings.Join(names, ", ")
	if more := len(targets) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func (s *summary) evidence(t *verify.Result) {
	var part verify.Result
	switch t.Cause {
	case verify.CauseScenario:
		part.Steps = failed(t)
	case verify.CauseDrift:
		part.Drift = t.Drift
	case verify.CauseProtocol:
		part.Problems, part.ProblemsMore = t.Problems, t.ProblemsMore
	case verify.CauseOrphan:
		part.Orphans = t.Orphans
	default:
		part.Said = t.Said[max(len(t.Said)-maxGroupLines+1, 0):]
	}
	lines := evidence(&part)
	for _, line := range lines[:min(len(lines), maxGroupLines)] {
		_, _ = fmt.Fprintln(s.b, "    "+termsafe.Truncate(line, termsafe.FoldWidth-4, termsafe.Ellipsis))
	}
	if more := len(lines) - maxGroupLines; more > 0 {
		_, _ = fmt.Fprintf(s.b, "      and %s\n", wording.Plural(more, "more line"))
	}
}

func (s *summary) slowest(targets []verify.Result) {
	var rows []string
	for _, phase := range append([]string{"wait"}, phases...) {
		var took []float64
		var worst *verify.Result
		for i := range targets {
			t := &targets[i]
			ms := t.Took(phase)
			if phase == "wait" && t.WaitMS > 0 {
				ms = &t.WaitMS
			}
			if !t.OK || ms == nil {
				continue
			}
			if worst == nil || *ms > slices.Max(took) {
				worst = t
			}
			took = append(took, *ms)
		}
		if len(took) < 2 {
			continue
		}
		slices.Sort(took)
		rows = append(rows, fmt.Sprintf("  %-10s %9s %9s  %s", phase, duration(took[len(took)/2]), duration(took[len(took)-1]), s.names([]*verify.Result{worst})))
	}
	if len(rows) > 0 {
		_, _ = fmt.Fprintf(s.b, "\n  %-10s %9s %9s\n%s\n", "passed", "median", "slowest", strings.Join(rows, "\n"))
	}
}
