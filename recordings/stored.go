package recordings

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/index"
)

// A stored index has the pages of an index's rows, the rest of the index, and a trailer
// of fixed size. The trailer has the hash of everything except the pages, and that has
// the hash of each page: a page is checked when it is read, and opening takes the same
// time for millions of rows.
//
//	pages | about, JSON | state of the index | lengths of both, hash, magic

// storedMagic ends with the version of this layout.
const storedMagic = "mcpdbg index 1\n"

const storedTrailer = 3*8 + len(storedMagic)

// errUnreliable means that a stored index can't be used, for any reason.
var errUnreliable = errors.New("the stored index can't be relied on")

type about struct {
	Index    int       // session.IndexVersion
	ID       string    // the recording's
	Size     int64     // of the recording in bytes
	Modified time.Time // modification time of the recording
	Print    uint64    // fingerprint of the file up to Position.End
	Position position
	Pages    []byte // the XXH64 of each page, 8 bytes little endian
}

// same reports whether a file is the one that was indexed, possibly with more lines
// appended.
func (a *about) same(header session.Header, f io.ReaderAt, info fs.FileInfo) bool {
	switch {
	case a.Index != index.Version, a.ID != header.ID, a.Position.End > a.Size, a.Position.End <= 0:
		return false
	case info.Size() < a.Size, info.Size() == a.Size && !info.ModTime().Equal(a.Modified):
		return false
	}
	print, err := fingerprint(f, a.Position.End)
	return err == nil && print == a.Print
}

const (
	printEdge   = 64 << 10 // bytes at each end of the indexed range
	printSample = 4 << 10  // bytes at each place in between
	printPlaces = 14
)

// fingerprint hashes places all over the first size bytes of a file. An edit anywhere
// most likely shifts what follows.
func fingerprint(f io.ReaderAt, size int64) (uint64, error) {
	var h xxhash.Digest
	h.Reset()
	read := func(from, n int64) error {
		_, err := io.Copy(&h, io.NewSectionReader(f, from, min(n, size-from)))
		return err
	}
	err := errors.Join(read(0, printEdge), read(max(0, size-printEdge), printEdge))
	for i := range int64(printPlaces) {
		err = errors.Join(err, read(size/(printPlaces+1)*(i+1), printSample))
	}
	return h.Sum64(), err
}

// writeStored writes the rows up to the position at of the file f.
func writeStored(w io.Writer, rows *index.Index, id string, f io.ReaderAt, info fs.FileInfo, at position) error {
	print, err := fingerprint(f, at.End)
	if err != nil {
		return err
	}
	a := about{Index: index.Version, ID: id, Size: info.Size(), Modified: info.ModTime(), Print: print, Position: at}
	err = rows.Pages(func(page []byte) error {
		a.Pages = binary.LittleEndian.AppendUint64(a.Pages, xxhash.Sum64(page))
		_, err := w.Write(page)
		return err
	})
	if err != nil {
		return err
	}
	doc, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	var h xxhash.Digest
	h.Reset()
	both, state := io.MultiWriter(w, &h), uint64(0)
	if _, err = both.Write(doc); err != nil {
		return err
	}
	err = rows.State(func(piece []byte) error {
		state += uint64(len(piece))
		_, err := both.Write(piece)
		return err
	})
	if err != nil {
		return err
	}
	trailer := binary.LittleEndian.AppendUint64(nil, uint64(len(doc)))
	trailer = binary.LittleEndian.AppendUint64(trailer, state)
	trailer = binary.LittleEndian.AppendUint64(trailer, h.Sum64())
	_, err = w.Write(append(trailer, storedMagic...))
	return err
}

