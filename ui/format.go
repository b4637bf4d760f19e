package ui

import "strconv"

// appendClock appends a time since the start of the log, given in
// microseconds, as 4:11.02 or 1:04:11.02.
func appendClock(dst []byte, t int64) []byte {
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

// appendMillis appends a time given in microseconds as milliseconds, with
// three digits where there are as many.
func appendMillis(dst []byte, us int64) []byte {
	ms := float64(max(us, 0)) / 1000
	switch {
	case ms < 1:
		return strconv.AppendFloat(dst, ms, 'f', 2, 64)
	case ms < 10_000:
		return strconv.AppendFloat(dst, ms, 'f', 1, 64)
	}
	return strconv.AppendFloat(dst, ms, 'f', 0, 64)
}

// appendSize appends a number of bytes, as 188 or 4.3K or 1.2M.
func appendSize(dst []byte, n int64) []byte {
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

// size is appendSize as a string.
func size(n int64) string { return string(appendSize(nil, n)) }
