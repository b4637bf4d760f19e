// Package run has the commands that start a server, send requests and print what
// comes back: run, also with a scenario or with --watch, call and list.
package run
