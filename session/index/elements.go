package index

import (
	"bytes"
	"maps"
	"slices"
	"sort"

	"mcpdbg/framing"
	"mcpdbg/session"
)

const (
	// maxElementPairs and maxBatches are how many pairs and batches of a log are
	// kept: 4 MB of each.
	maxElementPairs = 1 << 18
	maxBatches      = 1 << 18
	// maxReplaced is how many pairs of requests outside of batches are kept besides.
	maxReplaced = 1 << 16
	// maxOpenElements is how many requests in batches are known: those that are pending,
	// the latest given-up ones, and as many others.
	maxOpenElements = 2 * maxPending
	// pairsRead is how many pairs after a batch are read to find its own.
	pairsRead = 1 << 16
)

// elements are the messages in the batches of a log, and how their requests ended.
// Of a log without batches only the requests are kept whose ids were used again.
type elements struct {
	current int                     // the element that is being added, from 1; 0 outside of a batch
	open    map[pairKey]openElement // requests in batches; dropped with their responses
	pairs   []elementPair           // ordered by at
	alone   int                     // how many of pairs addReplaced added
	row     counted                 // the row that is being added, if it has several messages
	batches []counted               // ordered by row, also of writes of several lines
	missing bool                    // there were more pairs of batches
}

// An openElement is a request in a batch.
type openElement struct {
	element uint16 // from 1
	method  uint16
}

// An elementPair is a session.ElementPair. Elements count from 1; 0 is the whole
// entry.
type elementPair struct {
	request, at uint32 // rows
	element, by uint16
	state       session.ReqState
	failed      bool
}

// A counted is a session.Batch.
type counted struct {
	row, elements, requests, responses uint32
	whole                              bool // the entry is one line, which is a batch
}

// count counts a message of a row with several.
func (e *elements) count(m framing.Message) {
	switch e.row.elements++; m.Kind {
	case framing.Request:
		e.row.requests++
	case framing.Response, framing.ErrorResponse:
		e.row.responses++
	}
	e.current = int(e.row.elements)
}

func (e *elements) end(row uint32) {
	if e.row.row = row; len(e.batches) < maxBatches {
		e.batches = append(e.batches, e.row)
	}
	e.row, e.current = counted{}, 0
}

// opened records which element of its batch a request is that is now pending.
func (e *elements) opened(key pairKey, method uint16, pair *pairing) {
	if e.current == 0 || e.current > session.MaxPaired {
		delete(e.open, key)
		return
	}
	if e.open == nil {
		e.open = map[pairKey]openElement{}
	}
	if len(e.open) == maxOpenElements {
		maps.DeleteFunc(e.open, func(key pairKey, _ openElement) bool {
			_, known := pair.find(key)
			return !known
		})
	}
	e.open[key] = openElement{uint16(e.current), method}
}

// methodOf returns the method of the request with a key, which is at a row.
func methodOf(x *Index, key pairKey, number uint32) string {
	if method := x.elements.open[key].method; method != 0 {
		return x.methodName(method)
	}
	request, _ := x.row(int(number))
	return x.methodName(request.Method)
}

// settled records how the request of a row ended, if it or the response that is
// being added is in a batch. It returns the method of a request in a batch, else 0.
func (x *Index) settled(request uint32, key pairKey, state session.ReqState, failed bool) (method uint16) {
	e := &x.elements
	if e.current == 0 && len(e.open) == 0 && state != session.ReqDuplicate {
		return 0
	}
	element, by := e.open[key].element, 0
	method = e.open[key].method
	switch state {
	case session.ReqAnswered, session.ReqFailed:
		by = e.current
		delete(e.open, key)
	case session.ReqDuplicate:
		element, by = x.pair.done[key].element, e.current
	}
	if by > session.MaxPaired {
		by = 0
	}
	if element == 0 && by == 0 {
		return method
	}
	e.add(elementPair{request, uint32(x.added), element, uint16(by), state, failed})
	return method
}

func (e *elements) add(p elementPair) {
	if len(e.pairs)-e.alone >= maxElementPairs {
		e.missing = true
		return
	}
	e.pairs = append(e.pairs, p)
}

