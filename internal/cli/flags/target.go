// Package flags has the flags and arguments that several commands share. It registers and
// completes them, checks them, and makes the configuration of a session. It starts
// nothing.
package flags

import (
	"cmp"
	"encoding/json"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcpdbg/internal/cli/console"
	"mcpdbg/recordings"
	"mcpdbg/recordings/store"
	"mcpdbg/session"
	"mcpdbg/session/secret"
	"mcpdbg/sshexec"
)

// Defaults returns the flags with their default values.
func Defaults() Target {
	var t Target
	t.Register(&cobra.Command{})
	return t
}

// Target are the flags that start a server.
type Target struct {
	Cwd            string
	Env            []string
	envFrom        []string
	EnvPolicy      string
	leave          []string
	Era            string
	Protocol       string
	StartupTimeout time.Duration
	Timeout        time.Duration
	Overrun        string
	Answers        string
	canned         session.Answers // from the file answers, once it is read
	Capabilities   string
	declared       json.RawMessage // from capabilities, once they are read
	Record         string
	NoRecord       bool
	Recordings     string // folder; "" is the default one
	maxPart        int64
	lineLimit      size
	collectorDelay time.Duration
	SSH            SSH
	ExecServer     ExecServer
	Via            []string // words before the command that lead to another place
	ViaPlain       bool     // only the bare command starts there
	Config         Config

	set            *pflag.FlagSet        // to tell which of them were given
	From           *Configured           // from a config file; nil for a command
	DefaultAnswers session.Answers       // without --answers
	Person         bool                  // a user can answer server requests
	Configure      func(*session.Config) // if set, called last
	Shown          []string              // recorded command; nil for the actual one
	ShownVia       []string              // the same of Via
}

// Given reports whether a flag was on the command line.
func (t *Target) Given(name string) bool { return t.set != nil && t.set.Changed(name) }

const defaultEnvPolicy = "inherit"

// Register adds all flags.
func (t *Target) Register(cmd *cobra.Command) {
	t.RegisterLocal(cmd)
	t.SSH.Register(cmd)
	t.RegisterExecServer(cmd)
	t.RegisterVia(cmd)
	t.Config.Register(cmd)
}

// RegisterLocal adds the flags that do not concern another machine.
func (t *Target) RegisterLocal(cmd *cobra.Command) {
	t.RegisterSession(cmd)
	f := cmd.Flags()
	f.StringVar(&t.Record, "record", "", "record to this new `file`")
	t.RegisterRecording(cmd)
}

// RegisterRecording adds flags for the recording.
func (t *Target) RegisterRecording(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Var(&Limit[int64]{Value: &t.maxPart, Parse: recordings.ParsePartSize}, "max-part", "continue in a new file before one grows beyond `SIZE`, such as 256M")
	f.BoolVar(&t.NoRecord, "no-record", false, "do not record the session")
}

// RegisterSession adds flags for the server and the protocol.
func (t *Target) RegisterSession(cmd *cobra.Command) {
	t.RegisterProcess(cmd)
	f := cmd.Flags()
	f.StringVar(&t.Era, "era", "auto", "protocol era: auto, legacy (initialize) or modern (server/discover)")
	f.StringVar(&t.Protocol, "protocol", "", "protocol `version` to request")
	f.DurationVar(&t.StartupTimeout, "startup-timeout", session.DefaultStartupTimeout, "limit for the whole start, from connecting to the host to the end of the handshake")
	f.DurationVar(&t.Timeout, "timeout", session.DefaultTimeout, "limit for the response to one request")
	f.StringVar(&t.Overrun, "overrun", "hold", "when the server is faster than the log: hold (make it wait) or drop (log a gap entry)")
	CompleteOneOf(cmd, "era", "auto", "legacy", "modern")
	CompleteOneOf(cmd, "overrun", "hold", "drop")
	f.StringVar(&t.Answers, "answers", "", "`file` with canned responses to server requests")
	f.StringVar(&t.Capabilities, "capabilities", "", "client capabilities to declare as a `JSON` object, or @FILE with one, instead of those of the answers")
	CompleteNothing(cmd, "capabilities")
	f.Var(&t.lineLimit, "line-limit", "longest line that is kept whole, such as 64M (default 256M)")
	f.DurationVar(&t.collectorDelay, "collector-delay", 0, "delay before each event is collected, to study lag")
}

// RegisterProcess adds flags for the process of the server.
func (t *Target) RegisterProcess(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&t.Cwd, "cwd", "C", "", "working `directory` of the server")
	f.StringArrayVarP(&t.Env, "env", "e", nil, "set the environment variable `NAME=VALUE`; may be repeated")
	f.StringArrayVar(&t.envFrom, "env-from", nil, "pass on the environment variable `NAME`; may be repeated")
	f.StringVar(&t.EnvPolicy, "env-policy", defaultEnvPolicy, "which other variables the server gets: inherit (all), client (those that MCP clients pass on) or none")
	f.StringArrayVar(&t.leave, "leave", nil, "when the server is shut down, keep processes of the program `NAME` and their descendants running; may be repeated")
	CompleteOneOf(cmd, "env-policy", "inherit", "client", "none")
	t.set = f
}

// PartSize limits a recording's file, by flag or settings. It ignores invalid settings,
// which the interface reports.
func (t *Target) PartSize() int64 {
	if t.Given("max-part") {
		return t.maxPart
	}
	settings, err := ReadSettings()
	if err != nil {
		return 0
	}
	return settings.MaxPart
}

// ServerName is from the config file or the command.
func (t *Target) ServerName(argv []string) string {
	if t.From != nil {
		return t.From.Entry.Name
	}
	return store.Program(argv)
}

// Lease returns how long the guard on a host waits for a keep-alive, longer for an
// interactive session: a laptop may sleep.
func (t *Target) Lease() time.Duration {
	if t.Person && !t.SSH.given("ssh-lease") {
		return sshexec.ScreenLease
	}
	return t.SSH.opts.Lease
}

// Header returns the header of the recording.
func (t *Target) Header(cfg session.Config) session.Header {
	argv, prefix := cfg.Command.Argv, t.Via
	if t.From != nil {
		argv = t.From.Start.MaskedArgs()
		if !t.Given("via") {
			prefix = t.From.Start.MaskedPrefix()
		}
	}
	if t.Shown != nil {
		argv = t.Shown
	}
	if t.ShownVia != nil {
		prefix = t.ShownVia
	}
	h := session.Header{
		Tool: "mcpdbg " + console.Version, Placement: "local", Argv: secret.Conceal(argv, cfg.Command.Env),
		Cwd: cfg.Command.Dir, Era: cfg.Era.String(),
	}
	if len(prefix) > 0 {
		h.Via = secret.Conceal(prefix, cfg.Command.Env)
	}
	if t.SSH.Remote() {
		h.Placement, h.Host = "ssh", t.SSH.Dest
	}
	if t.ExecServer.Text != "" {
		h.Placement, h.ExecServer = session.PlacementExecServer, t.ExecServer.Text
	}
	return h
}

// They describe a project in the current directory.
var manifests = []string{"server.json", "package.json", "pyproject.toml", "go.mod", "Cargo.toml"}

// Source returns the file that problems are reported for: the config file, or the
// project's manifest here, or "".
func Source(t *Target) string { return cmp.Or(t.Config.File, manifest()) }

func manifest() string {
	for _, name := range manifests {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			return name
		}
	}
	return ""
}
