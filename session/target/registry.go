package target

import (
	"fmt"
	"slices"
	"strings"
)

// runtimes run the packages of each registry, unless a package has a runtimeHint.
var runtimes = map[string]string{"npm": "npx", "pypi": "uvx", "oci": "docker", "nuget": "dnx"}

// registry reads each package of a server.json as an entry; the names of several end with
// :TYPE.
func (r *reader) registry(root *node) {
	name := root.str("name")
	var packages, remotes []*node
	if n := root.list(keyPackages); n != nil {
		packages = n.items
	}
	if n := root.list(keyRemotes); n != nil {
		remotes = n.items
	}
	several := len(packages)+len(remotes) > 1
	for _, p := range append(slices.Clone(packages), remotes...) {
		if len(r.file.Entries) == maxEntries {
			r.file.Unread = append(r.file.Unread, r.problem(p.at, "", fmt.Sprintf("only the first %d packages are read", maxEntries), ""))
			return
		}
		of := name
		if kind := p.str("registryType") + p.str("type"); several && kind != "" {
			of += ":" + kind
		}
		e := r.entry(r.unused(of), p.at, r.file.Project, r.file.Scope)
		e.declared = map[string]Input{}
		e.pkg(p, root.str("version"))
		e.done()
	}
}

func (r *reader) unused(name string) string {
	taken := func(name string) bool {
		return slices.ContainsFunc(r.file.Entries, func(e Entry) bool { return e.Name == name })
	}
	for i, base := 2, name; taken(name); i++ {
		name = fmt.Sprintf("%s:%d", base, i)
	}
	return name
}

// pkg builds the command line: runtime, its arguments, the package, its arguments.
func (e *entryReader) pkg(p *node, version string) {
	if kind := p.object("transport").str("type"); kind != "" && kind != "stdio" || p.get("registryType") == nil {
		_, url := p.first(urlKeys...)
		e.http(url)
		return
	}
	e.twice(p)
	e.placement(p)
	e.via(p)
	registry, identifier := p.str("registryType"), p.str("identifier")
	program := p.str("runtimeHint")
	if program == "" {
		program = runtimes[registry]
	}
	switch {
	case identifier == "":
		e.refuse(p.at, "the package has no identifier", "")
		return
	case program == "":
		e.Unsupported = fmt.Sprintf("packages of type %q are not supported", registry)
		return
	}
	if v := p.str("version"); v != "" {
		version = v
	}
	e.variables(p.list("environmentVariables"))
	e.Argv = append(e.Argv, plain(program))
	before := e.arguments(p.list("runtimeArguments"))
	e.Argv = append(e.Argv, e.runtimeDefaults(program, before)...)
	e.Argv = append(e.Argv, before...)
	if isContainer(program) {
		for _, v := range e.Env {
			e.Argv = append(e.Argv, plain("-e"), plain(v.Name))
		}
	}
	e.Argv = append(e.Argv, plain(packageSpec(program, identifier, version)))
	e.Argv = append(e.Argv, e.arguments(p.list("packageArguments"))...)
}

func isContainer(program string) bool { return program == "docker" || program == "podman" }

// runtimeDefaults returns the arguments to run a package non-interactively, unless args
// have them.
func (e *entryReader) runtimeDefaults(program string, args []Text) []Text {
	has := func(words ...string) bool {
		return slices.ContainsFunc(args, func(t Text) bool { return slices.Contains(words, t.String()) })
	}
	switch {
	case program == "npx" && !has("-y", "--yes"):
		return []Text{plain("-y")}
	case isContainer(program) && !has("run"):
		return []Text{plain("run"), plain("-i"), plain("--rm")}
	}
	return nil
}

// packageSpec returns image:version for a container, else identifier@version.
func packageSpec(program, identifier, version string) string {
	switch {
	case version == "" || strings.HasPrefix(identifier, "http"):
		return identifier
	case !isContainer(program):
		return identifier + "@" + version
	case strings.ContainsAny(identifier[strings.LastIndexByte(identifier, '/')+1:], ":@"):
		return identifier
	default:
		return identifier + ":" + version
	}
}

// arguments reads positional and named arguments. A named argument without a
// value is a flag.
func (e *entryReader) arguments(args *node) []Text {
	if args == nil {
		return nil
	}
	var out []Text
	for _, arg := range args.items {
		name := arg.str("name")
		named := arg.str("type") == "named" && name != ""
		if named && isFlag(arg) {
			out = append(out, plain(name))
			continue
		}
		id := strings.TrimLeft(name, "-")
		if id == "" {
			id = arg.str("valueHint")
		}
		value, ok := e.value(arg, id, "")
		if !ok {
			continue
		}
		if named {
			out = append(out, plain(name))
		}
		out = append(out, value)
	}
	return out
}

func isFlag(arg *node) bool {
	name, _ := arg.first("value", "default", "choices", "placeholder", "format", "valueHint", "isRequired", "isSecret")
	return name == ""
}

// value returns the value of an argument or, if of is set, of an environment
// variable: the written value with its variables as inputs, or a new input. It
// returns false for an optional one without a value.
func (e *entryReader) value(n *node, id, of string) (Text, bool) {
	if vars := n.object("variables"); vars != nil {
		for _, m := range vars.members {
			e.declare(m.name, m.value, of)
		}
	}
	if v := n.get("value"); v != nil && v.kind == text {
		t := e.expand(v.text, v.at, of)
		if secret, _ := n.flag("isSecret"); secret && id != "" {
			t = t.secret(id)
		}
		return t, true
	}
	required, _ := n.flag("isRequired")
	if !required && n.get("default") == nil {
		if of == "" {
			e.note(n.at, "the optional argument "+id+" is omitted: it has no value", "")
		}
		return Text{}, false
	}
	if id == "" {
		e.refuse(n.at, "a required argument has neither a value nor a name", "")
		return Text{}, false
	}
	e.declare(id, n, of)
	t := textOf([]part{{input: id}})
	if of != "" {
		t = t.secret(of)
	}
	return t, true
}

func (e *entryReader) declare(id string, n *node, of string) {
	in := Input{ID: id, Description: n.str("description")}
	in.Secret, _ = n.flag("isSecret")
	in.Secret = in.Secret || of != ""
	if choices := n.list("choices"); choices != nil {
		in.Kind, in.Options = InputPick, options(choices)
	}
	if def, ok := n.first("value", "default"); ok != nil && ok.kind != list && ok.kind != object {
		in.Default = plain(n.get(def).text)
		if in.Secret {
			in.Default = in.Default.secret(id)
		}
	}
	e.declared[id] = in
}

// variables reads the environment variables. Without a value in the file they are taken
// from this environment, if set; otherwise required ones become inputs.
func (e *entryReader) variables(vars *node) {
	if vars == nil {
		return
	}
	for _, n := range vars.items {
		name := n.str("name")
		if name == "" {
			e.refuse(n.at, "an environment variable has no name", "")
			continue
		}
		if n.get("value") == nil {
			if value, ok := e.r.opts.LookupEnv(name); ok {
				e.Env = append(e.Env, Var{name, plain(value).secret(name)})
				continue
			}
		}
		if value, ok := e.value(n, name, name); ok {
			e.Env = append(e.Env, Var{name, value})
		}
	}
}
