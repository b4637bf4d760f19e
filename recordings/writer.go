package recordings

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/index"
)

// A Writer writes a recording of past events, each entry with its own time. Unlike
// a File it can't be read, and a full disk is an error. Its memory is one line and
// a index.Index for the counts. It must be used by one goroutine only.
type Writer struct {
	f       *os.File
	out     *bufio.Writer
	index   index.Index
	spill   temp
	inParts [session.KindEnd + 1]bool // the last entry of the kind was a part of a line that continues
	buf     []byte
	n       uint64 // number of the last entry
	count   uint64
	t       int64
	end     int64
	header  []byte
	sum     session.Checksum // of the lines after the header
}

// CreateWriter creates a recording and writes its header, whose Start must be set.
// Options.NoRecord is ignored. The error is a *CreateError. Close or Discard must be
// called.
func CreateWriter(opts Options) (*Writer, error) {
	header := opts.Header
	header.Version = Version
	if header.ID == "" {
		header.ID = newID(header.Start)
	}
	line, err := appendHeader(nil, header)
	if err != nil {
		return nil, &CreateError{Path: opts.Path, Err: err}
	}
	f, err := openNew(opts, header)
	if err != nil {
		return nil, err
	}
	w := &Writer{f: f, out: bufio.NewWriterSize(f, flushSize), end: int64(len(line)), header: line, sum: session.NewChecksum()}
	w.index = index.Index{Memory: opts.IndexMemory, Spill: w.spill.create}
	_, _ = w.out.Write(line) // errors stay in out
	return w, nil
}

// Path returns the path of the file.
func (w *Writer) Path() string { return w.f.Name() }

// Append writes an entry. It sets its number, unless that is above the previous one, its
// Msg, and Why if that is empty. A time earlier than that of the previous entry is raised to it. A line of stdout or
// stderr comes without its newline. The error is a write error, or that of an
// invalid entry.
func (w *Writer) Append(e *session.Entry) error {
	if len(e.Payload) > maxPayload {
		return fmt.Errorf("%s entry of %d bytes: longer than %d", e.Kind, len(e.Payload), maxPayload)
	}
	if err := checkBody(e); err != nil {
		return err
	}
	w.n = max(w.n+1, e.N)
	w.count++
	w.t = max(w.t, e.T)
	e.N, e.T = w.n, w.t
	if e.Kind.IsStream() {
		w.look(e)
	}
	length, err := w.write(e)
	if err != nil {
		return fmt.Errorf("write recording %s: %w", w.Path(), cause(err))
	}
	if e.Kind == session.KindStderr {
		e.Msg = framing.Message{} // stderr has no messages
	}
	err = w.index.Add(e, w.end, int(length))
	w.end += length
	return err
}

// look scans the bytes as the recorder of a session does.
func (w *Writer) look(e *session.Entry) {
	part := e.More || w.inParts[e.Kind]
	w.inParts[e.Kind] = e.More
	e.Msg = framing.Message{}
	if part {
		return
	}
	e.Msg = framing.Scan(e.Payload)
	if e.EOL == framing.CRLF {
		e.Msg.Problems |= framing.ProblemCRLF
	}
	if e.Why == "" && e.Kind == session.KindStdout {
		e.Why = e.Msg.Problems.String()
	}
}

func (w *Writer) write(e *session.Entry) (length int64, err error) {
	if e.Kind == session.KindEnd {
		seal(e, w.sum, w.header)
	}
	if len(e.Payload) <= pieceSize {
		w.buf = AppendEntry(w.buf[:0], e)
		w.sum.Add(w.buf)
		_, err = w.out.Write(w.buf)
		return int64(len(w.buf)), err
	}
	w.buf, err = writePieces(w.buf, e, func(piece []byte) error {
		length += int64(len(piece))
		w.sum.Add(piece)
		_, err := w.out.Write(piece)
		return err
	})
	return length, err
}

// Stats returns the counts of the appended entries.
func (w *Writer) Stats() session.Stats {
	s := w.index.Stats()
	s.Size = w.end
	return s
}

// Entries returns the number of appended entries.
func (w *Writer) Entries() uint64 { return w.count }

// Close writes the end entry and syncs the file to disk.
func (w *Writer) Close() error {
	stats := w.index.Stats()
	counts := stats.EndCounts()
	end := session.NewEntry(session.KindEnd, 0, session.EndBody{Entries: w.count + 1, Counts: &counts})
	end.T = w.t
	err := w.Append(&end)
	if err == nil {
		err = w.out.Flush()
	}
	if err == nil {
		err = syncData(w.f)
	}
	return errors.Join(err, w.release())
}

// Discard removes the file.
func (w *Writer) Discard() error {
	w.out.Reset(io.Discard)
	return errors.Join(w.release(), os.Remove(w.Path()))
}

func (w *Writer) release() error {
	unlock(w.f)
	return errors.Join(w.spill.close(), w.f.Close())
}
