package match

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// rulesHelp is at the beginning of a new file of rules.
const rulesHelp = `# Rules for mcpdbg diff and replay: differences to ignore when two sessions are
# compared. One rule per line; the last one that applies to a place wins. A pointer
# refers to the message, * is any one name or number, the method * is any, and a
# tool may follow its method: tools/call:echo.
#
#   ignore METHOD POINTER         treat as absent
#   mask   METHOD POINTER TYPE    equal if both are any, time, epoch, id, duration, pid, port or temp-path
#   keep   METHOD POINTER         must be equal, even if it looks like a value that changes with each run
`

const (
	maxRules     = 10_000
	maxRulesLine = 16 << 10
)

// A RulesError is an error in a line of a file of rules.
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

// ReadRules reads rules in the format of writeRules. It is text with one rule per
// line because people keep it in git: a change is one line of a diff, branches
// merge, and a comment can give the reason. Words are separated by spaces; one that
// contains a space or a quote, or begins with #, is a JSON string. name is used in
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
		rule, err := parseRule(line)
		if err == nil && len(rules.List) == maxRules {
			err = fmt.Errorf("more than %d rules", maxRules)
		}
		if err != nil {
			return nil, &RulesError{name, number, err}
		}
		rules.Add(rule)
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, &RulesError{name, number + 1, errors.New("line too long")}
	} else if err != nil {
		return nil, fmt.Errorf("rules: %s: %w", name, err)
	}
	return rules, nil
}

func writeRules(w io.Writer, rules []Rule) error {
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

// word quotes a word if needed so that words can read it back.
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

func parseRule(line string) (Rule, error) {
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
	want, syntax := 3, "a method and a pointer"
	switch rule.Action {
	case ActionNone:
		return Rule{}, fmt.Errorf("unknown action %q: use ignore, mask or keep", words[0])
	case ActionMask:
		want, syntax = 4, "a method, a pointer and a type"
	}
	if len(words) != want {
		return Rule{}, fmt.Errorf("%s requires %s, got %d words", words[0], syntax, len(words)-1)
	}
	if words[1] != "*" {
		rule.Method = words[1]
	}
	if rule.Pointer, err = ParsePointer(words[2]); err != nil {
		return Rule{}, err
	}
	if rule.Action == ActionMask {
		var ok bool
		if rule.Type, ok = parseType(words[3]); !ok {
			return Rule{}, fmt.Errorf("unknown type %q: use one of %s", words[3], strings.Join(typeNames[1:], ", "))
		}
	}
	return rule, nil
}

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
			return nil, fmt.Errorf("invalid quoted word %.40s: must be a JSON string", rest)
		}
		out = append(out, text)
		rest = rest[d.InputOffset():]
	}
	return out, nil
}

// ParseIgnore parses an ignore rule from a command line: a pointer, preceded by a
// method and a colon if the rule is limited to that method.
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
		err = errors.New("an empty pointer would ignore everything")
	}
	return rule, err
}

// AddToFile appends the rules that a file does not have yet, and returns how many.
// The file is created if it does not exist; its content, including comments, stays
// as it is. A file that is not a valid file of rules is not changed.
func AddToFile(path string, rules []Rule) (added int, err error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	have, err := ReadRules(bytes.NewReader(text), path)
	if err != nil {
		return 0, err
	}
	before := len(have.List)
	for _, rule := range rules {
		have.Add(rule)
	}
	fresh := have.List[before:]
	var more bytes.Buffer
	switch {
	case len(text) == 0:
		more.WriteString(rulesHelp + "\n")
	case text[len(text)-1] != '\n':
		more.WriteByte('\n')
	}
	if err := writeRules(&more, fresh); err != nil {
		return 0, err
	}
	return len(fresh), appendFile(path, more.Bytes())
}

// The file is created if it does not exist.
func appendFile(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
