// Package rec has the commands that read recordings: rec with its subcommands
// (ls, info, cat, verify, rm, prune, redact, export, import) and open. Each file
// has one command, with what it prints as text and as JSON.
package rec
