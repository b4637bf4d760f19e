package filter

import (
	"bytes"
	"regexp"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/session/summary"
)

// A shownTest searches for a text in the method, the message and the words of its row.
type shownTest interface {
	test
	literal
	in(text []byte) bool
	// isCoded reports whether the text may be in the name of an error code, which rows show.
	isCoded() bool
	// isAlone reports whether the bytes of a message decide.
	isAlone() bool
}

// clues are what a text or regular expression is searched by.
type clues struct {
	all   []session.Needle // one of them is in each message whose row shows the text; nil: unknown
	alone bool             // a message with the text has no other clue
	coded bool
}

func (c *clues) isCoded() bool { return c.coded }
func (c *clues) isAlone() bool { return c.alone }

// mayBeShown reports whether the row of a message may show a text that is not in the message.
func (c *clues) mayBeShown(msg *message) bool {
	if !msg.row.Kind.IsStream() {
		return false
	}
	if c.coded && msg.row.Msg == framing.ErrorResponse {
		return true
	}
	if c.alone {
		return false
	}
	for _, clue := range c.all {
		if clue.Exact && bytes.Contains(msg.bytes(), clue.Text) || !clue.Exact && IndexFold(msg.bytes(), clue.Text) >= 0 {
			return true
		}
	}
	return len(c.all) == 0
}

// matches reports whether a test holds for a message or for the words of its row.
func (c *clues) matches(msg *message, in func([]byte) bool) bool {
	if in(msg.bytes()) {
		return true
	}
	if !c.mayBeShown(msg) {
		return false
	}
	for _, words := range msg.words() {
		if in(words) || in(squeezed(words)) {
			return true
		}
	}
	return false
}

// squeezed removes the spaces after commas and colons, so that [1, 2] is found as [1,2].
func squeezed(words []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(words, []byte(", "), []byte(",")), []byte(": "), []byte(":"))
}

// usual are methods whose responses are put into words, for a response whose request is
// unknown.
var usual = []string{"", mcp.MethodToolsCall, mcp.MethodToolsList, "resources/read", "prompts/get", mcp.MethodInitialize}

// words returns the words that lists show for a message.
func (msg *message) words() (all [][]byte) {
	payload, row, method := msg.bytes(), msg.row, msg.matcher.source.Method(msg.row.Method)
	methods := []string{method}
	if method == "" && (row.Msg == framing.Response || row.Msg == framing.ErrorResponse) {
		methods = usual
	}
	for _, method := range methods {
		text, _ := ResultText(row, summary.Message(row.Msg, method, payload, int64(len(payload))))
		all = append(all, []byte(text))
	}
	return all
}

// ResultText returns the text of a message as rows show it, and whether it is a failure. A
// response to a probe is never a failure.
func ResultText(row session.Row, text string) (shown string, failed bool) {
	switch {
	case row.Flags&session.FlagProbe != 0:
		return text, false
	case row.Msg == framing.ErrorResponse:
		return ShownFailed + " " + text, true
	case row.Msg != framing.Response || row.Flags&session.FlagError == 0:
		return text, false
	case !strings.HasPrefix(text, ShownFailed):
		text = strings.TrimSuffix(ShownFailed+": "+text, ": ")
	}
	return text, true
}

// textTest searches for text in the method, the message and the words that lists show in
// its row, ignoring case.
type textTest struct {
	ownRow
	*clues
	lower []byte         // ASCII in lower case
	fold  *regexp.Regexp // for other text
	whole bool           // letters and digits at its ends are the whole word or number
}

// newWordTest is newTextTest for a word that is not in quotes: k=3 is not in k=33.
func newWordTest(text string) textTest {
	t := newTextTest(text)
	name, value, assigned := strings.Cut(text, "=")
	t.whole = assigned && name != "" && value != ""
	t.alone = t.alone && !t.whole
	return t
}

func newTextTest(text string) textTest {
	t := textTest{clues: &clues{}}
	for i := range len(text) {
		if text[i] >= 0x80 {
			t.fold = regexp.MustCompile("(?i)" + regexp.QuoteMeta(text))
			t.all, t.coded = regexpClues(t.fold.String())
			return t
		}
	}
	t.lower = lowerASCII(text)
	t.all, t.coded = cluesOf(string(t.lower), false)
	t.alone = len(t.all) == 0 || string(t.all[0].Text) == string(t.lower)
	if len(t.all) == 0 && text != "" {
		t.all = []session.Needle{{Text: t.lower}}
	}
	return t
}

func (t textTest) row(m *Matcher, index int, r session.Row) Verdict {
	if m.method(index, r.Method, func(name string) bool { return t.in([]byte(name)) }) || shows(r, t.in) {
		return Yes
	}
	return Unread
}

func (t textTest) message(msg *message) bool { return t.matches(msg, t.in) }

func (t textTest) in(text []byte) bool {
	for from := 0; ; {
		at, end := t.next(text[from:])
		if at < 0 {
			return false
		}
		if !t.whole || isWhole(text, from+at, from+end) {
			return true
		}
		from += at + 1
	}
}

func (t textTest) next(text []byte) (at, end int) {
	if t.fold != nil {
		if found := t.fold.FindIndex(text); found != nil {
			return found[0], found[1]
		}
		return -1, 0
	}
	at = IndexFold(text, t.lower)
	return at, at + len(t.lower)
}

// isWhole reports whether text[at:end] neither begins nor ends within a word or a number.
// The letter of an escape, as in \n, is not a word.
func isWhole(text []byte, at, end int) bool {
	inside := func(i int) bool { return text[i] >= 0x80 || isWordRune(rune(text[i])) }
	if at > 0 && inside(at) && inside(at-1) && (at == 1 || text[at-2] != '\\') {
		return false
	}
	if end == len(text) || !inside(end-1) {
		return true
	}
	fraction := text[end] == '.' && end+1 < len(text) && isDigit(text[end-1]) && isDigit(text[end+1])
	return !inside(end) && !fraction
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (t textTest) literal() (sure session.Needle, clues []session.Needle) {
	if t.whole {
		return sure, t.all
	}
	return session.Needle{Text: t.lower}, t.all
}

// regexpTest matches the method, the message and the words that lists show in its row.
type regexpTest struct {
	ownRow
	*clues
	*regexp.Regexp
}

func newRegexpTest(re *regexp.Regexp) regexpTest {
	t := regexpTest{clues: &clues{}, Regexp: re}
	t.all, t.coded = regexpClues(re.String())
	return t
}

func (t regexpTest) row(m *Matcher, index int, r session.Row) Verdict {
	if m.method(index, r.Method, func(name string) bool { return name != "" && t.MatchString(name) }) || shows(r, t.in) {
		return Yes
	}
	return Unread
}

func (t regexpTest) message(msg *message) bool { return t.matches(msg, t.in) }

func (t regexpTest) in(text []byte) bool { return t.Match(text) }

func (t regexpTest) literal() (sure session.Needle, clues []session.Needle) { return sure, t.all }
