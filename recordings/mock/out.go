package mock

import (
	"io"

	"mcpdbg/session"
)

// flushAt is the most bytes that are buffered, apart from one line.
const flushAt = 64 << 10

// An output writes to a client and, with exact, also to its standard error. Lines are
// buffered until flush.
type output struct {
	w, errw io.Writer
	exact   bool
	buf     []byte
	chunk   uint64 // of the last byte of buf, as recorded
	err     error
}

func (o *output) line(e *session.Entry, changes edits) {
	if e.Kind == session.KindStderr {
		o.stderr(e)
		return
	}
	if !o.exact {
		o.message(e.Payload, changes)
		return
	}
	first := e.First
	if first == 0 {
		first = e.Seq
	}
	if first != o.chunk {
		o.write()
	}
	begin := len(o.buf)
	o.buf = append(changes.appendTo(o.buf, e.Payload), e.EOL.String()...)
	o.chunk = e.Seq
	o.cut(e, changes, begin)
	o.full()
}

func (o *output) message(message []byte, changes edits) {
	o.buf = append(changes.appendTo(o.buf, message), '\n')
	o.full()
}

// cut writes all but the last chunk of a line that begins at begin in buf.
func (o *output) cut(e *session.Entry, changes edits, begin int) {
	written := 0
	for _, cut := range e.Cuts {
		at := begin + int(changes.moved(cut.Off))
		if at <= written || at > len(o.buf) || o.err != nil {
			continue // possible in an edited file
		}
		_, o.err = o.w.Write(o.buf[written:at])
		written = at
	}
	o.buf = o.buf[:copy(o.buf, o.buf[written:])]
}

func (o *output) stderr(e *session.Entry) {
	if o.write(); o.err == nil && o.errw != nil {
		line := append(append(o.buf[:0], e.Payload...), e.EOL.String()...)
		_, _ = o.errw.Write(line) // there may be no reader
	}
}

func (o *output) raw(b []byte) {
	o.buf = append(o.buf, b...)
	o.full()
}

func (o *output) full() {
	if len(o.buf) >= flushAt {
		o.write()
	}
}

func (o *output) flush() error {
	o.write()
	o.chunk = 0
	return o.err
}

func (o *output) write() {
	if len(o.buf) > 0 && o.err == nil {
		_, o.err = o.w.Write(o.buf)
	}
	if o.buf = o.buf[:0]; cap(o.buf) > keptBuffer {
		o.buf = nil
	}
}
