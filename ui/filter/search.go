package filter

import (
	"regexp/syntax"
	"slices"

	"mcpdbg/session"
)

// A sought is a text without which a word does not match, where only the
// message can say. The source looks for it in many rows at once.
type sought struct {
	word  int    // index of the word
	lower []byte // ASCII in lower case, found in any case
	whole bool   // the text is all that the word asks for
	found []session.Found
}

// A literal is a test that a text in the message decides, or rules out.
type literal interface {
	// literal returns ASCII text in lower case that a message has to have in
	// some case to match, nil if there is none; whole tells whether that is
	// enough.
	literal() (lower []byte, whole bool)
}

// sought are the texts of a filter that can be searched.
func (f *Filter) sought() []sought {
	var all []sought
	for _, words := range f.alternatives {
		for _, w := range words {
			if t, ok := w.test.(literal); ok {
				if lower, whole := t.literal(); len(lower) > 0 {
					all = append(all, sought{word: w.index, lower: lower, whole: whole})
				}
			}
		}
	}
	return all
}

// search has the source decide about rows that have to be read, as far as it
// can.
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

// found is what the search for a word's text says of the row that is looked at.
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

// literal is the id as it stands in the message.
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

// literalOf returns the longest ASCII text that whatever matches an expression
// must have in some case, in lower case.
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

// longestRun returns the longest run of ASCII in a literal. In any case, k and s
// are also the Kelvin sign and the long s.
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
