package filter

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// joins are the words between other words; "and" is optional.
var joins = []string{"and", "or"}

// A key is the part of a word before a colon. parse gets the value, and where that
// begins.
type key struct {
	name   string
	values []string // for completion
	parse  func(p *parser, at int, value string) (test, error)
}

// keys returns all keys in the order of the documentation. It is a function because
// parsing refers to it.
func keys() []key {
	return []key{
		{"method", nil, func(_ *parser, _ int, value string) (test, error) { return newMethodTest(value), nil }},
		{"tool", nil, func(_ *parser, _ int, value string) (test, error) {
			return toolTest{name: value, pattern: wildcards(value)}, nil
		}},
		{"id", nil, func(_ *parser, _ int, value string) (test, error) { return idTest{id: value}, nil }},
		{"is", stateNames(), (*parser).state},
		{"dir", []string{"in", "out"}, (*parser).dir},
		{"kind", kindNames(), (*parser).kind},
		{"n", nil, func(p *parser, at int, value string) (test, error) {
			r, err := p.numbers("n", at, value)
			return numberTest{numbers: r}, err
		}},
		{"seq", nil, func(p *parser, at int, value string) (test, error) {
			r, err := p.numbers("seq", at, value)
			return seqTest{numbers: r}, err
		}},
		{"run", nil, func(p *parser, at int, value string) (test, error) {
			r, err := p.numbers("run", at, value)
			return runTest{numbers: r}, err
		}},
	}
}

// plain parses a word that begins with a letter: a key with its value, "err", or text.
func (p *parser) plain() (test, error) {
	start := p.at
	name := p.until(":\" ")
	if p.at == len(p.text) || p.text[p.at] != ':' {
		p.at = start
		text := p.until(" ")
		if text == "err" {
			return errTest{}, nil
		}
		return newWordTest(text), nil
	}
	p.at++
	all := keys()
	i := slices.IndexFunc(all, func(k key) bool { return k.name == name })
	if i < 0 {
		return nil, p.unknownKey(start, name)
	}
	at := p.at
	value, err := p.value()
	if err != nil {
		return nil, err
	}
	if value == "" {
		return nil, p.joined(at, name+": needs a value")
	}
	return all[i].parse(p, at, value)
}

// Word returns a word with a key, its value in quotes if it needs them.
func Word(key, value string) string {
	if value != "" && !strings.ContainsAny(value, ` "`) {
		return key + ":" + value
	}
	return key + ":" + quote(value)
}

// TextWord returns the word that matches what Text does.
func TextWord(text string) string {
	switch {
	case len(text) > 2 && text[0] == '/' && text[len(text)-1] == '/':
		inside := strings.ReplaceAll(text[1:len(text)-1], `\/`, `/`)
		return "/" + strings.ReplaceAll(inside, "/", `\/`) + "/"
	case text == "err" || text == "-err" || operators[text] != "" || slices.Contains(joins, text) || strings.ContainsAny(text, ` ":=`) || strings.ContainsAny(text[:min(len(text), 1)], "!/<>"):
		return quote(text)
	}
	return text
}

func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

func keyNames(keys []key) string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

func (p *parser) value() (string, error) {
	if p.at < len(p.text) && p.text[p.at] == '"' {
		return p.quoted()
	}
	return p.until(" "), nil
}

func (p *parser) dir(at int, value string) (test, error) {
	switch value {
	case "in":
		return dirTest{kind: session.KindStdout}, nil
	case "out":
		return dirTest{kind: session.KindStdin}, nil
	}
	return nil, p.wrong(at, "dir: must be in or out")
}

// messageKinds are the kinds of message, and event for all other entries but lines.
var messageKinds = []string{"request", "response", "notification", "error", "batch", "stray", "stderr", "event"}

func kindNames() []string {
	names := slices.Clone(messageKinds)
	for k := session.KindStart; k < session.KindEnd; k++ {
		if !k.IsStream() {
			names = append(names, k.String())
		}
	}
	return names
}

func (p *parser) kind(at int, value string) (test, error) {
	switch value {
	case "request":
		return kindTest{kinds: []framing.Kind{framing.Request}}, nil
	case "notification":
		return kindTest{kinds: []framing.Kind{framing.Notification}}, nil
	case "response":
		return kindTest{kinds: []framing.Kind{framing.Response, framing.ErrorResponse}}, nil
	case "batch":
		return kindTest{kinds: []framing.Kind{framing.Batch}}, nil
	case "error":
		return errorTest{}, nil
	case "stray":
		return strayTest{}, nil
	}
	var t entryTest
	for k := session.KindUnknown; k <= session.KindEnd; k++ {
		t.kinds[k] = !k.IsStream() && (value == "event" || value == k.String() || value == EventSource(k)) || k == session.KindStderr && value == "stderr"
		p.filter.kinds[k] = p.filter.kinds[k] || t.kinds[k]
	}
	if t == (entryTest{}) {
		return nil, p.wrong(at, "kind: must be "+strings.Join(messageKinds, ", ")+", or the name of an event such as exited")
	}
	return t, nil
}

func (p *parser) numbers(name string, at int, value string) (numbers, error) {
	low, high, ranged := strings.Cut(value, "-")
	r := numbers{0, math.MaxUint64}
	var err error
	if low != "" {
		if r.low, err = strconv.ParseUint(low, 10, 64); err != nil {
			return r, p.wrong(at, name+": must be a number or a range such as 10-20, 10- or -20")
		}
	}
	switch {
	case !ranged:
		r.high = r.low
	case low == "" && high == "":
		return r, p.wrong(at, name+": expected a number before or after the dash")
	case high != "":
		if r.high, err = strconv.ParseUint(high, 10, 64); err != nil {
			return r, p.wrong(at+len(low)+1, "expected a number or nothing after the dash")
		}
	}
	if r.high < r.low {
		return r, p.wrong(at+len(low)+1, fmt.Sprintf("empty range: %d is less than %d", r.high, r.low))
	}
	return r, nil
}

// Complete returns completions of the last word of a text, each as the full text: of keys
// up to their colon, of values for keys that have few.
func Complete(text string) []string {
	at := strings.LastIndexByte(text, ' ') + 1
	if strings.Count(text[:at], `"`)%2 == 1 {
		return nil // inside quotes
	}
	word := strings.TrimLeft(text[at:], "!")
	before := text[:len(text)-len(word)]
	var found []string
	add := func(candidate string) {
		if strings.HasPrefix(candidate, word) && candidate != word {
			found = append(found, before+candidate)
		}
	}
	for _, k := range keys() {
		name := k.name + ":"
		if !strings.HasPrefix(word, name) {
			add(name)
			continue
		}
		for _, value := range k.values {
			add(name + value)
		}
	}
	add("err")
	return found
}
