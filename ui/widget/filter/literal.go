package filter

import (
	"bytes"
	"regexp/syntax"
	"strings"

	"mcpdbg/session"
)

// selective is the length from which a part of a text is rare enough to be searched for
// alone.
const selective = 3

// unwritten are words that a row shows and its message need not have.
var unwritten = []string{"failed", "more", "ok", "page", "no", "as", "by", "max", "tokens"}

// codeNames are what rows show for the codes of errors.
var codeNames = []string{
	"parse error", "invalid request", "method not found", "invalid params", "internal error", "resource not found", "header mismatch",
	"missing client capability", "missing required client capability", "unsupported protocol version", "url elicitation required",
}

// cluesOf returns texts of which one is in each message whose row shows a text, in lower
// case unless exact. A row shows k=3 for "k":3, and decodes what is escaped, so only runs
// of letters and digits are certain to be in the message.
func cluesOf(text string, exact bool) (clues []session.Needle, coded bool) {
	best := ""
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return !isWordRune(r) }) {
		lower := strings.ToLower(part)
		named := false
		for _, name := range codeNames {
			named = named || strings.Contains(name, lower)
		}
		coded = coded || named
		for _, word := range unwritten {
			named = named || word == lower
		}
		if len(part) > len(best) && (!named || best == "") || !named && isUnwritten(best) {
			best = part
		}
	}
	if best == "" {
		return nil, false
	}
	if name, value, assigned := strings.Cut(text, "="); assigned && len(best) < selective && !strings.Contains(value, "=") {
		clues = assignment(name, value, exact)
	}
	if clues == nil {
		clues = []session.Needle{{Text: []byte(best), Exact: exact}}
	}
	return clues, coded
}

func isUnwritten(part string) bool {
	part = strings.ToLower(part)
	for _, word := range unwritten {
		if word == part {
			return true
		}
	}
	for _, name := range codeNames {
		if strings.Contains(name, part) {
			return true
		}
	}
	return part == ""
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

// requiredOf returns the best texts of the parts of an expression. Of a+b that is ab.
func requiredOf(parts []*syntax.Regexp) (best []literalText) {
	run := literalText{}
	for i, part := range parts {
		some := required(part)
		if part.Op == syntax.OpPlus && len(some) == 1 && part.Sub[0].Op == syntax.OpLiteral {
			run = literalText{text: some[0].text, fold: some[0].fold}
			if len(run.text) != len(string(part.Sub[0].Rune)) {
				run.text = ""
			}
		} else if part.Op == syntax.OpLiteral && i > 0 && run.text != "" && len(some) == 1 && run.fold == some[0].fold && startsWith(part, some[0].text) {
			some = []literalText{{run.text + some[0].text, run.fold}}
			run.text = ""
		} else {
			run.text = ""
		}
		if better(some, best) {
			best = some
		}
	}
	return best
}

func startsWith(literal *syntax.Regexp, text string) bool {
	return strings.HasPrefix(strings.ToLower(string(literal.Rune)), strings.ToLower(text))
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
func regexpClues(expr string) (clues []session.Needle, coded bool) {
	for _, l := range literalsOf(expr) {
		some, named := cluesOf(l.text, !l.fold)
		if len(some) == 0 || len(clues)+len(some) > maxClues {
			return nil, false
		}
		clues, coded = append(clues, some...), coded || named
	}
	return clues, coded
}
