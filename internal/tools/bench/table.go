package main

import (
	"fmt"
	"strconv"
	"strings"
)

// Markdown returns the table of docs/dev/performance.md. Missed goals are bold.
func (r Run) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s; %s; %s.\n\n", r.Date, r.Machine, r.Program)
	b.WriteString("| what | against | mcpdbg | peer | ratio | noise | CPU ratio | memory | goal |\n|---|---|---|---|---|---|---|---|---|\n")
	missing := ""
	for _, one := range r.Results {
		if one.Missing != "" {
			missing += one.Line()
			continue
		}
		b.WriteString(one.Line())
	}
	if missing != "" {
		b.WriteString("\n" + missing)
	}
	return b.String() + "\n"
}

// Line returns the row of a result, or of a missing one the line below the table.
func (r Result) Line() string {
	if r.Missing != "" {
		return fmt.Sprintf("- %s, against %s: not measured: %s\n", r.What, r.Peer, r.Missing)
	}
	ratio := times(r.Ratio.Value)
	if r.Speed {
		ratio += " the speed"
	}
	ours := duration(r.Ours.Wall.Median)
	if rate := r.Rate(); rate > 0 {
		ours += ", " + number(rate) + " MB per CPU second"
	}
	cells := []string{r.What, r.Peer, bold(ours, !r.timeMet()), duration(r.Peers.Wall.Median), bold(ratio, !r.ratioMet()),
		percent(r.Ratio.Noise), times(r.CPU.Value), bold(number(r.Ours.Memory)+" MiB", !r.memoryMet()), r.goal()}
	for i := range cells {
		cells[i] = strings.ReplaceAll(cells[i], "|", `\|`)
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

func (r Result) goal() string {
	var all []string
	g := r.Goal
	if g.AtMost > 0 {
		all = append(all, "at most "+times(g.AtMost))
	}
	if g.AtLeast > 0 {
		all = append(all, "at least "+times(g.AtLeast))
	}
	if g.Wall > 0 {
		all = append(all, duration(g.Wall))
	}
	if g.Rate > 0 {
		all = append(all, number(g.Rate)+" MB per CPU second")
	}
	if g.Memory > 0 {
		all = append(all, number(g.Memory)+" MiB")
	}
	if all == nil {
		return "-"
	}
	return strings.Join(all, ", ")
}

func bold(text string, yes bool) string {
	if yes {
		return "**" + text + "**"
	}
	return text
}

func times(f float64) string { return number(f) + "x" }

func percent(f float64) string { return fmt.Sprintf("%.0f %%", 100*f) }

// Three digits.
func number(f float64) string {
	switch {
	case f >= 100:
		return fmt.Sprintf("%.0f", f)
	case f >= 10:
		return trimmed(f, 1)
	}
	return trimmed(f, 2)
}

func trimmed(f float64, digits int) string {
	text := strconv.FormatFloat(f, 'f', digits, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

func duration(ms float64) string {
	if ms >= 1000 {
		return number(ms/1000) + " s"
	}
	return number(ms) + " ms"
}

const (
	begin = "<!-- bench: go run ./internal/tools/bench --write -->\n"
	end   = "<!-- end of bench -->"
)

// Insert replaces the text between a page's markers.
func Insert(page, text string) (string, error) {
	head, rest, found := strings.Cut(page, begin)
	if !found {
		return "", fmt.Errorf("the page lacks the line %q", strings.TrimSpace(begin))
	}
	_, tail, found := strings.Cut(rest, end)
	if !found {
		return "", fmt.Errorf("the page lacks the line %q", end)
	}
	return head + begin + text + end + tail, nil
}
