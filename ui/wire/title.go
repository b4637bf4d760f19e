package wire

import (
	"mcpdbg/ui/widget/termsafe"
)

// Title returns the title of a list for a border of width cells: its name, the
// filter with the number of rows that pass, and the search with its matches. If
// there is little room, the numbers stay and the texts are cut.
func (r *Lists) Title(id ListID, width int, look termsafe.Options) (left, right string) {
	var shown, passed, times string
	switch id {
	case StderrList:
		left, right = r.Stderr.Titles()
	case EventsList:
		left, right = r.Events.Titles()
	default:
		left, right = r.Traffic.Titles()
		if f := r.Traffic.Shown; f != nil {
			shown = f.String()
		}
		passed, times = r.Traffic.passed(), r.Traffic.times.title()
	}
	matches, text := r.matches(id), ""
	if matches != "" {
		text = r.Search.Text
	}
	const borders = 2 + 3 + 3 // corners, and the padding of both titles
	room := width - borders - len(left) - len(right) - len(passed) - len(matches) - len("  filter ") - len("  /")
	shown, text = shareRoom(shown, text, room, look.Ellipsis)
	if termsafe.Width(shown)+termsafe.Width(text)+len(times) > room {
		times = "" // the column title shows it too
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
// neither to fewer cells than it needs to be recognised.
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
