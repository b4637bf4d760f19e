package via

import (
	"fmt"
	"slices"
	"strings"

	"mcpdbg/session/executor"
)

// runLabel is the label of the containers that engines run for this program.
const runLabel = "mcpdbg.run"

// A prefix is the command before the server's, and what is known of it.
type prefix struct {
	words  []string // empty: the server is started directly
	name   string   // of its program, such as docker
	place  string   // for people, such as "docker web"
	host   string   // that it is on, "" for this machine
	engine bool     // a client of an engine, whose processes are children of a daemon
	client Prefix   // if engine
	stays  bool     // what it starts stays a descendant of it

	notices   []executor.Notice // about the choice among several places
	unlabeled bool              // sudo does not permit a label
}

// prefixOf reads the words of a prefix. The error is a failure that would only come after
// the first byte.
func prefixOf(words []string, host string) (prefix, *executor.StartError) {
	p := prefix{words: words, name: programName(words[0]), place: Place(words), host: host, stays: Descendant(words)}
	if p.client, p.engine = Parse(words); !p.engine {
		return p, nil
	}
	p.name = p.client.Engine
	if err := p.client.check(len(words)); err != nil {
		code := executor.ViaInvalid
		if p.client.TTY {
			code = executor.ViaTTY
		}
		return p, p.fail("resolve", code, err, "")
	}
	return p, nil
}

// prefixFor returns the prefix of a command, and the command behind it. Without a prefix
// of its own, the executor takes the client of an engine that the command begins with.
func (e *Executor) prefixFor(argv []string) (prefix, []string, *executor.StartError) {
	if len(e.opts.Words) > 0 {
		p, failure := prefixOf(e.opts.Words, e.opts.Host)
		return p, argv, failure
	}
	c, ok := Parse(argv)
	if !ok || e.opts.Plain || c.Unknown != "" || c.Client != 0 {
		return prefix{}, argv, nil
	}
	p, failure := prefixOf(argv[:c.Rest], e.opts.Host)
	if failure != nil {
		return p, argv, failure
	}
	if !p.runs() && (!strings.HasSuffix(c.Verb, "exec") || c.Rest == len(argv)) {
		return prefix{}, argv, nil // the client reports what is missing
	}
	return p, argv[c.Rest:], nil
}

// runs reports whether the prefix makes a container, whose image may have an entry point:
// a shell cannot be put in front of the server there.
func (p *prefix) runs() bool { return p.engine && strings.HasSuffix(p.client.Verb, "run") }

// plain returns the command of a client that runs argv as it is. The client gets the
// variables of env. The error names what cannot be passed on.
func (p *prefix) plain(argv []string, cmd executor.Command, mark string) (executor.Command, *executor.StartError) {
	client := executor.Command{EnvPolicy: cmd.EnvPolicy, Env: cmd.Env, NoStdin: cmd.NoStdin, Leave: cmd.Leave}
	var added []string
	if p.runs() && p.labels() {
		added = []string{"--label", runLabel + "=" + mark}
	}
	options := p.engine && p.client.Engine != kubectl && p.client.Verb != "" && p.client.Unknown == ""
	for _, v := range cmd.Env {
		switch {
		case !p.engine && PassesEnv(p.words):
		case !options:
			return client, p.fail("resolve", executor.StartInvalid, fmt.Errorf("variable %s cannot be passed on without a shell inside", v.Name),
				"set it in the place itself, or add "+v.Name+" to the command, such as env "+v.Name+"=...")
		case steersClient(v.Name):
			return client, p.fail("resolve", executor.StartInvalid, fmt.Errorf("variable %s would change %s itself", v.Name, p.name), "set it in the image")
		default:
			added = append(added, "-e", v.Name) // its value is in the environment of the client
		}
	}
	if cmd.Dir != "" {
		if !options {
			return client, p.fail("resolve", executor.StartInvalid, fmt.Errorf("the folder %s cannot be entered without a shell inside", cmd.Dir), "omit --cwd")
		}
		added = append(added, "-w", cmd.Dir)
	}
	if p.engine {
		client.EnvPolicy = executor.EnvInherit // it is not the server's
	}
	client.Argv = slices.Concat(p.words, argv)
	if len(added) > 0 {
		client.Argv = slices.Insert(client.Argv, p.client.Insert, added...)
	}
	return client, nil
}

// labels reports whether the containers of the engine can be found by a label.
func (p *prefix) labels() bool {
	return slices.Contains([]string{"docker", "podman", "nerdctl"}, p.client.Engine) && p.client.Verb == "run" && !p.unlabeled
}

// steersClient reports whether a variable means something to the client of an engine.
func steersClient(name string) bool {
	for _, begin := range []string{"DOCKER_", "CONTAINER", "PODMAN_", "NERDCTL_", "KUBE", "LD_", "COMPOSE_", "XDG_", "SSH_"} {
		if strings.HasPrefix(name, begin) {
			return true
		}
	}
	return name == "PATH" || name == "HOME"
}

// shell returns the command of a client with a shell that reads our script.
func (p *prefix) shell(script string, cmd executor.Command) executor.Command {
	client := executor.Command{Argv: slices.Concat(p.words, []string{"/bin/sh", "-c", script}), EnvPolicy: cmd.EnvPolicy, Leave: cmd.Leave}
	if p.engine {
		client.EnvPolicy = executor.EnvInherit // it is not the server's
	}
	return client
}

func (p *prefix) fail(phase string, code executor.StartCode, err error, hint string) *executor.StartError {
	return &executor.StartError{Code: code, Hop: p.host, Phase: phase, Err: fmt.Errorf("%s: %w", p.place, err), Hint: hint}
}
