package filter

import (
	"regexp/syntax"
	"slices"

	"mcpdbg/session"
)

// A needle is a text that a message must contain for a word to match. The source searches
// many rows for it at once.
type needle struct {
	word  int
	lower []byte // ASCII in lower case, matched in any case
	whole bool   // the text decides the word
	found []session.Found
}

// A literal is a test that a text in the message decides or rules out.
type literal interface {
	// literal returns ASCII text in lower case that a message must contain in any case,
	// or nil. whole reports whether it is also sufficient.
	literal() (lower []byte, whole bool)
}

type searched interface {
	literal
	in(text []byte) bool
}

func (f *Filter) needles() []needle {
	var all []needle
	for _, words := range f.alternatives {
		for _, w := range words {
			if t, ok := w.test.(literal); ok {
				if lower, whole := t.literal(); len(lower) > 0 {
					all = append(all, needle{word: w.index, lower: lower, whole: whole})
				}
			}
		}
	}
	return all
}

// search lets the source decide about unread rows, as far as it can.
func (m *Matcher) search(rows []session.Row, verdicts []Verdict) {
	searcher, ok := m.source.(session.Searcher)
	if !ok || len(m.searched) == 0 {
		return
	}
	m.unread, m.places = m.unread[:0], m.places[:0]
	for i, v := range verdicts {
		if v == Unread {
			m.unread, m.places = append(m.unread, rows[i]), append(m.places, i)
		}
	}
	if len(m.unread) == 0 {
		return
	}
	for i := range m.searched {
		s := &m.searched[i]
		s.found = slices.Grow(s.found[:0], len(m.unread))[:len(m.unread)]
		searcher.Search(m.unread, s.lower, s.found)
	}
	for at, place := range m.places {
		m.at, m.number = at, m.from+place
		verdicts[place] = m.any(m.unread[at])
	}
	m.at = -1
}

// found returns the result of the search for a word in the current row.
func (m *Matcher) found(word int) Verdict {
	for i := range m.searched {
		s := &m.searched[i]
		if s.word != word {
			continue
		}
		switch found := s.found[m.at]; {
		case found == session.FoundNot:
			return No
		case found == session.FoundIt && s.whole:
			return Yes
		}
	}
	return Unread
}

func (t textTest) literal() (lower []byte, whole bool) {
	if t.fold != nil {
		return literalOf(t.fold.String()), false
	}
	return t.lower, true
}

func (t regexpTest) literal() (lower []byte, whole bool) { return literalOf(t.String()), false }

// literal returns the id as written in the message.
func (t idTest) literal() (lower []byte, whole bool) {
	lower = []byte(t.id)
	for i, c := range lower {
		if c >= 0x80 {
			return nil, false
		}
		if c >= 'A' && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return lower, false
}

// literalOf returns the longest ASCII text, in lower case, that every match of an
// expression contains in some case.
func literalOf(expr string) []byte {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil
	}
	return required(re)
}

func required(re *syntax.Regexp) []byte {
	switch re.Op {
	case syntax.OpLiteral:
		return longestRun(re.Rune, re.Flags&syntax.FoldCase != 0)
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var longest []byte
		for _, sub := range re.Sub {
			if text := required(sub); len(text) > len(longest) {
				longest = text
			}
		}
		return longest
	}
	return nil
}

// longestRun returns the longest run of ASCII in a literal. Ignoring case excludes k and
// s, which also match the Kelvin sign and the long s.
func longestRun(text []rune, fold bool) []byte {
	var run, longest []byte
	for _, r := range text {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		if r >= 0x80 || fold && (r == 'k' || r == 's') {
			run = run[:0]
			continue
		}
		if run = append(run, byte(r)); len(run) > len(longest) {
			longest = slices.Clone(run)
		}
	}
	return longest
}

// Texts returns ASCII texts in lower case of which one is in every message that passes,
// in any case, unless its method matches (see MatchesMethod). It returns nil without such
// texts, or if something else decides about a row, such as the request for a latency, or
// the words in its row.
func (f *Filter) Texts() [][]byte {
	if f == nil {
		return nil
	}
	var texts [][]byte
	for _, words := range f.alternatives {
		positive := false
		for _, w := range words {
			switch t := w.test.(type) {
			case textTest, regexpTest:
				searched := t.(searched)
				lower, _ := searched.literal()
				if len(lower) == 0 || mayShow(searched.in) {
					return nil
				}
				texts = append(texts, lower)
				positive = positive || !w.not
			case dirTest, kindTest, entryTest, strayTest, seqTest, runTest:
			default:
				return nil
			}
		}
		if !positive {
			return nil
		}
	}
	return texts
}

// MatchesMethod reports whether a text of the filter is in the name of a method. It then
// decides about all messages with that method, and the responses to them.
func (f *Filter) MatchesMethod(name string) bool {
	for _, words := range f.alternatives {
		for _, w := range words {
			switch t := w.test.(type) {
			case textTest:
				if t.in([]byte(name)) {
					return true
				}
			case regexpTest:
				if t.MatchString(name) {
					return true
				}
			}
		}
	}
	return false
}
