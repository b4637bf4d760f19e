// Package elements shows the messages in the batches of a log as rows.
//
// A recording has one entry for each line, and a batch is one line. A [Source]
// derives a row for each element of a batch on demand, with its own method,
// partner and state, so that whatever reads rows can read elements. They are in
// no file.
package elements

import (
	"errors"
	"math"
	"sync"

	"mcpdbg/framing"
	"mcpdbg/session"
)

const (
	// First is the number of the first row of an element: rows of the log have
	// lower ones.
	First = 1 << 30
	// maxNumbers is how many elements get a number; further ones have that of
	// their batch.
	maxNumbers = 1 << 18
	maxBase    = 1 << 29
)

// A Source is a log whose batches can be opened. Its own rows are those of the log;
// elements have rows of their own with numbers from First on, which Rows returns
// one at a time. They are numbered when they are asked for, and keep their numbers
// as long as the Source exists. All methods may be called from any goroutine.
type Source struct {
	session.Source
	batches session.ElementReader // nil: the log does not know its batches
	*numbers
}

type numbers struct {
	mu      sync.Mutex
	base    int               // elements that were numbered and forgotten
	of      []session.Element // by number, from base on
	at      map[session.Element]int
	methods map[string]uint16
	recent  [4]opened // batches, the latest first
}

// New returns a Source over a log, or the log itself if it is one.
func New(log session.Source) *Source {
	if s, ok := log.(*Source); ok {
		return s
	}
	s := &Source{Source: log, numbers: newNumbers()}
	s.batches, _ = log.(session.ElementReader)
	return s
}

func newNumbers() *numbers {
	return &numbers{at: map[session.Element]int{}, methods: map[string]uint16{}}
}

// Own returns a Source over the same log with numbers of its own, which the caller
// can forget.
func (s *Source) Own() *Source {
	own := *s
	own.numbers = newNumbers()
	return &own
}

// Forget forgets the numbers so far; later ones are others. A walk over many batches
// forgets those of each.
func (s *Source) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.base += len(s.of); s.base > maxBase {
		s.base = 0
	}
	s.of = s.of[:0]
	clear(s.at)
}

// Past returns a Source over the same log at an earlier moment. Elements have the
// same numbers in both.
func (s *Source) Past(past session.Source) *Source {
	then := New(past)
	then.numbers = s.numbers
	return then
}

// Batch returns the counts of the batch at a row; ok is false for other rows.
func (s *Source) Batch(row int) (b session.Batch, ok bool) {
	if s.batches == nil {
		return session.Batch{}, false
	}
	return s.batches.Batch(row)
}

// ElementPairs implements session.ElementReader. An element that is not listed is
// reported as its entry, and so is the request of a duplicate response.
func (s *Source) ElementPairs(k, row int, visit func(session.ElementPair) bool) (known bool) {
	return s.batches != nil && s.batches.ElementPairs(k, row, func(p session.ElementPair) bool {
		if p.Request, p.At = listed(p.Request), listed(p.At); p.State == session.ReqDuplicate {
			p.Request.Index = -1
		}
		return p.Request.Index < 0 && p.At.Index < 0 || visit(p)
	})
}

func listed(e session.Element) session.Element {
	if e.Index >= session.MaxElements {
		e.Index = -1
	}
	return e
}

