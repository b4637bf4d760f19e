// Package player says which row of a recording is shown when, while it plays.
//
// A Player is a pure state machine: it reads the times of rows, starts no
// goroutine and asks no clock. Who drives it says what time it is: Advance gives
// the number of rows that are shown by then, and Next how long until there is
// another one, so that a timer sleeps that long and nothing ticks. All targets
// are absolute. However often, and however late, Advance is called, the same rows
// are shown at the same time.
//
// What a person jumps to is found by functions over a session.Source, which
// give rows: by time, number, sequence, part of the whole, or the next one that
// matches, such as an error. They may be called from any goroutine.
//
// The shown rows are what session.Past.To takes.
package player
