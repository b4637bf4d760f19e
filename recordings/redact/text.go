package redact

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"regexp"
	"strconv"
	"unicode"
	"unicode/utf8"

	"mcpdbg/framing"
)

const (
	// Mark is the beginning of a replacement. Equal secrets have equal replacements
	// within one file, but not across files.
	Mark = "[redacted:"
	// 40 bits
	markLetters = 8
	// There may be millions of ids.
	idLetters = 12
	// maxNested is how deep JSON inside JSON strings is searched.
	maxNested = 8
)

// A finder belongs to one goroutine.
type finder struct {
	*compiled
	salt  []byte
	known map[string]string // key by name of a member
}

const (
	longestName = 256      // longest name that can match a key, in bytes
	maxKnown    = 16 << 10 // size of the cache
)

// key returns the key that a name matches, or "".
func (f *finder) key(name []byte) string {
	if len(name) > longestName {
		return ""
	}
	key, ok := f.known[string(name)]
	if ok {
		return key
	}
	key = f.keys.has(string(name))
	if f.known == nil || len(f.known) == maxKnown {
		f.known = map[string]string{}
	}
	f.known[string(name)] = key
	return key
}

var letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

func (f *finder) hash(secret []byte) []byte {
	h := hmac.New(sha256.New, f.salt)
	h.Write(secret)
	return h.Sum(nil)
}

func (f *finder) mark(secret []byte, n int) string {
	return Mark + letters.EncodeToString(f.hash(secret))[:n] + "]"
}

func (f *finder) number(secret []byte) string {
	return strconv.FormatUint(binary.BigEndian.Uint64(f.hash(secret))>>11, 10) // exact in a float64
}

// variable matches what the recorder writes instead of the value of a variable.
var variable = expression(`^\$\{\w+\}$`)

// isMark reports whether a text already replaces a secret.
func isMark(text []byte) bool {
	return bytes.HasPrefix(text, []byte("${")) && variable().Match(text) || bytes.HasPrefix(text, []byte(Mark)) && len(text) <= len(Mark)+idLetters+1 && bytes.HasSuffix(text, []byte("]"))
}

// inText searches a string, or a line that is not JSON. nested is the number of enclosing
// strings.
func (f *finder) inText(text []byte, place string, nested int) []edit {
	hit := f.scanner.scan(text)
	if hit == 0 {
		return nil
	}
	var edits []edit
	if nested < maxNested && looksNested(text) {
		w := walker{finder: f, Cursor: framing.Cursor{Data: text}, hit: hit, nested: nested + 1, prefix: place}
		if inside, ok := w.document(); ok {
			// Values may contain JSON themselves, such as that of a key file.
			edits = append(inside, f.literalsIn(text, hit, place)...)
			return f.joined(text, edits)
		}
	}
	edits = f.literalsIn(text, hit, place)
	for i, re := range f.patterns {
		if hit&patternBit(i) != 0 || hit&ruleEscapes != 0 {
			edits = append(edits, f.matches(re, f.names[i], text, place)...)
		}
	}
	if hit&(ruleKeys|ruleEscapes) != 0 {
		edits = append(edits, f.namedIn(text, place)...)
		edits = append(edits, f.headersIn(text, place)...)
		edits = append(edits, f.followedIn(text, place)...)
	}
	if hit&ruleGiven != 0 {
		edits = append(edits, f.givenIn(text, place)...)
	}
	if hit&ruleHome != 0 {
		for _, m := range homes().FindAllSubmatchIndex(text, -1) {
			edits = append(edits, edit{from: m[2], to: m[3], text: "~", rule: "home", place: place})
		}
	}
	return f.joined(text, edits)
}

func (f *finder) joined(text []byte, edits []edit) []edit {
	return joined(edits, func(from, to int) string { return f.mark(text[from:to], markLetters) })
}

func looksNested(text []byte) bool {
	text = bytes.TrimSpace(text)
	if len(text) < 2 || text[0] != '{' && text[0] != '[' {
		return false
	}
	return framing.Scan(text).Valid()
}

func (f *finder) literalsIn(text []byte, hit rules, place string) (edits []edit) {
	if hit&(ruleValues|ruleNames|ruleEscapes) == 0 {
		return nil
	}
	for i := range f.literals {
		l := &f.literals[i]
		for from := 0; ; {
			at := bytes.Index(text[from:], l.text)
			if at < 0 {
				break
			}
			from += at
			to := from + len(l.text)
			if !l.word || isWord(text, from, to) {
				edits = append(edits, edit{from: from, to: to, text: f.mark(l.text, markLetters), rule: l.rule, place: place})
			}
			from = to
		}
	}
	return edits
}

// isWord reports whether no letter or digit touches text[from:to].
func isWord(text []byte, from, to int) bool {
	before, _ := utf8.DecodeLastRune(text[:from])
	after, _ := utf8.DecodeRune(text[to:])
	part := func(r rune) bool {
		return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
	}
	return !part(before) && !part(after)
}

// matches finds the matches of a pattern, or of its first group.
func (f *finder) matches(re *regexp.Regexp, rule string, text []byte, place string) (edits []edit) {
	for _, m := range re.FindAllSubmatchIndex(text, -1) {
		from, to := m[0], m[1]
		if len(m) > 2 {
			from, to = m[2], m[3]
		}
		if from < to && !isMark(text[from:to]) {
			edits = append(edits, edit{from: from, to: to, text: f.mark(text[from:to], markLetters), rule: rule, place: place})
		}
	}
	return edits
}

// homes matches home directories, without the rest of the path.
var homes = expression(`((?:/home/|/Users/|[A-Za-z]:\\+Users\\+)[^/\\\s"'<>:;,)]+)`)
