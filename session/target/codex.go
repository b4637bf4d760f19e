package target

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Of Codex's configuration: the pattern of a server's name, and the members that
// each transport alone takes.
var (
	codexName  = pattern(`^[a-zA-Z0-9_-]+$`)
	codexHTTP  = []string{"url", "http_headers", "env_http_headers", "bearer_token_env_var", "http_headers_helper", "bearer_token"}
	codexStdio = []string{"args", "env", "env_vars", "cwd"}
)

// codex holds what Codex itself would refuse, and finds the host of a remote
// environment. A server that is refused does not touch the others.
func (e *entryReader) codex(n *node) {
	if !codexName().MatchString(e.Name) {
		e.refuse(e.at, "the name may hold letters, digits, - and _ only", "rename it")
	}
	command := n.get("command")
	switch {
	case command != nil:
		if name, v := n.first(codexHTTP...); v != nil {
			e.refuse(v.at, name+" is not supported for stdio", "take out "+name+", or the command")
		}
	case n.get("url") != nil:
		if name, v := n.first(codexStdio...); v != nil {
			e.refuse(v.at, name+" is not supported for HTTP", "take out "+name+", or the url")
		}
	default:
		e.refuse(e.at, "invalid transport: it has neither a command nor a url", `write command = "PROGRAM"`)
	}
	e.codexEnvironment(n)
}

// localEnvironment is the id of Codex's environment on this machine.
const localEnvironment = "local"

// codexEnvironment finds the host of a remote environment. The older name of the
// member is read, too.
func (e *entryReader) codexEnvironment(n *node) {
	name, v := n.first("environment_id", "experimental_environment")
	if v == nil || v.kind == text && v.text == localEnvironment {
		return
	}
	host, known := e.r.opts.Environments[v.text]
	switch {
	case v.kind != text:
		e.refuse(v.at, name+" is no text", `write environment_id = "NAME"`)
	case e.SSH != "":
		e.refuse(v.at, keySSH+" and "+name+" both say where it runs", "take out one of them")
	case !known || strings.TrimSpace(host) == "":
		e.refuse(v.at, fmt.Sprintf("the environment %q is not known", v.text), e.environmentHint(v.text))
	default:
		e.SSH = host
	}
}

func (e *entryReader) environmentHint(id string) string {
	where := e.r.opts.SettingsFile
	if where == "" {
		where = "the settings"
	}
	hint := fmt.Sprintf("name its host in %s: under [environments], %q = \"HOST\"", where, id)
	if known := slices.Sorted(maps.Keys(e.r.opts.Environments)); len(known) > 0 {
		hint += "; known are " + strings.Join(known, ", ")
	}
	return hint
}

// envVars copies variables of this environment: below env, which wins. One with
// the source "remote" is the host's own, which it has anyway.
func (e *entryReader) envVars(vars *node) {
	if vars == nil {
		return
	}
	if vars.kind != list {
		e.refuse(vars.at, "env_vars is no list", `write env_vars = ["NAME"]`)
		return
	}
	var copied []Var
	for _, v := range vars.items {
		name, source := v.text, localEnvironment
		if v.kind == object {
			name = v.str("name")
			if s := v.get("source"); s != nil {
				source = s.text
			}
		}
		switch {
		case v.kind != text && v.kind != object || name == "":
			e.refuse(v.at, "env_vars holds something that is no name", `write "NAME", or {name = "NAME", source = "local"}`)
		case source == "remote" && e.SSH == "":
			e.refuse(v.at, "the source remote of "+name+" needs a remote environment", `write source = "local"`)
		case source == "remote":
		case source != localEnvironment:
			e.refuse(v.at, fmt.Sprintf("the source %q of %s is not known", source, name), "it is local or remote")
		default:
			if value, ok := e.r.opts.LookupEnv(name); ok {
				copied = append(copied, Var{name, plain(value).secret(name)})
			} else {
				e.note(v.at, "the variable "+name+" of env_vars is not set", "export "+name+"=VALUE")
			}
		}
	}
	e.Env = append(copied, e.Env...)
}
