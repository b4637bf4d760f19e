package wording

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Time rounds microseconds to about three digits.
func Time(us int64) time.Duration {
	d := time.Duration(us) * time.Microsecond
	switch {
	case d >= time.Minute:
		return d.Round(time.Second)
	case d >= time.Second:
		return d.Round(10 * time.Millisecond)
	case d >= 10*time.Millisecond:
		return d.Round(100 * time.Microsecond)
	case d >= time.Millisecond:
		return d.Round(10 * time.Microsecond)
	}
	return d
}

// RoundTime rounds to 10 us below 10 ms, to 1 ms below long, and to last above.
func RoundTime(d, long, last time.Duration) time.Duration {
	switch {
	case d < 10*time.Millisecond:
		return d.Round(10 * time.Microsecond)
	case d < long:
		return d.Round(time.Millisecond)
	}
	return d.Round(last)
}

// Milliseconds returns an exact number, for JSON.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// RoundedTime has a unit and as many digits as a row of the traffic; in seconds from 1 s
// on.
func RoundedTime(d time.Duration) string {
	if d >= time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return strings.TrimSuffix(string(AppendMillis(nil, d.Microseconds())), ".0") + " ms"
}

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

// Took writes how long a step took, in microseconds.
func Took(us int64) string {
	if us >= 1_000_000 {
		return fmt.Sprintf("%.2f s", float64(us)/1e6)
	}
	return string(AppendMillis(nil, us)) + " ms"
}

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

// AppendTook appends microseconds for a narrow column, in milliseconds or seconds.
func AppendTook(dst []byte, us int64) []byte {
	switch {
	case us >= 1e9:
		return append(strconv.AppendInt(dst, (us+5e5)/1e6, 10), " s"...)
	case us >= 999_500:
		return append(strconv.AppendFloat(dst, float64(us)/1e6, 'f', 1, 64), " s"...)
	case us >= 10_000:
		return append(strconv.AppendInt(dst, (us+500)/1000, 10), " ms"...)
	case us < 5: // would be 0.00
		return append(dst, "0 ms"...)
	}
	return append(AppendMillis(dst, us), " ms"...)
}
