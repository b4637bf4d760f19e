package match

import (
	"bytes"
	"slices"
	"strings"
)

// Only the place of a mark such as [redacted:abcdefgh] matches anything, since its
// letters differ from file to file: the rest of the text has to be the same, and text
// that is JSON is compared member by member.

const redactedTag = "[redacted:"

var redactedMark = expression(`\[redacted:[^\[\]]*\]`)

// IsRedacted reports whether a JSON value is text of which a part was redacted, so
// that the original is unknown.
func IsRedacted(value []byte) bool {
	if len(value) == 0 || value[0] != '"' {
		return false
	}
	i := bytes.Index(value, []byte(redactedTag))
	return i >= 0 && bytes.IndexByte(value[i:], ']') > 0
}

// EqualRedacted reports whether two canonical values are equal if what was redacted in
// one of them is equal to anything.
func EqualRedacted(a, b []byte) bool {
	switch {
	case bytes.Equal(a, b):
		return true
	case len(a) == 0 || len(b) == 0 || !IsRedacted(a) && !IsRedacted(b):
		return false
	case isMark(a) || isMark(b):
		return true
	case a[0] != '"' || b[0] != '"':
		return false
	}
	if jsonA, jsonB := Embedded(a), Embedded(b); jsonA != nil && jsonB != nil {
		return equalParts(jsonA, jsonB)
	}
	return EqualRedactedText(unquote(a), unquote(b))
}

// EqualRedactedText is like EqualRedacted for plain texts.
func EqualRedactedText(a, b string) bool {
	partsA, partsB := redactedMark().Split(a, -1), redactedMark().Split(b, -1)
	return slices.Equal(partsA, partsB) || fits(partsA, b) || fits(partsB, a)
}

// RedactedParts returns where the marks of a text begin and end.
func RedactedParts(text string) [][]int {
	if !strings.Contains(text, redactedTag) {
		return nil
	}
	return redactedMark().FindAllStringIndex(text, -1)
}

// RedactedPlaces calls found with the path of each redacted text in a canonical value.
func RedactedPlaces(value []byte, found func(path []string)) { redactedPlaces(nil, value, found) }

func redactedPlaces(path []string, value []byte, found func(path []string)) {
	switch {
	case !bytes.Contains(value, []byte(redactedTag)):
	case isContainer(value):
		for token, part := range Each(value) {
			redactedPlaces(append(path[:len(path):len(path)], token), part, found)
		}
	case IsRedacted(value):
		found(path)
	}
}

// WithoutRedacted returns a text with its marks replaced, so that those of different
// files are the same.
func WithoutRedacted(text, mark string) string {
	return redactedMark().ReplaceAllLiteralString(text, mark)
}

// isMark reports whether a value is nothing but a mark.
func isMark(value []byte) bool {
	return IsRedacted(value) && len(redactedMark().Find(value)) == len(value)-len(`""`)
}

// fits reports whether a text consists of parts with anything between them.
func fits(parts []string, text string) bool {
	last := len(parts) - 1
	text, begins := strings.CutPrefix(text, parts[0])
	text, ends := strings.CutSuffix(text, parts[last])
	if last == 0 || !begins || !ends {
		return false
	}
	for _, part := range parts[1:last] {
		_, rest, found := strings.Cut(text, part)
		if !found {
			return false
		}
		text = rest
	}
	return true
}

// equalParts is EqualRedacted for values that may be objects or arrays.
func equalParts(a, b []byte) bool {
	same := true
	diff(nil, a, b, false, func(_ []string, a, b []byte) bool {
		if EqualRedacted(a, b) {
			return false
		}
		same = same && descends(a, b)
		return same
	})
	return same
}
