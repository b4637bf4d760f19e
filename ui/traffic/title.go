package traffic

import (
	"mcpdbg/session"
	"mcpdbg/ui/widget/termsafe"
)

type titleKeys struct{ follow, clear string }

// over reports whether no rows can come any more: the log is that of an ended
// recording, which does not play.
func (r *Lists) over() bool {
	return r.ws.Session == nil && r.ws.File.Recording != session.RecordingOn && r.ws.Playback == nil
}

// Title returns the title of a list for a border of width cells: its name, the filter
// with the number of rows that pass, the search with its matches, and at the right
// whether it follows. If there is little room, the numbers stay, the keys that end a
// state give way, and the texts are cut.
func (r *Lists) Title(id ListID, width int, look termsafe.Options) (left, right string) {
	var shown, passed, times, clears, follows string
	list := r.list(id)
	left, right = list.Titles()
	if id == TrafficList {
		if f := r.Traffic.Shown; f != nil {
			shown, clears = f.String(), " ("+r.keys.clear+" clears)"
		}
		passed, times = r.Traffic.passed(), r.Traffic.times.title()
	}
	switch {
	case list.Following():
	case r.over():
		right = ""
	default:
		follows = ", " + r.keys.follow + " follows"
	}
	matches, text := r.matches(id), ""
	if matches != "" {
		text = r.Search.Text
	}
	const borders = 2 + 3 + 3 // corners, and the padding of both titles
	room := width - borders - len(left) - len(right) - len(passed) - len(matches) - len("  filter ") - len("  /")
	shown, text = shareRoom(shown, text, room, look.Ellipsis)
	room -= termsafe.Width(shown) + termsafe.Width(text)
	for _, part := range []*string{&times, &clears, &follows} { // the column title shows the times too
		if room -= len(*part); room < 0 {
			room += len(*part)
			*part = ""
		}
	}
	if shown != "" {
		left += "  filter " + shown
	}
	left += passed + clears
	if matches != "" {
		left += "  /" + text + matches
	}
	return left + times, right + follows
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
