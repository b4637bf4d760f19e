package formats

import (
	"bytes"
	"encoding/json"
	"iter"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"mcpdbg/framing"
)

// members iterates over a valid JSON object, with raw values.
func members(object []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for name, value := range framing.Members(object) {
			if !yield(text(name.Of(object)), value.Of(object)) {
				return
			}
		}
	}
}

// "" for any value but a string
func text(value []byte) string {
	if len(value) < 2 || value[0] != '"' {
		return ""
	}
	if inside := value[1 : len(value)-1]; bytes.IndexByte(inside, '\\') < 0 && utf8.Valid(inside) {
		return string(inside)
	}
	var s string
	_ = json.Unmarshal(value, &s) // "" for any other value
	return s
}

func isText(value []byte) bool { return len(value) > 0 && value[0] == '"' }

// message returns an object or an array as it is, a string decoded.
func message(value []byte) (payload []byte, ok bool) {
	if len(value) == 0 {
		return nil, false
	}
	switch value[0] {
	case '{', '[':
		return value, true
	case '"':
		return []byte(text(value)), true
	}
	return nil, false
}

func compact(value []byte) []byte {
	var line bytes.Buffer
	if bytes.IndexByte(value, '\n') < 0 || json.Compact(&line, value) != nil {
		return value
	}
	return line.Bytes()
}

// maxMicros is about 3,000 years, so that sums cannot overflow.
const maxMicros = 1e17

// micros returns unknown for an implausible time.
func micros(value, unit float64) int64 {
	us := math.Round(value * unit)
	if math.IsNaN(us) || math.Abs(us) > maxMicros {
		return unknown
	}
	return int64(us)
}

// Those without a zone are UTC.
var timeLayouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"}

// wallTime returns microseconds since 1970.
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

// The smallest numbers that count as times since 1970: each is the year 1973 in its unit,
// and longer than any session in the next smaller unit.
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

// number also reads a string that holds a number.
func number(value []byte) (n float64, ok bool) {
	s := string(value[:min(len(value), 40)])
	if isText(value) {
		s = text(value)
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil
}
