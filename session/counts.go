package session

import "encoding/binary"

// counts are the numbers of Stats that an Index keeps.
type counts [countsLen]int64

// The numbers. The order is that of stored histories.
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

func countsOf(s *Stats) counts {
	return counts{
		int64(s.Out), int64(s.In), int64(s.BytesOut), int64(s.BytesIn), int64(s.BytesErr),
		int64(s.PendingOut), int64(s.PendingIn), int64(s.Errors), int64(s.Stray), int64(s.StderrLines),
		int64(s.Orphans), int64(s.Lagged), int64(s.Held), int64(s.Gaps), int64(s.LostBytes), int64(s.Untracked), int64(s.Runs),
	}
}

// stats is the inverse of countsOf.
func (c *counts) stats() Stats {
	return Stats{
		Out: uint64(c[countOut]), In: uint64(c[countIn]),
		BytesOut: uint64(c[countBytesOut]), BytesIn: uint64(c[countBytesIn]), BytesErr: uint64(c[countBytesErr]),
		PendingOut: int(c[countPendingOut]), PendingIn: int(c[countPendingIn]),
		Errors: uint64(c[countErrors]), Stray: uint64(c[countStray]), StderrLines: uint64(c[countStderrLines]),
		Orphans: uint64(c[countOrphans]), Lagged: uint64(c[countLagged]), Held: uint64(c[countHeld]), Gaps: uint64(c[countGaps]),
		LostBytes: uint64(c[countLostBytes]), Untracked: uint64(c[countUntracked]), Runs: int(c[countRuns]),
	}
}

func (c counts) minus(other *counts) counts {
	for i := range c {
		c[i] -= other[i]
	}
	return c
}

// A step is what one row added to the counts. Its first byte has a bit for each
// usual change, one that says that the rest follows as a mask and its numbers,
// and in the two highest bits which stream has got more bytes: 3 bytes for most
// rows.
var (
	usualChanges = [...]struct {
		count int
		by    int64
	}{{countOut, 1}, {countIn, 1}, {countStderrLines, 1}, {countPendingOut, 1}, {countPendingOut, -1}}
	stepStreams = [...]int{countBytesOut, countBytesIn, countBytesErr}
)

const (
	stepRest   = 1 << len(usualChanges)
	stepStream = 6 // the shift of the stream's number
)

// appendStep appends a step.
func appendStep(b []byte, by counts) []byte {
	var head byte
	for i, usual := range usualChanges {
		if by[usual.count] == usual.by {
			head |= 1 << i
			by[usual.count] = 0
		}
	}
	var size int64
	for i, count := range stepStreams {
		if by[count] > 0 {
			head |= byte(i+1) << stepStream
			size, by[count] = by[count], 0
			break
		}
	}
	var mask uint64
	for i, n := range by {
		if n != 0 {
			mask |= 1 << i
		}
	}
	if mask != 0 {
		head |= stepRest
	}
	b = append(b, head)
	if size != 0 {
		b = binary.AppendUvarint(b, uint64(size))
	}
	if mask == 0 {
		return b
	}
	b = binary.AppendUvarint(b, mask)
	for _, n := range by {
		if n != 0 {
			b = binary.AppendVarint(b, n)
		}
	}
	return b
}

// addStep adds the first step of b and returns what follows it; nothing follows
// a step that is cut short.
func addStep(c *counts, b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	head, b := b[0], b[1:]
	for i, usual := range usualChanges {
		if head&(1<<i) != 0 {
			c[usual.count] += usual.by
		}
	}
	if stream := head >> stepStream; stream != 0 {
		size, n := binary.Uvarint(b)
		if n <= 0 {
			return nil
		}
		c[stepStreams[stream-1]] += int64(size)
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
