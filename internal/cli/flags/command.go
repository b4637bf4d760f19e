package flags

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"mcpdbg/internal/cli/console"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

// SessionConfig checks the flags and returns a session's configuration for argv.
func (t *Target) SessionConfig(argv []string) (session.Config, error) {
	cfg := session.Config{
		ClientName: "mcpdbg", ClientVersion: console.Version, Protocol: t.Protocol,
		StartupTimeout: t.StartupTimeout, Timeout: t.Timeout,
		LineLimit: int(t.lineLimit), CollectorDelay: t.collectorDelay, Answers: t.DefaultAnswers,
	}
	var ok bool
	if cfg.Era, ok = mcp.ParseEra(t.Era); !ok {
		return cfg, console.Usagef("--era %q: must be auto, legacy or modern", t.Era)
	}
	switch t.Overrun {
	case "hold":
		cfg.Overrun = executor.OverrunHold
	case "drop":
		cfg.Overrun = executor.OverrunDrop
	default:
		return cfg, console.Usagef("--overrun %q: must be hold or drop", t.Overrun)
	}
	if t.StartupTimeout <= 0 || t.Timeout <= 0 {
		return cfg, console.Usagef("--startup-timeout and --timeout must be more than 0")
	}
	if t.Answers != "" {
		cfg.Answers = t.canned
	}
	cfg.Capabilities = t.declared
	if t.From != nil {
		cfg.Secrets = t.From.Start.Secrets()
	}
	cmd, err := t.Command(argv)
	cfg.Command = cmd
	if t.Person {
		cfg.Policies = personAnswers(cfg.Answers, t.folder(cmd))
	}
	if t.Configure != nil && err == nil {
		t.Configure(&cfg)
	}
	return cfg, err
}

// "" for the default in another place.
func (t *Target) folder(cmd executor.Command) string {
	if cmd.Dir != "" || t.elsewhere() {
		return cmd.Dir
	}
	folder, _ := os.Getwd() // "" if unknown
	return folder
}

// Command checks the flags for the process, and returns the command that starts it.
func (t *Target) Command(argv []string) (executor.Command, error) {
	cmd := executor.Command{Argv: argv}
	if len(argv) == 0 {
		return cmd, console.Usagef("no command: put the server command after --, or use --config FILE")
	}
	if err := t.checkPlace(); err != nil {
		return cmd, err
	}
	switch t.EnvPolicy {
	case defaultEnvPolicy:
		cmd.EnvPolicy = executor.EnvInherit
	case "client":
		cmd.EnvPolicy = executor.EnvClient
	case "none":
		cmd.EnvPolicy = executor.EnvNone
	default:
		return cmd, console.Usagef("--env-policy %q: must be inherit, client or none", t.EnvPolicy)
	}
	if t.From != nil {
		cmd.Env = t.From.Start.Environ()
	}
	for _, pair := range t.Env {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return cmd, console.Usagef("--env %q: must be NAME=VALUE (--env-from NAME passes a variable on)", pair)
		}
		cmd.Env = append(cmd.Env, executor.EnvVar{Name: name, Value: value})
	}
	for _, name := range t.envFrom {
		value, ok := os.LookupEnv(name)
		if !ok {
			return cmd, console.Usagef("--env-from %s: not set in this environment", name)
		}
		cmd.Env = append(cmd.Env, executor.EnvVar{Name: name, Value: value})
	}
	cmd.Env = lastOfEach(cmd.Env)
	for _, name := range t.leave {
		if name == "" || strings.ContainsAny(name, `/\`) {
			return cmd, console.Usagef("--leave %q: must be the name of a program, such as adb", name)
		}
	}
	cmd.Leave = t.leave
	if t.SSH.Remote() && t.ExecServer.Text == "" {
		cmd.EnvPolicy = executor.EnvNone
	}
	if t.elsewhere() {
		cmd.Dir = t.Cwd
	} else if t.Cwd != "" {
		dir, err := filepath.Abs(t.Cwd)
		if err != nil {
			return cmd, console.Usagef("--cwd: %v", err)
		}
		cmd.Dir = dir
	}
	return cmd, nil
}

// elsewhere reports whether folders of the command may be those of another place.
func (t *Target) elsewhere() bool {
	return t.SSH.Remote() || len(t.Via) > 0 || t.ExecServer.Text != ""
}

// lastOfEach keeps the last variable of a name.
func lastOfEach(env []executor.EnvVar) []executor.EnvVar {
	last := make(map[string]int, len(env))
	for i, v := range env {
		last[v.Name] = i
	}
	var out []executor.EnvVar
	for i, v := range env {
		if last[v.Name] == i {
			out = append(out, v)
		}
	}
	return out
}

// The user answers requests without a canned response. Ping is answered automatically,
// and roots are the server's working directory, as with other clients: many servers
// request them at once, and a session should not begin with a question.
func personAnswers(given session.Answers, folder string) map[string]session.Policy {
	all := map[string]session.Policy{}
	for _, method := range session.ServerRequestMethods() {
		if _, canned := given[method]; !canned && method != mcp.MethodPing {
			all[method] = session.Policy{Mode: session.PolicyAsk}
		}
	}
	if _, asks := all[mcp.MethodRoots]; asks && folder != "" {
		all[mcp.MethodRoots] = session.Policy{Mode: session.PolicyCanned, Answer: rootsOf(folder)}
	}
	return all
}

func rootsOf(folder string) json.RawMessage {
	path := filepath.ToSlash(folder)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/...
	}
	type root struct {
		URI  string `json:"uri"`
		Name string `json:"name"`
	}
	uri := url.URL{Scheme: "file", Path: path}
	answer, _ := json.Marshal(map[string][]root{"roots": {{uri.String(), filepath.Base(folder)}}}) // strings always encode
	return answer
}
