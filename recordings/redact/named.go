package redact

import (
	"bytes"
	"slices"
)

func (f *finder) namedIn(text []byte, place string) (edits []edit) {
	for i := range named {
		way := &named[i]
		for m := range way.all(text) {
			name, value := bytes.TrimLeft(text[m.name:m.nameEnd], "-."), text[m.value:m.valueEnd]
			key := f.key(name)
			if key == "" || way.line && f.keys.words[key] || isMark(value) {
				continue
			}
			if way.set && f.keys.weak[key] && isConstant(name) {
				if isSetting(key, value) {
					continue
				}
			} else if f.spares(key, value) {
				continue
			}
			if !way.prose || !m.bare || !isPlaceholder(name, value) {
				edits = append(edits, edit{from: m.value, to: m.valueEnd, text: f.mark(value, markLetters), rule: "key " + key, place: place})
			}
		}
	}
	return edits
}

// headers are names with a colon, anywhere in a line.
var headers = naming{separator: ':', find: findHeader}

// headersIn finds the values of name: value where something precedes the name: a log
// level, a place in a program, a quote.
func (f *finder) headersIn(text []byte, place string) (edits []edit) {
	for m := range headers.all(text) {
		key := f.key(text[m.name:m.nameEnd])
		if key == "" || f.keys.words[key] {
			continue
		}
		quote, ok := introduces(text[:m.name])
		if !ok {
			continue
		}
		from := m.end
		to := from + headerValue(text[from:], quote, slices.Contains(wholeHeaders, key))
		if from < to && !isMark(text[from:to]) && !f.spares(key, text[from:to]) {
			edits = append(edits, edit{from: from, to: to, text: f.mark(text[from:to], markLetters), rule: "key " + key, place: place})
		}
	}
	return edits
}

// Their values have several words.
var wholeHeaders = []string{"authorization", "proxy_authorization", "cookie", "set_cookie"}

// logLevel matches at the end of what precedes a name.
var logLevel = expression(`(?:^|[^0-9A-Za-z_])(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)[ \t]+$`)

// introduces reports whether a name may follow the text before it, in which a word before
// the name is part of a sentence, and the quote around the name, 0 for none.
func introduces(before []byte) (quote byte, ok bool) {
	trimmed := bytes.TrimRight(before, " \t")
	if len(trimmed) == 0 {
		return 0, true
	}
	last, spaces := trimmed[len(trimmed)-1], len(before)-len(trimmed)
	switch {
	case last == '\'' || last == '"':
		return last, spaces == 0
	case last == '\n':
		return 0, true
	case bytes.IndexByte([]byte(":])}>|-,;("), last) >= 0:
		return 0, spaces > 0 || last == '(' || last == ','
	}
	return 0, logLevel().Match(before[max(0, len(before)-20):])
}

// headerValue returns the length of the value at the beginning of a text: up to the
// closing quote or the end of the line if it is whole, and otherwise one word. It is 0 if
// the text is part of a sentence.
func headerValue(text []byte, quote byte, whole bool) int {
	end := len(text)
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		end = i
	}
	if quote != 0 {
		if i := bytes.IndexByte(text[:end], quote); i >= 0 {
			end = i
		}
	}
	line := bytes.TrimRight(text[:end], " \t\r")
	word := line
	if i := bytes.IndexAny(line, " \t"); i >= 0 {
		word = line[:i]
	}
	bare := bytes.Trim(word, ".,:;!?'\")}]")
	switch {
	case whole:
		return len(line)
	case isSentence(bare, len(word) < len(line)):
		return 0
	case quote != 0:
		return len(line)
	}
	return len(bytes.TrimRight(word, ",;'\")}]"))
}

// followedIn finds values that follow a name without a colon. Those that do not look
// random are words.
func (f *finder) followedIn(text []byte, place string) (edits []edit) {
	for at := 0; at < len(text); {
		from := ofHeaders.until(text, at)
		at = ofHeaders.skip(text, from)
		if at-from < leastFollowed || at-from > mostFollowed {
			continue
		}
		begin, end, ok := findFollower(text, at)
		if !ok {
			continue
		}
		value := bytes.TrimRight(text[begin:end], ".")
		if key := f.key(text[from:at]); key != "" && looksRandom(value) && !isMark(value) {
			edits = append(edits, edit{from: begin, to: begin + len(value), text: f.mark(value, markLetters), rule: "key " + key, place: place})
			at = end
		}
	}
	return edits
}
