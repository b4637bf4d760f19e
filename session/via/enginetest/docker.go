//go:build linux

package enginetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
)

var globalFlags = flags{
	valued:  []string{"host", "context", "log-level", "config", "connection", "url", "namespace", "address"},
	boolean: []string{"debug", "tls", "tlsverify", "remote"},
	short:   map[string]string{"H": "host", "c": "context", "l": "log-level", "D": "debug", "r": "remote", "n": "namespace", "a": "address"},
}

// A command is a word after docker.
type command struct {
	usage string // after docker
	least int    // arguments
	flags flags
	run   func(*client, *parsed) error
}

// commands returns the commands of docker, podman and nerdctl.
func commands() map[string]command {
	timeFlags := flags{valued: []string{"time", "timeout", "signal"}, short: map[string]string{"t": "time", "s": "signal"}, mixed: true}
	return map[string]command{
		"exec": {"exec [OPTIONS] CONTAINER COMMAND [ARG...]", 2, execFlags, (*client).dockerExec},
		"run":  {"run [OPTIONS] IMAGE [COMMAND] [ARG...]", 1, runFlags, (*client).dockerRun},
		"top":  {"top CONTAINER [ps OPTIONS]", 1, flags{}, (*client).dockerTop},
		"kill": {"kill [OPTIONS] CONTAINER [CONTAINER...]", 1, flags{valued: []string{"signal"}, short: map[string]string{"s": "signal"}, mixed: true},
			func(c *client, p *parsed) error {
				return c.each(p, http.MethodPost, func(id string) string {
					return query("/containers/"+id+"/kill", "signal", p.last("signal"))
				})
			}},
		"restart": {"restart [OPTIONS] CONTAINER [CONTAINER...]", 1, timeFlags, func(c *client, p *parsed) error { return c.dockerStop(p, "restart") }},
		"stop":    {"stop [OPTIONS] CONTAINER [CONTAINER...]", 1, timeFlags, func(c *client, p *parsed) error { return c.dockerStop(p, "stop") }},
		"rm": {"rm [OPTIONS] CONTAINER [CONTAINER...]", 1, flags{boolean: []string{"force", "volumes"}, short: map[string]string{"f": "force", "v": "volumes"}, mixed: true},
			(*client).dockerRemove},
		"inspect": {"inspect [OPTIONS] NAME|ID [NAME|ID...]", 1, flags{valued: []string{"format", "type"}, boolean: []string{"size"},
			short: map[string]string{"f": "format", "s": "size"}, mixed: true}, (*client).dockerInspect},
		"ps": {"ps [OPTIONS]", 0, flags{valued: []string{"filter", "format"}, boolean: []string{"all", "quiet", "no-trunc"},
			short: map[string]string{"f": "filter", "a": "all", "q": "quiet"}, mixed: true}, (*client).dockerPS},
	}
}

func (c *client) docker(args []string) error {
	p, err := globalFlags.parse(args)
	if err != nil {
		return exitWith(125, "%v\n\nUsage:  %s [OPTIONS] COMMAND [ARG...]\n\nRun '%[2]s --help' for more information", err, c.engine)
	}
	if name := p.last("context"); name != "" && name != Context && name != "default" && c.engine == "docker" {
		return fmt.Errorf("Failed to initialize: unable to resolve docker endpoint: context %q: context not found: open /root/.docker/contexts/meta/%s/meta.json: no such file or directory", name, newID()) //nolint:staticcheck // docker's text
	}
	if host, ok := strings.CutPrefix(p.last("host"), "unix://"); ok {
		c.socket, c.api.socket = host, host
	}
	rest := p.args
	if len(rest) > 1 && rest[0] == "container" {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return exitWith(1, "Usage:  %s [OPTIONS] COMMAND", c.engine)
	}
	if rest[0] == "compose" {
		return c.compose(rest[1:])
	}
	cmd, ok := commands()[rest[0]]
	if !ok {
		return fmt.Errorf("%s: unknown command: %[1]s %[2]s\n\nRun '%[1]s --help' for more information", c.engine, rest[0])
	}
	name := c.engine + " " + rest[0]
	if p, err = cmd.flags.parse(rest[1:]); err != nil {
		return exitWith(125, "%v\n\nUsage:  %s %s\n\nRun '%s --help' for more information", err, c.engine, cmd.usage, name)
	}
	if len(p.args) < cmd.least {
		plural := "s"
		if cmd.least == 1 {
			plural = ""
		}
		return fmt.Errorf("%s: '%s' requires at least %d argument%s\n\nUsage:  %s %s\n\nSee '%s --help' for more information", c.engine, name, cmd.least, plural, c.engine, cmd.usage, name)
	}
	return c.say(cmd.run(c, p), rest[0])
}

