package player

import (
	"mcpdbg/framing"
	"mcpdbg/session"
)

// chunk is how many rows are read at once.
const chunk = 2048

// A matcher reports whether the row with the given number matches.
type matcher func(number int, row *session.Row) bool

// isMessage matches messages in both directions.
func isMessage(_ int, row *session.Row) bool {
	return (row.Kind == session.KindStdin || row.Kind == session.KindStdout) &&
		row.Msg != framing.NotJSON && row.Msg != framing.Other
}

// isExit matches the ends of processes.
func isExit(_ int, row *session.Row) bool {
	return row.Kind == session.KindExited || row.Kind == session.KindFailed
}

// nextMatch returns the first matching row from number from on. It checks every row in
// between, at some 2 ns each, and reads no entries.
func nextMatch(src Rows, from int, match matcher) (number int, ok bool) {
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

// previousMatch returns the last matching row before number before.
func previousMatch(src Rows, before int, match matcher) (number int, ok bool) {
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
