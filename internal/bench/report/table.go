package report

import (
	"fmt"
	"strconv"
	"strings"
)

// Text returns a table for a terminal.
func (r Run) Text() string {
	rows := [][]string{{"case", "peer", "mcpdbg ms (min median max)", "peer ms", "ratio", "noise", "CPU", "MiB", "goal", ""}}
	for _, one := range r.Results {
		if one.Missing != "" {
			rows = append(rows, []string{one.ID, one.Peer, "not measured: " + one.Missing})
			continue
		}
		mark := ""
		if !one.ratioMet() || !one.memoryMet() || !one.timeMet() {
			mark = "missed"
		}
		rows = append(rows, []string{one.ID, one.Peer, one.Ours.Wall.text(), one.Peers.Wall.text(), times(one.Ratio.Value),
			percent(one.Ratio.Noise), times(one.CPU.Value), number(one.Ours.Memory), one.goal(), mark})
	}
	return aligned(rows)
}

// Markdown returns the table of docs/dev/performance.md. Figures that miss their
// goals are bold.
func (r Run) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s; %s; %s.\n\n", r.Date, r.Machine, r.Program)
	b.WriteString("| what | against | mcpdbg | peer | ratio | noise | CPU ratio | memory | goal |\n|---|---|---|---|---|---|---|---|---|\n")
	var missing []string
	for _, one := range r.Results {
		if one.Missing != "" {
			missing = append(missing, fmt.Sprintf("- %s, against %s: not measured: %s", one.What, one.Peer, one.Missing))
			continue
		}
		ratio := times(one.Ratio.Value)
		if one.Speed {
			ratio += " the speed"
		}
		ours := duration(one.Ours.Wall.Median)
		if rate := one.Rate(); rate > 0 {
			ours += ", " + number(rate) + " MB per CPU second"
		}
		cells := []string{one.What, one.Peer, bold(ours, !one.timeMet()), duration(one.Peers.Wall.Median), bold(ratio, !one.ratioMet()),
			percent(one.Ratio.Noise), times(one.CPU.Value), bold(number(one.Ours.Memory)+" MiB", !one.memoryMet()), one.goal()}
		for i := range cells {
			cells[i] = strings.ReplaceAll(cells[i], "|", `\|`)
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
	}
	if missing != nil {
		b.WriteString("\n" + strings.Join(missing, "\n") + "\n")
	}
	return b.String() + "\n"
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

func (s Spread) text() string {
	return number(s.Min) + " " + number(s.Median) + " " + number(s.Max)
}

// times formats a ratio.
func times(f float64) string { return number(f) + "x" }

func percent(f float64) string { return fmt.Sprintf("%.0f %%", 100*f) }

// number formats with as many digits as a person reads: three.
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

// duration formats milliseconds.
func duration(ms float64) string {
	if ms >= 1000 {
		return number(ms/1000) + " s"
	}
	return number(ms) + " ms"
}

// aligned pads all columns but the last.
func aligned(rows [][]string) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if i < len(row)-1 {
				widths[i] = max(widths[i], len([]rune(cell)))
			}
		}
	}
	var b strings.Builder
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			if i < len(row)-1 {
				cell += strings.Repeat(" ", widths[i]-len([]rune(cell))+2)
			}
			line += cell
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// Line returns the results as short lines, to show progress.
func (r Run) Line() string {
	_, rows, _ := strings.Cut(r.Text(), "\n")
	return rows
}
