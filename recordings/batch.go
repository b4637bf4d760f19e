package recordings

import (
	"bytes"
	"encoding/base64"
	"fmt"

	"mcpdbg/session"
)

const (
	flushSize = 256 << 10
	// pieceSize is the longest payload that is copied as a whole. It is divisible by 3,
	// so that the base64 of the pieces adds up to the base64 of the whole.
	pieceSize = 63 << 10
	// idleSize is the capacity that a buffer keeps after quietBatches small batches in a
	// row.
	idleSize     = 16 << 10
	quietBatches = 256
)

func (f *File) writeBatch() {
	t := f.Now() // from the monotonic clock: it never goes back
	f.lengths, f.added = f.lengths[:0], f.added[:0]
	first := f.end
	for _, w := range f.batch {
		from := 0
		for i := range w.entries {
			e := &w.entries[i]
			if f.stamp(e, t); f.needsPart(e) {
				f.added = append(f.added, w.entries[from:i])
				f.nextPart(t)
				from = i
			}
			if err := f.makeRoom(e); err != nil {
				f.added = append(f.added, w.entries[from:i])
				f.stopFull(err, t)
				from = i
			}
			f.put(e, t)
		}
		f.added = append(f.added, w.entries[from:])
	}
	f.flush()
	f.addRows(first)
	f.shrink(int(f.end - first))
}

func (f *File) put(e *session.Entry, t int64) {
	f.stamp(e, t)
	f.n, f.last = e.N, e.T
	if e.Kind == session.KindEnd {
		if f.flush(); f.memory == nil {
			seal(e, f.sum, f.HeaderLine())
		}
	}
	begin := f.end
	f.encode(e)
	f.lengths = append(f.lengths, uint32(f.end-begin))
	f.part.last = e.Kind
}

// stamp numbers the next entry, and gives it the time t unless it has an earlier one. No
// entry is earlier than the one before it.
func (f *File) stamp(e *session.Entry, t int64) {
	if e.T == 0 || e.T > t {
		e.T = t
	}
	e.N, e.T = f.n+1, max(e.T, f.last)
}

func (f *File) encode(e *session.Entry) {
	switch {
	case f.memory != nil:
		f.remember(e)
	case e.Size() > pieceSize:
		f.encodeLong(e)
	default:
		before := len(f.buf)
		f.buf = AppendEntry(f.buf, e)
		f.end += int64(len(f.buf) - before)
		if len(f.buf) >= flushSize {
			f.flush()
		}
	}
}

// encodeLong encodes without a second copy of the payload.
func (f *File) encodeLong(e *session.Entry) {
	if f.flush(); f.memory != nil {
		f.remember(e)
		return
	}
	length := int64(0)
	buf, err := writePieces(f.buf, e, func(p []byte) error {
		n, err := f.write(f.part.f, p)
		f.wrote(n)
		f.sum.Add(p)
		length += int64(n)
		return err
	})
	f.buf = buf[:0]
	if err != nil {
		f.stop(err, f.end, e.N)
		f.remember(e)
		return
	}
	f.end += length
}

// writePieces passes the line of a stream entry to write, piece by piece. buf is scratch
// space, which is returned.
func writePieces(buf []byte, e *session.Entry, write func([]byte) error) ([]byte, error) {
	return writePayload(appendHead(buf[:0], e), e, write)
}

// writePayload is like writePieces, for the part of the line that appendPayload appends.
// buf is what precedes it.
func writePayload(buf []byte, e *session.Entry, write func([]byte) error) ([]byte, error) {
	payload := e.Payload
	tail := "\"}\n"
	rep := represent(e)
	e.Encoded = rep != verbatim
	switch rep {
	case verbatim:
		buf = append(buf, `,"m":`...)
		if err := write(buf); err != nil {
			return buf, err
		}
		if err := writeVerbatim(e, write); err != nil {
			return buf, err
		}
		buf, payload, tail = buf[:0], nil, "}\n"
	case escaped:
		buf = append(buf, `,"raw":"`...)
		for len(payload) > 0 {
			n := min(len(payload), pieceSize)
			buf = AppendEscaped(buf, payload[:n])
			if err := write(buf); err != nil {
				return buf, err
			}
			buf, payload = buf[:0], payload[n:]
		}
	case encoded64:
		buf = append(buf, `,"b64":"`...)
		for len(payload) > 0 {
			n := min(len(payload), pieceSize)
			buf = base64.StdEncoding.AppendEncode(buf, payload[:n])
			if err := write(buf); err != nil {
				return buf, err
			}
			buf, payload = buf[:0], payload[n:]
		}
	}
	buf = append(buf, tail...)
	return buf, write(buf)
}

