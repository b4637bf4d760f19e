package recordings

import (
	"bytes"
	"io"
	"runtime"
	"sync"

	"mcpdbg/session"
)

const (
	// searchWindow is how much of a file is searched at once. It fits into the
	// cache of a core, which is what makes the passes over it cheap.
	searchWindow = 512 << 10
	// searchLongest is the longest line that is searched; longer ones are left
	// to who reads them.
	searchLongest = 4 << 20
	// searchHole is how many bytes between two lines are read along with them
	// rather than skipped.
	searchHole = 16 << 10
	// searchShare is how many bytes are worth a goroutine of their own.
	searchShare = 2 << 20
	// sampleSize is how much of a file is looked at for which bytes are rare.
	sampleSize = 256 << 10
)

// A searcher searches the lines of a file. The zero value is ready; it may be
// used by any goroutine.
type searcher struct {
	windows sync.Pool // of *[]byte
	sampled sync.Once
	rarity  [256]uint32 // how often a byte occurs in a sample of the file
}

// search implements session.Searcher over the bytes of r. Lines are searched as
// they stand in the file, many at a time, and only those are decoded whose
// payload stands there in another form.
func (s *searcher) search(r io.ReaderAt, rows []session.Row, lower []byte, found []session.Found) {
	clear(found)
	if len(lower) == 0 || len(rows) == 0 {
		return
	}
	s.sampled.Do(func() { s.sample(r, rows[0].Off) })
	n := newNeedle(lower, &s.rarity)
	shares := min(runtime.GOMAXPROCS(0), 1+int((rows[len(rows)-1].Off-rows[0].Off)/searchShare))
	var wg sync.WaitGroup
	for i := range shares {
		from, to := len(rows)*i/shares, len(rows)*(i+1)/shares
		if i == shares-1 {
			s.part(r, rows[from:to], n, found[from:to])
			break
		}
		wg.Go(func() { s.part(r, rows[from:to], n, found[from:to]) })
	}
	wg.Wait()
}

// sample counts the bytes of some of the file.
func (s *searcher) sample(r io.ReaderAt, off int64) {
	buf := s.window(sampleSize)
	defer s.windows.Put(buf)
	n, _ := r.ReadAt((*buf)[:sampleSize], off) // without a sample all bytes are as rare
	for _, c := range (*buf)[:n] {
		s.rarity[c]++
	}
}

// window returns memory for size bytes, to be put back.
func (s *searcher) window(size int) *[]byte {
	buf, _ := s.windows.Get().(*[]byte)
	if buf == nil || len(*buf) < size {
		b := make([]byte, max(size, searchWindow))
		buf = &b
	}
	return buf
}

// part searches rows window by window.
func (s *searcher) part(r io.ReaderAt, rows []session.Row, n needle, found []session.Found) {
	var d decoder
	for len(rows) > 0 {
		if !searchable(&rows[0]) {
			rows, found = rows[1:], found[1:]
			continue
		}
		off, end, count := rows[0].Off, rows[0].Off+int64(rows[0].Len), 1
		for count < len(rows) && searchable(&rows[count]) {
			next := &rows[count]
			if next.Off < end || next.Off-end > searchHole || next.Off+int64(next.Len)-off > searchWindow {
				break
			}
			end = next.Off + int64(next.Len)
			count++
		}
		buf := s.window(int(end - off))
		window := (*buf)[:end-off]
		if got, _ := r.ReadAt(window, off); got == len(window) {
			searchLines(window, off, rows[:count], n, found, &d)
		} // else who reads the rows is told why
		if len(*buf) == searchWindow {
			s.windows.Put(buf)
		}
		rows, found = rows[count:], found[count:]
	}
}

// searchable tells whether the text of a row is the payload of its line.
func searchable(row *session.Row) bool {
	return row.Kind.IsStream() && row.Len <= searchLongest && row.Flags&session.FlagUnkept == 0
}

