package ui

import (
	"mcpdbg/session"
	"mcpdbg/ui/filter"
)

// A lens is what the traffic pane lets through of the log.
type lens struct {
	among  interleaved
	filter *filter.Filter
}

// interleaved is what stands among the messages.
type interleaved uint8

const (
	onlyMessages interleaved = iota
	andStderr
	timeline // all that the log has
	interleavedCount
)

// plain tells whether the lens lets through all messages and nothing else.
func (l lens) plain() bool { return l.among == onlyMessages && l.filter == nil }

// lists tells whether entries of a kind are looked at: messages and stray lines
// always, others if they are interleaved or the filter names them.
func (l lens) lists(kind session.Kind) bool {
	switch {
	case kind == session.KindStdin, kind == session.KindStdout, l.among == timeline, l.filter.Names(kind):
		return true
	case kind == session.KindStderr:
		return l.among == andStderr
	}
	return false
}

// hides reports whether a row of a kind that is looked at has nothing to show: the
// end of a line of stderr whose text was shown before. The timeline has all rows.
func (l lens) hides(row *session.Row) bool {
	return row.Flags&session.FlagLineEnd != 0 && row.Kind == session.KindStderr && l.among != timeline
}
