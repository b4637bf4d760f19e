package redact

import (
	"bytes"
	"regexp"
	"slices"
)

// A naming is a syntax for named values in text that is not JSON. The first group of
// its expression is the name, and one of the others is the value.
type naming struct {
	expr  func() *regexp.Regexp
	prose bool // also occurs in sentences, where a bare value may be a word
	set   bool // an assignment
	line  bool // a whole line, as in a report: Words are not keys there
}

// named lists the syntaxes: a member of incomplete or multi-line JSON, name=value, a
// line name = value, a line name: value, and --name value.
var named = []naming{
	{expr: expression(`\\*"([^"\\\s]{1,256})\\*"\s*:\s*(?:\\*"((?:[^"\\]|\\[^"])+)|(-?[0-9][0-9.eE+-]*))`)},
	{expr: expression(`'([^'\s]{1,256})'\s*:\s*(?:'([^']+)|(-?[0-9][0-9.eE+-]*))`)},
	{expr: expression(`([0-9A-Za-z_.-]{1,256})=(?:"([^"]+)|'([^']+)|([^\s&;,"'\\]+))`), set: true},
	{expr: expression(`(?m)^[ \t]*([0-9A-Za-z_.-]{1,256})[ \t]+=[ \t]+(?:"([^"]+)"|'([^']+)'|([^\s"']+))[ \t]*$`), set: true},
	{expr: expression(`(?m)^[\s<>*]*([0-9A-Za-z_-]{1,256}): *([^\s].*)$`), line: true},
	{expr: expression(`(?:^|[\s"'\[(,])--?([0-9A-Za-z][0-9A-Za-z_.-]{0,255})(?:[ \t]+|["'],[ \t]*["'])(?:"([^"]+)"|'([^']+)'|([^\s"'<\[({$&;|,-][^\s"'&;|,)]*))`), prose: true},
}

// namedIn finds the values of keys.
func (f *finder) namedIn(text []byte, place string) (edits []edit) {
	for _, way := range named {
		for _, m := range way.expr().FindAllSubmatchIndex(text, -1) {
			name := bytes.TrimLeft(text[m[2]:m[3]], "-.")
			key := f.key(name)
			if key == "" || way.line && f.keys.words[key] {
				continue
			}
			for g := 4; g < len(m); g += 2 {
				from, to := m[g], m[g+1]
				if from < 0 || isMark(text[from:to]) {
					continue
				}
				if way.set && f.keys.weak[key] && isConstant(name) {
					if isSetting(key, text[from:to]) {
						continue
					}
				} else if f.spares(key, text[from:to]) {
					continue
				}
				if bare := g == len(m)-2; !way.prose || !bare || !isPlaceholder(name, text[from:to]) {
					edits = append(edits, edit{from: from, to: to, text: f.mark(text[from:to], markLetters), rule: "key " + key, place: place})
				}
			}
		}
	}
	return edits
}

// headerName matches a name with a colon, anywhere in a line.
var headerName = expression(`([0-9A-Za-z_-]{1,256}):[ \t]+`)

// headersIn finds the values of name: value where something precedes the name: a log
// level, a place in a program, a quote.
func (f *finder) headersIn(text []byte, place string) (edits []edit) {
	for _, m := range headerName().FindAllSubmatchIndex(text, -1) {
		key := f.key(text[m[2]:m[3]])
		if key == "" || f.keys.words[key] {
			continue
		}
		quote, ok := introduces(text[:m[2]])
		if !ok {
			continue
		}
		from := m[1]
		to := from + headerValue(text[from:], quote, slices.Contains(wholeHeaders, key))
		if from < to && !isMark(text[from:to]) && !f.spares(key, text[from:to]) {
			edits = append(edits, edit{from: from, to: to, text: f.mark(text[from:to], markLetters), rule: "key " + key, place: place})
		}
	}
	return edits
}

// wholeHeaders are the keys whose values have several words.
var wholeHeaders = []string{"authorization", "proxy_authorization", "cookie", "set_cookie"}

// logLevel matches a log level at the end of what precedes a name.
var logLevel = expression(`(?:^|[^0-9A-Za-z_])(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)[ \t]+$`)

// introduces reports whether a name may follow the text before it, in which a word
// before the name is part of a sentence, and the quote around the name, 0 for none.
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
// closing quote or the end of the line if it is whole, and otherwise one word. It is 0
// if the text is part of a sentence.
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

// followed matches a name and a value that follows it in a sentence.
var followed = expression(`(?:^|[^0-9A-Za-z_-])([0-9A-Za-z_-]{3,64})[ \t]+(?:(?:is|was|of|=)[ \t]+)?["'(]?([0-9A-Za-z_+/=.~-]{16,})`)

// followedIn finds values that follow a name without a colon. Those that do not look
// random are words.
func (f *finder) followedIn(text []byte, place string) (edits []edit) {
	for at := 0; at < len(text); {
		m := followed().FindSubmatchIndex(text[at:])
		if m == nil {
			break
		}
		name, from, to := text[at+m[2]:at+m[3]], at+m[4], at+m[5]
		value := bytes.TrimRight(text[from:to], ".")
		if key := f.key(name); key != "" && looksRandom(value) && !isMark(value) {
			edits = append(edits, edit{from: from, to: from + len(value), text: f.mark(value, markLetters), rule: "key " + key, place: place})
			at = to
			continue
		}
		at += m[3] // the value may be a name itself
	}
	return edits
}