// searchLines says which lines of a window, which begins at offset off, have the
// needle in their payload.
func searchLines(window []byte, off int64, rows []session.Row, n needle, found []session.Found, d *decoder) {
	at := n.over(window)
	for i := range rows {
		row := &rows[i]
		if row.Flags&session.FlagEncoded != 0 {
			continue
		}
		begin := int(row.Off - off)
		end := begin + int(row.Len)
		found[i] = session.FoundNot
		hit := at.next(begin)
		if hit < 0 || hit >= end {
			continue
		}
		from, to, ok := verbatimPayload(window[begin:end])
		if !ok {
			found[i] = session.FoundUnknown
			continue
		}
		if hit < begin+from {
			hit = at.next(begin + from)
		}
		if hit >= 0 && hit+len(n.lower) <= begin+to {
			found[i] = session.FoundIt
		}
	}
	// Decoding happens in place, so it comes last.
	for i := range rows {
		row := &rows[i]
		if row.Flags&session.FlagEncoded == 0 {
			continue
		}
		begin := int(row.Off - off)
		if e, err := d.decode(window[begin : begin+int(row.Len)]); err == nil {
			found[i] = session.FoundNot
			if n.in(e.Payload) {
				found[i] = session.FoundIt
			}
		}
	}
}

// verbatimPayload returns where in a line its payload is, if it stands there as
// it is.
func verbatimPayload(line []byte) (from, to int, ok bool) {
	const member = `,"m":`
	i := bytes.Index(line, []byte(member))
	if i < 0 {
		return 0, 0, false
	}
	from = i + len(member)
	for from < len(line) && (line[from] == ' ' || line[from] == '\t') {
		from++
	}
	rest := trimRight(line)
	if len(rest) <= from || rest[len(rest)-1] != '}' {
		return 0, 0, false
	}
	return from, len(trimRight(rest[:len(rest)-1])), true
}

// A needle is ASCII text in lower case that is looked for in any case, by that
// of its bytes which is the rarest.
type needle struct {
	lower        []byte
	at           int  // of the rare byte in it
	small, large byte // the rare byte in both cases
}

func newNeedle(lower []byte, rarity *[256]uint32) needle {
	n := needle{lower: lower}
	least := ^uint64(0)
	for i, c := range lower {
		u := upper(c)
		often := uint64(rarity[c])
		if u != c {
			// The second pass over the window costs as much as some hits do.
			often += uint64(rarity[u]) + sampleSize/1024
		}
		if often < least {
			least = often
			n.at, n.small, n.large = i, c, u
		}
	}
	return n
}

func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - ('a' - 'A')
	}
	return c
}

// in tells whether text has the needle.
func (n *needle) in(text []byte) bool {
	at := n.over(text)
	return at.next(0) >= 0
}

// over begins to look for the needle in a text.
func (n needle) over(text []byte) hits {
	return hits{needle: n, text: text, hit: -1, small: -1, large: -1}
}

// hits are the places in a text where a needle is, in ascending order. Each
// byte is looked at once for each case of the rare byte.
type hits struct {
	needle
	text         []byte
	hit          int // the last one; len(text) if there is no further one
	small, large int // where the rare byte is next, as far as it was looked for
}

// next returns where the needle is at or behind from, -1 if it is nowhere. It is
// called with growing places.
func (h *hits) next(from int) int {
	for h.hit < from {
		rare := h.rare(max(from, h.hit+1) + h.at)
		if rare == len(h.text) {
			h.hit = rare
			break
		}
		if h.hit = rare - h.at; !h.matches(h.hit) {
			from = h.hit + 1
		}
	}
	if h.hit >= len(h.text) {
		return -1
	}
	return h.hit
}

// matches tells whether the needle is at a place.
func (h *hits) matches(at int) bool {
	if at+len(h.lower) > len(h.text) {
		return false
	}
	for i, c := range h.text[at : at+len(h.lower)] {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != h.lower[i] {
			return false
		}
	}
	return true
}

// rare returns where the rare byte is at or behind from, len(h.text) if it is
// nowhere.
func (h *hits) rare(from int) int {
	from = min(from, len(h.text))
	if h.needle.small == h.needle.large {
		return indexFrom(h.text, from, h.needle.small)
	}
	if h.small < from {
		h.small = indexFrom(h.text, from, h.needle.small)
	}
	if h.large < from {
		h.large = indexFrom(h.text, from, h.needle.large)
	}
	return min(h.small, h.large)
}

func indexFrom(text []byte, from int, c byte) int {
	if i := bytes.IndexByte(text[from:], c); i >= 0 {
		return from + i
	}
	return len(text)
}
