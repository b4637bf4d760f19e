package session

// Found is the result of a search for one row.
type Found uint8

// The results of a search. A row with FoundUnknown has to be read.
const (
	FoundUnknown Found = iota
	FoundIt
	FoundNot
)

// A Searcher is a Source that can search many rows at once for a text without
// decoding each of them.
type Searcher interface {
	// Search sets found to whether the payload of each row contains the
	// lower-case ASCII text lower, ignoring case. The rows are in ascending
	// order, and found is as long as rows. Rows whose text is not their
	// payload, very long ones and unreadable ones get FoundUnknown.
	Search(rows []Row, lower []byte, found []Found)
}

// search calls Search if the source is a Searcher.
func search(s Source, rows []Row, lower []byte, found []Found) {
	if searcher, ok := s.(Searcher); ok {
		searcher.Search(rows, lower, found)
		return
	}
	clear(found)
}
