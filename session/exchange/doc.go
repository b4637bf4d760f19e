// Package exchange follows a log: which messages belong together, how requests ended, and
// whose time it was, that of the server, or that of a person (or a program in their place)
// for whose response or input it waited.
//
// A [Follower] takes rows in order and returns the effect of each message. Rows name their
// partners and owners, so it reads only entries of several messages, the result of
// initialize, and events: [Process] is the life of the process that was started last.
//
// A [Table] takes the same rows and finds what no row names: the rounds of an exchange,
// the requests about its task, and the requests that the server made during it. These are
// its [Links], which other goroutines may read, and which can be cut to an earlier moment.
//
// [TimesOf] is the one place that computes times, from the waits of an exchange, which are
// found by its Links.
package exchange
