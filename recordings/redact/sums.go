package redact

import (
	"bufio"
	"bytes"
	"slices"
	"strconv"

	"mcpdbg/framing"
	"mcpdbg/recordings"
	"mcpdbg/session"
)

// A sum is of one stream of one process, before and after.
type sum struct {
	was, is   session.Checksum
	different bool
}

type sums map[session.Kind]*sum

func newSums() sums {
	s := sums{}
	for _, kind := range []session.Kind{session.KindStdin, session.KindStdout, session.KindStderr} {
		s[kind] = &sum{was: session.NewChecksum(), is: session.NewChecksum()}
	}
	return s
}

// add returns the payload after the edits, in the memory of dst if it fits. While nothing
// has changed, only one sum is computed.
func (s *sum) add(dst, payload []byte, eol framing.EOL, edits []edit) (changed []byte) {
	if len(edits) > 0 && !s.different {
		s.is, s.different = s.was, true
	}
	s.was.AddLine(payload, eol)
	if len(edits) > 0 {
		payload = apply(slices.Grow(dst, moved(edits, len(payload))), payload, edits)
	}
	if s.different {
		s.is.AddLine(payload, eol)
	}
	return payload
}

var written = expression(`"(stdin|stdout|stderr)":\s*\{\s*"bytes":\s*(\d+),\s*"xxh64":\s*"([0-9a-f]*)"(?:,\s*"crc32":\s*"([0-9a-f]*)")?`)

// correct returns the edits that update the sums of an entry. Wrong sums stay wrong, but
// reveal nothing about what was removed.
func (s sums) correct(line []byte) (edits []edit) {
	for _, m := range written().FindAllSubmatchIndex(line, -1) {
		sum := s[session.ParseKind(line[m[2]:m[3]])]
		if !sum.different {
			continue
		}
		was, is := sum.was.Sums(), sum.is.Sums()
		bytes, _ := strconv.ParseUint(string(line[m[4]:m[5]]), 10, 64)
		hasCRC32 := m[8] >= 0
		if bytes != was.Bytes || string(line[m[6]:m[7]]) != was.XXH64 || hasCRC32 && string(line[m[8]:m[9]]) != was.CRC32 {
			is.XXH64, is.CRC32 = "0000000000000000", "00000000"
		}
		edits = append(edits,
			edit{from: m[4], to: m[5], text: strconv.FormatUint(bytes-was.Bytes+is.Bytes, 10)},
			edit{from: m[6], to: m[7], text: is.XXH64})
		if hasCRC32 {
			edits = append(edits, edit{from: m[8], to: m[9], text: is.CRC32})
		}
	}
	return edits
}

// A summed writer sums up the lines of a copy.
type summed struct {
	*bufio.Writer
	sum session.Checksum
}

// Write implements io.Writer.
func (s *summed) Write(p []byte) (int, error) {
	s.sum.Add(p)
	return s.Writer.Write(p)
}

// end writes the end entry, which has sums of the whole recording. Wrong ones stay wrong.
func (c *copier) end(begin, line []byte) error {
	right := bytes.Equal(recordings.AppendWhole(bytes.Clone(begin), c.before, c.scanner.HeaderLine()), line)
	edits := c.inObject(session.KindEnd.String(), append(bytes.Clone(begin), '}'), false)
	if len(edits) > 0 {
		c.changed(edits)
	}
	sum := c.w.sum
	if !right {
		sum = session.NewChecksum()
	}
	_, err := c.w.Write(recordings.AppendWhole(apply(nil, begin, edits), sum, c.header.line(c.tally.rules)))
	return err
}
