package filter

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpdbg/internal/wording"
)

// operators are words of other languages, and what to write for them.
var operators = map[string]string{"AND": "and", "&&": "and", "OR": "or", "||": "or", "NOT": "!"}

// operator rejects a word that is an operator elsewhere, or begins with one.
func (p *parser) operator() error {
	rest := p.text[p.at:]
	name, after, _ := strings.Cut(rest, " ")
	before := p.text[:p.at]
	if to, ok := operators[name]; ok {
		if to != "!" {
			to += " "
		}
		return p.try(p.at, fmt.Sprintf("write %q, or quote the word %s", strings.TrimSpace(to), name), before+to+strings.TrimLeft(after, " "))
	}
	if inside, ok := strings.CutPrefix(name, "-"); ok && (inside == "err" || isKeyed(inside)) {
		return p.try(p.at, `write "!" for not`, before+"!"+rest[1:])
	}
	return nil
}

// isKeyed reports whether a word begins with a key and a colon.
func isKeyed(word string) bool {
	name, _, ok := strings.Cut(word, ":")
	return ok && slices.ContainsFunc(keys(), func(k key) bool { return k.name == name })
}

// unknownKey is the error about a word with a colon whose key is at start.
func (p *parser) unknownKey(start int, name string) error {
	all := keys()
	names := make([]string, len(all))
	for i, k := range all {
		names[i] = k.name
	}
	rest := p.text[start:]
	word, after, _ := strings.Cut(rest, " ")
	right := quote(strings.ReplaceAll(word, `"`, ""))
	if near := wording.Nearest(name, names); near != "" && name != "" && near[0] == name[0] {
		right = near + strings.TrimPrefix(word, name)
	}
	return p.try(start, fmt.Sprintf("unknown key %q: use %s, or quote the word", name, keyNames(all)), strings.TrimRight(p.text[:start]+right+" "+after, " "))
}

// try is like wrong, with a filter that is right.
func (p *parser) try(at int, problem, right string) error {
	if _, err := Parse(right); err != nil {
		right = "" // something else is wrong, too
	}
	return &SyntaxError{Column: at + 1, Problem: problem, Try: right}
}

// closed is the error about a text or expression without the delimiter at its end.
func (p *parser) closed(start int, problem, delimiter string) error {
	return p.try(start, problem, p.text+delimiter)
}

// joined is the error about a word that ends where a space was typed, such as > 100ms.
func (p *parser) joined(at int, problem string) error {
	rest := strings.TrimLeft(p.text[at:], " ")
	if rest == p.text[at:] || rest == "" {
		return p.wrong(at, problem)
	}
	return p.try(at, problem, p.text[:at]+rest)
}

// Suggest returns a filter that may be meant by one that matches nothing, or "".
func (f *Filter) Suggest() string {
	if f == nil || strings.ContainsAny(f.text, "\"/") {
		return "" // words between delimiters are text
	}
	words := strings.Fields(f.text)
	changed := false
	for i := 0; i < len(words); i++ {
		word := words[i]
		name, value, _ := strings.Cut(word, "=")
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		_, err := time.ParseDuration(word)
		switch {
		case value != "" && isKeyed(name+":"+value):
			words[i] = name + ":" + value
		case err == nil && strings.Trim(word, "0123456789.") != "":
			words[i] = ">" + word
		case word == "not" && next != "":
			words[i+1] = "!" + next
			words = slices.Delete(words, i, i+1)
		case strings.HasPrefix(word, "'") && strings.Count(f.text, "'") == 2:
			return valid(strings.ReplaceAll(f.text, "'", `"`))
		case (word[0] == '>' || word[0] == '<') && slices.Contains([]string{"ms", "s", "us", "m"}, next):
			words[i] += next
			words = slices.Delete(words, i+1, i+2)
		case stateNamed(word):
			words[i] = "is:" + word
		default:
			continue
		}
		changed = true
	}
	if !changed {
		return ""
	}
	return valid(strings.Join(words, " "))
}

func stateNamed(word string) bool { return slices.Contains(stateNames(), word) }

// valid returns the text if it is a filter, or "".
func valid(text string) string {
	if _, err := Parse(text); err != nil {
		return ""
	}
	return text
}
