package compare

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aymanbagabas/go-udiff"
	"github.com/cespare/xxhash/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/recordings/match"
)

const (
	// Longer texts are not compared line by line, and the diff has at most maxLines.
	maxText  = 256 << 10
	maxLines = 24
	minBlob  = 256
)

// texts compares two strings that differ: as JSON if both are, else line by line. It
// reports whether it handled them. exact prevents masking of parts.
func (c *comparer) texts(class Class, path []string, a, b []byte, exact bool) bool {
	if len(a) == 0 || len(b) == 0 || a[0] != '"' || b[0] != '"' {
		return false
	}
	if jsonA, jsonB := match.Embedded(a), match.Embedded(b); sameContainer(jsonA, jsonB) {
		c.values(class, path, jsonA, jsonB)
		return true
	}
	textA, _ := match.Text(a)
	textB, _ := match.Text(b)
	if isBlob(textA) || isBlob(textB) {
		return false
	}
	small := len(textA) <= maxText && len(textB) <= maxText
	if small && !exact {
		if same, guess := sameButVolatile(textA, textB); same {
			c.masked("text", guess, path, a, b)
			return true
		}
	}
	c.report(Difference{Class: classAt(class, path), Change: changeChanged, Pointer: match.PointerTo(path...), more: func(d *Difference) {
		d.Text = allPlaces(textA, textB, exact)
		if !small || !strings.Contains(textA, "\n") && !strings.Contains(textB, "\n") {
			return
		}
		if !exact {
			textA, textB = match.WithoutRedacted(maskText(textA), masked), match.WithoutRedacted(maskText(textB), masked)
		}
		d.Detail = lineDiff(textA, textB)
	}}, a, b)
	return true
}

// lineDiff returns the lines that differ, with one line of context.
func lineDiff(a, b string) []string {
	edits := udiff.Lines(a, b)
	text, err := udiff.ToUnified("a", "b", a, edits, 1)
	if err != nil {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	lines = slices.DeleteFunc(lines[min(2, len(lines)):], func(line string) bool { // without the file names
		return strings.HasPrefix(line, `\ No newline`)
	})
	rest := len(lines) - maxLines
	if rest > 0 {
		lines = lines[:maxLines]
	}
	lines = shortened(lines)
	if rest > 0 {
		lines = append(lines, fmt.Sprintf("and %d more lines", rest))
	}
	return lines
}

// shortened returns the lines of a diff with their beginnings, if they are long, or of two
// that replace each other the place where they differ.
func shortened(lines []string) []string {
	out := make([]string, len(lines))
	var removed []int // those without a replacement so far
	for i, line := range lines {
		out[i] = wording.Clip(line, maxValue, wording.Ellipsis)
		switch {
		case strings.HasPrefix(line, "-"):
			removed = append(removed, i)
		case strings.HasPrefix(line, "+") && len(removed) > 0:
			other := removed[0]
			removed = removed[1:]
			if place := placeOf(lines[other][1:], line[1:], true); max(len(line), len(lines[other])) > maxValue && place != nil {
				out[other], out[i] = "-"+place.A, "+"+place.B
			}
		case !strings.HasPrefix(line, "+"):
			removed = nil
		}
	}
	return out
}

// volatileText matches values that usually differ, and certainText those whose form leaves
// no doubt about their type.
var (
	volatileText = textPattern(true)
	certainText  = textPattern(false)
)

func textPattern(guessed bool) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp {
		var all []string
		for _, p := range []struct {
			guess   bool
			pattern string
		}{
			{false, `\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d([.,]\d+)?)?( ?([Zz]|UTC|[+-]\d\d:?\d\d))?`},                                                     // time
			{false, `\b\d?\d:\d\d:\d\d([.,]\d+)?( ?[AaPp][Mm])?\b`},                                                                                      // time of day
			{false, `\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b`},                                                   // UUID
			{false, `\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b`},                                                                                                   // ULID
			{false, `\b(0x[0-9a-fA-F]{6,}|[0-9a-f]{16,}|[0-9A-F]{16,})\b`},                                                                               // hexadecimal
			{true, `\b\d+(\.\d+)? ?(ns|us|µs|ms|s|sec|seconds|minutes)\b`},                                                                               // duration
			{true, `(?i:\bpid[ :=]+)\d+`},                                                                                                                // pid
			{true, `(?i:\bport[ :=]+|localhost:|127\.0\.0\.1:)\d+`},                                                                                      // port
			{false, `(/tmp/|/var/tmp/|/private/tmp/|(/private)?/var/folders/)[^\s"'<>]+`},                                                                // temporary path
			{false, `(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (?:\d\d? )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (?:\d\d? )?(?:\d{4} )?[\d:]{5,8}`}, // dates of mails and logs
		} {
			if guessed || !p.guess {
				all = append(all, p.pattern)
			}
		}
		return regexp.MustCompile(strings.Join(all, "|"))
	})
}

// wordsAround is how many words around a difference may belong to the same value of
// volatileText, such as a date, in at most maxAround bytes.
const (
	wordsAround = 4
	maxAround   = 256
)

// sameButVolatile reports whether two texts are equal apart from values that usually
// differ, and whether the type of one of these is a guess.
func sameButVolatile(a, b string) (same, guess bool) {
	start := 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < min(len(a), len(b))-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	start -= around(start, func(i int) byte { return a[start-1-i] })
	end -= around(end, func(i int) byte { return a[len(a)-end+i] })
	a, b = a[start:len(a)-end], b[start:len(b)-end]
	if !couldBeVolatile(a) || !couldBeVolatile(b) || !match.EqualRedactedText(maskText(a), maskText(b)) {
		return false, false
	}
	certain := func(text string) string { return certainText().ReplaceAllString(text, masked) }
	return true, !match.EqualRedactedText(certain(a), certain(b))
}

// around returns how many of n bytes belong to the next words.
func around(n int, at func(int) byte) int {
	words := 0
	for i := range min(n, maxAround) {
		if c := at(i); c == ' ' || c == '\n' || c == '\t' {
			if words++; words == wordsAround {
				return i
			}
		}
	}
	return min(n, maxAround)
}

func couldBeVolatile(text string) bool {
	return strings.ContainsAny(text, "0123456789") || strings.Contains(text, "/tmp/") || strings.Contains(text, "/folders/")
}

// All values get the same mark: the surrounding text shows what they are.
func maskText(text string) string { return volatileText().ReplaceAllString(text, masked) }

const masked = "…"

func isBlob(text string) bool {
	if len(text) < minBlob || len(text)%4 != 0 || strings.ContainsAny(text[:minBlob], " \n") {
		return false
	}
	_, err := base64.StdEncoding.DecodeString(text[:minBlob])
	return err == nil
}

func excerpt(value []byte) string {
	if len(value) <= maxValue {
		return string(value)
	}
	if text, ok := match.Text(value); ok && isBlob(text) {
		return fmt.Sprintf("%d bytes, xxh64 %016x", base64.StdEncoding.DecodedLen(len(strings.TrimRight(text, "="))), xxhash.Sum64String(text))
	}
	return fmt.Sprintf("%s (%d bytes)", wording.Clip(value, maxValue, wording.Ellipsis), len(value))
}
