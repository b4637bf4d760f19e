package target

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcpdbg/internal/wording"
)

var urlKeys = []string{"url", "serverUrl", "httpUrl"}

func (e *entryReader) server(n *node) {
	if n.kind != object {
		e.refuse(n.at, "not an object", "write {\"command\": ..., \"args\": [...]}")
		return
	}
	e.twice(n)
	e.placement(n)
	e.via(n)
	if off, _ := n.flag("disabled"); off {
		e.Disabled = true
	}
	if on, given := n.flag("enabled"); given && !on {
		e.Disabled = true
	}
	if on, _ := n.flag("sandboxEnabled"); on {
		e.note(n.get("sandboxEnabled").at, "the sandbox of "+string(e.Client)+" is not used here", "")
	}
	e.timeouts(n)
	for _, key := range toolKeys[e.Client] {
		if v := n.get(key); v != nil && len(v.items) > 0 {
			e.note(v.at, key+" is not used here: all tools are shown", "")
		}
	}
	if e.Client == clientCodex {
		e.codex(n)
	}
	if !e.stdio(n) {
		return
	}
	e.command(n)
	e.vars(keyEnvironment, n.object(keyEnvironment)) // as opencode calls it; env overrides it
	e.vars("env", n.get("env"))
	if e.Client == clientCodex {
		e.envVars(n.get("env_vars"))
	}
	if cwd := n.get("cwd"); cwd != nil {
		e.Cwd = e.textOf(cwd, "cwd")
	}
	if file := n.get("envFile"); file != nil {
		e.EnvFile = e.textOf(file, "envFile")
	}
}

// twice reports duplicate members: all parsers take the last one. A duplicate place is
// refused.
func (e *entryReader) twice(n *node) {
	m, found := n.twice()
	if !found {
		return
	}
	e.note(m.at, "duplicate key "+m.name+": the last one is used", "")
	for _, key := range []string{keySSH, keyVia} {
		same := func(m member) bool { return m.name == key }
		if first := slices.IndexFunc(n.members, same); first >= 0 && slices.ContainsFunc(n.members[first+1:], same) {
			e.refuse(m.at, "duplicate key "+key, "remove one of them")
		}
	}
}

func (e *entryReader) stdio(n *node) bool {
	command := n.get("command")
	url, hasURL := n.first(urlKeys...)
	kind := n.str("type")
	if source := n.str("source"); e.Client == clientZed && source != "" && source != "custom" {
		e.Unsupported = "it is provided by a Zed extension, and the file does not have its command"
		return false
	}
	switch kind {
	case "", "stdio", "local":
	case "http", "sse", "streamable-http", "streamableHttp", "streamable_http", "ws", "remote":
		e.http(hasURL)
		return false
	default:
		e.refuse(n.get("type").at, fmt.Sprintf("unknown type %q", kind), `write "type": "stdio", or remove it`)
		return false
	}
	switch {
	case command == nil && hasURL != nil:
		e.http(hasURL)
		return false
	case command == nil:
		e.refuse(n.at, "neither command nor url is set", `write "command": "PROGRAM"`)
		return false
	case hasURL != nil && e.Client != clientCodex: // Codex refuses it
		e.note(hasURL.at, url+" is not used: there is a command", "")
	}
	return true
}

// http marks the entry as a server behind a URL, which may be nil.
func (e *entryReader) http(url *node) {
	e.Unsupported = httpUnsupported
	if url != nil && url.kind == text && IsURL(url.text) {
		e.try = BridgeHint(withoutSecrets(url.text))
	}
}

// command reads program and arguments; older versions of Zed have both in an
// object.
func (e *entryReader) command(n *node) {
	command, args := n.get("command"), n.get("args")
	if e.Client == clientZed && command.kind == object {
		args = command.get("args")
		if env := command.get("env"); env != nil && n.get("env") == nil {
			n.members = append(n.members, member{"env", env.at, env})
		}
		if command = command.get("path"); command == nil {
			e.refuse(n.at, "its command has no path", "")
			return
		}
	}
	if command.kind != text || command.text == "" {
		e.refuse(command.at, "command is not a string", `write "command": "PROGRAM"`)
		return
	}
	e.words(command, args)
	e.Source = e.source(n, command, args)
}

