// Package overview shows the server itself: its name and protocol, what runs and how
// long it took to start, what the server offers and what the client offers, and its
// problems. Everything is derived from the log, so a recording has an overview, too.
//
// The pane is shown while no row is selected; the catalog shows the same lines in a tab.
package overview
