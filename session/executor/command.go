package executor

import "time"

// A Command is what to start.
type Command struct {
	// ID is the logical id; empty means the executor gives the next
	// mcp-stdio-N of this program run.
	ID   string
	Argv []string // Argv[0] is the program, looked up where it runs
	// Dir is the working directory; empty means the caller's own (local) or
	// the login directory (SSH, where a relative one is refused).
	Dir       string
	EnvPolicy EnvPolicy
	Env       []EnvVar // set on top of what the policy gives
	// NoStdin gives the process the null device as standard input.
	NoStdin bool
	// Pinned says that a pinned subscriber will come: no output is evicted until
	// then, and when DefaultPinLimit bytes are there the process has to wait.
	Pinned bool
	// OnPhase, if set, is told each step of the start as it ends, in order,
	// from Start's goroutine.
	OnPhase func(Phase)
}

// An EnvVar is a named variable. Its value is never logged.
type EnvVar struct {
	Name, Value string
}

// EnvPolicy says which of the caller's variables a local process gets.
type EnvPolicy uint8

// The policies. Over SSH only named variables travel, whatever the policy.
const (
	EnvInherit EnvPolicy = iota // all of them
	EnvClient                   // only what MCP clients pass on: ClientEnvNames
	EnvNone                     // none
)

// String returns the policy as the command line spells it.
func (p EnvPolicy) String() string {
	switch p {
	case EnvClient:
		return "client"
	case EnvNone:
		return "none"
	default:
		return "inherit"
	}
}

// EnvReport tells which variables a process got. It holds names only.
type EnvReport struct {
	Policy  EnvPolicy
	Named   []string // set by name
	Passed  []string // taken over from the caller
	LeftOut []string // the caller has them, the process does not
	Added   []string // set by the executor itself, such as MCPDBG_MARK
}

// A Phase is one timed step of a start: "resolve", "spawn"; over SSH each hop,
// host key, login. Phases are told in order.
type Phase struct {
	Name   string
	Detail string // such as the hop; may be untrusted text
	Begin  time.Time
	End    time.Time
	Err    error
}
