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
	// Leave names programs (the base name of argv[0], or the kernel's name) whose
	// processes are spared when the server is ended, with all that they started:
	// daemons that are meant to stay.
	Leave []string
	// Pinned says that a pinned subscriber will come: no output is evicted until
	// then, and when DefaultPinLimit bytes are there the process has to wait.
	Pinned bool
	// OnPhase, if set, is told each step of the start as it ends, in order,
	// from Start's goroutine.
	OnPhase func(Phase)
	// OnBegin, if set, is told each step as it begins, with a zero End, from
	// Start's goroutine.
	OnBegin func(Phase)
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
	Detail string // such as the hop and what came out; may be untrusted text
	Begin  time.Time
	End    time.Time
	Err    error
}

// A Notice is something about a start that worked and is still worth knowing:
// login noise, or a degraded mode.
type Notice struct {
	Code string // such as run.noise, mode.plain, mode.no-heartbeat, mode.no-proc, config.ignored
	Text string // our words
	Said string // what SaidBy said, at most 4 KiB, untrusted text
	// SaidBy is whose words Said holds.
	SaidBy Speaker
	Hint   string
}

// A LinkState is how the connection to a host does.
type LinkState string

// The link states.
const (
	LinkUp      LinkState = "up"
	LinkStalled LinkState = "stalled" // a reply is overdue
	LinkLost    LinkState = "lost"
)

// LinkInfo is the connection to the host where a process runs.
type LinkInfo struct {
	State     LinkState
	Hops      []string      // user@host:port each; the last is where the process runs
	Transport string        // native, master or binary
	RTT       time.Duration // of the last round trip to the guard; 0: not known yet
	Heard     time.Time     // when the last bytes came
	Server    string        // the server's version line, untrusted text
	Kex       string        // algorithms of the last hop; empty if another program holds the connection
	HostKey   string
	Cipher    string
	MAC       string
	Client    string // version of the local ssh program, if it was used
	Err       error  // LinkLost
}
