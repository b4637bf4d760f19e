package via

import (
	"fmt"
	"slices"
	"strings"

	"mcpdbg/internal/wording"
)

// A Client is a process that is, or runs, the client of a container engine.
type Client struct {
	// Where is the engine, what it was asked for and the place, such as docker exec web; the
	// engine alone if the rest is unknown.
	Where string
	// Help names the commands that show and end the processes there, if they are known.
	Help string
	// Direct is false if the client is a child of the process, such as that of a shell.
	Direct bool
}

// ClientOf returns the client of a container engine that a command line runs, directly or
// through other programs, to run something in a container. On Windows the list of processes
// has no arguments: there the name is enough. All texts are untrusted.
func ClientOf(argv []string) (c Client, ok bool) {
	p, ok := Parse(argv)
	if ok && p.Client > 0 && has(shells, programName(argv[0])) && slices.Contains(argv[:p.Client], "-c") {
		return Client{Where: p.Engine}, true // a list of processes does not show where the text of -c ends
	}
	switch {
	case ok && p.Unknown == "" && p.Target != "":
		engine := p.Engine
		if strings.HasPrefix(p.Verb, "compose ") {
			engine = strings.TrimSuffix(engine, "-compose") // the plugin, a child of docker
		}
		return Client{
			Where:  wording.Join(" ", engine, p.Verb, p.Target, wording.IfAny("-c ", p.Container), wording.IfAny("-n ", p.Namespace)),
			Help:   p.help(argv),
			Direct: p.Client == 0,
		}, true
	case ok:
		return Client{Where: p.Engine, Direct: p.Unknown != argv[0] && p.Client == 0}, true
	case len(argv) == 1 && slices.Contains(engines, programName(argv[0])):
		return Client{Where: programName(argv[0]), Direct: true}, true
	}
	return Client{}, false
}

// ClientInList is like ClientOf for a line of a process list, which joins arguments with
// blanks: behind an option whose value may have some, only the engine is certain.
func ClientInList(line string) (c Client, ok bool) {
	words := strings.Fields(line)
	c, ok = ClientOf(words)
	if p, _ := Parse(words); p.freeText(words) {
		c.Where, c.Help = p.Engine, ""
	}
	return c, ok
}

// names are the options whose values have no blanks.
const names = "-u --user -n --namespace -c --container --context --cluster --name --index -p --project-name -H --host --platform --image --net --network"

// freeText reports whether an option before the command inside has a value that may have
// blanks.
func (p *Prefix) freeText(words []string) bool {
	options := p.options()
	if options == nil || p.Unknown != "" {
		return false
	}
	values := strings.Join([]string{options.values, engineGlobal.values, compose.values}, " ")
	return slices.ContainsFunc(words[p.Client+1:p.Rest], func(word string) bool {
		name, _, _ := strings.Cut(word, "=")
		if strings.HasPrefix(name, dashes) {
			return has(values, name) && !has(names, name)
		}
		for i := 1; i < len(name) && name[0] == '-'; i++ {
			if letter := "-" + name[i:i+1]; has(values, letter) {
				return !has(names, letter)
			}
		}
		return false
	})
}

// help names the commands that show and end the processes in the place of a client, with
// the words of its command before its verb. Those with a password are not repeated.
func (p *Prefix) help(words []string) string {
	options := p.options()
	if p.Unknown != "" || p.Target == "" || options == nil ||
		slices.ContainsFunc(words[:p.Rest], func(word string) bool {
			return strings.HasPrefix(word, "--token") || strings.HasPrefix(word, "--password")
		}) {
		return ""
	}
	from := 0 // with sudo
	if _, wraps := wrappers[programName(words[0])]; !wraps {
		from = p.Client // without a shell that runs a script of that name
	}
	command := func(args ...string) string { return wording.CommandLine(slices.Concat(words[from:p.Insert-1], args)) }
	switch options {
	case &kubectlExec, &kubectlRun:
		global, _ := p.behind(words)
		return p.kubectlHelp(func(args ...string) string { return command(slices.Concat(args, global)...) + " ends them" })
	case &engineExec, &composeExec:
		return fmt.Sprintf("%s shows the processes, %s ends them", command("top", p.Target), command("restart", p.Target))
	case &engineStart:
		return fmt.Sprintf("%s shows the processes, %s ends them", command("top", p.Target), command("stop", p.Target))
	}
	engine := words[from:p.At]
	if p.standsAlone() {
		engine = append(slices.Clone(words[from:p.Client]), strings.TrimSuffix(p.Engine, "-compose"))
	}
	command = func(args ...string) string { return wording.CommandLine(slices.Concat(engine, args)) }
	given, _, _ := options.scan(words, p.Insert)
	find := []string{"ps"}
	if options == &engineRun && p.Engine != "nerdctl" {
		find = append(find, "--filter", "ancestor="+p.Target)
	}
	help := fmt.Sprintf("%s finds it, %s ends it", command(find...), command("kill", "ID"))
	switch name, file := last(given, "--name"), last(given, "--cidfile"); {
	case name != "":
		help = command("kill", name) + " ends it"
	case file != "":
		help = fmt.Sprintf("%s ends it, with the id in %s", command("kill", "ID"), wording.Quote(file))
	}
	return "no label was added; " + help
}

func (p *Prefix) kubectlHelp(command func(args ...string) string) string {
	kind, name, typed := strings.Cut(p.Target, "/")
	switch {
	case !typed:
		return command("delete", "pod", p.Target)
	case has("po pod pods", kind):
		return command("delete", "pod", name)
	case has("deploy deployment deployments sts statefulset statefulsets ds daemonset daemonsets", kind):
		return command("rollout", "restart", p.Target)
	}
	return ""
}
