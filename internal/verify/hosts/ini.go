package hosts

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxLine = 64 << 10
	maxName = 1024 // of a destination or pattern
)

// Read adds the hosts of a file; name is for errors, and shared reports that others can
// write it. The content decides the format.
func (r *Reader) Read(name string, data []byte, shared bool) error {
	if len(data) > MaxFile {
		return fmt.Errorf("%s: longer than %d bytes", name, MaxFile)
	}
	before := len(r.named)
	text := strings.TrimPrefix(string(data), "\ufeff")
	read := r.ini
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		read = r.list
	}
	excluded := len(r.excluded)
	if err := read(name, text, shared); err != nil {
		return err
	}
	if len(r.named) == before && len(r.excluded) == excluded {
		return fmt.Errorf("%s: %w", name, errNoHosts)
	}
	return nil
}

// A section is where a line of a file stands.
type section struct {
	file   string
	group  *group // nil before the first header
	kind   string // "", children or vars
	shared bool
}

func (r *Reader) ini(file, text string, shared bool) error {
	s := section{file: file, shared: shared}
	number := 0
	for line := range strings.Lines(text) {
		number++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		at := fmt.Sprintf("%s:%d", file, number)
		if err := checkLine(line); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		if err := r.line(&s, line, at); err != nil {
			return err
		}
	}
	return nil
}

func checkLine(line string) error {
	switch {
	case len(line) > maxLine:
		return fmt.Errorf("longer than %d bytes", maxLine)
	case !utf8.ValidString(line) || strings.ContainsFunc(line, unprintable):
		return errors.New("not printable text")
	}
	return nil
}

func unprintable(r rune) bool {
	return !unicode.IsPrint(r) && (!unicode.IsSpace(r) || r == '\n' || r == '\r')
}

func (r *Reader) line(s *section, line, at string) error {
	if name, ok := header(line); ok {
		return r.header(s, name, at)
	}
	switch s.kind {
	case "vars":
		return r.variable(s, line, at)
	case "children":
		return r.child(s.group, strings.TrimSpace(uncommented(line)), at)
	}
	return r.hostLine(s, line, at)
}

// header returns what is inside the brackets of a section. Brackets around an IPv6 address
// are a host.
func header(line string) (inner string, ok bool) {
	line = strings.TrimSpace(uncommented(line))
	if !strings.HasPrefix(line, "[") || strings.IndexByte(line, ']') != len(line)-1 {
		return "", false
	}
	inner = line[1 : len(line)-1]
	return inner, !isIPv6(inner)
}

func isIPv6(text string) bool {
	address, err := netip.ParseAddr(text)
	return err == nil && address.Is6()
}

func (r *Reader) header(s *section, inner, at string) (err error) {
	name, kind, _ := strings.Cut(inner, ":")
	if strings.ContainsFunc(name, unicode.IsSpace) {
		return fmt.Errorf("%s: invalid section: a group name cannot contain spaces", at)
	}
	switch kind {
	case "", "hosts", "children", "vars":
	default:
		return fmt.Errorf("%s: unknown section type %q: must be children or vars", at, kind)
	}
	s.kind = kind
	if s.group, err = r.group(name, at); err != nil {
		return err
	}
	if kind == "vars" {
		r.used = append(r.used, edge{s.group, at})
	} else {
		s.group.defined = true
	}
	return nil
}

// variable reads a line below a [GROUP:vars] header.
func (r *Reader) variable(s *section, line, at string) error {
	name, value, ok := strings.Cut(line, "=")
	if name = strings.TrimSpace(name); !ok || !isName(name) {
		return fmt.Errorf("%s: invalid variable: write NAME=VALUE", at)
	}
	text, quoted := unquoted(strings.TrimSpace(value))
	if !quoted && used(name) && uncommented(" "+text) != " "+text {
		return fmt.Errorf("%s: %s has a # after a space: quote the value, or remove the comment", at, name)
	}
	return r.set(s.group.vars, name, Var{Value: text, At: at}, s.shared)
}

// unquoted removes the quotes of a value that is one quoted string.
func unquoted(value string) (text string, quoted bool) {
	if len(value) < 2 || value[0] != '"' && value[0] != '\'' {
		return value, false
	}
	var b strings.Builder
	for i := 1; i < len(value); i++ {
		switch c := value[i]; {
		case c == value[0]:
			if i != len(value)-1 {
				return value, false
			}
			return b.String(), true
		case c == '\\' && i+1 < len(value) && strings.IndexByte(`\'"`, value[i+1]) >= 0:
			i++
			b.WriteByte(value[i])
		default:
			b.WriteByte(c)
		}
	}
	return value, false
}

func isName(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })
}

func (r *Reader) hostLine(s *section, line, at string) error {
	end := strings.IndexFunc(line, unicode.IsSpace)
	if end < 0 {
		end = len(line)
	}
	name := line[:end]
	vars, err := r.hostVars(line[end:], at, s.shared)
	if err != nil {
		return err
	}
	switch exclusion := strings.TrimLeft(name, "!"); {
	case len(name) > maxName:
		return fmt.Errorf("%s: longer than %d bytes", at, maxName)
	case exclusion == "":
		return fmt.Errorf("%s: missing pattern after \"!\"", at)
	case exclusion != name && vars != nil:
		return fmt.Errorf("%s: an excluded host cannot have variables", at)
	case exclusion != name:
		names, err := expandRanges(exclusion)
		if err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		for _, one := range names {
			if r.excluded = append(r.excluded, naming{text: one, file: s.file, at: at}); len(r.excluded) > maxHosts {
				return tooManyNamed(at)
			}
		}
		return nil
	}
	names, err := expandRanges(name)
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	for _, one := range names {
		if err := r.name(naming{text: one, file: s.file, at: at, group: s.group, vars: vars}); err != nil {
			return err
		}
	}
	return nil
}

// hostVars reads the variables after a host; values are quoted as in a shell.
func (r *Reader) hostVars(text, at string, shared bool) (vars map[string]Var, err error) {
	for {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		if text == "" || text[0] == '#' {
			return vars, nil
		}
		var word string
		if word, text, err = nextWord(text); err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		name, value, ok := strings.Cut(word, "=")
		if !ok || !isName(name) {
			return nil, fmt.Errorf("%s: text after the host that is not NAME=VALUE: write one host per line", at)
		}
		if vars == nil {
			vars = map[string]Var{}
		}
		value, _ = unquoted(value)
		if err := r.set(vars, name, Var{Value: value, At: at}, shared); err != nil {
			return nil, err
		}
	}
}

// nextWord returns the first word of text, without its quotes, and the rest.
func nextWord(text string) (word, rest string, err error) {
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == quote:
			quote = 0
		case c == '\\' && quote != '\'' && i+1 < len(text) && (quote == 0 || text[i+1] == '"' || text[i+1] == '\\'):
			i++
			b.WriteByte(text[i])
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote == 0 && (c == ' ' || c == '\t'):
			return b.String(), text[i:], nil
		default:
			b.WriteByte(c)
		}
	}
	if quote != 0 {
		return "", "", fmt.Errorf("missing closing %c", quote)
	}
	return b.String(), "", nil
}

// uncommented removes a comment: a # at the beginning or after a space.
func uncommented(text string) string {
	for i := range len(text) {
		if text[i] == '#' && (i == 0 || text[i-1] == ' ' || text[i-1] == '\t') {
			return text[:i]
		}
	}
	return text
}
