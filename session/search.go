package session

// Found is the result of a search for one row.
type Found uint8

// The results of a search. A row with FoundUnknown has to be read.
const (
	FoundUnknown Found = iota
	FoundIt
	FoundNot
)

// A Needle is a text to search for: ASCII in lower case, found in any case, or with Exact
// as it is written.
type Needle struct {
	Text  []byte
	Exact bool
}

// A Searcher is a Source that can search many rows at once for a text without
// decoding each of them.
type Searcher interface {
	// Search sets found to whether the payload of each row contains the needle.
	// The rows are in ascending order, and found is as long as rows. Rows whose text is not their
	// payload, very long ones and unreadable ones get FoundUnknown.
	Search(rows []Row, needle Needle, found []Found)
}

// search calls Search if the source is a Searcher.
func search(s Source, rows []Row, needle Needle, found []Found) {
	if searcher, ok := s.(Searcher); ok {
		searcher.Search(rows, needle, found)
		return
	}
	clear(found)
}
