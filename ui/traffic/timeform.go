package traffic

import (
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/widget/termsafe"
)

// The columns of the traffic pane.
const (
	colSeq = iota
	colTime
	colDirection
	colMethod
	colID
	colSummary
	colLatency
	colSize
)

// The zero value shows the time since the start of the log.
type timeForm struct {
	wall      bool  // wall-clock time
	reference bool  // since a chosen row
	zero      int64 // time of the chosen row
	long      bool  // some times have hours
}

// widen makes room for hours, and reports whether that changed anything.
func (f *timeForm) widen(latest int64) bool {
	if f.long || latest < time.Hour.Microseconds() {
		return false
	}
	f.long = true
	return true
}

// If there is too little room, they drop time first, then size, sequence, id and summary;
// method and outcome stay.
func (f *timeForm) columns() []table.Column {
	title, width := f.column()
	return []table.Column{
		colSeq:       {Title: "seq", Min: 6, Priority: 3, Align: termsafe.Right},
		colTime:      {Title: title, Min: width, Priority: 1, Align: termsafe.Right},
		colDirection: {Min: 1, Must: true},
		colMethod:    {Title: "method", Min: 16, Weight: 1, Must: true, Scroll: true},
		colID:        {Title: "id", Min: 8, Priority: 3},
		colSummary:   {Title: "summary", Min: 16, Weight: 2, Priority: 4, Scroll: true},
		colLatency:   {Title: "took", Min: 7, Priority: 5, Align: termsafe.Right},
		colSize:      {Title: "size", Min: 6, Priority: 2, Align: termsafe.Right},
	}
}

func (f *timeForm) column() (title string, width int) {
	title, width = "time", 8
	switch {
	case f.wall:
		title, width = "clock", len("15:04:05.000")
	case f.reference:
		title, width = "+/-time", 9
	}
	if f.long && !f.wall {
		width += 2
	}
	return title, width
}

// title returns the description of the times for the pane's border, if they are
// not in the default format.
func (f *timeForm) title() string {
	switch {
	case f.wall:
		return "  local time"
	case f.reference:
		return "  time from " + string(wording.AppendClock(nil, f.zero))
	}
	return ""
}

// start is that of the log.
func (f *timeForm) append(dst []byte, t int64, start time.Time) []byte {
	switch {
	case f.wall:
		return start.Add(time.Duration(t)*time.Microsecond).Local().AppendFormat(dst, "15:04:05.000")
	case f.reference && t < f.zero:
		return wording.AppendClock(append(dst, '-'), f.zero-t)
	case f.reference:
		return wording.AppendClock(append(dst, '+'), t-f.zero)
	}
	return wording.AppendClock(dst, t)
}
