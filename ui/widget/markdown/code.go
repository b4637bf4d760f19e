package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type language struct {
	comments []string // that last to the end of the line
	block    string   // begins a comment that ends at its mirror image, such as /*
	quotes   string
	keywords string // separated and enclosed by blanks
	names    bool   // a string before a colon is the name of a member
}

// languageOf returns ok false for other languages, without colours.
func languageOf(name string) (l language, ok bool) {
	switch strings.ToLower(name) {
	case "json", "jsonc", "json5":
		return language{quotes: `"`, keywords: " true false null ", names: true}, true
	case "go", "golang":
		return language{comments: []string{"//"}, block: "/*", quotes: "\"'`", keywords: " break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var nil true false "}, true
	case "python", "py", "python3":
		return language{comments: []string{"#"}, quotes: `"'`, keywords: " and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield None True False "}, true
	case "js", "javascript", "jsx", "mjs", "ts", "typescript", "tsx":
		return language{comments: []string{"//"}, block: "/*", quotes: "\"'`", keywords: " abstract as async await break case catch class const continue debugger default delete do else enum export extends finally for from function if implements import in instanceof interface let new of private protected public readonly return static super switch this throw try type typeof var void while yield null true false undefined "}, true
	case "sh", "bash", "shell", "zsh", "console":
		return language{comments: []string{"#"}, quotes: `"'`, keywords: " case do done elif else esac export fi for function if in local return set then until while "}, true
	}
	return language{}, false
}

func colored(name, text string) rich {
	l, ok := languageOf(name)
	var b builder
	for rest := text; ok && rest != ""; {
		n, look := l.token(rest)
		if look == literal && l.names && strings.HasPrefix(strings.TrimLeft(rest[n:], " "), ":") {
			look = nameLook
		}
		b.add(look, rest[:n])
		rest = rest[n:]
	}
	if !ok {
		b.add(0, text)
	}
	return b.rich()
}

const nameLook = name

func (l language) token(text string) (int, look) {
	for _, c := range l.comments {
		if strings.HasPrefix(text, c) {
			return upTo(text, "\n"), comment
		}
	}
	if l.block != "" && strings.HasPrefix(text, l.block) {
		if n := strings.Index(text[2:], "*/"); n >= 0 {
			return n + 4, comment
		}
		return len(text), comment
	}
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case strings.ContainsRune(l.quotes, r):
		return quoted(text), literal
	case isWord(r):
		n := strings.IndexFunc(text, func(r rune) bool { return !isWord(r) && r != '.' })
		if n < 0 {
			n = len(text)
		}
		if unicode.IsDigit(r) {
			return n, number
		}
		word, _, _ := strings.Cut(text[:n], ".")
		if strings.Contains(l.keywords, " "+word+" ") {
			return len(word), keyword
		}
		return len(word), 0
	}
	return size, 0
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// upTo returns the length of a text up to an end, or all of it.
func upTo(text, end string) int {
	if n := strings.Index(text, end); n >= 0 {
		return n
	}
	return len(text)
}

// quoted returns the length of a string with its quotes; an open one ends with its line.
func quoted(text string) int {
	quote := text[0]
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == quote:
			return i + 1
		case c == '\\' && quote != '`':
			i++
		case c == '\n' && quote != '`':
			return i
		}
	}
	return len(text)
}
