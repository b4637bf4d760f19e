package recordings

import (
	"errors"
	"fmt"
	"io"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// headRoom is how many bytes the members before a payload may take: room for
// framing.MaxCuts cuts of the largest numbers.
const headRoom = 256 << 10

// stored is a File as a reader of what it has stored. (A method value would be
// allocated for every row on the screen.)
type stored File

func (s *stored) ReadAt(p []byte, off int64) (int, error) { return (*File)(s).readAt(p, off) }

// readEntry implements session.Source.Entry over the bytes of r, in memory of
// its own or in that of buf.
func readEntry(r io.ReaderAt, row session.Row, limit int, buf []byte) (session.Entry, error) {
	e, err := readPart(r, row, limit, buf)
	if err != nil {
		return session.Entry{}, fmt.Errorf("read the entry at byte %d: %w", row.Off, err)
	}
	return e, nil
}

func readPart(r io.ReaderAt, row session.Row, limit int, buf []byte) (session.Entry, error) {
	var d decoder
	// Most heads are short; one with thousands of cuts is read again.
	for _, room := range []int{1024, headRoom} {
		if limit <= 0 || !row.Kind.IsStream() || int64(row.Len) <= int64(limit+room) {
			break
		}
		line, err := readFull(r, row, limit+room, buf)
		if err != nil {
			return session.Entry{}, err
		}
		var e session.Entry
		if err := d.head(&e, line); err == nil {
			d.begin(&e, limit, int64(row.Len)-int64(d.i))
			e.Msg.Kind = row.Msg
			return e, nil
		}
	}
	line, err := readFull(r, row, int(row.Len), buf)
	if err != nil {
		return session.Entry{}, err
	}
	e, err := d.decode(line)
	if row.Flags&session.FlagPart != 0 {
		e.Msg = framing.Message{} // parts are not looked at
	}
	return e, err
}

// readFull reads the first n bytes of the row's line, into buf if it has room.
func readFull(r io.ReaderAt, row session.Row, n int, buf []byte) ([]byte, error) {
	if cap(buf) < n {
		if n > lookFirst && !there(r, row.Off+int64(n)-1) {
			return nil, io.ErrUnexpectedEOF
		}
		buf = make([]byte, n)
	}
	line := buf[:n]
	if got, err := r.ReadAt(line, row.Off); got < n {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return line, nil
}

// lookFirst is how much memory is taken for a line without a look whether the
// line is there.
const lookFirst = 1 << 20

func there(r io.ReaderAt, off int64) bool {
	var last [1]byte
	n, _ := r.ReadAt(last[:], off)
	return n == 1
}

// readLine implements session.Source.ReadLine over the bytes of r.
func readLine(r io.ReaderAt, row session.Row, p []byte, off int64) (int, error) {
	if off < 0 || off >= int64(row.Len) {
		return 0, io.EOF
	}
	rest := int64(row.Len) - off
	n, err := r.ReadAt(p[:min(int64(len(p)), rest)], row.Off+off)
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}
