package elements

import (
	"fmt"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session"
)

const (
	// maxRead is how many bytes of a batch are read to find its elements.
	maxRead = 16 << 20
	// maxKept is the size of the largest batch whose bytes are kept.
	maxKept = 1 << 20
)

type opened struct {
	row   int
	spans []framing.Span
	entry session.Entry // without a payload if that is too long to be kept
}

func (s *Source) read(e session.Element, batch session.Row, buf []byte) (session.Entry, error) {
	found, err := s.open(e.Row, batch)
	if err != nil {
		return session.Entry{}, err
	}
	if e.Index >= len(found.spans) {
		return session.Entry{}, fmt.Errorf("element %d is beyond the first %d MiB of its batch", e.Index+1, maxRead>>20)
	}
	span, entry := found.spans[e.Index], found.entry
	if entry.Payload == nil {
		if entry, err = session.EntryInto(s.Source, batch, int(span.End), buf); err != nil {
			return session.Entry{}, err
		}
		if int(span.End) > len(entry.Payload) {
			return session.Entry{}, fmt.Errorf("element %d of the batch cannot be read", e.Index+1)
		}
	}
	entry.Payload = span.Of(entry.Payload)
	entry.Why = ""
	entry.Msg, entry.Cut, entry.FullSize = framing.Scan(entry.Payload), false, int64(len(entry.Payload))
	return entry, nil
}

// open finds the elements of a batch. The latest ones are kept.
func (s *Source) open(number int, batch session.Row) (opened, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.recent[:], func(o opened) bool { return o.spans != nil && o.row == number }); i >= 0 {
		found := s.recent[i]
		copy(s.recent[1:i+1], s.recent[:i])
		s.recent[0] = found
		return found, nil
	}
	entry, err := s.Source.Entry(batch, maxRead)
	if err != nil {
		return opened{}, err
	}
	found := opened{row: number, spans: []framing.Span{}, entry: entry}
	for span := range framing.Elements(entry.Payload) {
		if len(found.spans) == session.MaxElements {
			break
		}
		found.spans = append(found.spans, span)
	}
	if len(entry.Payload) > maxKept {
		found.entry = session.Entry{}
	}
	copy(s.recent[1:], s.recent[:])
	s.recent[0] = found
	return found, nil
}
