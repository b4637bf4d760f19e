package sshexec

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/link"
	"mcpdbg/sshexec/sshconfig"
)

// A Transport is the program that speaks SSH.
type Transport string

// The transports.
const (
	TransportAuto   Transport = link.Auto   // an existing ControlMaster if the configuration names one that is running, else native
	TransportNative Transport = link.Native // this program
	TransportMaster Transport = link.Master // an existing OpenSSH ControlMaster, through its socket
	TransportBinary Transport = link.Binary // the system's ssh program: FIDO key files, GSSAPI, PKCS#11
)

// A PathFrom is the source of the remote program search path.
type PathFrom string

// The sources of the search path.
const (
	PathPlain       PathFrom = "plain"       // what sshd sets for a command
	PathLogin       PathFrom = "login"       // what a login shell sets
	PathInteractive PathFrom = "interactive" // what an interactive login shell sets: nvm, asdf and the like
	PathExplicit    PathFrom = "explicit"    // the variable PATH that the command names
)

// A Launch is how the remote process is started.
type Launch string

// The ways to start the remote process.
const (
	LaunchGuarded Launch = "guarded" // under a guard that ends the whole tree even if the connection is lost
	LaunchPlain   Launch = "plain"   // the bare command: for forced commands and hosts without a POSIX shell
)

// The default limits.
const (
	DefaultStartTimeout = 10 * time.Second
	// DefaultLease is how long the guard waits for a sign of life before it ends
	// the remote processes.
	DefaultLease = 30 * time.Second
	// ScreenLease is the lease for interactive programs: the user may close the
	// lid of a laptop for a moment.
	ScreenLease = 5 * time.Minute
)

// Options configure an Executor. Destination is required.
type Options struct {
	Destination sshconfig.Destination
	Config      string   // ssh_config file instead of the user's and the system's
	Identities  []string // key files to offer before all others, as ssh -i does
	Transport   Transport
	PathFrom    PathFrom
	Launch      Launch
	// Dialer makes the connections, with its own options; executors that share
	// one share the connections to jump hosts. The caller closes it. If nil,
	// the executor makes its own with NewDialer.
	Dialer *link.Dialer
	// Prompter is asked about unknown host keys, passphrases and the like; nil
	// means that no user can be asked.
	Prompter executor.Prompter
	// AcceptNew writes unknown host keys to known_hosts instead of asking,
	// whatever StrictHostKeyChecking says; NoAcceptNew makes its accept-new ask.
	AcceptNew, NoAcceptNew bool

	ConnectTimeout time.Duration // each hop; 0 means what the ssh configuration says, or link.DefaultConnectTimeout
	AuthTimeout    time.Duration // each hop; 0 means link.DefaultAuthTimeout; time spent in prompts does not count
	StartTimeout   time.Duration // from the login to the running process; 0 means DefaultStartTimeout
	Lease          time.Duration // 0 means DefaultLease, below 0 none

	// Limits, Seed and RememberRefusals are for NewDialer: see link.Options.
	Limits           link.Limits
	Seed             uint64
	RememberRefusals bool

	// IDs counts the processes of the program; nil means a counter of its own.
	IDs *executor.IDs
	// Retention is how long a process is kept after Closed; 0 means
	// executor.Retention.
	Retention time.Duration
	// Journal holds the limits of each process's output.
	Journal executor.JournalOptions
}

// Every POSIX shell accepts these names for a variable.
var variableName = pattern(`^[A-Za-z_][A-Za-z0-9_]*$`)

func validate(cmd executor.Command, from PathFrom) error {
	if err := cmd.Validate(); err != nil {
		return err
	}
	for i, arg := range cmd.Argv {
		if !utf8.ValidString(arg) {
			return fmt.Errorf("argument %d is not UTF-8", i)
		}
	}
	switch {
	case strings.HasPrefix(cmd.Argv[0], "-"):
		return fmt.Errorf("program %q begins with a dash: use its path", cmd.Argv[0])
	case cmd.Dir != "" && !path.IsAbs(cmd.Dir):
		return fmt.Errorf("working directory %q is relative: over SSH it must be absolute", cmd.Dir)
	case !utf8.ValidString(cmd.Dir):
		return errors.New("working directory is not UTF-8")
	}
	return validateEnv(cmd.Env, from)
}

func validateEnv(env []executor.EnvVar, from PathFrom) error {
	named := false
	for _, v := range env {
		if !variableName().MatchString(v.Name) {
			return fmt.Errorf("invalid environment variable name %q: a shell cannot set it", v.Name)
		}
		if !utf8.ValidString(v.Value) {
			return fmt.Errorf("value of environment variable %s is not UTF-8", v.Name)
		}
		named = named || v.Name == "PATH"
	}
	if from == PathExplicit && !named {
		return errors.New("--path-from explicit requires the variable PATH (--env PATH=...)")
	}
	return nil
}
