package wording

import (
	"fmt"
	"strings"
	"time"
)

// IfAny returns prefix and text, or "" for an empty text.
func IfAny(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// Count formats a number of things, or returns "" if there are none.
func Count(n uint64, format, thing string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(format, Plural(n, thing))
}

// Plural returns a number with the singular or plural of thing.
func Plural(n uint64, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case strings.HasSuffix(thing, "y"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(thing, "y"))
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Bytes formats a size for people.
func Bytes(n int64) string {
	const kib, mib, gib = 1 << 10, 1 << 20, 1 << 30
	switch {
	case n >= gib:
		return fmt.Sprintf("%.1f GiB", float64(n)/gib)
	case n >= mib:
		return fmt.Sprintf("%.1f MiB", float64(n)/mib)
	case n >= kib:
		return fmt.Sprintf("%.1f KiB", float64(n)/kib)
	}
	return Plural(uint64(n), "byte")
}

// Time keeps about three digits.
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

// IfSome formats a number, or returns "" for 0.
func IfSome(n int, format string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(format, n)
}
