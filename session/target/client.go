package target

import (
	"path/filepath"
	"slices"
)

// A Client is the program that a config file was written for.
type Client string

// The clients whose files are read.
const (
	ClaudeDesktop Client = "Claude Desktop"
	ClaudeCode    Client = "Claude Code"
	VSCode        Client = "VS Code"
	Cursor        Client = "Cursor"
	Codex         Client = "Codex"
	Zed           Client = "Zed"
	Windsurf      Client = "Windsurf"
	Gemini        Client = "Gemini CLI"
	Registry      Client = "MCP registry"
)

// The top keys by which the shape of a file is told.
const (
	keyMCPServers     = "mcpServers"
	keyServers        = "servers"
	keyContextServers = "context_servers"
	keyCodexServers   = "mcp_servers"
	keyPackages       = "packages"
	keyRemotes        = "remotes"
	keyProjects       = "projects"
)

// detect tells which client wrote a file: by its top key, and where that is
// mcpServers, which five clients have, by its place, then by keys that only one
// of them has. It is "" for a file without servers.
func detect(path string, root *node, toml bool) (client Client, how string) {
	switch {
	case toml:
		if root.object(keyCodexServers) != nil {
			return Codex, "TOML with " + keyCodexServers
		}
		return "", ""
	case root.object(keyContextServers) != nil:
		return Zed, "the key " + keyContextServers
	case root.object(keyMCPServers) != nil || hasProjects(root):
		return detectShared(path, root)
	case root.object(keyServers) != nil:
		return VSCode, "the key " + keyServers
	case root.list(keyPackages) != nil || root.list(keyRemotes) != nil && root.get("name") != nil:
		return Registry, "the keys of a server.json"
	}
	return "", ""
}

// detectShared tells apart the clients whose top key is mcpServers.
func detectShared(path string, root *node) (Client, string) {
	const key = "the key " + keyMCPServers
	if client, sign := detectPlace(path); client != "" {
		return client, key + " and its place, " + sign
	}
	if hasProjects(root) {
		return ClaudeCode, key + " under " + keyProjects
	}
	for _, c := range []struct {
		client Client
		keys   []string
	}{
		{Windsurf, []string{"serverUrl", "disabledTools"}},
		{Gemini, []string{"httpUrl", "includeTools", "excludeTools", "trust"}},
		{Cursor, []string{"envFile"}},
	} {
		for _, server := range root.object(keyMCPServers).members {
			for _, name := range c.keys {
				if server.value.get(name) != nil {
					return c.client, key + " and its servers' key " + name
				}
			}
		}
	}
	return ClaudeCode, key + " alone: read as a .mcp.json"
}

// detectPlace tells a client by where its file is.
func detectPlace(path string) (Client, string) {
	dir, base := filepath.Split(filepath.Clean(path))
	parent := filepath.Base(dir)
	switch {
	case base == "claude_desktop_config.json":
		return ClaudeDesktop, base
	case base == ".mcp.json", base == ".claude.json":
		return ClaudeCode, base
	case base == "mcp_config.json":
		return Windsurf, base
	case parent == ".cursor":
		return Cursor, parent
	case parent == ".gemini":
		return Gemini, parent
	case parent == ".vscode":
		return VSCode, parent
	}
	return "", ""
}

// hasProjects tells the shape of ~/.claude.json: servers for each project.
func hasProjects(root *node) bool {
	projects := root.object(keyProjects)
	return projects != nil && slices.ContainsFunc(projects.members, func(m member) bool {
		return m.value.object(keyMCPServers) != nil
	})
}

// clientFolders are the folders of a project that hold config files: the
// project is their parent.
var clientFolders = []string{".vscode", ".cursor", ".codex", ".gemini", ".zed"}

// userFiles are the names of files that are never a project's.
var userFiles = []string{".claude.json", "claude_desktop_config.json", "mcp_config.json"}

// projectOf is the project that a file belongs to: what relative commands
// resolve against. A file among the person's own settings belongs to the
// directory that the program was called in.
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