// say returns an error with the text and status of the engine.
func (c *client) say(err error, command string) error {
	if _, ok := errors.AsType[*exit](err); ok || err == nil {
		return err
	}
	text := err.Error()
	status := statusOf(err)
	if status != 0 {
		text = "Error response from daemon: " + text
	}
	switch {
	case c.engine == "podman":
		return c.sayPodman(err, command)
	case c.engine == "nerdctl":
		return c.sayNerdctl(err)
	case command == "run":
		code := 125
		if c.fault == Denied || strings.Contains(text, "permission denied while") {
			code = 126 // docker takes any such text for one of the program
		}
		if strings.Contains(text, "OCI runtime create failed") {
			code = codeOf(err)
		}
		return exitWith(code, "docker: %s\n\nRun 'docker run --help' for more information", text)
	}
	return exitWith(1, "%s", text)
}

func (c *client) sayPodman(err error, command string) error {
	text := err.Error()
	program := programOf(text)
	notFound, missing := strings.CutPrefix(text, "No such container: ")
	switch {
	case missing:
		return exitWith(125, "Error: no container with name or ID %q found: no such container", notFound)
	case strings.Contains(text, "is not running") && command == "exec":
		return exitWith(255, "Error: can only create exec sessions on running containers: container state improper")
	case strings.Contains(text, "is not running") && command == "top":
		return exitWith(125, "Error: top can only be used on running containers")
	case strings.Contains(text, "is not running"):
		return exitWith(125, "Error: can only kill running containers. %s is in state exited: container state improper", strings.Fields(text)[len(strings.Fields(text))-4])
	case strings.Contains(text, "chdir to cwd"):
		return exitWith(127, "Error: crun: chdir: No such file or directory: OCI runtime attempted to invoke a command that was not found")
	case strings.Contains(text, "OCI runtime") && codeOf(err) == 127:
		return exitWith(127, "Error: crun: executable file `%s` not found in $PATH: No such file or directory: OCI runtime attempted to invoke a command that was not found", program)
	case strings.Contains(text, "OCI runtime"):
		return exitWith(126, "Error: crun: open executable: Permission denied: OCI permission denied")
	}
	return exitWith(125, "Error: %s", text)
}

func (c *client) sayNerdctl(err error) error {
	text := err.Error()
	switch name, missing := strings.CutPrefix(text, "No such container: "); {
	case missing:
		return c.fatal("no such container %s", name)
	case strings.Contains(text, "is not running"):
		return c.fatal("cannot exec in a stopped state: unknown")
	}
	return c.fatal("%s", text)
}

var quoted = regexp.MustCompile(`exec: "([^"]*)"`)

