// Package tui wires sessions and recordings to the interface: it shows the list
// of servers and recordings, a live session, recordings, or a run over targets,
// and opens for the interface what the user chooses there. However the interface
// ends, the servers that were started in it are gone when a function returns.
package tui
