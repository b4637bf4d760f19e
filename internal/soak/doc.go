// Package soak has one test, which lets sessions run for an hour while servers,
// connections and whole programs are killed, stopped and starved:
//
//	go test -tags soak -timeout 2h ./internal/soak -soak.time 1h -soak.seed N
//
// Every fault is followed by a check of what must be true after it: the state of
// the session, the cause that it reports, the entries in its log. At the end, all
// recordings have been verified, no process is left, and descriptors, goroutines
// and memory have not grown. It exists on Linux only.
package soak
