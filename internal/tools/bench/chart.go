package main

import (
	"fmt"
	"html"
	"slices"
	"strings"
)

// A Group is a task in the chart: the results of IDs, each of which adds the bar of its
// peer. The bar of mcpdbg is that of the first.
type Group struct {
	Title string
	IDs   []string
	Names []string // of the bars: mcpdbg, then one for each of IDs
}

// A Palette has the colors of a chart.
type Palette struct {
	Text, Faint, Ours, Peer string
}

// Light and Dark are for pages with such a background.
var (
	Light = Palette{Text: "#1f2328", Faint: "#59636e", Ours: "#0969da", Peer: "#afb8c1"}
	Dark  = Palette{Text: "#f0f6fc", Faint: "#9198a1", Ours: "#4493f8", Peer: "#656c76"}
)

// Geometry of the chart in pixels.
const (
	chartWidth = 760
	nameWidth  = 190 // of the column of names
	barRoom    = 460 // of the longest bar
	barHeight  = 14
	barStep    = 20
	titleStep  = 26
	groupGap   = 14
)

// Chart draws the median times of groups as bars, shorter is better, with a scale for
// each group. Groups and peers that were not measured are omitted.
func (r Run) Chart(groups []Group, p Palette) string {
	var b strings.Builder
	y := 8
	for _, group := range groups {
		var names []string
		var times []float64
		for i, id := range group.IDs {
			result, found := r.find(id)
			if !found || result.Missing != "" {
				continue
			}
			if names == nil {
				names, times = append(names, group.Names[0]), append(times, result.Ours.Wall.Median)
			}
			names, times = append(names, group.Names[i+1]), append(times, result.Peers.Wall.Median)
		}
		if names == nil {
			continue
		}
		y += titleStep
		fmt.Fprintf(&b, `<text x="0" y="%d" fill="%s" font-weight="600">%s</text>`+"\n", y-9, p.Text, html.EscapeString(group.Title))
		for i, name := range names {
			color := p.Peer
			if i == 0 {
				color = p.Ours
			}
			width := max(2, barRoom*times[i]/slices.Max(times))
			fmt.Fprintf(&b, `<text x="%d" y="%d" fill="%s" text-anchor="end">%s</text>`, nameWidth-10, y+barHeight-3, p.Text, html.EscapeString(name))
			fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%.1f" height="%d" rx="2" fill="%s"/>`, nameWidth, y, width, barHeight, color)
			fmt.Fprintf(&b, `<text x="%.1f" y="%d" fill="%s">%s</text>`+"\n", nameWidth+width+8, y+barHeight-3, p.Faint, duration(times[i]))
			y += barStep
		}
		y += groupGap
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="-apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif" font-size="12">`+
		"\n<title>%s</title>\n%s</svg>\n", chartWidth, y, chartWidth, y, "Median times of mcpdbg and other programs; shorter is better", b.String())
}
