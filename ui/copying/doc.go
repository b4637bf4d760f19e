// Package copying copies rows to the clipboard of the terminal or into new files:
// the message itself, and the copy menu with the other forms of a row. Among
// those are command lines that send a request again, with mcpdbg or without it,
// and the configuration with which a client starts the server.
package copying
