package ui

import (
	"mcpdbg/ui/termsafe"
)

// listTitle is the title of a pane that lists rows, in a border of width cells:
// its name, the filter with what passes it, and the search with what matches.
// Where there is little room, the numbers stay and the texts are cut.
func (a *App) listTitle(id paneID, width int) (left, right string) {
	left, right = a.pane(id).titles()
	var shown, passed, times string
	if id == trafficID {
		if f := a.traffic.shown; f != nil {
			shown = f.String()
		}
		passed, times = a.traffic.passed(), a.traffic.times.title()
	}
	matches, text := a.countTitle(id), ""
	if matches != "" {
		text = a.search.text
	}
	const borders = 2 + 3 + 3 // corners, and what stands around both titles
	room := width - borders - len(left) - len(right) - len(passed) - len(matches) - len("  filter ") - len("  /")
	shown, text = shareRoom(shown, text, room, a.look().Ellipsis)
	if termsafe.Width(shown)+termsafe.Width(text)+len(times) > room {
		times = "" // the head of the column tells, too
	}
	if shown != "" {
		left += "  filter " + shown
	}
	left += passed
	if matches != "" {
		left += "  /" + text + matches
	}
	return left + times, right
}

// shareRoom cuts two texts to room cells together: the longer one first, and
// none to less than can be recognised.
func shareRoom(a, b string, room int, ellipsis string) (string, string) {
	const least = 6
	forA, forB := termsafe.Width(a), termsafe.Width(b)
	for forA+forB > room && max(forA, forB) > least {
		if forA >= forB {
			forA--
		} else {
			forB--
		}
	}
	return termsafe.Truncate(a, forA, ellipsis), termsafe.Truncate(b, forB, ellipsis)
}
