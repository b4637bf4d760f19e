package session

const (
	// MaxElements is how many elements of a batch are listed.
	MaxElements = 1000
	// MaxPaired is how many messages of one entry are paired. Further ones are only
	// counted.
	MaxPaired = 1<<16 - 1
)

// An Element identifies a message of a log: one in a batch, or a whole entry.
type Element struct {
	Row   int // of its entry
	Index int // in the batch or the write of several lines, from 0; -1 for the whole entry
}

// An ElementPair is how one request ended, if it or its response is one of several
// messages of an entry, or if its id was used again.
type ElementPair struct {
	Request Element
	// At is the response. Without one it is the entry that cancelled or replaced
	// the request, or that reported its timeout.
	At     Element
	State  ReqState // ReqAnswered, ReqFailed, ReqCancelled, ReqTimedOut, ReqLost or ReqDuplicate
	Failed bool     // the response is an error, or the result of a failed tool
}

// Answered reports whether At is the response.
func (p ElementPair) Answered() bool { return p.State == ReqAnswered || p.State == ReqFailed }

// A Batch counts the elements of a batch.
type Batch struct {
	Elements  int
	Requests  int
	Responses int
}

// An ElementReader is a Source that knows the elements of its batches. They are
// derived from the entries, and in no file.
type ElementReader interface {
	// Batch returns the counts of the batch at a row; ok is false for other rows.
	Batch(row int) (b Batch, ok bool)
	// ElementPairs calls visit for the pairs whose request or response is in the
	// entry at a row, as they were when Len was k, ordered by At.Row, until it
	// returns false. Of pairs of two whole entries it knows only requests that were
	// replaced by another with their id, of which the first 65,536. visit must not use
	// the Source. known is false if not all of the others are known, because there are
	// too many in the log.
	ElementPairs(k, row int, visit func(ElementPair) bool) (known bool)
}

// Batch implements ElementReader, if the source does.
func (p *Past) Batch(row int) (b Batch, ok bool) {
	if r, is := p.Source.(ElementReader); is && row < p.Len() {
		return r.Batch(row)
	}
	return Batch{}, false
}

// ElementPairs implements ElementReader, if the source does.
func (p *Past) ElementPairs(k, row int, visit func(ElementPair) bool) (known bool) {
	r, is := p.Source.(ElementReader)
	return is && r.ElementPairs(min(k, p.Len()), row, visit)
}
