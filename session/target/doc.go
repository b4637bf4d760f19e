// Package target reads servers from the config files of MCP clients: Claude
// Desktop, Claude Code, VS Code, Cursor, Codex, Zed, Windsurf, Gemini CLI, and
// the server.json of the MCP registry.
//
// Discover lists the existing files, Read reads one. A File holds an Entry for
// each server, including those that can't be started, with the reason. An Entry
// must be resolved before it can be started: Entry.Resolve asks for its inputs,
// reads its env file, and returns a Start.
//
// The client of a file is detected by its format and, if several clients share
// a format, by its path: see File.How. The client determines which tokens are
// expanded. Other tokens are left unchanged and reported as a Problem. The
// result of an expansion is not expanded again.
//
// Values of environment variables, of secret inputs, and of expanded tokens in
// arguments are secrets: they are held as Text, which prints as ${NAME}
// whatever the verb, and never occur in an error or a Problem.
//
// An entry with a host ("ssh", or a named environment) has it in
// Entry.SSH and in Start.SSH; words before its command ("via") are in Via. If the host is unknown the entry is refused: it
// is never started on this machine instead.
package target
