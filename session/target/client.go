package target

import (
	"path/filepath"
	"slices"
)

// A Client is the program that a config file was written for.
type Client string

// The clients whose files are read.
const (
	clientClaudeDesktop Client = "Claude Desktop"
	clientClaudeCode    Client = "Claude Code"
	clientVSCode        Client = "VS Code"
	clientCursor        Client = "Cursor"
	clientCodex         Client = "Codex"
	clientZed           Client = "Zed"
	clientWindsurf      Client = "Windsurf"
	clientGemini        Client = "Gemini CLI"
	registry            Client = "MCP registry"
)

// The top-level keys that determine the format of a file.
const (
	keyMCPServers     = "mcpServers"
	keyServers        = "servers"
	keyContextServers = "context_servers"
	keyCodexServers   = "mcp_servers"
	keyPackages       = "packages"
	keyRemotes        = "remotes"
	keyProjects       = "projects"
)

// detect returns the client that a file was written for and how it was detected: by its
// top-level key and, if that is mcpServers, which five clients share, by its path, then
// by keys that only one of them has. client is "" for a file without servers.
func detect(path string, root *node, toml bool) (client Client, how string) {
	switch {
	case toml:
		if root.object(keyCodexServers) != nil {
			return clientCodex, "TOML with " + keyCodexServers
		}
		return "", ""
	case root.object(keyContextServers) != nil:
		return clientZed, "the key " + keyContextServers
	case root.object(keyMCPServers) != nil || hasProjects(root):
		return detectShared(path, root)
	case root.object(keyServers) != nil:
		return clientVSCode, "the key " + keyServers
	case root.list(keyPackages) != nil || root.list(keyRemotes) != nil && root.get("name") != nil:
		return registry, "the keys of a server.json"
	}
	return "", ""
}

func detectShared(path string, root *node) (Client, string) {
	const key = "the key " + keyMCPServers
	if client, sign := detectPlace(path); client != "" {
		return client, key + " and its path, " + sign
	}
	if hasProjects(root) {
		return clientClaudeCode, key + " under " + keyProjects
	}
	for _, c := range []struct {
		client Client
		keys   []string
	}{
		{clientWindsurf, []string{"serverUrl", "disabledTools"}},
		{clientGemini, []string{"httpUrl", "includeTools", "excludeTools", "trust"}},
		{clientCursor, []string{"envFile"}},
	} {
		for _, server := range root.object(keyMCPServers).members {
			for _, name := range c.keys {
				if server.value.get(name) != nil {
					return c.client, key + " and its servers' key " + name
				}
			}
		}
	}
	return clientClaudeCode, key + " alone: read as a .mcp.json"
}

func detectPlace(path string) (Client, string) {
	dir, base := filepath.Split(filepath.Clean(path))
	parent := filepath.Base(dir)
	switch {
	case base == "claude_desktop_config.json":
		return clientClaudeDesktop, base
	case base == ".mcp.json", base == ".claude.json":
		return clientClaudeCode, base
	case base == "mcp_config.json":
		return clientWindsurf, base
	case parent == ".cursor":
		return clientCursor, parent
	case parent == ".gemini":
		return clientGemini, parent
	case parent == ".vscode":
		return clientVSCode, parent
	}
	return "", ""
}

// hasProjects reports whether the file has the format of ~/.claude.json.
func hasProjects(root *node) bool {
	projects := root.object(keyProjects)
	return projects != nil && slices.ContainsFunc(projects.members, func(m member) bool {
		return m.value.object(keyMCPServers) != nil
	})
}

// clientFolders are the folders of a project that hold config files: the
// project is their parent.
var clientFolders = []string{".vscode", ".cursor", ".codex", ".gemini", ".zed"}

// userFiles are the names of files that never belong to a project.
var userFiles = []string{".claude.json", "claude_desktop_config.json", "mcp_config.json"}

// projectOf returns the project that a file belongs to. A file of the user's own settings
// belongs to the directory that the program was called in.
func projectOf(path string, opts Options) (project string, scope Scope) {
	if slices.Contains(userFiles, filepath.Base(path)) {
		return opts.Cwd, ScopeUser
	}
	for _, place := range userPlaces(opts) {
		if samePath(path, place) {
			return opts.Cwd, ScopeUser
		}
	}
	dir := filepath.Dir(path)
	if slices.Contains(clientFolders, filepath.Base(dir)) {
		dir = filepath.Dir(dir)
	}
	return dir, ScopeProject
}

func samePath(a, b string) bool {
	return filepath.Clean(a) == filepath.Clean(b)
}

// Clients returns all clients.
func Clients() []Client {
	return []Client{clientClaudeCode, clientClaudeDesktop, clientVSCode, clientCursor, clientCodex, clientZed, clientWindsurf, clientGemini, registry}
}

// Facts are what a program that edits a client's files must know.
type Facts struct {
	Word    string // the client on a command line
	Strict  bool   // it rejects comments and trailing commas
	Rereads string // when it picks up a change of the file
}

// Facts returns the facts of a client; ok is false if its files are only read.
func (c Client) Facts() (f Facts, ok bool) {
	switch c {
	case clientClaudeCode:
		f = Facts{"claude-code", true, "in a new session, or after /mcp in a running one"}
	case clientClaudeDesktop:
		f = Facts{"claude-desktop", true, "when it starts again: quit it, also in the tray"}
	case clientVSCode:
		f = Facts{"vscode", false, "at the next chat request, sometimes only after a reload of the window; it asks again whether a server of a workspace is trusted"}
	case clientCursor:
		f = Facts{"cursor", false, "when the file is saved; if not, turn the server off and on in its settings"}
	case clientCodex:
		f = Facts{"codex", false, "in a new thread"}
	case clientGemini:
		f = Facts{"gemini", false, "when it starts again; in a folder that it does not trust, servers stay disabled"}
	default:
		return f, false
	}
	return f, true
}
