package target

import (
	"fmt"
	"strings"
	"time"
)

// A Scope says whose servers an entry is one of.
type Scope string

// The scopes.
const (
	ScopeProject Scope = "project"
	ScopeUser    Scope = "user"
)

// HTTPUnsupported is why an entry with a URL can't be started.
const HTTPUnsupported = "HTTP servers are not supported yet: mcpdbg speaks stdio"

// An Entry is one server of a config file. It holds what the file says, with
// all tokens expanded but those that stand for an input.
type Entry struct {
	Name   string // untrusted text, as everything that a file says
	Client Client
	Scope  Scope
	// File and Line are where the entry stands.
	File string
	Line int
	// Project is the directory that relative paths resolve against.
	Project string

	Argv    []Text
	Env     []Var // of two with one name the later one counts
	EnvFile Text  // KEY=VALUE lines, below Env; zero if there is none
	Cwd     Text  // zero if the file names none
	// SSH is the host that the server runs on; "" is this machine, unless the
	// entry is refused.
	SSH string
	// StartupTimeout and Timeout (of one request) are 0 if the file has none.
	StartupTimeout, Timeout time.Duration

	// Inputs are what somebody has to tell before a start, in the order of their
	// first use.
	Inputs []Input

	Disabled    bool     // the file says that it is not to be started
	Unsupported string   // why it can't be started by this program; "" if it can
	Refused     *Problem // why it can't be started as it is written; nil if it can
	Problems    []Problem
}

// Startable tells whether the entry can be started. If not, Why says why.
func (e *Entry) Startable() bool { return !e.Disabled && e.Unsupported == "" && e.Refused == nil }

// Why says why the entry can't be started, and what to try; "" if it can.
func (e *Entry) Why() (why, try string) {
	switch {
	case e.Refused != nil:
		return e.Refused.Text, e.Refused.Try
	case e.Unsupported != "":
		return e.Unsupported, ""
	case e.Disabled:
		return "it is disabled in the file", "enable it there, or name its command after --"
	}
	return "", ""
}

// String shows name, client and command line, without secrets.
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
	InputCommand           // of an editor: it is not run, but a value may be given
)

// An Input is a value that somebody has to tell.
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

// A Problem is something about a config file that its reader should know, with
// its place and what to try. It shows no secret.
type Problem struct {
	File         string
	Line, Column int    // from 1; 0 if not known
	Server       string // the entry; "" if it is the file's
	Text, Try    string
}

// Error gives place, server and text; not Try.
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

// String is Error.
func (p Problem) String() string { return p.Error() }
