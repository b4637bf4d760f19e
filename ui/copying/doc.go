// Package copying copies rows to the clipboard of the terminal or into new files: the
// message itself, and in the copy menu the other forms of a row, such as command lines
// that send a request again, and the configuration with which a client starts the server.
package copying
