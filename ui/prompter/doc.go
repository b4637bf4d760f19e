// Package prompter holds the questions that mcpdbg itself asks the user, about a
// host key, a passphrase or a password, until the shell has shown them and has
// an answer. No screen imports it: a question of the program is never a view
// that a screen could draw over or imitate.
package prompter
