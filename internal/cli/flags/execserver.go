package flags

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/session/execserver/dial"
	"mcpdbg/sshexec"
)

// ExecServer are the flags for an exec server.
type ExecServer struct {
	// Text is the target as the user wrote it, "" for none. A config file also sets it.
	Text string
	// Keep is how long processes outlive a lost connection, 0 for not at all.
	Keep time.Duration

	// Tokens are shared with later sessions of the program.
	Tokens *Tokens

	tokenEnv, tokenFile, headers string
	// Credentials returns the token and the headers, which are read once for all copies.
	Credentials func() (dial.Credentials, error)
}

// execServerOnly are the flags that require --exec-server.
var execServerOnly = []string{"keep", "exec-server-token-env", "exec-server-token-file", "exec-server-headers"}

const (
	// minKeep leaves time for another attempt after one that timed out.
	minKeep = 10 * time.Second
	maxKeep = time.Hour
	// maxCredentials limits the files with a token or headers.
	maxCredentials = 64 << 10
)

// RegisterExecServer adds the flags for an exec server.
func (t *Target) RegisterExecServer(cmd *cobra.Command) {
	e, f := &t.ExecServer, cmd.Flags()
	if e.Tokens == nil {
		e.Tokens = new(Tokens)
	}
	e.Credentials = sync.OnceValues(e.read)
	f.Var((*execTarget)(&e.Text), "exec-server", "start the server through the exec server `TARGET`: codex, mcpdbg, mcpdbg@PATH, unix:PATH, ws://..., wss://... or a command line; with --ssh it runs there")
	f.DurationVar(&e.Keep, "keep", 0, "with --ssh and --exec-server mcpdbg: keep the server running for so long without a connection, to resume it (up to 1h)")
	f.StringVar(&e.tokenEnv, "exec-server-token-env", "", "send the token in the environment variable `NAME`; no process that is started gets the variable")
	f.StringVar(&e.tokenFile, "exec-server-token-file", "", "send the token in this `file`")
	f.StringVar(&e.headers, "exec-server-headers", "", "send the headers in this `file`, lines NAME: VALUE")
	CompleteNothing(cmd, "keep", "exec-server-token-env")
	CompleteOneOf(cmd, "exec-server", "codex", "mcpdbg", "unix:", "ws://", "wss://")
}

type execTarget string

// String implements pflag.Value.
func (t *execTarget) String() string { return string(*t) }

// Type implements pflag.Value.
func (t *execTarget) Type() string { return "target" }

// Set implements pflag.Value.
func (t *execTarget) Set(text string) error {
	parsed, err := dial.Parse(text)
	*t = execTarget(parsed.String())
	return err
}

// read returns the token and the headers.
func (e *ExecServer) read() (c dial.Credentials, err error) {
	if name := e.tokenEnv; name != "" {
		if c.Token, err = e.Tokens.take(name); err != nil {
			return c, console.Usagef("--exec-server-token-env %s: %v", name, err)
		}
	}
	if e.tokenFile != "" {
		text, err := readSmall(e.tokenFile)
		if err == nil {
			c.Token, err = dial.ParseToken(text)
		}
		if err != nil {
			return c, console.Usagef("--exec-server-token-file %s: %v", e.tokenFile, err)
		}
	}
	if e.headers != "" {
		text, err := readSmall(e.headers)
		if err == nil {
			c.Headers, err = dial.ParseHeaders(text)
		}
		if err != nil {
			return c, console.Usagef("--exec-server-headers %s: %v", e.headers, err)
		}
	}
	return c, nil
}

// Tokens are those of variables that were removed from the environment of this program.
type Tokens struct {
	mu    sync.Mutex
	known map[string]string // by variable
}

// Typed is the function Typed for a later session: it knows the tokens.
func (k *Tokens) Typed(words []string) (Target, []string, error) { return typed(words, k) }

// take returns the token in a variable, and removes the variable from the environment.
func (k *Tokens) take(name string) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	text, set := os.LookupEnv(name)
	if !set {
		if token, ok := k.known[name]; ok {
			return token, nil
		}
		return "", errors.New("not set")
	}
	token, err := dial.ParseToken(text)
	if err == nil {
		if k.known == nil {
			k.known = make(map[string]string)
		}
		k.known[name] = token
		err = os.Unsetenv(name)
	}
	return token, err
}

func readSmall(name string) (string, error) {
	if err := console.CheckReadable(name); err != nil {
		return "", err
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxCredentials+1))
	if err == nil && len(text) > maxCredentials {
		err = fmt.Errorf("larger than %d KiB", maxCredentials>>10)
	}
	return string(text), err
}

func (t *Target) checkExecServer() error {
	e := &t.ExecServer
	if e.Text == "" {
		for _, name := range execServerOnly {
			if t.Given(name) {
				return console.Usagef("--%s requires --exec-server", name)
			}
		}
		return nil
	}
	target, err := dial.Parse(e.Text)
	if err != nil {
		return console.Usagef("the exec server of the config file: %v", err) // the flag is checked when it is parsed
	}
	apart := target.Kind != dial.Command
	switch {
	case apart && t.SSH.Remote():
		return console.WithHint(console.Usagef("--exec-server %s cannot be combined with --ssh: it is reached from this machine", target),
			"--exec-server codex or mcpdbg to start one on the host")
	case apart && len(t.Via) > 0:
		return console.WithHint(console.Usagef("--exec-server %s cannot be combined with --via: it is reached from this machine", target),
			"--exec-server codex or mcpdbg to start one there, or put the prefix before the server's command")
	case t.SSH.given("path-from") && t.SSH.opts.PathFrom == sshexec.PathExplicit:
		return console.Usagef("--path-from explicit cannot be combined with --exec-server: -e is for the server, not for the exec server")
	case e.tokenEnv != "" && e.tokenFile != "":
		return console.Usagef("--exec-server-token-env and --exec-server-token-file cannot be combined")
	}
	if err := t.checkKeep(target); err != nil {
		return err
	}
	c, err := e.Credentials()
	if err != nil {
		return err
	}
	if err := target.Check(c); err != nil {
		return console.Usagef("--exec-server %s: %v", target, err)
	}
	return nil
}

func (t *Target) checkKeep(target dial.Target) error {
	switch keep := t.ExecServer.Keep; {
	case !t.Given("keep"):
		return nil
	case !target.Own || !t.SSH.Remote():
		return console.Usagef("--keep requires --ssh and --exec-server mcpdbg")
	case keep < minKeep || keep > maxKeep:
		return console.Usagef("--keep %v: must be from %v to %v", keep, minKeep, maxKeep)
	case len(t.Via) > 0:
		return console.Usagef("--keep and --via cannot be combined: the exec server must be reached again without it")
	}
	return nil
}
