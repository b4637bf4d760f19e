package filter

import (
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// A needle is a text that the source searches many rows for at once.
type needle struct {
	session.Needle
	word  int
	sure  bool // a message with it matches
	clue  bool // a message without any clue of its word does not match
	must  bool // a message without it does not match
	mark  bool // a message without it does not match unless it is a failure
	found []session.Found
}

// A literal is a test that texts in the message decide or rule out.
type literal interface {
	// literal returns a text of which a message with it matches, if it has any bytes, and
	// texts that are in every message that matches.
	literal() (sure session.Needle, found clueSet)
}

func (f *Filter) needles() []needle {
	var all []needle
	for _, words := range f.alternatives {
		for _, w := range words {
			t, ok := w.test.(literal)
			if !ok {
				continue
			}
			sure, texts := t.literal()
			for _, text := range texts.all {
				all = append(all, needle{Needle: text, word: w.index, must: true})
			}
			for _, text := range texts.failed {
				all = append(all, needle{Needle: text, word: w.index, mark: true})
			}
			for _, clue := range texts.any {
				isSure := string(clue.Text) == string(sure.Text) && clue.Exact == sure.Exact
				if isSure {
					sure.Text = nil
				}
				all = append(all, needle{Needle: clue, word: w.index, sure: isSure, clue: true})
			}
			if len(sure.Text) > 0 {
				all = append(all, needle{Needle: sure, word: w.index, sure: true})
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
		searcher.Search(m.unread, s.Needle, s.found)
	}
	for at, place := range m.places {
		m.at, m.number = at, m.from+place
		verdicts[place] = m.any(m.unread[at])
	}
	m.at = -1
}

// found returns the result of the search for a word in the current row.
func (m *Matcher) found(w word) Verdict {
	clues, missing, lacks := 0, 0, false
	for i := range m.searched {
		s := &m.searched[i]
		if s.word != w.index {
			continue
		}
		found := s.found[m.at]
		if found == session.FoundIt && s.sure {
			return Yes
		}
		lacks = lacks || found == session.FoundNot && (s.must || s.mark && !isFailure(m.unread[m.at]))
		if s.clue {
			clues++
			if found == session.FoundNot {
				missing++
			}
		}
	}
	if !lacks && (clues == 0 || missing < clues) {
		return Unread
	}
	if t, ok := w.test.(shownTest); ok && t.isCoded() && m.unread[m.at].Msg == framing.ErrorResponse {
		return Unread
	}
	return No
}

// isFailure reports whether the row of a message shows that it is one.
func isFailure(row session.Row) bool {
	return row.Msg == framing.ErrorResponse || row.Msg == framing.Batch || row.Flags&session.FlagError != 0
}

// literal returns the id as written in the message.
func (t idTest) literal() (sure session.Needle, found clueSet) {
	lower := lowerASCII(t.id)
	for _, c := range lower {
		if c >= 0x80 {
			return sure, found
		}
	}
	return sure, clueSet{any: []session.Needle{{Text: lower}}}
}

func lowerASCII(text string) []byte {
	lower := []byte(text)
	for i, c := range lower {
		if c >= 'A' && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return lower
}

// Texts returns texts of which one is in every message that passes, unless its method
// matches (see MatchesMethod). It returns nil without such texts, or if something else
// decides about a row, such as the request for a latency, or the words in its row. The words
// for a response depend on its request: without exact, a response that is alone is put into
// words for several methods, and may pass although its row does not show a text.
func (f *Filter) Texts(exact bool) []session.Needle {
	if f == nil {
		return nil
	}
	var texts []session.Needle
	for _, words := range f.alternatives {
		positive := false
		for _, w := range words {
			switch t := w.test.(type) {
			case shownTest:
				_, found := t.literal()
				if len(found.any) == 0 || t.isCoded() || mayShow(t.in) || exact && !t.isAlone() {
					return nil
				}
				texts = append(texts, found.any...)
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
			if t, ok := w.test.(shownTest); ok && t.in([]byte(name)) {
				return true
			}
		}
	}
	return false
}
