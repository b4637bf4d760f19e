package filter

import (
	"bytes"
	"regexp/syntax"
	"slices"
	"sort"
	"strings"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// selective is the length from which a part of a text is rare enough to be searched for
// alone.
const selective = 3

// unwritten are words that a row shows and its message need not have.
var unwritten = []string{
	"failed", "more", "ok", "next page", "no content", "no contents", "as task", "by", "max", "tokens", "values", "of", "cancelled", "input required",
	"missing client capability", "client", "cursor", "resource", "argument", "link", "ms", "min", "kb", "mb", "gb", "tb", "x", "h", "s",
	"tools", "prompts", "resources", "templates", "roots", "notifications", "subscriptions", "tasks", "messages", "completed", "batch",
}

// codeNames are what rows show for the codes of errors.
func codeNames() []string {
	var names []string
	for _, c := range mcp.ErrorCodes() {
		names = append(names, strings.ToLower(c.Name))
	}
	return append(names, "missing client capability")
}

// A clueSet is how the messages whose rows show a text are found.
type clueSet struct {
	any   []session.Needle // one of them is in each message; nil: unknown
	all   []session.Needle // all of these, too
	coded bool             // the text may be in the name of an error code
	// failed is the word that rows show for failures, if the text has it.
	failed []session.Needle
}

// maxAll is how many words more than one are searched for.
const maxAll = 2

// cluesOf returns the clues of a text, in lower case unless exact. A row shows k=3 for
// "k":3, and decodes what is escaped, so only runs of letters and digits are certain to be
// in the message.
func cluesOf(text string, exact bool) (c clueSet) {
	names := codeNames()
	var words []string
	best := ""
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return !isWordRune(r) }) {
		if strings.EqualFold(part, ShownFailed) {
			c.failed = []session.Needle{{Text: []byte(part), Exact: exact}}
		}
		inName := containedIn(names, part)
		c.coded = c.coded || inName
		sure := !inName && !containedIn(unwritten, part)
		if sure && len(part) >= selective && strings.Trim(part, "0123456789") != "" {
			words = append(words, part)
		}
		if len(part) > len(best) && (sure || best == "") || sure && (containedIn(names, best) || containedIn(unwritten, best)) {
			best = part
		}
	}
	if best == "" {
		return clueSet{}
	}
	if name, value, assigned := strings.Cut(text, "="); assigned && len(best) < selective && !strings.Contains(value, "=") {
		c.any = assignment(name, value, exact)
	}
	if c.any == nil {
		c.any = []session.Needle{{Text: []byte(best), Exact: exact}}
	}
	sort.SliceStable(words, func(i, j int) bool { return len(words[i]) > len(words[j]) })
	for _, word := range words {
		if word != best && len(c.all) < maxAll {
			c.all = append(c.all, session.Needle{Text: []byte(word), Exact: exact})
		}
	}
	return c
}

// containedIn reports whether a word may be a part of one of some texts.
func containedIn(texts []string, word string) bool {
	word = strings.ToLower(word)
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, word) })
}

// assignment returns what is written for k=3: "k":3 or "k":"3", also with a space, or the
// same text.
func assignment(name, value string, exact bool) (clues []session.Needle) {
	name = name[strings.LastIndexFunc(name, func(r rune) bool { return !isWordRune(r) })+1:]
	value = value[:len(value)-len(strings.TrimLeftFunc(value, isWordRune))]
	if name == "" || value == "" {
		return nil
	}
	for _, between := range []string{`":`, `": `, `":"`, `": "`, `=`} {
		clues = append(clues, session.Needle{Text: []byte(name + between + value), Exact: exact})
	}
	return clues
}

func isWordRune(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
}

// maxClues is how many texts are searched for at most for one word.
const maxClues = 8

// literalsOf returns texts of which one is in everything that an expression matches, nil
// if unknown.
func literalsOf(expr string) (literals []literalText) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil
	}
	return required(re)
}