// Number returns the number of an element of a batch, or of its row for a whole entry
// and for one of several lines.
func (s *Source) Number(e session.Element) int {
	if _, batch := s.Batch(e.Row); e.Index < 0 || !batch {
		return e.Row
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	number, ok := s.at[e]
	switch {
	case ok:
	case len(s.of) < maxNumbers:
		number = First + s.base + len(s.of)
		s.of = append(s.of, e)
		s.at[e] = number
	default:
		return e.Row
	}
	return number
}

// Element returns the element with a number; ok is false for rows of the log.
func (s *Source) Element(number int) (e session.Element, ok bool) {
	if number < First {
		return session.Element{Row: number, Index: -1}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := number - First - s.base
	if i < 0 || i >= len(s.of) {
		return session.Element{}, false
	}
	return s.of[i], true
}

// Numbers returns the numbers of the elements of the batch at a row, at most
// session.MaxElements.
func (s *Source) Numbers(row int) []int {
	b, ok := s.Batch(row)
	if !ok {
		return nil
	}
	all := make([]int, 0, min(b.Elements, session.MaxElements))
	for i := range cap(all) {
		if number := s.Number(session.Element{Row: row, Index: i}); number >= First {
			all = append(all, number)
		}
	}
	return all
}

// ResponseIn returns the row of the element of a batch that answers the request at a
// row, or the batch itself if that is unknown.
func (s *Source) ResponseIn(batch, request int) int {
	response := session.Element{Row: batch, Index: -1}
	s.ElementPairs(math.MaxInt, request, func(p session.ElementPair) bool {
		if p.Request == (session.Element{Row: request, Index: -1}) && p.Answered() {
			response = p.At
		}
		return response.Index < 0
	})
	return s.Number(response)
}

// RequestIn returns the row of the element of a batch that the response at a row is
// for, or the batch itself if that is unknown.
func (s *Source) RequestIn(batch, response int) int {
	request := session.Element{Row: batch, Index: -1}
	s.ElementPairs(math.MaxInt, batch, func(p session.ElementPair) bool {
		if p.Request.Row == batch && p.At == (session.Element{Row: response, Index: -1}) && p.Answered() {
			request = p.Request
		}
		return request.Index < 0
	})
	return s.Number(request)
}

// Paired returns a row with a number. If its partner is in a batch, the partner of
// the result is the element.
func (s *Source) Paired(number int, row session.Row) session.Row {
	partner, _ := row.Partner()
	if _, ok := s.Batch(partner); !ok {
		return row
	}
	switch row.Msg {
	case framing.Request:
		partner = s.ResponseIn(partner, number)
	case framing.Response, framing.ErrorResponse:
		partner = s.RequestIn(partner, number)
	}
	row.Related = uint32(partner) + 1
	return row
}

// Parent returns the row of the batch that an element is in, and of another row its
// own number.
func (s *Source) Parent(number int) int {
	if number < First {
		return number
	}
	e, _ := s.Element(number)
	return e.Row
}

// Rows copies rows from a number on into dst and returns how many: one for an
// element.
func (s *Source) Rows(from int, dst []session.Row) int {
	if from < First {
		return s.Source.Rows(from, dst)
	}
	e, ok := s.Element(from)
	if !ok || len(dst) == 0 {
		return 0
	}
	row, ok := s.row(from, e)
	if !ok {
		return 0
	}
	dst[0] = row
	return 1
}

// row derives the row of an element. Its offset is negative and identifies it.
func (s *Source) row(number int, e session.Element) (session.Row, bool) {
	batch, ok := session.RowAt(s.Source, e.Row)
	if !ok {
		return session.Row{}, false
	}
	row := session.Row{Off: int64(First - 1 - number), T: batch.T, Run: batch.Run, Kind: batch.Kind}
	entry, err := s.read(e, batch, nil)
	if err != nil {
		return session.Row{}, false
	}
	row.Len, row.Msg = uint32(len(entry.Payload)), entry.Msg.Kind
	if entry.Msg.Problems&^framing.ProblemCRLF != 0 {
		row.Flags |= session.FlagProblem
	}
	switch row.Msg {
	case framing.Request:
		row.Method = s.method(entry.Msg.Method.Of(entry.Payload))
		s.asked(&row, batch.State, e)
	case framing.Notification:
		row.Method = s.method(entry.Msg.Method.Of(entry.Payload))
	case framing.Response, framing.ErrorResponse:
		if row.Msg == framing.ErrorResponse || session.IsToolError(entry.Msg.Result.Of(entry.Payload)) {
			row.Flags |= session.FlagError
		}
		s.answers(&row, e)
	}
	return row, true
}

// asked fills in how a request ended. Without a pair it is as pending as its batch, or
// lost.
func (s *Source) asked(row *session.Row, batch session.ReqState, e session.Element) {
	var ended, answered session.ElementPair
	known := s.ElementPairs(math.MaxInt, e.Row, func(p session.ElementPair) bool {
		if p.Request == e && ended.State == session.ReqNone {
			ended = p
		}
		if p.Request == e && p.Answered() {
			answered = p
		}
		return !answered.Answered()
	})
	switch row.State = ended.State; {
	case ended.State != session.ReqNone:
	case batch == session.ReqPending || !known:
		row.State = batch
	default:
		row.State = session.ReqLost
	}
	if answered.Answered() {
		row.Related = uint32(s.Number(answered.At)) + 1
	}
	if answered.Failed {
		row.Flags |= session.FlagError
	}
}

func (s *Source) answers(row *session.Row, e session.Element) {
	var found session.ElementPair
	known := s.ElementPairs(math.MaxInt, e.Row, func(p session.ElementPair) bool {
		if p.At == e && (p.Answered() || p.State == session.ReqDuplicate) {
			found = p
		}
		return found.State == session.ReqNone
	})
	switch {
	case found.State != session.ReqNone:
		row.Related, row.Method = uint32(s.Number(found.Request))+1, s.requested(found.Request)
		if found.State == session.ReqDuplicate {
			row.State = found.State
		}
	case known:
		row.State = session.ReqUnmatched
	}
}

func (s *Source) requested(e session.Element) uint16 {
	row, ok := session.RowAt(s.Source, e.Row)
	if !ok || e.Index < 0 {
		return row.Method
	}
	entry, err := s.read(e, row, nil)
	if err != nil {
		return 0
	}
	return s.method(entry.Msg.Method.Of(entry.Payload))
}

func (s *Source) method(name []byte) uint16 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id, ok := s.methods[string(name)]; ok {
		return id
	}
	for {
		id := uint16(len(s.methods)) + 1
		known := s.Method(id)
		if known == "" {
			return s.methods[string(name)]
		}
		s.methods[known] = id
	}
}

// Entry decodes the entry of a row: of an element with only its bytes as payload.
func (s *Source) Entry(row session.Row, limit int) (session.Entry, error) {
	return s.EntryInto(row, limit, nil)
}

// EntryInto implements session.IntoReader.
func (s *Source) EntryInto(row session.Row, limit int, buf []byte) (session.Entry, error) {
	if row.Off >= 0 {
		return session.EntryInto(s.Source, row, limit, buf)
	}
	e, ok := s.Element(First - 1 - int(row.Off))
	batch, found := session.RowAt(s.Source, e.Row)
	if !ok || !found {
		return session.Entry{}, errors.New("no such element of a batch")
	}
	entry, err := s.read(e, batch, buf)
	if err == nil && limit > 0 && len(entry.Payload) > limit {
		entry.Payload, entry.Cut = entry.Payload[:limit], true
		entry.Msg = framing.Message{Kind: entry.Msg.Kind}
	}
	return entry, err
}

// ReadLine reads bytes of the line of a row; there are none for an element.
func (s *Source) ReadLine(row session.Row, p []byte, off int64) (int, error) {
	if row.Off < 0 {
		return 0, errors.New("an element of a batch is not a line")
	}
	return s.Source.ReadLine(row, p, off)
}

// InOrder implements session.OrderReader.
func (s *Source) InOrder() session.IntoReader { return inOrder{s, session.InOrder(s.Source)} }

type inOrder struct {
	elements *Source
	entries  session.IntoReader
}

func (r inOrder) EntryInto(row session.Row, limit int, buf []byte) (session.Entry, error) {
	if row.Off < 0 {
		return r.elements.EntryInto(row, limit, buf)
	}
	return r.entries.EntryInto(row, limit, buf)
}

// Search implements session.Searcher, if the log does. Elements have to be read.
func (s *Source) Search(rows []session.Row, needle session.Needle, found []session.Found) {
	searcher, ok := s.Source.(session.Searcher)
	if !ok || len(rows) > 0 && rows[0].Off < 0 {
		clear(found)
		return
	}
	searcher.Search(rows, needle, found)
}

// Log returns the log without rows of elements.
func (s *Source) Log() session.Source { return s.Source }
