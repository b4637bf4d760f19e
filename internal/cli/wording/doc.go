// Package wording has the small texts that all commands print alike: numbers of
// things, sizes and times for people, lists of names, commands quoted for a
// shell, and short paths.
package wording
