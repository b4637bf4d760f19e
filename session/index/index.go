package index

import (
	"fmt"
	"io"
	"math"
	"sync"

	"mcpdbg/framing"
	"mcpdbg/session"
)

const (
	pageRows = 2048
	pageSize = pageRows * session.RowSize
	// maxMethods is how many method names are interned; all later ones share
	// the last number. Names longer than maxMethodLen are cut.
	maxMethods   = 4096
	maxMethodLen = 256

	// OtherMethods is the name for methods that are not interned.
	OtherMethods = "(other methods)"
	// DefaultMemory is how many bytes of rows are kept in memory (4 M rows).
	DefaultMemory = 128 << 20
)

// File stores the pages of an Index that do not fit into memory.
type File interface {
	io.ReaderAt
	io.WriterAt
}

// An Index is the table of rows over a log, with requests and responses paired.
// It is built entry by entry, while writing and when opening a file, and does
// no I/O except for pages beyond its memory limit. One goroutine at a time may
// Add; the other methods may be called from any goroutine.
type Index struct {
	// Memory is how many bytes of rows stay in memory; 0 means
	// DefaultMemory. Without Spill all rows do.
	Memory int
	// Spill, if set, is called once for a file when Memory is full.
	Spill func() (File, error)
	// Partial says that the index begins in the middle of the log, so that an
	// unmatched response is not an error.
	Partial bool

	mu       sync.RWMutex
	pages    []*[pageRows]session.Row // nil: in file
	added    int                      // rows in pages
	visible  int                      // rows that readers see
	resident int                      // index of the first page that is in memory
	file     File
	cached   pageCache              // pages read back from file
	spare    *[pageRows]session.Row // moved to file; reused for the next page

	methods        []string
	numbers        map[string]uint16
	stats          session.Stats
	formerly       formerly
	pair           pairing
	elements       elements
	next           session.Row // being added, while adding
	adding         bool
	owner          uint32                  // row plus one of the request that next is about; 0: none
	inRow          tally                   // of the requests of next
	numbering      numbering               // of the entries
	handshakeState handshakeState          // the handshake of the process
	openIn         openLine                // of stdin
	inParts        [session.KindCount]bool // the last entry of the stream kind was a part that is continued
	partial        framing.Partial         // the line of stdout that comes in parts
	history        history
}

// Add indexes e, whose line of length bytes begins at off. Readers do not see
// the row before Publish. It does not retain e. It fails if there is no room
// for the row in memory or in a file.
func (x *Index) Add(e *session.Entry, off int64, length int) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.add(e, off, length)
}

// AddBatch adds entries whose lines, of the given lengths, follow each other
// from off on. It returns the last error.
func (x *Index) AddBatch(entries []session.Entry, off int64, lengths []uint32) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	var failed error
	for i := range entries {
		if err := x.add(&entries[i], off, int(lengths[i])); err != nil {
			failed = err
		}
		off += int64(lengths[i])
	}
	return failed
}

// AddLines adds entries whose lines begin at offs and have the given lengths.
// It stops at the first error.
func (x *Index) AddLines(entries []session.Entry, offs []int64, lengths []uint32) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range entries {
		if err := x.add(&entries[i], offs[i], int(lengths[i])); err != nil {
			return err
		}
	}
	return nil
}

func (x *Index) add(e *session.Entry, off int64, length int) error {
	x.pair.unpack()
	if x.added%pageRows == 0 {
		if err := x.addPage(); err != nil {
			return err
		}
	}
	x.next = session.Row{Off: off, T: e.T, Len: uint32(length), Kind: e.Kind, Run: uint16(x.stats.Runs)}
	row := &x.next
	if e.Kind == session.KindStart {
		x.stats.Runs++
		row.Run = uint16(x.stats.Runs)
	}
	x.adding, x.inRow, x.owner = true, tally{}, 0
	x.numbering.add(uint32(x.added), e.N)
	if e.Kind.IsStream() {
		x.classify(e, row)
	} else {
		x.note(e)
	}
	if row.Flags&session.FlagBatch != 0 {
		x.elements.end(uint32(x.added))
	}
	x.adding = false
	if x.owner != 0 {
		row.SetOwner(int(x.owner) - 1)
	}
	if x.inRow.several && x.inRow.open > 0 {
		x.pair.keep(uint32(x.added), x.inRow)
	}
	x.pages[x.added/pageRows][x.added%pageRows] = *row
	x.added++
	now := countsOf(&x.stats, x.pair.pendingOut, x.pair.pendingIn)
	x.history.step(&now)
	return nil
}

// Publish makes all rows added so far visible to readers.
func (x *Index) Publish() {
	x.mu.Lock()
	x.visible = x.added
	x.mu.Unlock()
}

// Len returns the number of published rows.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.visible
}

// Rows copies published rows, from number from on, into dst and returns how
// many.
func (x *Index) Rows(from int, dst []session.Row) int { return x.RowsAsOf(math.MaxInt, from, dst) }

// RowsAsOf is like Rows when k rows were published.
func (x *Index) RowsAsOf(k, from int, dst []session.Row) int {
	x.mu.RLock()
	visible := min(x.visible, k)
	if from < 0 || from >= visible {
		x.mu.RUnlock()
		return 0
	}
	dst = dst[:min(len(dst), visible-from)]
	if from/pageRows >= x.resident {
		defer x.mu.RUnlock()
		return x.copyRows(k, from, dst)
	}
	x.mu.RUnlock()
	x.mu.Lock() // reading a page back changes the cache
	defer x.mu.Unlock()
	return x.copyRows(k, from, dst)
}

