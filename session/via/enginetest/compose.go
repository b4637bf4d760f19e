//go:build linux

package enginetest

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
)

var composeFlags = flags{
	valued:  []string{"file", "project-name", "profile", "env-file", "project-directory", "ansi", "progress"},
	boolean: []string{"compatibility", "dry-run"},
	short:   map[string]string{"f": "file", "p": "project-name"},
}

var composeExecFlags = flags{
	valued:  []string{"env", "workdir", "user", "index"},
	boolean: []string{"interactive", "no-tty", "tty", "detach", "privileged"},
	short:   map[string]string{"e": "env", "w": "workdir", "u": "user", "i": "interactive", "t": "tty", "T": "no-tty", "d": "detach"},
}

var composePSFlags = flags{
	valued:  []string{"filter", "format", "status"},
	boolean: []string{"all", "quiet", "services", "no-trunc", "orphans"},
	short:   map[string]string{"q": "quiet", "a": "all"},
	mixed:   true,
}

// compose is docker compose, for the containers with a service.
func (c *client) compose(args []string) error {
	p, err := composeFlags.parse(args)
	if err != nil {
		return exitWith(16, "%v", err)
	}
	for _, file := range p.values["file"] {
		if _, err := os.Stat(file); err != nil {
			return exitWith(14, "open %s: %v", file, causeOf(err))
		}
	}
	if len(p.args) == 0 {
		return exitWith(1, "Usage:  docker compose [OPTIONS] COMMAND")
	}
	var all []containerSummary
	if err := c.say(c.call(http.MethodGet, query("/containers/json", "all", "1", "filters", `{"label":{"`+labelService+`":true}}`), nil, &all), "compose"); err != nil {
		return err
	}
	if len(all) == 0 {
		return exitWith(14, "no configuration file provided: not found")
	}
	of := func(service string, running bool) (found []containerSummary, known bool) {
		for _, s := range all {
			if s.Labels[labelService] == service {
				known = true
				if !running || s.State == "running" {
					found = append(found, s)
				}
			}
		}
		return found, known
	}
	switch p.args[0] {
	case "exec":
		return c.composeExec(p.args[1:], of)
	case "ps":
		return c.composePS(p.args[1:], of)
	}
	return exitWith(1, "unknown docker command: %q", "compose "+p.args[0])
}

// services returns the containers of a service, and whether it is known.
type services func(service string, running bool) (found []containerSummary, known bool)

// composeExec has -i unless that is switched off, and -t if the output is a terminal.
func (c *client) composeExec(args []string, of services) error {
	p, err := composeExecFlags.parse(args)
	if err != nil {
		return exitWith(16, "%v", err)
	}
	if len(p.args) < 2 {
		return exitWith(1, "requires at least 2 arg(s), only received %d", len(p.args))
	}
	found, known := of(p.args[0], true)
	if !known {
		return exitWith(1, "no such service: %s", p.args[0])
	}
	index := p.last("index")
	found = slices.DeleteFunc(found, func(s containerSummary) bool { return index != "" && s.Labels[labelNumber] != index })
	switch {
	case len(found) == 0 && index != "":
		return exitWith(1, "service %q is not running container #%s", p.args[0], index)
	case len(found) == 0:
		return exitWith(1, "service %q is not running", p.args[0])
	}
	slices.SortStableFunc(found, func(a, b containerSummary) int { return cmp.Compare(a.number(), b.number()) })
	p.set["tty"] = !p.set["no-tty"] && isTerminal(os.Stdout)
	if interactive, given := p.set["interactive"]; !given || interactive {
		p.set["interactive"] = true
	}
	if err := c.checkTerminal(p); err != nil {
		return err
	}
	env, err := variables(p)
	if err != nil {
		return err
	}
	return c.say(c.runExec(found[0].ID, execConfig{
		AttachStdin: p.set["interactive"] && !p.set["detach"], AttachStdout: true, AttachStderr: true,
		Tty: p.set["tty"], Detach: p.set["detach"], Privileged: p.set["privileged"],
		User: p.last("user"), WorkingDir: p.last("workdir"), Env: env, Cmd: p.args[1:],
	}), "compose")
}

func (s *containerSummary) number() int {
	n, _ := strconv.Atoi(s.Labels[labelNumber])
	return n
}

func (c *client) composePS(args []string, of services) error {
	p, err := composePSFlags.parse(args)
	if err != nil {
		return exitWith(16, "%v", err)
	}
	if !p.set["quiet"] {
		fmt.Println("NAME      IMAGE     COMMAND   SERVICE   CREATED   STATUS    PORTS")
	}
	for _, service := range p.args {
		found, known := of(service, !p.set["all"])
		if !known {
			return exitWith(1, "no such service: %s", service)
		}
		for _, s := range found {
			if p.set["quiet"] {
				fmt.Println(s.ID)
			} else {
				fmt.Printf("%s   %s   %q   %s   Less than a second ago   %s\n", strings.TrimPrefix(s.Names[0], "/"), s.Image, cmp.Or(s.Command, "wait"), service, s.Status)
			}
		}
	}
	return nil
}
