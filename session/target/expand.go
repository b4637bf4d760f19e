package target

import (
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// maxExpanded is how many bytes all texts of one file may expand to: an environment
// variable can be large and used often.
const maxExpanded = 32 << 20

type form uint8

const (
	formBraces form = iota // ${NAME}
	formBare               // $NAME
	formCurly              // {NAME}
)

// A meaning is the expansion of a token. If known is false, the token is left unchanged.
// why, if set, is reported as a Problem.
type meaning struct {
	part     part
	known    bool
	unset    bool // a variable that is not set
	why, try string
}

// lookups has the clients that expand anything.
var lookups = map[Client]func(x *expander, f form, name string) meaning{
	clientClaudeCode: (*expander).claudeCode,
	clientVSCode:     (*expander).vsCode,
	clientCursor:     (*expander).cursor,
	clientWindsurf:   (*expander).windsurf,
	clientGemini:     (*expander).gemini,
	registry:         (*expander).registry,
}

type expander struct {
	client   Client
	opts     Options
	project  string
	host     string // where the server runs, "" for this machine
	declared map[string]Input
	left     *int // of maxExpanded
	problem  func(at int, text, try, unset string)
}

// pattern compiles on first use, to keep the start of the program fast. Inlined, each
// call would add 400 bytes to it.
//
//go:noinline
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

var (
	bareName  = pattern(`^[A-Za-z_][A-Za-z0-9_]*`)
	fullName  = pattern(`^[A-Za-z_][A-Za-z0-9_]*$`)
	tokenLike = pattern(`^(\$\{[A-Za-z_][A-Za-z0-9_]*(:[A-Za-z_][A-Za-z0-9_.]*)?\}|\$[A-Z_][A-Z0-9_]*)$`)
)

// text expands raw, which is at an offset of the file. If of is set, raw is the value of
// that variable, and secret as a whole. It returns false if the file's texts have become
// too long.
func (x *expander) text(raw string, at int, of string) (Text, bool) {
	var parts []part
	for raw != "" {
		before, token, f, name, rest := x.next(raw)
		if before != "" {
			parts = append(parts, part{text: before})
		}
		if token != "" {
			p, ok := x.token(token, f, name, at, of, len(before)+len(rest) == 0 && parts == nil)
			if !ok {
				p = part{text: token}
			}
			parts = append(parts, p)
		}
		raw = rest
		if *x.left -= len(before) + len(token) + partLen(parts); *x.left < 0 {
			return Text{}, false
		}
	}
	t := textOf(parts)
	if of != "" {
		t = t.secret(of)
	}
	return t, true
}

func partLen(parts []part) int {
	if len(parts) == 0 {
		return 0
	}
	return len(parts[len(parts)-1].text)
}

func (x *expander) token(token string, f form, name string, at int, of string, whole bool) (part, bool) {
	m := meaning{why: "is not expanded: " + string(x.client) + " expands no tokens", try: "write the value itself"}
	if lookup := lookups[x.client]; lookup != nil {
		m = lookup(x, f, name)
	}
	if m.why != "" && (of == "" || f != formBare || whole) {
		shown, unset := token, ""
		if m.unset && !m.known && tokenLike().MatchString(token) {
			unset = token
		}
		if of != "" && !tokenLike().MatchString(token) { // it may be a part of the secret
			shown = "a token"
		}
		if of != "" {
			shown += " in the value of " + of
		}
		x.problem(at, shown+" "+m.why, m.try, unset)
	}
	return m.part, m.known
}

// next splits raw at its first token; without one before is raw.
func (x *expander) next(raw string) (before, token string, f form, name, rest string) {
	for i := 0; i < len(raw); i++ {
		switch {
		case x.client == registry:
			if name, n, ok := between(raw[i:], "{", "}"); ok && fullName().MatchString(strings.ReplaceAll(name, "-", "_")) {
				return raw[:i], raw[i : i+n], formCurly, name, raw[i+n:]
			}
		case raw[i] != '$':
		case strings.HasPrefix(raw[i:], "${"):
			if name, n, ok := between(raw[i:], "${", "}"); ok && name != "" {
				return raw[:i], raw[i : i+n], formBraces, name, raw[i+n:]
			}
		default:
			if name := bareName().FindString(raw[i+1:]); name != "" {
				n := 1 + len(name)
				return raw[:i], raw[i : i+n], formBare, name, raw[i+n:]
			}
		}
	}
	return raw, "", 0, "", ""
}

// between returns the text between open at the beginning of s and the next end, and the
// length including both.
func between(s, open, end string) (inner string, n int, ok bool) {
	rest, ok := strings.CutPrefix(s, open)
	if !ok {
		return "", 0, false
	}
	i := strings.Index(rest, end)
	if i < 0 {
		return "", 0, false
	}
	return rest[:i], len(open) + i + len(end), true
}

// claudeCode expands ${VAR} and ${VAR:-default}, but not $VAR or an unset
// ${VAR}. The default is not expanded.
func (x *expander) claudeCode(f form, name string) meaning {
	if f == formBare {
		return meaning{why: "is not expanded: Claude Code expands only ${" + name + "}", try: "write ${" + name + "}"}
	}
	name, def, hasDefault := strings.Cut(name, ":-")
	if !fullName().MatchString(name) {
		return x.unknown()
	}
	m := x.variable(name)
	if !m.known && hasDefault {
		return meaning{part: part{text: def}, known: true}
	}
	return m
}

// vsCode expands its own variables, ${env:X} (to nothing if it is not set) and
// ${input:id}.
func (x *expander) vsCode(f form, name string) meaning {
	if f == formBare {
		return meaning{}
	}
	if id, ok := strings.CutPrefix(name, "input:"); ok {
		return x.input(id)
	}
	if env, ok := strings.CutPrefix(name, "env:"); ok {
		m := x.variable(env)
		if !m.known {
			m = meaning{part: part{name: env}, known: true, why: "is empty: the variable " + env + " is not set", try: m.try}
		}
		return m
	}
	return x.folder(name)
}

// cursor expands ${env:X} and the names of folders.
func (x *expander) cursor(f form, name string) meaning {
	if f == formBare {
		return meaning{}
	}
	if env, ok := strings.CutPrefix(name, "env:"); ok {
		return x.variable(env)
	}
	return x.folder(name)
}

func (x *expander) windsurf(f form, name string) meaning {
	if f == formBare {
		return meaning{}
	}
	if env, ok := strings.CutPrefix(name, "env:"); ok {
		return x.variable(env)
	}
	return x.unknown()
}

func (x *expander) gemini(_ form, name string) meaning {
	if !fullName().MatchString(name) {
		return x.unknown()
	}
	return x.variable(name)
}

// registry expands {name} from the variables of its argument.
func (x *expander) registry(_ form, name string) meaning {
	if _, ok := x.declared[name]; !ok {
		return meaning{}
	}
	return x.input(name)
}

func (x *expander) unknown() meaning {
	return meaning{why: "is not expanded: unknown to " + string(x.client), try: "write the value itself"}
}

func (x *expander) variable(name string) meaning {
	value, ok := x.opts.LookupEnv(name)
	if !ok {
		return meaning{unset: true, why: "is not expanded: the variable " + name + " is not set", try: "export " + name + "=VALUE"}
	}
	return meaning{part: part{text: value, name: name}, known: true}
}

// folder expands one of the predefined folders of editors.
func (x *expander) folder(name string) meaning {
	var value string
	switch name {
	case "workspaceFolder":
		value = x.project
	case "workspaceFolderBasename":
		return meaning{part: part{text: filepath.Base(x.project)}, known: true}
	case "userHome":
		value = x.opts.Home
	case "pathSeparator", "/":
		return meaning{part: part{text: string(filepath.Separator)}, known: true}
	default:
		return x.unknown()
	}
	m := meaning{part: part{text: value}, known: true}
	if x.host != "" {
		m.why, m.try = "is a folder of this machine, but the server runs on "+x.host, "write the folder on the host"
	}
	return m
}

func (x *expander) input(id string) meaning {
	in, ok := x.declared[id]
	if !ok {
		return meaning{why: "is not expanded: the file has no input " + id, try: "add it to inputs"}
	}
	m := meaning{part: part{input: id}, known: true}
	if in.Kind == InputCommand {
		m.why, m.try = "comes from a command of the editor, which is not run here", "pass it with --input "+id+"=VALUE"
	}
	return m
}