// addReplaced records that a request, the only message of its row, lost its id to one in
// the row that is being added.
func (e *elements) addReplaced(request, at uint32) {
	if e.alone < maxReplaced {
		e.alone++
		e.pairs = append(e.pairs, elementPair{request: request, at: at, state: session.ReqLost})
	}
}

// Batch implements session.ElementReader.
func (x *Index) Batch(row int) (b session.Batch, ok bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if row >= x.visible {
		return session.Batch{}, false
	}
	found, ok := x.elements.batch(row)
	if !ok || !found.whole {
		return session.Batch{}, false
	}
	return session.Batch{Elements: int(found.elements), Requests: int(found.requests), Responses: int(found.responses)}, true
}

// batch returns the counts of a row with several messages.
func (e *elements) batch(row int) (c counted, ok bool) {
	i := sort.Search(len(e.batches), func(i int) bool { return int(e.batches[i].row) >= row })
	if i == len(e.batches) || int(e.batches[i].row) != row {
		return counted{}, false
	}
	return e.batches[i], true
}

// ElementPairs implements session.ElementReader.
func (x *Index) ElementPairs(k, row int, visit func(session.ElementPair) bool) (known bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	k = min(k, x.visible)
	missing := 1 // of the requests in the row, those that have not ended so far
	b, isBatch := x.elements.batch(row)
	if isBatch {
		missing = min(int(b.requests), session.MaxPaired)
	}
	all := x.elements.pairs
	from := sort.Search(len(all), func(i int) bool { return int(all[i].at) >= row })
	end := min(from+pairsRead, len(all))
	for _, p := range all[from:end] {
		if int(p.at) >= k || missing == 0 && int(p.at) > row {
			return true
		}
		if int(p.request) != row && int(p.at) != row {
			continue
		}
		pair := p.exported()
		if !visit(pair) {
			return true
		}
		if int(p.request) == row && (p.element > 0) == isBatch && (pair.Answered() || p.state == session.ReqLost) {
			missing--
		}
	}
	return end == len(all) && !x.elements.missing
}

func (p elementPair) exported() session.ElementPair {
	return session.ElementPair{
		Request: session.Element{Row: int(p.request), Index: int(p.element) - 1},
		At:      session.Element{Row: int(p.at), Index: int(p.by) - 1},
		State:   p.state, Failed: p.failed,
	}
}

func (e *elements) save(w *stateWriter) {
	w.int(len(e.open))
	keys := slices.Collect(maps.Keys(e.open))
	sort.Slice(keys, func(i, j int) bool { return bytes.Compare(keys[i][:], keys[j][:]) < 0 })
	for _, key := range keys {
		w.pair(key, uint32(e.open[key].element))
		w.int(int(e.open[key].method))
	}
	w.bool(e.missing)
	w.int(len(e.pairs))
	for _, p := range e.pairs {
		for _, n := range [...]int{int(p.request), int(p.at), int(p.element), int(p.by), int(p.state)} {
			w.int(n)
		}
		w.bool(p.failed)
	}
	w.int(len(e.batches))
	for _, b := range e.batches {
		for _, n := range [...]uint32{b.row, b.elements, b.requests, b.responses} {
			w.int(int(n))
		}
		w.bool(b.whole)
	}
}

func (e *elements) restore(r *stateReader, rows int) {
	for range r.int(maxOpenElements) {
		key, element := r.pair(session.MaxPaired + 1)
		if e.open == nil {
			e.open = map[pairKey]openElement{}
		}
		e.open[key] = openElement{uint16(element), uint16(r.int(maxMethods))}
	}
	e.missing = r.bool()
	for range r.int(maxElementPairs + maxReplaced) {
		p := elementPair{
			uint32(r.int(rows - 1)), uint32(r.int(rows - 1)), uint16(r.int(session.MaxPaired)), uint16(r.int(session.MaxPaired)),
			session.ReqState(r.int(int(session.ReqDuplicate))), r.bool(),
		}
		if p.element == 0 && p.by == 0 {
			e.alone++
		}
		e.pairs = append(e.pairs, p)
	}
	for range r.int(maxBatches) {
		e.batches = append(e.batches, counted{uint32(r.int(rows - 1)), uint32(r.int(maxIndexRows)), uint32(r.int(maxIndexRows)), uint32(r.int(maxIndexRows)), r.bool()})
	}
}
