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
	if len(textA) > maxText || len(textB) > maxText {
		return false
	}
	if !exact && sameButVolatile(textA, textB) {
		c.masked("text", path, a, b)
		return true
	}
	if !strings.Contains(textA, "\n") && !strings.Contains(textB, "\n") || isBlob(textA) || isBlob(textB) {
		return false
	}
	c.report(Difference{Class: class, Change: changeChanged, Pointer: match.PointerTo(path...), more: func() []string {
		if !exact {
			textA, textB = match.WithoutRedacted(maskText(textA), masked), match.WithoutRedacted(maskText(textB), masked)
		}
		return lineDiff(textA, textB)
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
	if rest := len(lines) - maxLines; rest > 0 {
		lines = append(lines[:maxLines], fmt.Sprintf("and %d more lines", rest))
	}
	for i, line := range lines {
		lines[i] = wording.Clip(line, maxValue, wording.Ellipsis)
	}
	return lines
}

var volatileText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(strings.Join([]string{
		`\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d([.,]\d+)?)?( ?([Zz]|UTC|[+-]\d\d:?\d\d))?`,   // time
		`\b\d?\d:\d\d:\d\d([.,]\d+)?( ?[AaPp][Mm])?\b`,                                    // time of day
		`\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b`, // UUID
		`\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b`,                                                 // ULID
		`\b(0x[0-9a-fA-F]{6,}|[0-9a-f]{16,}|[0-9A-F]{16,})\b`,                             // hexadecimal
		`\b\d+(\.\d+)? ?(ns|us|µs|ms|s|sec|seconds|minutes)\b`,                            // duration
		`(?i:\bpid[ :=]+)\d+`,                                                // pid
		`(?i:\bport[ :=]+|localhost:|127\.0\.0\.1:)\d+`,                      // port
		`(/tmp/|/var/tmp/|/private/tmp/|(/private)?/var/folders/)[^\s"'<>]+`, // temporary path
		`(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (?:\d\d? )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (?:\d\d? )?(?:\d{4} )?[\d:]{5,8}`, // dates of mails and logs
	}, "|"))
})

// wordsAround is how many words around a difference may belong to the same value of
// volatileText, such as a date, in at most maxAround bytes.
const (
	wordsAround = 4
	maxAround   = 256
)

func sameButVolatile(a, b string) bool {
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
	return couldBeVolatile(a) && couldBeVolatile(b) && match.EqualRedactedText(maskText(a), maskText(b))
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
