package sshconfig

import (
	"errors"
	"fmt"
	"strings"
)

// match evaluates the criteria of one Match line against what is known so far.
// A criterion that only ssh can evaluate is an error, unless one before it has
// decided already.
func (p *parser) match(line string) (bool, error) {
	result := true
	for n := 0; ; n++ {
		word, rest, ok := nextWord(line)
		if !ok || word == "" || word[0] == '#' {
			if n == 0 {
				return false, errors.New("Match has no criterion") //nolint:staticcheck // a keyword
			}
			return result, nil
		}
		line = rest
		name, negated := strings.CutPrefix(word, "!")
		name = lowerASCII(name)
		switch name {
		case "all": // alone, or behind one other: "Match final all"
			next, _, _ := nextWord(line)
			if n > 1 || next != "" && next[0] != '#' {
				return false, errors.New(`"all" cannot be combined with other criteria`)
			}
			return result && !negated, nil
		case "canonical", "final":
			p.wantFinal = p.wantFinal || name == "final"
			result = result && p.final != negated
			continue
		}
		arg, rest, _ := nextWord(line)
		if arg == "" || arg[0] == '#' {
			return false, fmt.Errorf("the criterion %s has no value", printable(name))
		}
		line = rest
		matched, err := p.criterion(name, arg)
		if err != nil && result {
			return false, err
		}
		result = result && matched != negated
	}
}

func (p *parser) criterion(name, arg string) (bool, error) {
	switch name {
	case "host":
		host, err := p.hostname()
		return err == nil && matchHost(host, arg), err
	case "originalhost":
		return matchHost(p.dest.Host, arg), nil
	case "user":
		u := p.settings.get("user")
		if u == "" {
			u = p.machine.user
		}
		return matchList(u, arg), nil
	case "localuser":
		return matchList(p.machine.user, arg), nil
	}
	return false, fmt.Errorf("only the ssh program can evaluate Match %s", printable(name))
}

// nextWord cuts the next word off a Match line, as ssh's strdelim does: a word
// ends at whitespace, at one "=", or at a quote, behind which the quoted text
// goes on. It is not ok if a quote is not closed.
func nextWord(s string) (word, rest string, ok bool) {
	i := strings.IndexAny(s, whitespace+`"=`)
	if i < 0 {
		return s, "", true
	}
	if s[i] == '"' {
		text, rest, closed := strings.Cut(s[i+1:], `"`)
		if !closed {
			return "", "", false
		}
		return s[:i] + text, strings.TrimLeft(rest, whitespace), true
	}
	word, equals := s[:i], s[i] == '='
	rest = strings.TrimLeft(s[i+1:], whitespace)
	if !equals {
		if after, found := strings.CutPrefix(rest, "="); found {
			rest = strings.TrimLeft(after, whitespace)
		}
	}
	return word, rest, true
}
