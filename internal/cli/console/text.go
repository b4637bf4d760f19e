package console

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mcpdbg/internal/spelling"
	"mcpdbg/ui/widget/termsafe"
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

// maxNames is the maximum number of names that an error lists.
const maxNames = 20

// List joins names, at most maxNames of them.
func List(names []string) string {
	if more := len(names) - maxNames; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], ", "), more)
	}
	return strings.Join(names, ", ")
}

// DidYouMean returns a hint with the nearest of names, or "" if none is near.
func DidYouMean(flag, name string, names []string) string {
	best := spelling.Nearest(name, names)
	if best == "" {
		return ""
	}
	return flag + best
}

// Place names the machine of a server.
func Place(host string) string {
	if host == "" {
		return "local"
	}
	return host
}

// AppendClean appends untrusted text as one line.
func AppendClean(b []byte, text string) []byte {
	b, _, _ = termsafe.AppendString(b, text, termsafe.Unlimited, termsafe.Options{})
	return b
}

// CommandLine returns a recorded command as a shell takes it.
func CommandLine(argv []string) string {
	words := make([]string, len(argv))
	for i, arg := range argv {
		words[i] = Quote(arg)
	}
	return strings.Join(words, " ")
}

// Quote quotes an argument for a shell, if needed.
func Quote(text string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_@%+=:,./~-", c)
	}
	if text != "" && strings.IndexFunc(text, func(c rune) bool { return !plain(c) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// IsWithin reports whether folder is dir or one of its parents.
func IsWithin(folder, dir string) bool {
	rel, err := filepath.Rel(folder, dir)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// Path returns path relative to the current directory if it is below it, or
// else with ~ for the home directory.
func Path(path string) string {
	if cwd, err := os.Getwd(); err == nil && IsWithin(cwd, path) {
		if rel, err := filepath.Rel(cwd, path); err == nil {
			return rel
		}
	}
	if dir, err := os.UserHomeDir(); err == nil && dir != "" && IsWithin(dir, path) {
		if rel, err := filepath.Rel(dir, path); err == nil {
			return filepath.Join("~", rel)
		}
	}
	return path
}
