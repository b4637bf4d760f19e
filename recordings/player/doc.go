// Package player decides which rows of a recording are shown at which time during
// playback.
//
// A Player is a pure state machine: it reads the times of rows, starts no goroutine
// and reads no clock. The caller passes the current time: Advance returns the number
// of rows shown by then, and Next the time until the next row, so that a timer can
// sleep that long instead of ticking. All due times are absolute: however often, and
// however late, Advance is called, the same rows are shown at the same time.
//
// Functions over a session.Source find jump targets as rows: by time, number, sequence
// number, fraction of the whole, or the next match, such as an error. They are safe
// for concurrent use.
//
// The number of shown rows is the argument of session.Past.To.
package player
