package via

import (
	"path"
	"slices"
	"strings"
)

const kubectl = "kubectl"

var (
	engines = []string{"docker", "podman", "nerdctl", kubectl, "docker-compose", "podman-compose"}
	// engineVerbs are their commands that run a program in a container.
	engineVerbs = []string{"run", "exec", "start", "attach", "compose"}
	// launchers are, besides wrappers, programs that run the command in their arguments.
	launchers = []string{
		"su", "exec", "command", "npx", "npm", "pnpm", "yarn", "bunx", "uvx", "uv", "pipx",
	}
)

const shells = "sh bash zsh dash ash ksh mksh fish"

// clientIn returns the position of the client in the words of a command, or -1. The words
// differ from the command if the client is in the argument of a shell.
func clientIn(argv []string) (words []string, at int) {
	if len(argv) == 0 {
		return nil, -1
	}
	name := programName(argv[0])
	if slices.Contains(engines, name) && runsContainer(argv[1:]) {
		return argv, 0
	}
	if _, wraps := wrappers[name]; !wraps && !slices.Contains(launchers, name) && !has(shells, name) {
		return nil, -1
	}
	if at = clientAmong(argv); at >= 0 {
		return argv, at
	}
	words = []string{argv[0]}
	for _, arg := range argv[1:] {
		words = append(words, strings.Fields(arg)...) // of sh -c "docker run ..."
	}
	return words, clientAmong(words)
}

// clientAmong returns the position of the first client behind the first word, or -1.
func clientAmong(words []string) int {
	for i, word := range words {
		if dir := path.Dir(strings.ReplaceAll(word, `\`, "/")); i == 0 || dir != "." && path.Base(dir) != "bin" {
			continue // a directory or file of that name
		}
		if slices.Contains(engines, programName(word)) && runsContainer(words[i+1:]) {
			return i
		}
	}
	return -1
}

// runsContainer reports whether the arguments of a client, up to the next command of a
// shell, name one of engineVerbs.
func runsContainer(args []string) bool {
	for _, arg := range args {
		word := strings.TrimRight(arg, ";&|")
		if slices.Contains(engineVerbs, word) {
			return true
		}
		if word != arg {
			return false
		}
	}
	return false
}

func programName(arg string) string {
	name := strings.ToLower(path.Base(strings.ReplaceAll(arg, `\`, "/")))
	return strings.TrimSuffix(strings.TrimSuffix(name, ".exe"), ".cmd")
}

// A Prefix is what Parse finds in the words of a command that uses a container engine. Its
// positions are indexes of these words.
type Prefix struct {
	Engine string // docker, podman, nerdctl, kubectl, docker-compose or podman-compose
	// Client is the position of its program.
	Client int
	// Verb is exec, run, start, attach, or one of compose, such as "compose exec". It ends
	// before Insert; the words before it, with Client, are good for other verbs of the
	// same engine. Of "docker container exec" it is exec.
	Verb string
	At   int // position of the verb's first word
	// Insert is where further options of the verb can be inserted.
	Insert int
	// Target is the container, image, pod (or deploy/NAME, svc/NAME) or service.
	Target    string
	Namespace string // -n of kubectl
	Container string // -c of kubectl
	// Rest is where the command inside begins; the number of words if there is none.
	Rest        int
	Interactive bool // stdin is passed on
	TTY         bool // a terminal is asked for, which breaks framing
	Detach      bool
	Dashes      bool // "--" is before Rest
	// Unknown is an option that may have a value, or not, or the shell whose text has the
	// command. Target and everything after it are then unknown, and if Verb is "", so are
	// Insert and At.
	Unknown string
}

// Parse finds the client of a container engine in the words of a command, and what it is
// to do. ok is false for other commands.
func Parse(argv []string) (p Prefix, ok bool) {
	words, at := clientIn(argv)
	if at < 0 {
		return Prefix{}, false
	}
	p = Prefix{Engine: programName(words[at]), Client: at}
	if len(words) != len(argv) {
		p.Unknown, p.Client = argv[0], 0
		return p, true
	}
	p.parse(words)
	return p, true
}

func (p *Prefix) parse(words []string) {
	global := &engineGlobal
	switch {
	case p.Engine == kubectl:
		global = &kubectlGlobal
	case p.standsAlone():
		global = &compose
	}
	given, at, unknown := global.scan(words, p.Client+1)
	if p.Unknown = unknown; unknown != "" || at == len(words) {
		return
	}
	p.At = at
	if words[at] == "container" && at+1 < len(words) {
		at++
	}
	verb := words[at]
	if verb == "compose" {
		if _, at, unknown = compose.scan(words, at+1); unknown != "" || at == len(words) {
			p.Unknown = unknown
			return
		}
		verb += " " + words[at]
	}
	p.Verb, p.Insert, p.Rest = verb, at+1, len(words)
	options := p.options()
	switch {
	case options == nil:
	case p.Engine == kubectl:
		p.pod(words, options, given)
	default:
		given, at, p.Unknown = options.scan(words, p.Insert)
		if at < len(words) && words[at] == dashes {
			at++
		}
		if p.Unknown == "" && at < len(words) {
			p.Target, p.Rest = words[at], at+1
		}
		p.use(given)
	}
}

// ownStatus reports whether the client ends with a status if it could not execute the command.
func (p *Prefix) ownStatus(status int) bool {
	switch options := p.options(); {
	case status == 126 || status == 127:
		return true
	case options == &engineRun && p.Engine != "nerdctl", p.Engine == "podman":
		return status == 125 || status == 255
	}
	return status == 1
}

// standsAlone reports whether the program is a compose of its own.
func (p *Prefix) standsAlone() bool { return strings.HasSuffix(p.Engine, "-compose") }

// options returns those of the verb, or nil for one that runs nothing itself.
func (p *Prefix) options() *syntax {
	verb, composed := strings.CutPrefix(p.Verb, "compose ")
	switch {
	case (composed || p.standsAlone()) && verb == "exec":
		return &composeExec
	case (composed || p.standsAlone()) && verb == "run":
		return &composeRun
	case composed || p.standsAlone():
		return nil
	case p.Engine == kubectl && (verb == "exec" || verb == "attach"):
		return &kubectlExec
	case p.Engine == kubectl && verb == "run":
		return &kubectlRun
	case verb == "exec":
		return &engineExec
	case verb == "run":
		return &engineRun
	case verb == "start" || verb == "attach":
		return &engineStart
	}
	return nil
}

func (p *Prefix) use(given []option) {
	p.Interactive = on(given, "-i --interactive --stdin")
	p.TTY = on(given, "-t --tty") && !on(given, "-T --no-tty --no-TTY")
	p.Detach = on(given, "-d --detach")
	if options := p.options(); options == &composeExec || options == &composeRun { // attached unless it is switched off
		p.Interactive = last(given, "-i --interactive") == "" || p.Interactive
	}
}

// pod reads options and operands up to "--". Without one, the second operand begins the
// command inside.
func (p *Prefix) pod(words []string, options *syntax, given []option) {
	for at := p.Insert; ; at++ {
		var more []option
		more, at, p.Unknown = options.scan(words, at)
		given = append(given, more...)
		if p.Unknown != "" {
			p.Target = ""
			break
		}
		if at == len(words) {
			break
		}
		if p.Dashes = words[at] == dashes; p.Dashes {
			p.Rest = at + 1
			break
		}
		if p.Target != "" {
			p.Rest = at
			break
		}
		p.Target = words[at]
	}
	p.use(given)
	p.Namespace, p.Container = last(given, "-n --namespace"), last(given, "-c --container")
}
