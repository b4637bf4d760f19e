package redact

import (
	"bytes"
	"unicode/utf8"
)

// A naming is a syntax for named values in text that is not JSON. It is searched from one
// occurrence of its separator to the next: a regular expression would try to match a name
// at every byte.
type naming struct {
	separator byte
	// find returns the match around the separator at a place, if there is one that does
	// not begin before from.
	find  func(text []byte, from, at int) (m match, ok bool)
	prose bool // also occurs in sentences, where a bare value may be a word
	set   bool // an assignment
	line  bool // a whole line, as in a report: Words are not keys there
}

// A match is a name with its value, as places in a text. The next match begins at end or
// later.
type match struct {
	name, value, end int // where they begin, and the end of all
	nameEnd          int
	valueEnd         int
	bare             bool // without quotes
}

// named lists the syntaxes: a member of incomplete or multi-line JSON, one in single
// quotes, name=value, a line name = value, a line name: value, and --name value.
var named = []naming{
	{separator: ':', find: findMember},
	{separator: ':', find: findQuoted},
	{separator: '=', find: findAssigned, set: true},
	{separator: '=', find: findLine, set: true},
	{separator: ':', find: findReport, line: true},
	{separator: '-', find: findOption, prose: true},
}

func (n *naming) all(text []byte) func(yield func(match) bool) {
	return func(yield func(match) bool) {
		from := 0
		for at := 0; ; at++ {
			i := bytes.IndexByte(text[min(at, len(text)):], n.separator)
			if i < 0 {
				return
			}
			at += i
			m, ok := n.find(text, from, at)
			if !ok {
				continue
			}
			if !yield(m) {
				return
			}
			from = m.end
			at = max(at, m.end-1)
		}
	}
}

type class [256]bool

func classOf(texts ...string) (c class) {
	for _, text := range texts {
		for i := range len(text) {
			c[text[i]] = true
		}
	}
	return c
}

const alphanumeric = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

