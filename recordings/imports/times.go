package imports

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// maxMicros limits times to about 3,000 years, so that sums cannot overflow.
const maxMicros = 1e17

// micros converts a time to microseconds. It returns unknown for an implausible time.
func micros(value, unit float64) int64 {
	us := math.Round(value * unit)
	if math.IsNaN(us) || math.Abs(us) > maxMicros {
		return unknown
	}
	return int64(us)
}

// timeLayouts are the formats of times as text. Those without a zone are UTC.
var timeLayouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"}

// wallTime reads a date and time from a JSON string, as microseconds since 1970.
func wallTime(value []byte) int64 {
	if !isText(value) {
		return unknown
	}
	return parseWall(text(value))
}

func parseWall(s string) int64 {
	for _, layout := range timeLayouts {
		if at, err := time.Parse(layout, strings.Replace(s, ",", ".", 1)); err == nil {
			if us := at.UnixMicro(); us > -maxMicros && us < maxMicros {
				return us
			}
		}
	}
	return unknown
}

// The smallest numbers that count as times since 1970, in seconds, milliseconds,
// microseconds and nanoseconds: each is the year 1973 in its unit, and longer than any
// session in the next smaller unit.
const (
	epochS  = 1e8
	epochMs = 1e11
	epochUs = 1e14
	epochNs = 1e17
)

// epochUnit returns the unit of a time since 1970 in microseconds, or 0 if value is not
// such a time.
func epochUnit(value float64) float64 {
	switch {
	case value >= epochNs:
		return 1e-3
	case value >= epochUs:
		return 1
	case value >= epochMs:
		return 1e3
	case value >= epochS:
		return 1e6
	}
	return 0
}

// number reads a JSON number, or a string that holds one.
func number(value []byte) (n float64, ok bool) {
	s := string(value[:min(len(value), 40)])
	if isText(value) {
		s = text(value)
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil
}