// A literalText is a text that a regular expression requires.
type literalText struct {
	text string
	fold bool // in any case; the text is in lower case
}

func required(re *syntax.Regexp) []literalText {
	switch re.Op {
	case syntax.OpLiteral, syntax.OpCharClass:
		return exactly(re)
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpAlternate:
		var all []literalText
		for _, sub := range re.Sub {
			some := required(sub)
			if len(some) == 0 || len(all)+len(some) > maxClues {
				return nil
			}
			all = append(all, some...)
		}
		return all
	case syntax.OpConcat:
		return requiredOf(re.Sub)
	}
	return nil
}

// requiredOf returns the best texts of the parts of an expression: of k=33+3 that is k=333.
func requiredOf(parts []*syntax.Regexp) (best []literalText) {
	run := ""
	take := func(some []literalText) {
		if better(some, best) {
			best = some
		}
	}
	for i, part := range parts {
		switch text, plus := plainText(part); {
		case text == "":
			run = ""
			take(required(part))
		case plus:
			same := 0
			if i+1 < len(parts) {
				next, _ := plainText(parts[i+1])
				same = len(next) - len(strings.TrimLeft(next, text))
			}
			take([]literalText{{text: run + text + strings.Repeat(text, same)}})
			run = text
		default:
			run += text
			take([]literalText{{text: run}})
		}
	}
	return best
}

// plainText returns the text of a literal in ASCII, or of one letter that is repeated, as in
// a+; else "".
func plainText(re *syntax.Regexp) (text string, plus bool) {
	if re.Op == syntax.OpPlus && len(re.Sub[0].Rune) == 1 {
		text, _ = plainText(re.Sub[0])
		return text, true
	}
	if re.Op != syntax.OpLiteral || re.Flags&syntax.FoldCase != 0 || slices.ContainsFunc(re.Rune, func(r rune) bool { return r >= 0x80 }) {
		return "", false
	}
	return string(re.Rune), false
}

// better reports whether the shortest of some texts is longer than that of others.
func better(some, than []literalText) bool { return shortest(some) > shortest(than) }

func shortest(texts []literalText) int {
	if len(texts) == 0 {
		return 0
	}
	n := len(texts[0].text)
	for _, t := range texts {
		n = min(n, len(t.text))
	}
	return n
}

// exactly returns the texts of a literal, or of a class of few letters.
func exactly(re *syntax.Regexp) []literalText {
	if re.Op == syntax.OpLiteral {
		fold := re.Flags&syntax.FoldCase != 0
		text := longestRun(re.Rune, fold)
		if text == "" {
			return nil
		}
		return []literalText{{text, fold}}
	}
	var all []literalText
	for i := 0; i < len(re.Rune); i += 2 {
		for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
			if r >= 0x80 || len(all) == maxClues/2 {
				return nil
			}
			all = append(all, literalText{text: string(r)})
		}
	}
	return all
}

// longestRun returns the longest run of ASCII in a literal. Ignoring case makes it lower
// case and excludes k and s, which also match the Kelvin sign and the long s.
func longestRun(text []rune, fold bool) string {
	var run, longest []byte
	for _, r := range text {
		if fold && r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		if r >= 0x80 || fold && (r == 'k' || r == 's') {
			run = run[:0]
			continue
		}
		if run = append(run, byte(r)); len(run) > len(longest) {
			longest = bytes.Clone(run)
		}
	}
	return string(longest)
}

// regexpClues returns the clues of an expression.
func regexpClues(expr string) (all clueSet) {
	literals := literalsOf(expr)
	for _, l := range literals {
		some := cluesOf(l.text, !l.fold)
		if len(some.any) == 0 || len(all.any)+len(some.any) > maxClues {
			return clueSet{}
		}
		all.any, all.coded = append(all.any, some.any...), all.coded || some.coded
		if len(literals) == 1 {
			all.all, all.failed = some.all, some.failed
		}
	}
	return all
}
