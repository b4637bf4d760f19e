// Package replay has the commands that put a recording to use: replay re-sends it
// to a new server, diff compares it with another one, and mock serves it.
package replay