func (x *Index) copyRows(k, from int, dst []session.Row) int {
	n := 0
	for n < len(dst) {
		page := x.page((from + n) / pageRows)
		if page == nil {
			break
		}
		n += copy(dst[n:], page[(from+n)%pageRows:])
	}
	if k < x.added {
		x.history.rewind(k, from, dst[:n])
	}
	return n
}

// Method returns the name for a row's Method.
func (x *Index) Method(id uint16) string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if id == 0 || int(id) > len(x.methods) {
		return ""
	}
	return x.methods[id-1]
}

// Stats returns the counts over all rows added. The recording's own members
// (Size, Recording, RecordingError) are left zero.
func (x *Index) Stats() session.Stats {
	x.mu.RLock()
	defer x.mu.RUnlock()
	s := x.stats
	s.PendingOut, s.PendingIn = x.pair.pendingOut, x.pair.pendingIn
	return s
}

// Forgotten returns what RowsAsOf and StatsAsOf do not know exactly.
func (x *Index) Forgotten() session.Forgotten {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return session.Forgotten{Changes: x.history.lost, Rows: x.history.rough}
}

// StatsAsOf is like Stats when k rows were added. See Forgotten.
func (x *Index) StatsAsOf(k int) session.Stats {
	x.mu.RLock()
	defer x.mu.RUnlock()
	c := x.history.at(max(k, 0))
	return c.stats()
}

// intern returns the number of a method name.
func (x *Index) intern(name []byte) uint16 {
	name = name[:min(len(name), maxMethodLen)]
	if n, ok := x.numbers[string(name)]; ok {
		return n
	}
	if len(x.methods) == maxMethods {
		return maxMethods
	}
	if x.numbers == nil {
		x.numbers = make(map[string]uint16)
	}
	s := string(name)
	if len(x.methods) == maxMethods-1 {
		s = OtherMethods
	}
	x.methods = append(x.methods, s)
	x.numbers[s] = uint16(len(x.methods))
	return uint16(len(x.methods))
}

// addPage makes room for rows after the last one. If the file can't be written,
// it fails only once memory is well beyond its limit.
func (x *Index) addPage() error {
	if err := x.spillOldest(); err != nil && (len(x.pages)-x.resident)*pageSize >= 4*x.limit() {
		return err
	}
	page := x.spare
	if x.spare = nil; page == nil {
		page = new([pageRows]session.Row)
	}
	x.pages = append(x.pages, page)
	return nil
}

func (x *Index) limit() int {
	if x.Memory == 0 {
		return DefaultMemory
	}
	return x.Memory
}

// spillOldest moves the oldest resident page to the file when memory is full.
func (x *Index) spillOldest() error {
	if x.Spill == nil || (len(x.pages)-x.resident)*pageSize < x.limit() || x.resident == len(x.pages) {
		return nil
	}
	if x.file == nil {
		f, err := x.Spill()
		if err != nil {
			return fmt.Errorf("index: %w", err)
		}
		x.file = f
	}
	if err := x.writePage(x.resident, x.pages[x.resident]); err != nil {
		return err
	}
	x.spare, x.pages[x.resident] = x.pages[x.resident], nil
	x.resident++
	return nil
}

func (x *Index) writePage(i int, page *[pageRows]session.Row) error {
	buf := make([]byte, 0, pageSize)
	for _, r := range page {
		buf = r.AppendBinary(buf)
	}
	if _, err := x.file.WriteAt(buf, int64(i)*pageSize); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	return nil
}

// page returns page i, reading it back if necessary; nil if that fails.
func (x *Index) page(i int) *[pageRows]session.Row {
	switch {
	case i < 0 || i >= len(x.pages):
		return nil
	case i >= x.resident:
		return x.pages[i]
	}
	if page := x.cached.get(i); page != nil {
		return page
	}
	page := x.readPage(i)
	if page != nil {
		x.cached.put(i, page)
	}
	return page
}

func (x *Index) readPage(i int) *[pageRows]session.Row {
	buf := make([]byte, pageSize)
	if _, err := x.file.ReadAt(buf, int64(i)*pageSize); err != nil {
		return nil
	}
	page := new([pageRows]session.Row)
	for k := range page {
		page[k] = session.DecodeRow(buf[k*session.RowSize:])
	}
	return page
}

// row returns row i, spilled or not, or the one that is being added.
func (x *Index) row(i int) (session.Row, bool) {
	if x.adding && i == x.added {
		return x.next, true
	}
	if i < 0 || i >= x.added {
		return session.Row{}, false
	}
	page := x.page(i / pageRows)
	if page == nil {
		return session.Row{}, false
	}
	return page[i%pageRows], true
}

// setRow changes row i, spilled or not, or the one that is being added.
func (x *Index) setRow(i int, row session.Row) {
	if x.adding && i == x.added {
		x.next = row
		return
	}
	page := x.page(i / pageRows)
	if page == nil {
		return
	}
	page[i%pageRows] = row
	if i/pageRows < x.resident {
		// A page that can't be written keeps its new row in the cache; the next
		// read from file shows the older state of the pair, nothing worse.
		_, _ = x.file.WriteAt(row.AppendBinary(nil), int64(i)*session.RowSize)
	}
}
