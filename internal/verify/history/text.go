package history

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mcpdbg/internal/verify/report"
	"mcpdbg/internal/wording"
	"mcpdbg/ui/widget/termsafe"
)

// Limits of the output for people; JSON has all.
const (
	shownRuns    = 20
	shownTargets = 10
	shownSpark   = 60 // runs
)

// columns are the phases of the table.
var columns = []string{"connect", "handshake", "list"}

const when = "01-02 15:04"

// Text writes the trend for people, safe for a terminal.
func (t *Trend) Text(w io.Writer) error {
	var b strings.Builder
	b.WriteString(t.head() + "\n")
	if len(t.Runs) > 0 {
		for _, row := range aligned(t.rows()) {
			b.WriteString(row + "\n")
		}
	}
	for _, line := range t.lines() {
		b.WriteString(termsafe.Line(line) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Markdown writes the trend as a document.
func (t *Trend) Markdown(w io.Writer) error {
	var m report.MarkdownDoc
	m.Heading(2, t.head())
	rows := t.rows()
	m.Table(rows[0]...)
	for _, row := range rows[1:] {
		m.Row(row...)
	}
	for _, line := range t.lines() {
		m.Paragraph("%s", line)
	}
	_, err := m.WriteTo(w)
	return err
}

func (t *Trend) head() string {
	name := termsafe.Line(t.Name)
	if len(t.Runs) == 0 {
		return name + ": no runs"
	}
	first, last := t.Runs[0].Started.UTC().Format("01-02"), t.Runs[len(t.Runs)-1].Started.UTC().Format("01-02")
	if first != last {
		last = first + " to " + last
	}
	return fmt.Sprintf("%s: %s, %s, %s; times are p50 / p95 over targets", name, wording.Plural(len(t.Runs), "run"), last, wording.Plural(t.Targets, "target"))
}

// rows returns the head of the table and the last runs.
func (t *Trend) rows() [][]string {
	shown := t.Runs[max(len(t.Runs)-shownRuns, 0):]
	phases := slices.DeleteFunc(slices.Clone(columns), func(phase string) bool {
		return !slices.ContainsFunc(shown, func(r Run) bool { return r.Phases[phase].Samples > 0 })
	})
	rows := [][]string{append([]string{"when (UTC)", "passed", "failed", "flaky", "host"}, phases...)}
	for i := range shown {
		r := &shown[i]
		row := []string{r.Started.UTC().Format(when), strconv.Itoa(r.Passed), strconv.Itoa(r.Failed), strconv.Itoa(r.Flaky), strconv.Itoa(r.Host)}
		for _, phase := range phases {
			text := "-"
			if f := r.Phases[phase]; f.Samples > 0 {
				text = took(f.P50) + " / " + took(f.P95)
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	return rows
}

// aligned returns a line for each row, with all but the first column to the right.
func aligned(rows [][]string) []string {
	lines := make([]string, len(rows))
	for column := range rows[0] {
		width := 0
		for _, row := range rows {
			width = max(width, len(row[column]))
		}
		for i, row := range rows {
			if column == 0 {
				lines[i] = fmt.Sprintf("%-*s", width, row[column])
			} else {
				lines[i] += fmt.Sprintf("  %*s", width, row[column])
			}
		}
	}
	return lines
}

func (t *Trend) lines() []string {
	var lines []string
	if more := len(t.Runs) - shownRuns; more > 0 {
		lines = append(lines, wording.Plural(more, "earlier run")+" not shown (--json has all)")
	}
	if all := t.p95(); len(all) > 1 {
		last, earlier := all[len(all)-1], all[:len(all)-1]
		text := fmt.Sprintf("handshake p95 %s   %s", spark(all), took(last))
		if median := Median(earlier); median > 0 {
			text += fmt.Sprintf("%s the median of %s (%s)", times(last, median), wording.Plural(len(earlier), "run"), took(median))
		}
		lines = append(lines, text)
	}
	lines = append(lines, some("slower:  ", t.Slower, slowerText)...)
	lines = append(lines, some("flaky:   ", t.Flaky, flakyText)...)
	if len(t.Strips) > 0 {
		lines = append(lines, "outcomes, the oldest run first: . passed, F failed, f flaky, t tolerated, - not run")
		ids := slices.Sorted(maps.Keys(t.Strips))
		lines = append(lines, some("  ", ids, func(id *string) string {
			return *id + "  " + t.Strips[*id][max(len(t.Runs)-shownSpark, 0):]
		})...)
	}
	for _, note := range t.Notes {
		lines = append(lines, "note: "+note)
	}
	return lines
}

func some[T any](label string, items []T, text func(*T) string) []string {
	var lines []string
	for i := range items {
		if i == shownTargets {
			return append(lines, fmt.Sprintf("%sand %d more (--json has all)", label, len(items)-i))
		}
		lines = append(lines, label+text(&items[i]))
	}
	return lines
}

func slowerText(s *Slower) string {
	return fmt.Sprintf("%s  %s p50 %s -> %s%s (last %d runs against %d)", s.ID, s.Phase, took(s.Before), took(s.Now), times(s.Now, s.Before), s.Recent, s.Earlier)
}

// times returns "" without a value to compare with.
func times(now, before float64) string {
	if before == 0 {
		return ""
	}
	return fmt.Sprintf(", %.1fx", now/before)
}

func flakyText(f *Flaky) string {
	var parts []string
	if f.Changes >= leastFlips {
		parts = append(parts, fmt.Sprintf("%d changes of outcome in %d runs, same server version", f.Changes, f.Runs))
	}
	if f.Retried > 0 {
		parts = append(parts, fmt.Sprintf("passed at another attempt in %d of %s", f.Retried, wording.Plural(f.Runs, "run")))
	}
	last := "last " + f.Last.UTC().Format("01-02")
	if f.Cause != "" {
		last += ": " + string(f.Cause)
	}
	if string(f.Cause) != string(f.Phase) {
		last += " in " + string(f.Phase)
	}
	return f.ID + "  " + strings.Join(append(parts, last), "; ")
}

func took(ms float64) string { return wording.Took(int64(ms * 1000)) }

// spark draws the last values. Values below twice the median are low, so that noise does
// not look like a change.
func spark(values []float64) string {
	const bars = "▁▂▃▄▅▆▇█"
	levels := []rune(bars)
	values = values[max(len(values)-shownSpark, 0):]
	low := slices.Min(values)
	high := max(slices.Max(values), 2*Median(values), low+1)
	var b strings.Builder
	for _, v := range values {
		b.WriteRune(levels[int((v-low)/(high-low)*float64(len(levels)-1)+0.5)])
	}
	return b.String()
}
