package recordings

import (
	"bytes"
	"io"
	"runtime"
	"sync"

	"mcpdbg/session"
)

const (
	// searchWindow fits into the cache of a core, which makes several passes over it
	// cheap.
	searchWindow = 512 << 10
	// Longer lines are left to the caller.
	searchLongest = 4 << 20
	// searchHole is the longest gap between two lines that is read along with them.
	searchHole = 16 << 10
	// searchShare is worth a separate goroutine.
	searchShare = 2 << 20
	sampleSize  = 256 << 10
)

// The zero searcher is ready to use; it is safe for concurrent use.
type searcher struct {
	windows sync.Pool // of *[]byte
	sampled sync.Once
	rarity  [256]uint32 // in a sample of the file
}

// search searches the raw lines of the file, many at a time, and decodes only those whose
// payload is encoded.
func (s *searcher) search(r io.ReaderAt, rows []session.Row, needle session.Needle, found []session.Found) {
	clear(found)
	if len(needle.Text) == 0 || len(rows) == 0 {
		return
	}
	n := newNeedle(needle, s.rarityOf(r, rows[0].Off))
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

// rarityOf counts the bytes of a sample of the file from off on, once.
func (s *searcher) rarityOf(r io.ReaderAt, off int64) *[256]uint32 {
	s.sampled.Do(func() { s.sample(r, off) })
	return &s.rarity
}

func (s *searcher) sample(r io.ReaderAt, off int64) {
	buf := s.window(sampleSize)
	defer s.windows.Put(buf)
	n, _ := r.ReadAt((*buf)[:sampleSize], off) // without a sample all bytes are equally rare
	for _, c := range (*buf)[:n] {
		s.rarity[c]++
	}
}

// window returns a buffer of at least size bytes, to be returned to the pool.
func (s *searcher) window(size int) *[]byte {
	buf, _ := s.windows.Get().(*[]byte)
	if buf == nil || len(*buf) < size {
		b := make([]byte, max(size, searchWindow))
		buf = &b
	}
	return buf
}

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
		} // else reading the rows reports the error
		if len(*buf) == searchWindow {
			s.windows.Put(buf)
		}
		rows, found = rows[count:], found[count:]
	}
}

// searchable reports whether the text of a row is the payload of its line.
func searchable(row *session.Row) bool {
	return row.Kind.IsStream() && row.Len <= searchLongest && row.Flags&session.FlagDropped == 0
}

// searchLines sets in found which lines of a window, which begins at off, have the needle
// in their payload.
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
		if hit >= 0 && hit+len(n.Text) <= begin+to {
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

// verbatimPayload reports whether the payload is written verbatim, and where.
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

// A needle is searched for by its rarest byte.
type needle struct {
	session.Needle
	at           int
	small, large byte
}

func newNeedle(text session.Needle, rarity *[256]uint32) needle {
	n := needle{Needle: text}
	least := ^uint64(0)
	for i, c := range text.Text {
		u := c
		if !text.Exact {
			u = upper(c)
		}
		often := uint64(rarity[c])
		if u != c {
			// A second pass over the window costs as much as some hits.
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

func (n *needle) in(text []byte) bool {
	at := n.over(text)
	return at.next(0) >= 0
}

func (n needle) over(text []byte) hits {
	return hits{needle: n, text: text, hit: -1, small: -1, large: -1}
}

// hits are the positions of a needle in ascending order. The text is scanned once for
// each case of the rare byte.
type hits struct {
	needle
	text         []byte
	hit          int // the last hit; len(text) if there are no more
	small, large int // the next position of the rare byte in each case, if searched for
}

// next returns the first hit at or after from, or -1. It must be called with increasing
// positions.
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

func (h *hits) matches(at int) bool {
	if at+len(h.Text) > len(h.text) {
		return false
	}
	for i, c := range h.text[at : at+len(h.Text)] {
		if c >= 'A' && c <= 'Z' && !h.Exact {
			c += 'a' - 'A'
		}
		if c != h.Text[i] {
			return false
		}
	}
	return true
}

// rare returns the position of the rare byte at or after from, or len(h.text).
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
