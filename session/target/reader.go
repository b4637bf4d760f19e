package target

import (
	"fmt"
	"path/filepath"
	"slices"
)

type reader struct {
	opts   Options
	data   []byte
	file   *File
	inputs map[string]Input // VS Code: declared in the file
	left   int              // of maxExpanded
	toml   bool
	bom    int // bytes before data
}

func (r *reader) read(root *node) {
	client, project, scope := r.file.Client, r.file.Project, r.file.Scope
	switch client {
	case registry:
		r.registry(root)
	case clientCodex:
		r.servers(root.object(keyCodexServers), project, scope)
	case clientZed:
		r.servers(root.object(keyContextServers), project, scope)
	case clientVSCode:
		r.declare(root.list("inputs"))
		r.servers(root.object(keyServers), project, scope)
	default:
		r.servers(root.object(keyMCPServers), project, scope)
		if client == clientClaudeCode {
			r.projects(root.object(keyProjects))
		}
	}
	r.ignored(root)
}

// projects reads the servers that ~/.claude.json has for each project. A
// project is the directory in which its servers start, so a relative name is
// refused: the file does not say what it is relative to.
func (r *reader) projects(projects *node) {
	if projects == nil {
		return
	}
	for _, m := range projects.members {
		servers := m.value.object(keyMCPServers)
		if servers != nil && len(servers.members) > 0 && !filepath.IsAbs(m.name) {
			r.file.Unread = append(r.file.Unread, r.problem(m.at, "",
				fmt.Sprintf("project %q is not an absolute path: its servers are skipped", m.name), "give the full path of the project's directory"))
			continue
		}
		r.servers(servers, m.name, ScopeProject)
	}
}

// ignored reports servers in the file that only another client would read.
func (r *reader) ignored(root *node) {
	read := map[Client]string{clientZed: keyContextServers, clientVSCode: keyServers}[r.file.Client]
	if r.file.Client == registry || r.file.Client == clientCodex {
		return
	}
	if read == "" {
		read = keyMCPServers
	}
	for _, key := range []string{keyMCPServers, keyServers, keyContextServers} {
		if n := root.object(key); key != read && n != nil && len(n.members) > 0 {
			r.file.Unread = append(r.file.Unread, r.problem(n.at, "", fmt.Sprintf("%s is not read: this is a file of %s", key, r.file.Client), ""))
		}
	}
}

func (r *reader) problem(at int, server, text, try string) Problem {
	line, column := position(r.data, at)
	return Problem{File: r.file.Path, Line: line, Column: column, Server: server, Text: text, Hint: try}
}

func (r *reader) servers(servers *node, project string, scope Scope) {
	if servers == nil {
		return
	}
	if m, found := servers.twice(); found {
		r.file.Unread = append(r.file.Unread, r.problem(m.at, m.name, "duplicate server: its client uses the last one", "rename one of them"))
	}
	for _, m := range servers.members {
		if len(r.file.Entries) == maxEntries {
			r.file.Unread = append(r.file.Unread, r.problem(m.at, "", fmt.Sprintf("only the first %d servers are read", maxEntries), ""))
			return
		}
		e := r.entry(m.name, m.at, project, scope)
		e.server(m.value)
		e.done()
	}
}

func (r *reader) entry(name string, at int, project string, scope Scope) *entryReader {
	line, _ := position(r.data, at)
	e := &entryReader{r: r, at: at}
	e.Entry = Entry{Name: name, Client: r.file.Client, Scope: scope, File: r.file.Path, Line: line, Project: project}
	return e
}

type entryReader struct {
	Entry
	r        *reader
	at       int
	declared map[string]Input // instead of the file's
}

func (e *entryReader) done() {
	if e.Startable() || e.Disabled {
		e.needs()
	}
	e.r.file.Entries = append(e.r.file.Entries, e.Entry)
}

func (e *entryReader) needs() {
	texts := slices.Concat(e.Via, e.Argv)
	seen := map[string]bool{}
	for _, v := range e.Env {
		texts = append(texts, v.Value)
	}
	for _, t := range append(texts, e.EnvFile, e.Cwd) {
		for _, id := range t.inputs() {
			if !seen[id] {
				seen[id] = true
				e.Inputs = append(e.Inputs, e.inputs()[id])
			}
		}
	}
}

func (e *entryReader) inputs() map[string]Input {
	if e.declared != nil {
		return e.declared
	}
	return e.r.inputs
}

// note adds a problem that does not prevent a start.
func (e *entryReader) note(at int, text, try string) {
	e.Problems = append(e.Problems, e.r.problem(at, e.Name, text, try))
}

// refuse sets the reason why the entry can't be started. The first reason wins.
func (e *entryReader) refuse(at int, text, try string) {
	if e.Refused == nil {
		p := e.r.problem(at, e.Name, text, try)
		e.Refused = &p
	}
}

// expand expands a text by the rules of the client; see expander.text.
func (e *entryReader) expand(raw string, at int, of string) Text {
	x := &expander{
		client: e.Client, opts: e.r.opts, project: e.Project, host: e.SSH,
		declared: e.inputs(), left: &e.r.left,
		problem: func(at int, text, try, unset string) {
			e.note(at, text, try)
			e.Problems[len(e.Problems)-1].Unset = unset
		},
	}
	t, ok := x.text(raw, at, of)
	if !ok {
		e.refuse(at, fmt.Sprintf("the file's variables expand to more than %d MiB", maxExpanded>>20), "")
	}
	return t
}
