package recordings

import (
	"fmt"
	"strings"
)

// Warnings count what was not understood in a recording. None of it kept the
// rest from being read.
type Warnings struct {
	UnknownKinds int // entries of a kind that a newer program wrote; they have rows
	UnknownKeys  int // members of entries that were skipped
	BadLines     int // lines that are no entry; they have no rows
	LongLines    int // lines too long to be looked into; they have rows, and are not paired
	OutOfOrder   int // entries whose number or time falls
	MissingParts int // parts of the recording that are not there, though later ones are
}

// String says what was counted, "" if nothing was.
func (w Warnings) String() string {
	var parts []string
	for _, c := range []struct {
		n         int
		one, many string
	}{
		{w.UnknownKinds, "entry of an unknown kind", "entries of an unknown kind"},
		{w.UnknownKeys, "unknown member", "unknown members"},
		{w.BadLines, "line that is no entry", "lines that are no entry"},
		{w.LongLines, "line too long to look into", "lines too long to look into"},
		{w.OutOfOrder, "entry out of order", "entries out of order"},
		{w.MissingParts, "missing part", "missing parts"},
	} {
		switch {
		case c.n == 1:
			parts = append(parts, "1 "+c.one)
		case c.n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.many))
		}
	}
	return strings.Join(parts, ", ")
}

// add adds the counts of other.
func (w *Warnings) add(other *Warnings) {
	w.UnknownKinds += other.UnknownKinds
	w.UnknownKeys += other.UnknownKeys
	w.BadLines += other.BadLines
	w.LongLines += other.LongLines
	w.OutOfOrder += other.OutOfOrder
}
