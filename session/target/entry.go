package target

import (
	"fmt"
	"strings"
	"time"
)

// A Scope is the scope of an entry: a project or the user.
type Scope string

// The scopes.
const (
	ScopeProject Scope = "project"
	ScopeUser    Scope = "user"
)

const httpUnsupported = "HTTP servers are not supported yet: mcpdbg speaks stdio"

// An Entry is one server of a config file, with all tokens expanded except
// those for inputs.
type Entry struct {
	Name   string // untrusted text, like everything in a file
	Client Client
	Scope  Scope
	// File and Line are the position of the entry.
	File    string
	Line    int
	Project string

	Argv    []Text
	Env     []Var // of duplicates the last one counts
	EnvFile Text  // KEY=VALUE lines, below Env; zero if there is none
	Cwd     Text  // zero if the file names none
	// Tap is the mcpdbg that precedes the server in the file; nil without one. Argv
	// begins after it.
	Tap *Tap
	// Source is where the command is in the file.
	Source Source
	// SSH is the host that the server runs on; "" means this machine, unless
	// the entry is refused.
	SSH string
	// ExecServer is the exec server that starts the server; "" means none.
	ExecServer string
	// Via are the words before the command that lead to another place there; nil if
	// there are none.
	Via []Text
	// 0 if the file has none; Timeout is that of one request
	StartupTimeout, Timeout time.Duration

	// Inputs are the values to ask for before a start, in the order of their
	// first use.
	Inputs []Input

	Disabled    bool     // the file disables it
	Unsupported string   // why this program can't start it; "" if it can
	try         string   // with Unsupported: what to do instead
	Refused     *Problem // why the entry is invalid; nil if it is valid
	Problems    []Problem
}

// Startable reports whether the entry can be started. If not, Why returns the
// reason.
func (e *Entry) Startable() bool { return !e.Disabled && e.Unsupported == "" && e.Refused == nil }

// Prefix returns the words of Via without secrets.
func (e *Entry) Prefix() []string { return textStrings(e.Via) }

// Why returns why the entry can't be started, and what to try; "" if it can.
func (e *Entry) Why() (why, try string) {
	switch {
	case e.Refused != nil:
		return e.Refused.Text, e.Refused.Hint
	case e.Unsupported != "":
		return e.Unsupported, e.try
	case e.Disabled:
		return "disabled in the file", "enable it there, or put its command after --"
	}
	return "", ""
}

// String returns name, client and command line, without secrets.
func (e Entry) String() string {
	return fmt.Sprintf("%s (%s): %s", e.Name, e.Client, strings.Join(textStrings(e.Argv), " "))
}

func textStrings(texts []Text) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = t.String()
	}
	return out
}

// An InputKind is how an input gets its value. The zero value is a prompt.
type InputKind uint8

// The kinds of input.
const (
	InputPrompt  InputKind = iota
	InputPick              // one of Options
	InputCommand           // of an editor: not run, but a value may be given
)

// An Input is a value to ask for.
type Input struct {
	ID          string
	Description string
	Kind        InputKind
	Secret      bool
	Options     []Option // InputPick
	Default     Text     // zero if there is none
}

// An Option is one choice of an input.
type Option struct{ Label, Value string }

// A Problem is a problem of a config file, with its position and what to try.
// It contains no secrets.
type Problem struct {
	File         string
	Line, Column int    // from 1; 0 if unknown
	Server       string // the entry; "" for the file itself
	Text, Hint   string
	// Unset is the token of an unset variable that was left unchanged: the server gets
	// the token, unless a flag overrides it.
	Unset string
}

// Variable returns the name of the variable in Unset, or "".
func (p *Problem) Variable() string {
	name := strings.Trim(p.Unset, "${}")
	return name[strings.LastIndexByte(name, ':')+1:]
}

// Error returns position, server and text, without Try.
func (p *Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
		if p.Column > 0 {
			fmt.Fprintf(&b, ":%d", p.Column)
		}
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	if p.Server != "" {
		fmt.Fprintf(&b, "server %q: ", p.Server)
	}
	return b.String() + p.Text
}

// String returns the same text as Error.
func (p Problem) String() string { return p.Error() }
