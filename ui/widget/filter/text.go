package filter

import (
	"bytes"
	"regexp"
	"slices"
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
	clueSet
	alone bool      // a message with the text has no other clue
	joint [2]string // words with a space between them, in lower case, or ""
}

func (c *clues) isCoded() bool { return c.coded }
func (c *clues) isAlone() bool { return c.alone }

// literal implements literal.
func (c *clues) literal() (sure session.Needle, found clueSet) { return sure, c.clueSet }

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
	in := func(clue session.Needle) bool {
		return clue.Exact && bytes.Contains(msg.bytes(), clue.Text) || !clue.Exact && IndexFold(msg.bytes(), clue.Text) >= 0
	}
	for _, clue := range c.all {
		if !in(clue) {
			return false
		}
	}
	return (len(c.any) == 0 || slices.ContainsFunc(c.any, in)) && (c.joint[0] == "" || mayJoin(msg.bytes(), c.joint))
}

// mayJoin reports whether a row may show two words with a space between them: its message
// has them so; or the first one ends a value or comes before an escape or more than a space,
// and the second one begins a value or comes after such.
func mayJoin(msg []byte, words [2]string) bool {
	if IndexFold(msg, []byte(words[0]+" "+words[1])) >= 0 {
		return true
	}
	wide := func(c byte) bool {
		return c < 'A' && c > ' ' || c == '\t' || c == '\n' || c == '\r' || c > 'Z' && c < 'a' || c > 'z'
	}
	at := func(i int) byte {
		if i < 0 || i >= len(msg) {
			return '"'
		}
		return msg[i]
	}
	ends := anyFold(msg, words[0], func(_, end int) bool {
		next := at(end)
		return wide(next) || next == ' ' && (at(end+1) == ' ' || wide(at(end+1)))
	})
	return ends && anyFold(msg, words[1], func(begin, _ int) bool {
		before := at(begin - 1)
		escaped := at(begin-2) == '\\' || at(begin-6) == '\\'
		return wide(before) || escaped || before == ' ' && (at(begin-2) == ' ' || wide(at(begin-2)) || at(begin-3) == '\\' || at(begin-7) == '\\')
	})
}

// anyFold reports whether a test holds for a place of a word, ignoring case.
func anyFold(text []byte, word string, test func(begin, end int) bool) bool {
	for from := 0; ; {
		i := IndexFold(text[from:], []byte(word))
		if i < 0 {
			return false
		}
		if begin := from + i; test(begin, begin+len(word)) {
			return true
		}
		from += i + 1
	}
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

// usual are methods whose responses are put into words, and members of their results, for
// a response whose request is unknown.
var usual = []struct{ method, member string }{
	{mcp.MethodToolsCall, `"content"`}, {mcp.MethodToolsCall, `"structuredContent"`}, {mcp.MethodToolsList, `"tools"`},
	{"resources/read", `"contents"`}, {"prompts/get", `"messages"`}, {mcp.MethodInitialize, `"serverInfo"`},
}

// words returns the words that lists show for a message.
func (msg *message) words() (all [][]byte) {
	payload, row, method := msg.bytes(), msg.row, msg.matcher.source.Method(msg.row.Method)
	methods := []string{method}
	if method == "" && row.Msg == framing.Response {
		for _, u := range usual {
			if methods[len(methods)-1] != u.method && bytes.Contains(payload, []byte(u.member)) {
				methods = append(methods, u.method)
			}
		}
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

// jointOf returns two words of a text with only a space between them that rows show only if
// their message has them.
func jointOf(text string) (joint [2]string) {
	words := strings.Split(text, " ")
	certain := func(word string) bool {
		return word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") == "" && !containedIn(unwritten, word) && !containedIn(codeNames(), word)
	}
	for i := range len(words) - 1 {
		if certain(words[i]) && certain(words[i+1]) {
			return [2]string{words[i], words[i+1]}
		}
	}
	return joint
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
			t.clueSet = regexpClues(t.fold.String())
			return t
		}
	}
	t.lower = lowerASCII(text)
	t.clueSet = cluesOf(string(t.lower), false)
	t.alone = len(t.any) == 0 || string(t.any[0].Text) == string(t.lower)
	if len(t.any) == 0 && text != "" {
		t.any = []session.Needle{{Text: t.lower}}
	}
	t.joint = jointOf(string(t.lower))
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
	if at > 1 && inside(at) && (text[at-1] == '-' || text[at-1] == '.') && inside(at-2) {
		return false // within a name, such as max-results
	}
	if end == len(text) || !inside(end-1) {
		return true
	}
	fraction := text[end] == '.' && end+1 < len(text) && isDigit(text[end-1]) && isDigit(text[end+1])
	return !inside(end) && !fraction
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (t textTest) literal() (sure session.Needle, found clueSet) {
	if !t.whole {
		sure.Text = t.lower
	}
	return sure, t.clueSet
}

// regexpTest matches the method, the message and the words that lists show in its row.
type regexpTest struct {
	ownRow
	*clues
	*regexp.Regexp
}

func newRegexpTest(re *regexp.Regexp) regexpTest {
	return regexpTest{clues: &clues{clueSet: regexpClues(re.String())}, Regexp: re}
}

func (t regexpTest) row(m *Matcher, index int, r session.Row) Verdict {
	if m.method(index, r.Method, func(name string) bool { return name != "" && t.MatchString(name) }) || shows(r, t.in) {
		return Yes
	}
	return Unread
}

func (t regexpTest) message(msg *message) bool { return t.matches(msg, t.in) }

func (t regexpTest) in(text []byte) bool { return t.Match(text) }
