//go:build linux

package enginetest

import (
	"fmt"
	"net/http"
	"os"
	"strings"
)

var execFlags = flags{
	valued:  []string{"env", "env-file", "workdir", "user", "detach-keys"},
	boolean: []string{"interactive", "tty", "detach", "privileged"},
	short:   map[string]string{"e": "env", "w": "workdir", "u": "user", "i": "interactive", "t": "tty", "d": "detach"},
}

// runFlags are those that matter, and others of docker run that take no part here.
var runFlags = flags{
	valued: []string{"label", "name", "env", "env-file", "workdir", "volume", "network", "net", "user", "entrypoint", "publish", "hostname", "memory", "cpus", "mount",
		"platform", "pull", "restart", "add-host", "cap-add", "cap-drop", "security-opt", "tmpfs", "device", "attach", "cidfile", "ulimit", "shm-size", "stop-signal",
		"stop-timeout", "ipc", "pid", "group-add", "gpus", "dns", "label-file", "userns", "log-driver"},
	boolean: []string{"interactive", "tty", "detach", "rm", "init", "privileged", "read-only", "sig-proxy", "publish-all", "quiet"},
	short: map[string]string{"l": "label", "e": "env", "w": "workdir", "v": "volume", "u": "user", "p": "publish", "h": "hostname", "m": "memory", "a": "attach",
		"i": "interactive", "t": "tty", "d": "detach", "P": "publish-all", "q": "quiet"},
}

// checkTerminal returns the error of an engine for -i -t without a terminal.
func (c *client) checkTerminal(p *parsed) error {
	if !p.set["tty"] || !p.set["interactive"] || p.set["detach"] || isTerminal(os.Stdin) {
		return nil
	}
	switch c.engine {
	case "podman":
		fmt.Fprintln(os.Stderr, logLine("warning", "The input device is not a TTY. The --tty and --interactive flags might not work properly"))
		return nil
	case "nerdctl":
		return c.fatal("provided file is not a console")
	}
	return exitWith(1, "the input device is not a TTY")
}

func (c *client) dockerExec(p *parsed) error {
	id := p.args[0]
	if err := c.call(http.MethodGet, "/containers/"+id+"/json", nil, nil); err != nil {
		return err
	}
	if err := c.checkTerminal(p); err != nil {
		return err
	}
	env, err := variables(p)
	if err != nil {
		return err
	}
	return c.runExec(id, execConfig{
		AttachStdin: p.set["interactive"] && !p.set["detach"], AttachStdout: true, AttachStderr: true,
		Tty: p.set["tty"], Detach: p.set["detach"], Privileged: p.set["privileged"],
		User: p.last("user"), WorkingDir: p.last("workdir"), Env: env, Cmd: p.args[1:],
	})
}

// runExec ends with the status of the process, or with 0 if the stream was lost.
func (c *client) runExec(id string, config execConfig) error {
	state, err := c.exec(id, config, c.engine != "docker")
	if err != nil || state.ExitCode == nil || *state.ExitCode == 0 {
		return err
	}
	return exitWith(*state.ExitCode, "")
}

func (c *client) dockerRun(p *parsed) error {
	if err := c.checkTerminal(p); err != nil {
		return err
	}
	if c.fault == Denied || c.fault == NoDaemon {
		return c.explain(c.broken(), "HEAD", pingPath)
	}
	config, err := runConfig(p)
	if err != nil {
		return err
	}
	var made created
	err = c.call(http.MethodPost, query("/containers/create", "name", p.last("name")), config, &made)
	if statusOf(err) == http.StatusNotFound {
		return c.pull(config.Image)
	}
	if err != nil {
		return err
	}
	if p.set["detach"] {
		if err := c.call(http.MethodPost, "/containers/"+made.ID+"/start", nil, nil); err != nil {
			return err
		}
		fmt.Println(made.ID)
		return nil
	}
	return c.follow(made.ID, config, p.signals())
}

// signals reports whether docker run passes signals on.
func (p *parsed) signals() bool {
	on, given := p.set["sig-proxy"]
	return on || !given
}

func runConfig(p *parsed) (createConfig, error) {
	env, err := variables(p)
	config := createConfig{
		Image: p.args[0], Cmd: p.args[1:], Env: env, User: p.last("user"), WorkingDir: p.last("workdir"),
		Tty: p.set["tty"], OpenStdin: p.set["interactive"], StdinOnce: p.set["interactive"] && !p.set["detach"], AttachStdin: p.set["interactive"] && !p.set["detach"],
		Labels: map[string]string{},
	}
	config.HostConfig.AutoRemove = p.set["rm"]
	if entrypoint := p.last("entrypoint"); entrypoint != "" {
		config.Entrypoint = []string{entrypoint}
	}
	for _, label := range p.values["label"] {
		name, value, _ := strings.Cut(label, "=")
		config.Labels[name] = value
	}
	return config, err
}

// follow starts a container and carries its streams.
func (c *client) follow(id string, config createConfig, signals bool) error {
	stdin := ""
	if config.AttachStdin {
		stdin = "1"
	}
	s, err := c.api.attach(query("/containers/"+id+"/attach", "stream", "1", "stdout", "1", "stderr", "1", "stdin", stdin), nil)
	if err != nil {
		return err
	}
	condition := "next-exit"
	if config.HostConfig.AutoRemove {
		condition = "removed"
	}
	var end waited
	over := make(chan error, 1)
	go func() {
		over <- c.call(http.MethodPost, query("/containers/"+id+"/wait", "condition", condition), nil, &end)
	}()
	if err := c.call(http.MethodPost, "/containers/"+id+"/start", nil, nil); err != nil {
		return err
	}
	if signals {
		c.forward(id)
	}
	carry(s, config.AttachStdin, config.Tty)
	if err := <-over; err != nil {
		return exitWith(125, "")
	}
	if end.StatusCode == 0 {
		return nil
	}
	return exitWith(end.StatusCode, "")
}

// pull fails as each engine does.
func (c *client) pull(image string) error {
	name, _, _ := strings.Cut(image, ":")
	switch {
	case c.engine == "podman" && !strings.Contains(name, "/"):
		return exitWith(125, "Error: short-name %q did not resolve to an alias and no unqualified-search registries are defined in \"/etc/containers/registries.conf\"", image)
	case c.engine == "podman":
		return exitWith(125, "Trying to pull %s...\nError: initializing source docker://%[1]s: reading manifest latest in %s: requested access to the resource is denied", withTag(image), name)
	case c.engine == "nerdctl":
		return c.fatal("failed to resolve reference %q: pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed", "docker.io/library/"+withTag(image))
	}
	fmt.Fprintf(os.Stderr, "Unable to find image '%s' locally\n", withTag(image))
	return c.call(http.MethodPost, query("/images/create", "fromImage", name), nil, nil)
}