// programOf returns the program that an error of runc names.
func programOf(text string) string {
	if m := quoted.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// each sends a request for every argument, and prints those that succeed.
func (c *client) each(p *parsed, method string, path func(id string) string) error {
	var failures []string
	code := 0
	for _, id := range p.args {
		err := c.say(c.call(method, path(id), nil, nil), "")
		if end, ok := errors.AsType[*exit](err); ok {
			failures = append(failures, end.text)
			code = end.code
			continue
		}
		fmt.Println(id)
	}
	if code == 0 {
		return nil
	}
	return exitWith(code, "%s", strings.Join(failures, "\n"))
}

func (c *client) dockerStop(p *parsed, verb string) error {
	seconds := p.last("time") + p.last("timeout")
	return c.each(p, http.MethodPost, func(id string) string { return query("/containers/"+id+"/"+verb, "t", seconds) })
}

// dockerRemove does not fail for a missing container if it is forced.
func (c *client) dockerRemove(p *parsed) error {
	force := ""
	if p.set["force"] {
		force = "1"
	}
	err := c.each(p, http.MethodDelete, func(id string) string { return query("/containers/"+id, "force", force) })
	if end, ok := errors.AsType[*exit](err); ok && force != "" && strings.Contains(end.text, "No such container") {
		end.code = 0
	}
	return err
}

func (c *client) dockerTop(p *parsed) error {
	var table topTable
	if err := c.call(http.MethodGet, query("/containers/"+p.args[0]+"/top", "ps_args", strings.Join(p.args[1:], " ")), nil, &table); err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 20, 1, 3, ' ', 0)
	for _, row := range slices.Concat([][]string{table.Titles}, table.Processes) {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

func (c *client) dockerInspect(p *parsed) error {
	found := []any{}
	var failure error
	for _, id := range p.args {
		var one containerJSON
		err := c.call(http.MethodGet, "/containers/"+id+"/json", nil, &one)
		switch {
		case err == nil:
			found = append(found, decoded(one))
		case statusOf(err) != http.StatusNotFound:
			failure = err
		case c.engine == "podman":
			failure = exitWith(125, "Error: no such object: %q", id)
		case c.engine == "nerdctl":
			failure = c.fatal("1 errors:\nno such object: %s", id)
		default:
			failure = exitWith(1, "Error: No such object: %s", id)
		}
	}
	if format := p.last("format"); format != "" {
		for _, one := range found {
			fmt.Println(expand(format, one))
		}
		if len(found) == 0 {
			fmt.Println()
		}
		return failure
	}
	text, err := json.MarshalIndent(found, "", "    ")
	fmt.Println(string(text))
	return errors.Join(failure, err)
}

func (c *client) dockerPS(p *parsed) error {
	filters := map[string]map[string]bool{}
	for _, filter := range p.values["filter"] {
		name, value, ok := strings.Cut(filter, "=")
		if !ok {
			return exitWith(125, "invalid argument %q for \"-f, --filter\" flag: bad format of filter (expected name=value)\n\nUsage:  docker ps [OPTIONS]\n\nRun 'docker ps --help' for more information", filter)
		}
		if filters[name] == nil {
			filters[name] = map[string]bool{}
		}
		filters[name][value] = true
	}
	text, err := json.Marshal(filters)
	if err != nil {
		return err
	}
	all := ""
	if p.set["all"] {
		all = "1"
	}
	var list []containerSummary
	if err := c.call(http.MethodGet, query("/containers/json", "all", all, "filters", string(text)), nil, &list); err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 10, 1, 3, ' ', 0)
	if !p.set["quiet"] && p.last("format") == "" {
		fmt.Fprintln(w, "CONTAINER ID\tIMAGE\tCOMMAND\tCREATED\tSTATUS\tPORTS\tNAMES")
	}
	for _, s := range list {
		id, names := idOf(s.ID, p.set["no-trunc"]), strings.TrimPrefix(strings.Join(s.Names, ","), "/")
		switch {
		case p.last("format") != "":
			fmt.Fprintln(w, expand(p.last("format"), map[string]any{"ID": id, "Names": names, "Image": s.Image, "State": s.State, "Status": s.Status}))
		case p.set["quiet"]:
			fmt.Fprintln(w, id)
		default:
			fmt.Fprintf(w, "%s\t%s\t%q\tLess than a second ago\t%s\t\t%s\n", id, s.Image, s.Command, s.Status, names)
		}
	}
	return w.Flush()
}

var action = regexp.MustCompile(`\{\{\s*(json\s+|index\s+)?(\.[A-Za-z.]*)(?:\s+"([^"]*)")?\s*\}\}`)

// expand replaces the fields of a template, and their keys. Nothing else of templates is supported.
func expand(format string, value any) string {
	return action.ReplaceAllStringFunc(format, func(text string) string {
		m := action.FindStringSubmatch(text)
		v := field(value, m[2])
		switch strings.TrimSpace(m[1]) {
		case "index":
			all, _ := v.(map[string]any)
			text, _ := all[m[3]].(string) // "" if it is missing
			return text
		case "json":
			b, _ := json.Marshal(v) // it was decoded from JSON
			return string(b)
		}
		return fmt.Sprint(v)
	})
}
