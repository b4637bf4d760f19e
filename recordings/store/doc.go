// Package store is a folder of recordings: it lists them by date, removes them
// with their notes, and finds those that limits apply to. It reads only the
// first and the last line of a file.
package store