// words reads program and arguments. Of a tap, the program is the one that it starts.
func (e *entryReader) words(command, args *node) {
	words := []*node{command}
	switch {
	case args == nil || args.kind == null:
	case args.kind != list:
		e.refuse(args.at, "args is not a list", `write "args": ["ONE", "TWO"]`)
	default:
		words = append(words, args.items...)
	}
	if e.Tap = tapOf(words); e.Tap != nil {
		words = words[e.Tap.Words:]
	}
	for i, word := range words {
		what := "an argument"
		if i == 0 {
			what = "the command"
		}
		e.Argv = append(e.Argv, e.textOf(word, what))
	}
	if first := words[0]; strings.HasPrefix(first.text, "~/") {
		e.note(first.at, "~ in the command is not expanded: only a shell expands it", "write the whole path")
	}
}

func (e *entryReader) textOf(n *node, what string) Text {
	raw, ok := n.scalar()
	if !ok {
		e.refuse(n.at, what+" is not a string", "")
		return Text{}
	}
	return e.expand(raw, n.at, "")
}

func (e *entryReader) vars(key string, vars *node) {
	switch {
	case vars == nil || vars.kind == null:
		return
	case vars.kind != object:
		e.refuse(vars.at, key+" is not an object", fmt.Sprintf(`write %q: {"NAME": "VALUE"}`, key))
		return
	}
	for _, m := range vars.members {
		raw, ok := m.value.scalar()
		switch {
		case m.value.kind == null:
			e.note(m.at, "the variable "+m.name+" is null and ignored; "+string(e.Client)+" may unset it", "")
		case !ok:
			e.refuse(m.at, "the value of "+m.name+" in "+key+" is not a string", "")
		default:
			e.Env = append(e.Env, Var{m.name, e.expand(raw, m.at, m.name)})
		}
	}
}

// timeouts reads the timeouts of Codex (startup_timeout_sec wins over
// startup_timeout_ms) and Gemini CLI (milliseconds for a request).
func (e *entryReader) timeouts(n *node) {
	switch e.Client {
	case clientCodex:
		e.StartupTimeout = e.duration(n, "startup_timeout_sec", time.Second)
		if e.StartupTimeout == 0 {
			e.StartupTimeout = e.duration(n, "startup_timeout_ms", time.Millisecond)
		}
		e.Timeout = e.duration(n, "tool_timeout_sec", time.Second)
	case clientGemini:
		e.Timeout = e.duration(n, "timeout", time.Millisecond)
	}
}

const maxTimeout = 365 * 24 * time.Hour

func (e *entryReader) duration(n *node, name string, unit time.Duration) time.Duration {
	v := n.get(name)
	if v == nil {
		return 0
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(v.text, "_", ""), 64)
	switch d := f * float64(unit); {
	case v.kind != number || err != nil || math.IsNaN(f) || d < 1 || d > float64(maxTimeout):
		e.note(v.at, "invalid "+name+" is ignored", "write a number larger than 0")
		return 0
	default:
		return time.Duration(d)
	}
}

// toolKeys are the lists with which each client restricts tools.
var toolKeys = map[Client][]string{
	clientCodex:    {"enabled_tools", "disabled_tools"},
	clientGemini:   {"includeTools", "excludeTools"},
	clientWindsurf: {"disabledTools"},
}

// IsURL reports whether a word is the URL of a server.
func IsURL(word string) bool {
	scheme, _, found := strings.Cut(word, "://")
	return found && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// BridgeHint returns how to start a server behind a URL.
func BridgeHint(url string) string {
	if strings.ContainsAny(url, " \t\n\"'`$&;|<>()[]{}*?!#~\\") {
		url = wording.ShellQuote(url)
	}
	return "-- npx -y mcp-remote " + url + " (a program that bridges stdio to the URL)"
}

// withoutSecrets returns a URL without user and query, which may contain tokens.
func withoutSecrets(url string) string {
	scheme, rest, _ := strings.Cut(url, "://")
	rest, _, _ = strings.Cut(rest, "?")
	host, path, slash := strings.Cut(rest, "/")
	host = host[strings.LastIndexByte(host, '@')+1:]
	if slash {
		path = "/" + path
	}
	return scheme + "://" + host + path
}