// readStored reads all but the pages. The error is errUnreliable or a read error.
func readStored(f io.ReaderAt, size int64) (a about, state []byte, err error) {
	trailer := make([]byte, storedTrailer)
	if size < int64(storedTrailer) {
		return a, nil, errUnreliable
	}
	if _, err := f.ReadAt(trailer, size-int64(storedTrailer)); err != nil {
		return a, nil, err
	}
	doc, rest := binary.LittleEndian.Uint64(trailer), binary.LittleEndian.Uint64(trailer[8:])
	most := uint64(size) - uint64(storedTrailer)
	if string(trailer[24:]) != storedMagic || doc > most || rest > most-doc {
		return a, nil, errUnreliable
	}
	body := make([]byte, doc+rest)
	if _, err := f.ReadAt(body, int64(most-doc-rest)); err != nil {
		return a, nil, err
	}
	if xxhash.Sum64(body) != binary.LittleEndian.Uint64(trailer[16:]) {
		return a, nil, errUnreliable
	}
	if err := framing.Unmarshal(body[:doc], &a); err != nil {
		return a, nil, errUnreliable
	}
	if pages := (most - doc - rest) / index.PageSize; pages*index.PageSize != most-doc-rest || len(a.Pages) != int(pages)*8 {
		return a, nil, errUnreliable
	}
	return a, body[doc:], nil
}

// storedRows reads and checks the pages of a stored index and never changes them there: a
// changed page moves to a temporary file, as do new pages. Index does not call it
// concurrently.
type storedRows struct {
	f     *os.File
	sums  []byte
	temp  temp
	moved map[int64]bool
	bad   atomic.Bool // a page does not match its hash
}

func (s *storedRows) pages() int64 { return int64(len(s.sums) / 8) }

// ReadAt reads a whole page.
func (s *storedRows) ReadAt(p []byte, off int64) (int, error) {
	page := off / index.PageSize
	if page >= s.pages() || s.moved[page] {
		if s.temp.f == nil {
			return 0, io.EOF
		}
		return s.temp.f.ReadAt(p, off)
	}
	n, err := s.f.ReadAt(p, off)
	if err != nil || xxhash.Sum64(p) != binary.LittleEndian.Uint64(s.sums[page*8:]) {
		s.bad.Store(true)
		return 0, errUnreliable
	}
	return n, nil
}

// WriteAt writes a page, or a row of one.
func (s *storedRows) WriteAt(p []byte, off int64) (int, error) {
	if s.temp.f == nil {
		if err := s.temp.open(); err != nil {
			return 0, err
		}
	}
	page := off / index.PageSize
	if page < s.pages() && !s.moved[page] {
		if err := s.move(page, len(p)); err != nil {
			return 0, err
		}
	}
	return s.temp.f.WriteAt(p, off)
}

// move moves a page of length bytes, about to be changed, to temp.
func (s *storedRows) move(page int64, length int) error {
	if length < index.PageSize {
		buf := make([]byte, index.PageSize)
		if _, err := s.ReadAt(buf, page*index.PageSize); err != nil {
			return err
		}
		if _, err := s.temp.f.WriteAt(buf, page*index.PageSize); err != nil {
			return err
		}
	}
	if s.moved == nil {
		s.moved = make(map[int64]bool)
	}
	s.moved[page] = true
	return nil
}

func (s *storedRows) close() error { return errors.Join(s.temp.close(), s.f.Close()) }

// storeIndex stores the index of a completed recording for the next Open: it is complete
// already.
func (f *File) storeIndex() {
	if f.keeps != session.RecordingOn || f.end < minStored || f.stopReason() != nil || f.watch.moved() != "" || f.rowsError() != nil {
		return
	}
	path, err := storedPath(f.path)
	if err != nil {
		return
	}
	info, err := f.files.Stat()
	if err != nil {
		return
	}
	var last [1]session.Row
	if f.index.Rows(f.index.Len()-1, last[:]) == 0 {
		return
	}
	at := position{End: f.end, Entries: f.n, N: f.n, T: last[0].T, Kind: last[0].Kind}
	_ = storeAt(path, func(w io.Writer) error {
		return writeStored(w, &f.index, f.header.ID, &f.files, info, at)
	})
}

// A temp is a temporary file, unlinked at once, so that nothing remains even if the
// program is killed; where that can't be done, close removes it. The zero temp is not
// open.
type temp struct {
	f     *os.File
	named bool
}

func (t *temp) open() error {
	f, err := os.CreateTemp("", "mcpdbg-*")
	if err != nil {
		return err
	}
	t.f, t.named = f, os.Remove(f.Name()) != nil
	return nil
}

func (t *temp) create() (index.File, error) {
	if err := t.open(); err != nil {
		return nil, err
	}
	return t.f, nil
}

func (t *temp) close() error {
	if t.f == nil {
		return nil
	}
	err := t.f.Close()
	if t.named && err == nil {
		err = os.Remove(t.f.Name())
	}
	return err
}
