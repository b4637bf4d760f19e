package target

import "fmt"

// For Codex's configuration: the pattern of a server's name, and the members
// that only one transport supports.
var (
	codexName  = pattern(`^[a-zA-Z0-9_-]+$`)
	codexHTTP  = []string{"url", "http_headers", "env_http_headers", "bearer_token_env_var", "http_headers_helper", "bearer_token"}
	codexStdio = []string{"args", "env", "env_vars", "cwd"}
)

// codex refuses a server that Codex itself would refuse.
func (e *entryReader) codex(n *node) {
	if !codexName().MatchString(e.Name) {
		e.refuse(e.at, "invalid name: only letters, digits, - and _ are allowed", "rename it")
	}
	command := n.get("command")
	switch {
	case command != nil:
		if name, v := n.first(codexHTTP...); v != nil {
			e.refuse(v.at, name+" is not supported for stdio", "remove "+name+" or the command")
		}
	case n.get("url") != nil:
		if name, v := n.first(codexStdio...); v != nil {
			e.refuse(v.at, name+" is not supported for HTTP", "remove "+name+" or the url")
		}
	default:
		e.refuse(e.at, "invalid transport: it has neither a command nor a url", `write command = "PROGRAM"`)
	}
}

// envVars copies variables of this environment; env overrides them. Variables
// with the source "remote" are set on the host itself.
func (e *entryReader) envVars(vars *node) {
	if vars == nil {
		return
	}
	if vars.kind != list {
		e.refuse(vars.at, "env_vars is not a list", `write env_vars = ["NAME"]`)
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
			e.refuse(v.at, "env_vars contains an item that is not a name", `write "NAME", or {name = "NAME", source = "local"}`)
		case source == "remote" && e.SSH == "":
			e.refuse(v.at, "the source remote of "+name+" requires a remote environment", `write source = "local"`)
		case source == "remote":
		case source != localEnvironment:
			e.refuse(v.at, fmt.Sprintf("unknown source %q of %s", source, name), "use local or remote")
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
