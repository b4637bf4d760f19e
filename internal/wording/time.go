package wording

import (
	"bytes"
	"fmt"
	"strconv"
	"time"
)

// Milliseconds returns an exact number, for JSON.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// AppendMillis appends microseconds as milliseconds, such as 0.25, 12.5 or 12500.
func AppendMillis(dst []byte, us int64) []byte {
	ms := float64(max(us, 0)) / 1000
	switch {
	case ms < 1:
		return strconv.AppendFloat(dst, ms, 'f', 2, 64)
	case ms < 10_000:
		return strconv.AppendFloat(dst, ms, 'f', 1, 64)
	}
	return strconv.AppendFloat(dst, ms, 'f', 0, 64)
}

// AppendClock appends microseconds since the start of the log as 4:11.02 or 1:04:11.02.
func AppendClock(dst []byte, t int64) []byte {
	centis := max(t, 0) / 10_000
	seconds := centis / 100
	minutes := seconds / 60
	if hours := minutes / 60; hours > 0 {
		dst = strconv.AppendInt(dst, hours, 10)
		dst = append(dst, ':')
		dst = appendTwo(dst, minutes%60)
	} else {
		dst = strconv.AppendInt(dst, minutes, 10)
	}
	dst = append(dst, ':')
	dst = appendTwo(dst, seconds%60)
	dst = append(dst, '.')
	return appendTwo(dst, centis%100)
}

func appendTwo(dst []byte, n int64) []byte {
	return append(dst, byte('0'+n/10), byte('0'+n%10))
}

// Seconds writes a running time, in tenths of a second.
func Seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", max(d, 0).Seconds()) }

// The longest age in days that Ago counts.
const maxDaysAgo = 60

// Ago writes how long ago something was; after two months, or in the future, its date.
func Ago(now, then time.Time) string {
	switch age := now.Sub(then); {
	case age < -time.Minute, age >= maxDaysAgo*24*time.Hour:
		return then.Format("2006-01-02")
	case age < time.Minute:
		return "just now"
	case age < time.Hour:
		return fmt.Sprintf("%d min ago", age/time.Minute)
	case age < 48*time.Hour:
		return fmt.Sprintf("%d h ago", age/time.Hour)
	default:
		return fmt.Sprintf("%d days ago", age/(24*time.Hour))
	}
}

// Time writes a duration as AppendTook does.
func Time(d time.Duration) string { return Took(d.Microseconds()) }

// Took writes microseconds as AppendTook does.
func Took(us int64) string { return string(AppendTook(nil, us)) }

// AppendTook appends microseconds with as many digits as a person compares: milliseconds
// below 1 s, seconds below 2 min, minutes below 2 h, then hours.
func AppendTook(dst []byte, us int64) []byte {
	const second, minute, hour = 1e6, 60e6, 3600e6
	switch {
	case us >= 2*hour:
		return append(strconv.AppendFloat(dst, float64(us)/hour, 'f', 1, 64), " h"...)
	case us >= 2*minute:
		return append(strconv.AppendFloat(dst, float64(us)/minute, 'f', 1, 64), " min"...)
	case us >= second-500:
		return append(strconv.AppendFloat(dst, float64(us)/second, 'f', 1, 64), " s"...)
	case us >= 10_000:
		return append(strconv.AppendInt(dst, (us+500)/1000, 10), " ms"...)
	case us < 5: // would be 0.00
		return append(dst, "0 ms"...)
	}
	return append(bytes.TrimSuffix(AppendMillis(dst, us), []byte(".0")), " ms"...)
}
