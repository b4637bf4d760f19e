// Package overview shows the server itself: its name and protocol, what runs and how
// long it took to start, what the server offers and what the client offers, and its
// problems. Everything is derived from the log, so a recording has an overview, too.
//
// facts.go puts the facts into lines, starting.go the times of the start, flow.go
// arranges and paints lines, pane.go is the pane that the shell shows while no row is
// selected. The catalog shows the same lines in a tab.
package overview
