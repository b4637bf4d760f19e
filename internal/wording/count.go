// Package wording has the small texts that all packages write alike: numbers of things,
// times and sizes, shortened and escaped texts, words quoted for a shell, JSON Pointers,
// and words that are nearly right. Widths in cells and terminal safety are in
// ui/widget/termsafe.
package wording

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

type integer interface {
	int | int64 | uint32 | uint64
}

// Plural returns a number of things, such as 1 entry or 2 entries.
func Plural[N integer](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %s", n, plural(thing))
}

// PluralOf is Plural with an irregular plural.
func PluralOf[N integer](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Counted is Plural with a comma for each thousand.
func Counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return Thousands(n) + " " + plural(thing)
}

func plural(thing string) string {
	if stem, ok := strings.CutSuffix(thing, "y"); ok && !strings.ContainsAny(thing[max(len(stem)-1, 0):len(stem)], "aeou") {
		return stem + "ies"
	}
	return thing + "s"
}

// Thousands writes 12402 as 12,402.
func Thousands(n int) string {
	var digits [20]byte
	var text [len(digits) + len(digits)/3]byte
	d := strconv.AppendInt(digits[:0], int64(n), 10)
	b := text[:0]
	for i, c := range d {
		if left := len(d) - i; i > 0 && left%3 == 0 && d[i-1] != '-' {
			b = append(b, ',')
		}
		b = append(b, c)
	}
	return string(b)
}

// Ordinal returns the place of a thing, such as 1st or 12th.
func Ordinal(n int) string {
	end := "th"
	if n%100/10 != 1 && n%10 >= 1 && n%10 <= 3 {
		end = [...]string{"st", "nd", "rd"}[n%10-1]
	}
	return Thousands(n) + end
}

// Percent returns part of all, 100 % if all is 0.
func Percent(part, all int) string {
	if all == 0 {
		return "100 %"
	}
	return fmt.Sprintf("%d %%", int64(part)*100/int64(all))
}

// Bytes spells out the unit, such as 12 bytes or 4.3 KiB.
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
	return Plural(n, "byte")
}

// AppendSize appends a size for a narrow column, such as 188, 4.3K or 1.2M.
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

// Size is AppendSize as text.
func Size(n int64) string { return string(AppendSize(nil, n)) }

// IfAny returns prefix and text, or "" without text.
func IfAny(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// IfCounted counts things, or returns "" for none.
func IfCounted(n uint64, format, thing string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(format, Plural(n, thing))
}

// Join joins the words that are not empty.
func Join(separator string, words ...string) string {
	var b strings.Builder
	for _, word := range words {
		if word != "" && b.Len() > 0 {
			b.WriteString(separator)
		}
		b.WriteString(word)
	}
	return b.String()
}

// maxListed is how many names List lists.
const maxListed = 20

// List joins names, at most 20 of them.
func List(names []string) string {
	if more := len(names) - maxListed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxListed], ", "), more)
	}
	return strings.Join(names, ", ")
}

// ListNear is List with the names first that word misspells or begins.
func ListNear(word string, names []string) string {
	nearest := Near(word, names)
	others := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(nearest, name) })
	return List(slices.Concat(nearest, others))
}

// IsWithin reports whether folder is dir or one of its parents.
func IsWithin(folder, dir string) bool {
	rel, err := filepath.Rel(folder, dir)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// Path returns path relative to the current directory if below it, or else with ~ for the
// home directory.
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

// Paths is Path for one or more folders, as in "a and b".
func Paths(folders []string) string {
	short := make([]string, len(folders))
	for i, folder := range folders {
		short[i] = Path(folder)
	}
	return strings.Join(short, " and ")
}

// ExecServer names an exec server, such as codex exec server, as a user wrote it; "" for none.
func ExecServer(target string) string {
	if target == "codex" || target == "mcpdbg" {
		return target + " exec server"
	}
	return IfAny("exec server ", target)
}

// Place names the machine of a server.
func Place(host string) string {
	if host == "" {
		return "local"
	}
	return host
}