var (
	ofBlanks   = classOf(" \t")
	ofSpaces   = classOf(" \t\n\f\r")
	ofNames    = classOf(alphanumeric, "_.-") // of arguments and variables
	ofHeaders  = classOf(alphanumeric, "_-")
	ofLetters  = classOf(alphanumeric)
	ofNumbers  = classOf("0123456789.eE+-")
	ofMargins  = classOf(" \t\n\f\r<>*")
	ofRandom   = classOf(alphanumeric, "_+/=.~-")
	ofEscapes  = classOf(`\`)
	noValue    = classOf(" \t\n\f\r&;,\"'\\") // ends the value of an assignment
	noBare     = classOf(" \t\n\f\r\"'")      // ends one on a line of its own
	noArgument = classOf(" \t\n\f\r\"'&;|,)") // ends that of an option
	noFirst    = classOf(" \t\n\f\r\"'<[({$&;|,-")
	ofBounds   = classOf(" \t\n\f\r\"'[(,") // before an option
)

func (c *class) skip(text []byte, at int) int {
	for at < len(text) && c[text[at]] {
		at++
	}
	return at
}

// until returns the first place from one on whose byte is in the class.
func (c *class) until(text []byte, at int) int {
	for at < len(text) && !c[text[at]] {
		at++
	}
	return at
}

func (c *class) back(text []byte, from, at int) int {
	for at > from && c[text[at-1]] {
		at--
	}
	return at
}

// findMember finds "name": "value" and "name": 1, with any number of backslashes before
// the quotes.
func findMember(text []byte, from, at int) (m match, ok bool) {
	quote := ofSpaces.back(text, from, at) - 1
	if quote < from || text[quote] != '"' {
		return m, false
	}
	m.nameEnd = ofEscapes.back(text, from, quote)
	for m.name = m.nameEnd; m.name > from && m.nameEnd-m.name <= utf8.UTFMax*longestName; m.name-- {
		if c := text[m.name-1]; c == '"' || c == '\\' || ofSpaces[c] {
			break
		}
	}
	if !isName(text, from, &m, '"') {
		return m, false
	}
	at = ofSpaces.skip(text, at+1)
	if quote = ofEscapes.skip(text, at); quote == len(text) || text[quote] != '"' {
		return number(text, at, m)
	}
	m.value = quote + 1
	for m.end = m.value; m.end < len(text) && text[m.end] != '"'; m.end++ {
		if text[m.end] == '\\' {
			if m.end+1 == len(text) || text[m.end+1] == '"' {
				break
			}
			m.end++
		}
	}
	m.valueEnd = m.end
	return m, m.value < m.end
}

// 'name': 'value' and 'name': 1
func findQuoted(text []byte, from, at int) (m match, ok bool) {
	m.nameEnd = ofSpaces.back(text, from, at) - 1
	if m.nameEnd < from || text[m.nameEnd] != '\'' {
		return m, false
	}
	for m.name = m.nameEnd; m.name > from && m.nameEnd-m.name <= utf8.UTFMax*longestName; m.name-- {
		if c := text[m.name-1]; c == '\'' || ofSpaces[c] {
			break
		}
	}
	if !isName(text, from, &m, '\'') {
		return m, false
	}
	at = ofSpaces.skip(text, at+1)
	if at == len(text) || text[at] != '\'' {
		return number(text, at, m)
	}
	m.value = at + 1
	m.valueEnd = endOf(text, m.value, '\'')
	m.end = m.valueEnd
	return m, m.value < m.end
}

// isName reports whether a name has a possible length, and the quote before it.
func isName(text []byte, from int, m *match, quote byte) bool {
	return m.name < m.nameEnd && m.name > from && text[m.name-1] == quote && utf8.RuneCount(text[m.name:m.nameEnd]) <= longestName
}

func number(text []byte, at int, m match) (match, bool) {
	first := at
	if at < len(text) && text[at] == '-' {
		first++
	}
	if first == len(text) || text[first] < '0' || text[first] > '9' {
		return m, false
	}
	m.value, m.bare = at, true
	m.valueEnd = ofNumbers.skip(text, first)
	m.end = m.valueEnd
	return m, true
}

// endOf returns the place of the next byte c, or the end of the text.
func endOf(text []byte, from int, c byte) int {
	if i := bytes.IndexByte(text[from:], c); i >= 0 {
		return from + i
	}
	return len(text)
}

// findAssigned finds name=value; a quote need not be closed.
func findAssigned(text []byte, from, at int) (m match, ok bool) {
	m.name, m.nameEnd = ofNames.back(text, max(from, at-longestName), at), at
	if m.name == at || at+1 == len(text) {
		return m, false
	}
	switch c := text[at+1]; c {
	case '"', '\'':
		m.value = at + 2
		m.valueEnd = endOf(text, m.value, c)
	default:
		m.value, m.bare = at+1, true
		m.valueEnd = noValue.until(text, m.value)
	}
	m.end = m.valueEnd
	return m, m.value < m.end
}

func findLine(text []byte, from, at int) (m match, ok bool) {
	m.nameEnd = ofBlanks.back(text, from, at)
	m.name = ofNames.back(text, max(from, m.nameEnd-longestName), m.nameEnd)
	begin := ofBlanks.back(text, from, m.name)
	value := ofBlanks.skip(text, at+1)
	if m.nameEnd == at || m.name == m.nameEnd || begin > 0 && text[begin-1] != '\n' || value == at+1 || value == len(text) {
		return m, false
	}
	if m, ok = closed(text, value, m, &noBare); !ok {
		return m, false
	}
	m.end = ofBlanks.skip(text, m.end)
	return m, m.end == len(text) || text[m.end] == '\n'
}

// closed completes a match by the value at a place: with quotes on both sides, or up to a
// byte that ends a bare one.
func closed(text []byte, at int, m match, end *class) (match, bool) {
	switch c := text[at]; c {
	case '"', '\'':
		m.value = at + 1
		m.valueEnd = endOf(text, m.value, c)
		m.end = m.valueEnd + 1
		return m, m.value < m.valueEnd && m.valueEnd < len(text)
	}
	m.value, m.bare = at, true
	m.valueEnd = end.until(text, at)
	m.end = m.valueEnd
	return m, m.value < m.end
}

func findReport(text []byte, from, at int) (m match, ok bool) {
	m.name, m.nameEnd = ofHeaders.back(text, max(from, at-longestName), at), at
	begin := ofMargins.back(text, from, m.name)
	lineBegin := begin == 0 || bytes.IndexByte(text[begin:m.name], '\n') >= 0
	if m.name == at || !lineBegin {
		return m, false
	}
	for m.value = at + 1; m.value < len(text) && text[m.value] == ' '; {
		m.value++
	}
	if m.value == len(text) || ofSpaces[text[m.value]] {
		return m, false
	}
	m.valueEnd = endOf(text, m.value, '\n')
	m.bare, m.end = true, m.valueEnd
	return m, true
}

// --name value, and the same as two strings of a list
func findOption(text []byte, from, at int) (m match, ok bool) {
	if at > 0 && (at-1 < from || !ofBounds[text[at-1]]) {
		return m, false
	}
	m.name = at + 1
	if m.name < len(text) && text[m.name] == '-' {
		m.name++
	}
	m.nameEnd = ofNames.skip(text, m.name)
	if m.nameEnd == len(text) || m.name == m.nameEnd || !ofLetters[text[m.name]] || m.nameEnd-m.name > longestName {
		return m, false
	}
	value := ofBlanks.skip(text, m.nameEnd)
	if value == m.nameEnd {
		if value = between(text, value); value < 0 {
			return m, false
		}
	}
	if value == len(text) || noFirst[text[value]] && text[value] != '"' && text[value] != '\'' {
		return m, false
	}
	return closed(text, value, m, &noArgument)
}

// between returns the end of what separates two strings of a list, or -1.
func between(text []byte, at int) int {
	isQuote := func(i int) bool { return i < len(text) && (text[i] == '"' || text[i] == '\'') }
	if !isQuote(at) || at+1 == len(text) || text[at+1] != ',' {
		return -1
	}
	if at = ofBlanks.skip(text, at+2); !isQuote(at) {
		return -1
	}
	return at + 1
}

// findHeader finds a name with a colon and blanks, anywhere in a line. The value is
// empty.
func findHeader(text []byte, from, at int) (m match, ok bool) {
	m.name, m.nameEnd = ofHeaders.back(text, max(from, at-longestName), at), at
	m.end = ofBlanks.skip(text, at+1)
	return m, m.name < at && at+1 < m.end
}

const (
	// The lengths of a name that a value follows in a sentence.
	leastFollowed, mostFollowed = 3, 64
)

// copulas can be between a name and its value.
var copulas = [][]byte{[]byte("is"), []byte("was"), []byte("of"), []byte("=")}

// findFollower returns the value of at least 16 characters that follows the name that
// ends at a place: after blanks, and perhaps a copula and a quote.
func findFollower(text []byte, at int) (from, to int, ok bool) {
	value := ofBlanks.skip(text, at)
	if value == at {
		return 0, 0, false
	}
	for _, word := range copulas {
		if after := value + len(word); bytes.HasPrefix(text[value:], word) && ofBlanks.skip(text, after) > after {
			value = ofBlanks.skip(text, after)
			break
		}
	}
	if value < len(text) && (text[value] == '"' || text[value] == '\'' || text[value] == '(') {
		value++
	}
	to = ofRandom.skip(text, value)
	return value, to, to-value >= shortestRandom
}
