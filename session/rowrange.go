package session

type rowRange struct {
	Source
	from, to int
}

// RowRange returns a Source that shows the rows of src from number from on and
// before number to. Rows keep their numbers: those before from exist with
// KindUnknown. Stats and Header are those of the whole source. If to is 0, the
// range ends with the source, which may grow.
func RowRange(src Source, from, to int) Source { return &rowRange{src, from, to} }

// Len implements Source.
func (s *rowRange) Len() int {
	if n := s.Source.Len(); s.to == 0 || n < s.to {
		return n
	}
	return s.to
}

// Rows implements Source.
func (s *rowRange) Rows(from int, dst []Row) int {
	n := min(len(dst), s.Len()-from)
	if n <= 0 {
		return 0
	}
	if silent := min(n, s.from-from); silent > 0 {
		clear(dst[:silent])
		return silent
	}
	return s.Source.Rows(from, dst[:n])
}

// EntryInto implements IntoReader.
func (s *rowRange) EntryInto(row Row, limit int, buf []byte) (Entry, error) {
	return EntryInto(s.Source, row, limit, buf)
}

// Batch implements ElementReader, if the source does.
func (s *rowRange) Batch(row int) (b Batch, ok bool) {
	if r, is := s.Source.(ElementReader); is && row >= s.from && row < s.Len() {
		return r.Batch(row)
	}
	return Batch{}, false
}

// ElementPairs implements ElementReader, if the source does.
func (s *rowRange) ElementPairs(k, row int, visit func(ElementPair) bool) (known bool) {
	r, is := s.Source.(ElementReader)
	return is && r.ElementPairs(min(k, s.Len()), row, visit)
}

// InOrder implements OrderReader.
func (s *rowRange) InOrder() IntoReader { return InOrder(s.Source) }