func writeVerbatim(e *session.Entry, write func([]byte) error) error {
	if e.Long == nil {
		return write(e.Payload)
	}
	piece := make([]byte, flushSize)
	for off, size := int64(0), e.Long.Size(); off < size; off += int64(len(piece)) {
		piece = piece[:min(size-off, flushSize)]
		if _, err := e.Long.ReadAt(piece, off); err != nil {
			return err
		}
		if err := write(piece); err != nil {
			return err
		}
	}
	return nil
}

func (f *File) flush() {
	if len(f.buf) == 0 {
		return
	}
	f.sum.Add(f.buf)
	n, err := f.write(f.part.f, f.buf)
	f.wrote(n)
	if err == nil {
		err = f.syncer.touch()
	}
	if err != nil {
		whole := bytes.LastIndexByte(f.buf[:n], '\n') + 1
		f.stop(err, f.written-int64(n-whole), firstLost(f.buf, whole))
		for line := range bytes.Lines(f.buf[whole:]) {
			f.memory.add(line)
		}
	}
	f.buf = f.buf[:0]
}

func (f *File) wrote(n int) {
	f.written += int64(n)
	f.part.watched.size.Store(f.written - f.part.shift)
}

// firstLost returns the number of the first entry after whole bytes of lines.
func firstLost(lines []byte, whole int) uint64 {
	if whole < len(lines) {
		return lineNumber(lines[whole:])
	}
	return lineNumber(lines[bytes.LastIndexByte(lines[:whole-1], '\n')+1:]) + 1
}

func lineNumber(line []byte) (n uint64) {
	for _, c := range line[len(`{"n":`):] {
		if c < '0' || c > '9' {
			break
		}
		n = n*10 + uint64(c-'0')
	}
	return n
}

// stop ends the recording at offset end. Lines from entry from on go to memory.
func (f *File) stop(err error, end int64, from uint64) {
	f.part.watched.size.Store(end - f.part.shift) // before the file has it: see watchedFile.cut
	// If this fails too, the file has a torn last line, which readers can handle.
	_ = f.part.f.Truncate(end - f.part.shift)
	f.part.reserve = reserve{off: true}
	f.written = end
	if f.keeps == session.RecordingOn {
		unlock(f.part.f) // followers need not wait for more
	}
	f.store.Lock()
	defer f.store.Unlock()
	f.failure = fmt.Errorf("%w; not recorded from entry %d on", cause(err), from)
	f.stopped = end
	f.memory = &memory{limit: memoryLimit, first: end, next: end}
}

func (f *File) remember(e *session.Entry) {
	f.store.Lock()
	defer f.store.Unlock()
	if e.Size() <= memoryLimit/4 {
		f.buf = AppendEntry(f.buf[:0], e)
		f.memory.add(f.buf)
		f.buf = f.buf[:0]
	} else {
		f.memory.skip(length(e))
	}
	f.end = f.memory.next
}

func (f *File) addRows(off int64) {
	lengths := f.lengths
	for i, entries := range f.added {
		f.added[i] = nil
		mine := lengths[:len(entries)]
		if err := f.index.AddBatch(entries, off, mine); err != nil {
			f.store.Lock()
			f.noRows = err
			f.store.Unlock()
		}
		for _, length := range mine {
			off += int64(length)
		}
		lengths = lengths[len(mine):]
	}
	f.index.Publish()
}

func (f *File) shrink(used int) {
	if used > idleSize {
		f.quiet = 0
		return
	}
	if f.quiet++; f.quiet >= quietBatches {
		f.quiet = 0
		if cap(f.buf) > 2*idleSize {
			f.buf = nil
		}
		if cap(f.lengths) > idleSize {
			f.lengths = nil
		}
	}
}
