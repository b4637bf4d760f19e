// Package target reads from the config files of MCP clients what to start and
// where: Claude Desktop, Claude Code, VS Code, Cursor, Codex, Zed, Windsurf,
// Gemini CLI, and the server.json of the MCP registry.
//
// Discover lists the files that are there, Read reads one. A File holds an
// Entry for each server, with what can't be started among them and why. An
// Entry is not started as it is written: Entry.Resolve asks for the inputs that
// it needs, reads its env file, and gives a Start.
//
// Which client a file is from is seen by its shape, and where several clients
// share one shape, by its place: see File.How. The client decides which tokens
// are expanded. What it would not expand is left as it is, and told by a
// Problem. What a token expanded to is never looked into again.
//
// Values of environment variables, of secret inputs, and what tokens put into
// arguments are secrets: they are held as Text, which prints as ${NAME}
// whatever the verb, and are in no error and no Problem.
//
// An entry with a host ("ssh", or one of Codex's remote environments) has it in
// Entry.SSH and in Start.SSH. If the host is not known the entry is refused: it
// never becomes one of this machine.
package target
