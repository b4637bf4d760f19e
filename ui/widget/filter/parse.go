package filter

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"mcpdbg/session"
)

// MaxLength is the maximum length of a filter in bytes.
const MaxLength = 1024

// A Filter is a compiled filter: alternatives of words that must all match.
type Filter struct {
	text         string
	alternatives [][]word
	words        int
	contextual   bool      // a word depends on more than the fields of a row
	kinds        [256]bool // kinds of entry that words name
	slow         int64     // microseconds from which a call is slow; 0: by the median
}

type word struct {
	test  test
	not   bool
	index int
}

// A SyntaxError describes what is wrong with a filter, and where.
type SyntaxError struct {
	Column  int // of the first invalid byte, from 1
	Problem string
	Try     string // the right filter, if known
}

// Error returns the column, the problem and the right filter.
func (e *SyntaxError) Error() string {
	text := fmt.Sprintf("column %d: %s", e.Column, e.Problem)
	if e.Try != "" {
		text += "; try " + e.Try
	}
	return text
}

// Parse compiles a filter. The error is a *SyntaxError. A filter without words is nil and
// matches every row.
func Parse(text string) (*Filter, error) {
	if err := check(text); err != nil {
		return nil, err
	}
	p := parser{text: text, filter: &Filter{text: strings.Trim(text, " ")}}
	return p.parse()
}

// Text returns a filter for plain text in a message or its method, ignoring case and
// including blanks; text between slashes is a regular expression. It is used for
// searching. The error is a *SyntaxError.
func Text(text string) (*Filter, error) {
	if err := check(text); err != nil {
		return nil, err
	}
	var t test = newTextTest(text)
	if len(text) > 2 && text[0] == '/' && text[len(text)-1] == '/' {
		re, err := regexp.Compile(text[1 : len(text)-1])
		if err != nil {
			return nil, &SyntaxError{Column: 2, Problem: regexpProblem(err)}
		}
		t = newRegexpTest(re)
	}
	return &Filter{text: text, alternatives: [][]word{{{test: t}}}, words: 1}, nil
}

// check rejects text that cannot be used in a regular expression.
func check(text string) error {
	if len(text) > MaxLength {
		return &SyntaxError{Column: MaxLength + 1, Problem: fmt.Sprintf("a filter is limited to %d bytes", MaxLength)}
	}
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)) {
			return &SyntaxError{Column: i + 1, Problem: "not valid UTF-8"}
		}
	}
	return nil
}

// String returns the text that was parsed.
func (f *Filter) String() string { return f.text }

// NamesKind reports whether a word names a kind of entry, such as kind:stderr. A list
// then shows such entries even if it usually does not.
func (f *Filter) NamesKind(kind session.Kind) bool { return f != nil && f.kinds[kind] }

type parser struct {
	text   string
	at     int
	filter *Filter
}

func (p *parser) parse() (*Filter, error) {
	var words []word
	join, joinAt := "", 0 // "and" or "or", if it was the last word
	for {
		for p.at < len(p.text) && p.text[p.at] == ' ' {
			p.at++
		}
		if p.at == len(p.text) {
			break
		}
		start := p.at
		if name := p.takeJoin(); name != "" {
			if len(words) == 0 || join != "" {
				return nil, p.wrong(start, fmt.Sprintf("%q needs a word before it", name))
			}
			if name == "or" {
				p.filter.alternatives = append(p.filter.alternatives, words)
				words = nil
			}
			join, joinAt = name, start
			continue
		}
		w, err := p.word()
		if err != nil {
			return nil, err
		}
		w.index, join = p.filter.words, ""
		p.filter.words++
		p.filter.contextual = p.filter.contextual || w.test.contextual()
		words = append(words, w)
	}
	if join != "" {
		return nil, p.wrong(joinAt, fmt.Sprintf("%q needs a word after it", join))
	}
	if len(words) == 0 {
		return nil, nil
	}
	p.filter.alternatives = append(p.filter.alternatives, words)
	return p.filter, nil
}

func (p *parser) takeJoin() string {
	for _, name := range joins {
		rest, ok := strings.CutPrefix(p.text[p.at:], name)
		if ok && (rest == "" || rest[0] == ' ') {
			p.at += len(name)
			return name
		}
	}
	return ""
}

func (p *parser) word() (word, error) {
	var w word
	for p.at < len(p.text) && p.text[p.at] == '!' {
		w.not = !w.not
		p.at++
	}
	if p.at == len(p.text) || p.text[p.at] == ' ' {
		return w, p.joined(p.at, `"!" needs a word after it`)
	}
	if err := p.operator(); err != nil {
		return w, err
	}
	var err error
	switch p.text[p.at] {
	case '"':
		var text string
		if text, err = p.quoted(); err == nil {
			w.test = newTextTest(text)
		}
	case '/':
		w.test, err = p.regexp()
	case '>', '<':
		w.test, err = p.latency()
	default:
		w.test, err = p.plain()
	}
	return w, err
}

// quoted parses text between quotes, in which \" and \\ are a quote and a backslash.
func (p *parser) quoted() (string, error) {
	start := p.at
	var text []byte
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return string(text), p.end("the closing quote")
		case c == '\\' && p.at+1 < len(p.text) && strings.IndexByte(`"\`, p.text[p.at+1]) >= 0:
			p.at++
			text = append(text, p.text[p.at])
		default:
			text = append(text, c)
		}
	}
	return "", p.closed(start, "missing closing quote", `"`)
}

// regexp parses a regular expression between slashes, in which \/ is a slash.
func (p *parser) regexp() (test, error) {
	start := p.at
	var expr []byte
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == '/':
			p.at++
			re, err := regexp.Compile(string(expr))
			if err != nil {
				return nil, p.wrong(start+1, regexpProblem(err))
			}
			return newRegexpTest(re), p.end("the closing slash")
		case c == '\\' && p.at+1 < len(p.text):
			p.at++
			if p.text[p.at] != '/' {
				expr = append(expr, '\\')
			}
			expr = append(expr, p.text[p.at])
		default:
			expr = append(expr, c)
		}
	}
	return nil, p.closed(start, "missing closing slash", "/")
}

func regexpProblem(err error) string {
	return strings.TrimPrefix(err.Error(), "error parsing regexp: ")
}

// latency parses a duration; without a unit, milliseconds.
func (p *parser) latency() (test, error) {
	over := p.text[p.at] == '>'
	p.at++
	start := p.at
	value := p.until(" ")
	limit, err := time.ParseDuration(value)
	if err != nil {
		ms, atoi := strconv.Atoi(value)
		if atoi != nil || ms > int(time.Hour/time.Millisecond)*1000 {
			return nil, p.joined(start, "expected a time such as 100ms or 1.5s")
		}
		limit = time.Duration(ms) * time.Millisecond
	}
	return latencyTest{over: over, limit: limit.Microseconds()}, nil
}

func (p *parser) until(stop string) string {
	rest := p.text[p.at:]
	if i := strings.IndexAny(rest, stop); i >= 0 {
		rest = rest[:i]
	}
	p.at += len(rest)
	return rest
}

func (p *parser) end(after string) error {
	if p.at < len(p.text) && p.text[p.at] != ' ' {
		return p.wrong(p.at, "expected a space after "+after)
	}
	return nil
}

func (p *parser) wrong(at int, problem string) error {
	return &SyntaxError{Column: at + 1, Problem: problem}
}
