package format

import (
	"fmt"
	"strconv"
	"time"
)

// Seconds writes a time that runs, in tenths of a second.
func Seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", max(d, 0).Seconds()) }

// Took writes how long a step took, given in microseconds.
func Took(us int64) string {
	if us >= 1_000_000 {
		return fmt.Sprintf("%.2f s", float64(us)/1e6)
	}
	return string(AppendMillis(nil, us)) + " ms"
}

// The longest age in days that Ago counts.
const maxDaysAgo = 60

// Ago writes how long ago something was; after two months, or if it is yet to come,
// its date.
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

// AppendTook appends a time in microseconds for a narrow column, in milliseconds or
// seconds.
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
