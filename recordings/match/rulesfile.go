package match

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// RulesHelp is what a file of rules begins with when the program makes one.
const RulesHelp = `# Rules for mcpdbg diff and replay: what does not count when two sessions are
# compared. One a line; the last one about a place decides. A pointer goes into
# the message, * is any one name or number, a method of * is any, and a tool may
# follow its method: tools/call:echo.
#
#   ignore METHOD POINTER         as if it were not there
#   mask   METHOD POINTER TYPE    equal if both are any, time, epoch, id, duration, pid, port or temp-path
#   keep   METHOD POINTER         counts exactly, though it looks as if it were new in each run
`

const (
	maxRules     = 10_000
	maxRulesLine = 16 << 10
)

// A RulesError says what is wrong in a line of a file of rules.
type RulesError struct {
	Name string // of the file
	Line int    // from 1
	Err  error
}

func (e *RulesError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Name, e.Line, e.Err) }
func (e *RulesError) Unwrap() error { return e.Err }

// LoadRules reads a file of rules. An error about a line is a *RulesError.
func LoadRules(path string) (*Rules, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	defer f.Close()
	return ReadRules(f, path)
}

// ReadRules reads rules, as WriteRules writes them. It is text with one rule a
// line because people keep it in git: a change is one line of a diff, two
// branches merge, and a comment says why. Words are parted by spaces; one that
// has a space, a quote or begins with # is a JSON string. name stands in
// errors.
func ReadRules(r io.Reader, name string) (*Rules, error) {
	rules := &Rules{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxRulesLine)
	number := 0
	for lines.Scan() {
		number++
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		rule, err := ParseRule(line)
		if err == nil && len(rules.List) == maxRules {
			err = fmt.Errorf("more than %d rules", maxRules)
		}
		if err != nil {
			return nil, &RulesError{name, number, err}
		}
		rules.Add(rule)
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, &RulesError{name, number + 1, errors.New("the line is too long to be a rule")}
	} else if err != nil {
		return nil, fmt.Errorf("rules: %s: %w", name, err)
	}
	return rules, nil
}

// WriteRules writes rules, one a line, in their order.
func WriteRules(w io.Writer, rules []Rule) error {
	var b bytes.Buffer
	for _, rule := range rules {
		b.WriteString(rule.String())
		b.WriteByte('\n')
	}
	_, err := w.Write(b.Bytes())
	return err
}

// String returns the rule as a line of a file.
func (r Rule) String() string {
	method := "*"
	if r.Method != "" {
		method = word(r.Method)
	}
	line := fmt.Sprintf("%-6s %s %s", r.Action, method, word(string(r.Pointer)))
	if r.Action == ActionMask {
		line += " " + r.Type.String()
	}
	return line
}

// word spells a word so that words can read it again.
func word(s string) string {
	plain := s != "" && s != "*" && s[0] != '#'
	for _, c := range s {
		plain = plain && c > ' ' && c < 0x7f && c != '"'
	}
	if plain {
		return s
	}
	quoted, _ := json.Marshal(s) // a string always encodes
	return string(quoted)
}

// ParseRule reads one line of a file of rules.
func ParseRule(line string) (Rule, error) {
	words, err := words(line)
	if err != nil {
		return Rule{}, err
	}
	var rule Rule
	for action, name := range actionNames {
		if name == words[0] {
			rule.Action = Action(action)
		}
	}
	want := 3
	switch rule.Action {
	case ActionNone:
		return Rule{}, fmt.Errorf("%q: a rule begins with ignore, mask or keep", words[0])
	case ActionMask:
		want = 4
	}
	if len(words) != want {
		return Rule{}, fmt.Errorf("%s takes a method, a pointer%s: there are %d words", words[0], map[int]string{4: " and a type"}[want], len(words)-1)
	}
	if words[1] != "*" {
		rule.Method = words[1]
	}
	if rule.Pointer, err = ParsePointer(words[2]); err != nil {
		return Rule{}, err
	}
	if rule.Action == ActionMask {
		var ok bool
		if rule.Type, ok = ParseType(words[3]); !ok {
			return Rule{}, fmt.Errorf("%q is no type: they are %s", words[3], strings.Join(typeNames[1:], ", "))
		}
	}
	return rule, nil
}

// words splits a line that is not empty.
func words(line string) ([]string, error) {
	var out []string
	for rest := strings.TrimSpace(line); rest != ""; rest = strings.TrimSpace(rest) {
		if rest[0] != '"' {
			end := strings.IndexAny(rest, " \t")
			if end < 0 {
				end = len(rest)
			}
			out = append(out, rest[:end])
			rest = rest[end:]
			continue
		}
		d := json.NewDecoder(strings.NewReader(rest))
		var text string
		if err := d.Decode(&text); err != nil {
			return nil, fmt.Errorf("%.40s: a word in quotes is a JSON string", rest)
		}
		out = append(out, text)
		rest = rest[d.InputOffset():]
	}
	return out, nil
}

// ParseIgnore reads what people write on a command line: a pointer, with a
// method and a colon before it if the rule is only for that.
func ParseIgnore(s string) (Rule, error) {
	rule := Rule{Action: ActionIgnore}
	if i := strings.LastIndex(s, ":/"); i > 0 && s[0] != '/' {
		rule.Method, s = s[:i], s[i+1:]
	}
	if rule.Method == "*" {
		rule.Method = ""
	}
	var err error
	if rule.Pointer, err = ParsePointer(s); err == nil && s == "" {
		err = errors.New("a pointer that is empty leaves out everything")
	}
	return rule, err
}
