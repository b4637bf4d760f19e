// Package steps has the steps that several commands take in a session with a server:
// which lists to read, a ping in either era, the shutdown, the check of the log. It
// decides nothing about a run and prints nothing.
package steps
