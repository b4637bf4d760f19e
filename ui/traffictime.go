package ui

import (
	"time"

	"mcpdbg/ui/table"
	"mcpdbg/ui/termsafe"
)

// The columns of the traffic pane.
const (
	colSeq = iota
	colTime
	colDirection
	colMethod
	colID
	colLatency
	colSize
)

// timeForm is how the time of a row is given. The zero value is the time since
// the log began.
type timeForm struct {
	wall      bool  // by the clock on the wall
	reference bool  // since a row that was chosen
	zero      int64 // its time
	long      bool  // there are hours
}

// widen makes room for hours when the log has any, and tells whether that is
// new.
func (f *timeForm) widen(latest int64) bool {
	if f.long || latest < time.Hour.Microseconds() {
		return false
	}
	f.long = true
	return true
}

// columns are those of the traffic pane. They give up time first, then size,
// sequence and id; what was called and what became of it stay.
func (f *timeForm) columns() []table.Column {
	title, width := "+time", 8
	switch {
	case f.wall:
		title, width = "clock", len("15:04:05.000")
	case f.reference:
		title, width = "+/-time", 9
	}
	if f.long && !f.wall {
		width += 2
	}
	return []table.Column{
		colSeq:       {Title: "seq", Min: 6, Priority: 3, Align: termsafe.Right},
		colTime:      {Title: title, Min: width, Priority: 1, Align: termsafe.Right},
		colDirection: {Min: 1, Must: true},
		colMethod:    {Title: "method", Min: 14, Weight: 1, Must: true, Scroll: true},
		colID:        {Title: "id", Min: 11, Priority: 4},
		colLatency:   {Title: "ms", Min: 9, Priority: 5, Align: termsafe.Right},
		colSize:      {Title: "size", Min: 6, Priority: 2, Align: termsafe.Right},
	}
}

// title says in the border of the pane what the times are, when they are no
// longer what they were at the beginning.
func (f *timeForm) title() string {
	switch {
	case f.wall:
		return "  local time"
	case f.reference:
		return "  time from " + string(appendClock(nil, f.zero))
	}
	return ""
}

// append appends the time of a row of a log that began at start.
func (f *timeForm) append(dst []byte, t int64, start time.Time) []byte {
	switch {
	case f.wall:
		return start.Add(time.Duration(t)*time.Microsecond).Local().AppendFormat(dst, "15:04:05.000")
	case f.reference && t < f.zero:
		return appendClock(append(dst, '-'), f.zero-t)
	case f.reference:
		return appendClock(append(dst, '+'), t-f.zero)
	}
	return appendClock(dst, t)
}
