package index

import (
	"encoding/binary"
	"math/bits"

	"mcpdbg/session"
)

// counts holds the numbers of Stats that an Index keeps.
type counts [countsLen]int64

// Indexes into counts. The order is that of stored histories.
const (
	countOut = iota
	countIn
	countBytesOut
	countBytesIn
	countBytesErr
	countPendingOut
	countPendingIn
	countErrors
	countStray
	countStderrLines
	countOrphans
	countLagged
	countHeld
	countGaps
	countLostBytes
	countUntracked
	countRuns
	countsLen
)

// countsOf returns the numbers of s with the given numbers of pending requests.
func countsOf(s *session.Stats, pendingOut, pendingIn int) counts {
	return counts{
		int64(s.Out), int64(s.In), int64(s.BytesOut), int64(s.BytesIn), int64(s.BytesErr),
		int64(pendingOut), int64(pendingIn), int64(s.Errors), int64(s.Stray), int64(s.StderrLines),
		int64(s.Unmatched), int64(s.Lagged), int64(s.Held), int64(s.Gaps), int64(s.LostBytes), int64(s.Untracked), int64(s.Runs),
	}
}

// stats is the inverse of countsOf.
func (c *counts) stats() session.Stats {
	return session.Stats{
		Out: uint64(c[countOut]), In: uint64(c[countIn]),
		BytesOut: uint64(c[countBytesOut]), BytesIn: uint64(c[countBytesIn]), BytesErr: uint64(c[countBytesErr]),
		PendingOut: int(c[countPendingOut]), PendingIn: int(c[countPendingIn]),
		Errors: uint64(c[countErrors]), Stray: uint64(c[countStray]), StderrLines: uint64(c[countStderrLines]),
		Unmatched: uint64(c[countOrphans]), Lagged: uint64(c[countLagged]), Held: uint64(c[countHeld]), Gaps: uint64(c[countGaps]),
		LostBytes: uint64(c[countLostBytes]), Untracked: uint64(c[countUntracked]), Runs: int(c[countRuns]),
	}
}

// formerly counts what earlier versions counted in another way.
type formerly struct {
	sentErrors uint64 // errors that the client sent: among the errors
	unread     uint64 // responses that can't be read: not received
	stray      uint64 // lines of those that ended: not messages
}

// FormerCounts returns the counts that earlier versions wrote at the end of this log. An
// index that was restored does not know them.
func (x *Index) FormerCounts() session.EndCounts {
	x.mu.RLock()
	defer x.mu.RUnlock()
	c := x.stats.EndCounts()
	c.Errors += x.formerly.sentErrors
	c.In -= x.formerly.unread
	c.Stray += x.formerly.stray
	return c
}

// A step is the change of the counts by one row. Its first byte has a bit for
// each usual change, a bit for the rest, which follows as a mask and its
// numbers, and in the two highest bits the stream whose byte count grew: 3
// bytes for most rows.
const (
	stepOut = 1 << iota
	stepIn
	stepStderrLine
	stepOpened   // PendingOut + 1
	stepAnswered // PendingOut - 1
	stepRest
	stepStream = 6 // the shift of the stream's number
)

var stepStreams = [...]int{1: countBytesOut, countBytesIn, countBytesErr}

// usualChange returns the bit for a change of a count, 0 if there is none.
func usualChange(count int, by int64) byte {
	switch {
	case by == 1 && count == countOut:
		return stepOut
	case by == 1 && count == countIn:
		return stepIn
	case by == 1 && count == countStderrLines:
		return stepStderrLine
	case by == 1 && count == countPendingOut:
		return stepOpened
	case by == -1 && count == countPendingOut:
		return stepAnswered
	}
	return 0
}

// appendStep appends the step from was to is. It runs for every row, so it
// visits only the counts that differ.
func appendStep(b []byte, was, is *counts) []byte {
	var differs, rest uint64
	for i := range is {
		if is[i] != was[i] {
			differs |= 1 << i
		}
	}
	var head byte
	var size int64
	for ; differs != 0; differs &= differs - 1 {
		i := bits.TrailingZeros64(differs)
		by := is[i] - was[i]
		stream := i - countBytesOut + 1
		switch bit := usualChange(i, by); {
		case bit != 0:
			head |= bit
		case size == 0 && by > 0 && stream > 0 && stream < len(stepStreams):
			head |= byte(stream) << stepStream
			size = by
		default:
			head |= stepRest
			rest |= 1 << i
		}
	}
	b = append(b, head)
	if size != 0 {
		b = binary.AppendUvarint(b, uint64(size))
	}
	if rest == 0 {
		return b
	}
	b = binary.AppendUvarint(b, rest)
	for ; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		b = binary.AppendVarint(b, is[i]-was[i])
	}
	return b
}

// addStep adds the first step of b to c and returns the rest of b; nil after a
// truncated step.
func addStep(c *counts, b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	head, b := b[0], b[1:]
	c[countOut] += int64(head / stepOut & 1)
	c[countIn] += int64(head / stepIn & 1)
	c[countStderrLines] += int64(head / stepStderrLine & 1)
	c[countPendingOut] += int64(head/stepOpened&1) - int64(head/stepAnswered&1)
	if stream := head >> stepStream; stream != 0 {
		size, n := binary.Uvarint(b)
		if n <= 0 {
			return nil
		}
		c[stepStreams[stream]] += int64(size)
		b = b[n:]
	}
	if head&stepRest == 0 {
		return b
	}
	mask, n := binary.Uvarint(b)
	if n <= 0 {
		return nil
	}
	b = b[n:]
	for i := range c {
		if mask&(1<<i) == 0 {
			continue
		}
		by, n := binary.Varint(b)
		if n <= 0 {
			return nil
		}
		c[i] += by
		b = b[n:]
	}
	return b
}
