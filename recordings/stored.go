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

	"mcpdbg/session"
)

// A stored index is a file in the cache folder: the pages of an index's rows,
// then what else the index knows, and a trailer of fixed size. It tells by
// itself what recording it is of and whether it is whole: the trailer has the
// hash of all but the pages, and that has the hash of each page, so that a page
// is checked when it is read and opening costs the same for millions of rows.
//
//	pages | about, JSON | state of the index | lengths of both, hash, magic

// storedMagic ends a stored index. Its number is the version of this layout.
const storedMagic = "mcpdbg index 1\n"

const storedTrailer = 3*8 + len(storedMagic)

// errDoubt is the error for a stored index that is not used, whatever for.
var errDoubt = errors.New("the stored index can't be relied on")

// about is what a stored index is of.
type about struct {
	Index    int       // session.IndexVersion
	ID       string    // of the recording
	Size     int64     // of the recording's file
	Modified time.Time // when the file was
	Print    uint64    // fingerprint of the file up to Position.End
	Position position
	Pages    []byte // the XXH64 of each, 8 bytes little endian
}

// same tells whether a file with such a header, size and time is the one that
// was indexed, as it was then or with more lines after it.
func (a *about) same(header session.Header, f io.ReaderAt, info fs.FileInfo) bool {
	switch {
	case a.Index != session.IndexVersion, a.ID != header.ID, a.Position.End > a.Size, a.Position.End <= 0:
		return false
	case info.Size() < a.Size, info.Size() == a.Size && !info.ModTime().Equal(a.Modified):
		return false
	}
	print, err := fingerprint(f, a.Position.End)
	return err == nil && print == a.Print
}

const (
	printEdge   = 64 << 10 // bytes at both ends of what is indexed
	printSample = 4 << 10  // bytes at each place between
	printPlaces = 14
)

// fingerprint is a hash of places all over the first size bytes of a file. Who
// changed a recording anywhere has shifted what is behind that.
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

// writeStored writes the index of what at says, for the file f.
func writeStored(w io.Writer, index *session.Index, id string, f io.ReaderAt, info fs.FileInfo, at position) error {
	print, err := fingerprint(f, at.End)
	if err != nil {
		return err
	}
	a := about{Index: session.IndexVersion, ID: id, Size: info.Size(), Modified: info.ModTime(), Print: print, Position: at}
	err = index.Pages(func(page []byte) error {
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
	err = index.State(func(piece []byte) error {
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

// readStored reads a stored index of size bytes but its pages. The error is
// errDoubt, or one of reading.
func readStored(f io.ReaderAt, size int64) (a about, state []byte, err error) {
	trailer := make([]byte, storedTrailer)
	if size < int64(storedTrailer) {
		return a, nil, errDoubt
	}
	if _, err := f.ReadAt(trailer, size-int64(storedTrailer)); err != nil {
		return a, nil, err
	}
	doc, rest := binary.LittleEndian.Uint64(trailer), binary.LittleEndian.Uint64(trailer[8:])
	most := uint64(size) - uint64(storedTrailer)
	if string(trailer[24:]) != storedMagic || doc > most || rest > most-doc {
		return a, nil, errDoubt
	}
	body := make([]byte, doc+rest)
	if _, err := f.ReadAt(body, int64(most-doc-rest)); err != nil {
		return a, nil, err
	}
	if xxhash.Sum64(body) != binary.LittleEndian.Uint64(trailer[16:]) {
		return a, nil, errDoubt
	}
	if err := json.Unmarshal(body[:doc], &a); err != nil {
		return a, nil, errDoubt
	}
	if pages := (most - doc - rest) / session.IndexPageSize; pages*session.IndexPageSize != most-doc-rest || len(a.Pages) != int(pages)*8 {
		return a, nil, errDoubt
	}
	return a, body[doc:], nil
}

// storedRows is the session.IndexFile of an index that was stored: its pages
// are read from there, checked, and never changed. A page that is changed moves
// to a temporary file, where new ones go, too. Index calls it by one goroutine
// at a time.
type storedRows struct {
	f     *os.File
	sums  []byte // of its pages
	temp  temp
	moved map[int64]bool // pages that are in temp
	bad   atomic.Bool    // a page was not what it had been
}

func (s *storedRows) pages() int64 { return int64(len(s.sums) / 8) }

// ReadAt reads a whole page.
func (s *storedRows) ReadAt(p []byte, off int64) (int, error) {
	page := off / session.IndexPageSize
	if page >= s.pages() || s.moved[page] {
		if s.temp.f == nil {
			return 0, io.EOF
		}
		return s.temp.f.ReadAt(p, off)
	}
	n, err := s.f.ReadAt(p, off)
	if err != nil || xxhash.Sum64(p) != binary.LittleEndian.Uint64(s.sums[page*8:]) {
		s.bad.Store(true)
		return 0, errDoubt
	}
	return n, nil
}

// WriteAt changes a page, or a row of one.
func (s *storedRows) WriteAt(p []byte, off int64) (int, error) {
	if s.temp.f == nil {
		if err := s.temp.open(); err != nil {
			return 0, err
		}
	}
	page := off / session.IndexPageSize
	if page < s.pages() && !s.moved[page] {
		if err := s.move(page, len(p)); err != nil {
			return 0, err
		}
	}
	return s.temp.f.WriteAt(p, off)
}

// move moves a page of which length bytes are about to be changed.
func (s *storedRows) move(page int64, length int) error {
	if length < session.IndexPageSize {
		buf := make([]byte, session.IndexPageSize)
		if _, err := s.ReadAt(buf, page*session.IndexPageSize); err != nil {
			return err
		}
		if _, err := s.temp.f.WriteAt(buf, page*session.IndexPageSize); err != nil {
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
