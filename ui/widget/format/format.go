package format

import (
	"strconv"

	"fmt"
	"strings"
	"time"
)

// AppendClock appends a time since the start of the log, in microseconds, as
// 4:11.02 or 1:04:11.02.
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

// AppendMillis appends a time in microseconds as milliseconds, such as 0.25, 12.5
// or 12500.
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

// AppendSize appends a number of bytes, such as 188, 4.3K or 1.2M.
func AppendSize(dst []byte, n int64) []byte {
	if n < 1000 {
		return strconv.AppendInt(dst, n, 10)
	}
	value := float64(n)
	for _, unit := range "KMGTPE" {
		value /= 1024
		if value < 999.95 {
			return append(strconv.AppendFloat(dst, value, 'f', 1, 64), byte(unit))
		}
	}
	return dst
}

// Size returns a number of bytes as AppendSize writes it.
func Size(n int64) string { return string(AppendSize(nil, n)) }

// Percent returns part of all in percent, 100 % if all is 0.
func Percent(part, all int) string {
	if all == 0 {
		return "100 %"
	}
	return fmt.Sprintf("%d %%", int64(part)*100/int64(all))
}

// RoundedTime returns a time with its unit and as many digits as in a row of the
// traffic; in seconds from 1 s on.
func RoundedTime(d time.Duration) string {
	if d >= time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return strings.TrimSuffix(string(AppendMillis(nil, d.Microseconds())), ".0") + " ms"
}
