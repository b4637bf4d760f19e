package player

import (
	"mcpdbg/framing"
	"mcpdbg/session"
)

// chunk is how many rows are looked at in one go.
const chunk = 2048

// A Match tells whether a row, with its number, is looked for.
type Match func(number int, row *session.Row) bool

// IsMessage finds the messages of both directions.
func IsMessage(_ int, row *session.Row) bool {
	return (row.Kind == session.KindStdin || row.Kind == session.KindStdout) &&
		row.Msg != framing.NotJSON && row.Msg != framing.Other
}

// IsError finds answers that are errors (but not the answer to a probe, to which
// an error is as good as any) and connections that failed.
func IsError(number int, row *session.Row) bool {
	if row.Kind == session.KindFailed {
		return true
	}
	answeredLater := int(row.Pair) > number+1 // a request, which bears the mark of its answer
	return row.Flags&session.FlagError != 0 && row.Flags&session.FlagProbe == 0 && !answeredLater
}

// IsLag finds where the recorder fell behind, or held the server up.
func IsLag(_ int, row *session.Row) bool {
	return row.Kind == session.KindLagged || row.Kind == session.KindHeld
}

// IsGap finds lost output.
func IsGap(_ int, row *session.Row) bool { return row.Kind == session.KindGap }

// IsExit finds the ends of processes.
func IsExit(_ int, row *session.Row) bool {
	return row.Kind == session.KindExited || row.Kind == session.KindFailed
}

// Next is the first row from number from on that matches. It looks at every row
// between, some 2 ns each, and reads no entry.
func Next(src Rows, from int, match Match) (number int, ok bool) {
	rows := make([]session.Row, chunk)
	for from = max(from, 0); ; {
		n := src.Rows(from, rows)
		if n == 0 {
			return 0, false
		}
		for i := range rows[:n] {
			if match(from+i, &rows[i]) {
				return from + i, true
			}
		}
		from += n
	}
}

// Previous is the last row before number before that matches.
func Previous(src Rows, before int, match Match) (number int, ok bool) {
	rows := make([]session.Row, chunk)
	for end := min(before, src.Len()); end > 0; {
		from := max(0, end-chunk)
		n := src.Rows(from, rows[:end-from])
		for i := n - 1; i >= 0; i-- {
			if match(from+i, &rows[i]) {
				return from + i, true
			}
		}
		end = from
	}
	return 0, false
}
