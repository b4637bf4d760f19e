package session

// Found is what a search says of one row.
type Found uint8

// What a search says. A row that it leaves open has to be read.
const (
	FoundUnknown Found = iota
	FoundIt
	FoundNot
)

// A Searcher is a Source that can look for a text in many rows at once, without
// decoding each of them.
type Searcher interface {
	// Search says of each row whether its payload has the ASCII text lower,
	// which is in lower case, in any case. The rows are in ascending order, and
	// found is as long as rows. Rows whose text is not their payload, very long
	// ones, and those that can't be read it leaves open.
	Search(rows []Row, lower []byte, found []Found)
}

// search has a source search, if it can.
func search(s Source, rows []Row, lower []byte, found []Found) {
	if searcher, ok := s.(Searcher); ok {
		searcher.Search(rows, lower, found)
		return
	}
	clear(found)
}
