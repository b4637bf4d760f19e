package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	"mcpdbg/framing"
	"mcpdbg/session/executor"
)

// A write is what goes to the server's input at once.
type write struct {
	payload []byte
	eol     framing.EOL // a newline, if nothing else is said
	act     *ActBody    // logged directly before it
	call    *call       // is told its number, before the server can answer
	bytes   bool        // a person's bytes: what they do to lines is what they are for
}

// Send sends one line as it is, with a newline behind it, and returns the
// number of its entry. Nobody waits for an answer: it is in the log.
func (s *Session) Send(ctx context.Context, line []byte) (uint64, error) {
	r, err := s.current()
	if err != nil {
		return 0, err
	}
	return s.write(ctx, r, write{payload: line})
}

// SendBytes sends exactly these bytes, without a newline behind them: half a
// message, several lines, a batch, what is no UTF-8. It returns the number of
// the one entry that they are. What is sent while a line is open continues that
// line, and a note says so if it is not SendBytes that does.
func (s *Session) SendBytes(ctx context.Context, data []byte) (uint64, error) {
	if len(data) == 0 {
		return 0, errors.New("no bytes to send")
	}
	r, err := s.current()
	if err != nil {
		return 0, err
	}
	w := splitEOL(data)
	w.bytes = true
	return s.write(ctx, r, w)
}

// splitEOL tells the end of the last line from what is before it.
func splitEOL(data []byte) write {
	if payload, ok := bytes.CutSuffix(data, []byte("\r\n")); ok {
		return write{payload: payload, eol: framing.CRLF}
	}
	if payload, ok := bytes.CutSuffix(data, []byte("\n")); ok {
		return write{payload: payload, eol: framing.LF}
	}
	return write{payload: data, eol: framing.NoEOL}
}

// A turn is a lock for which a caller waits no longer than its context lasts: a
// server that does not read its input keeps whoever writes to it.
type turn chan struct{}

// take waits for the lock; the error is the cause that ctx ended with.
func (t turn) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	default:
	}
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (t turn) give() { <-t }

// errNotRead is why a message was not written in time.
var errNotRead = errors.New("the server does not read its input")

// notRead blames the server for an error of a write only if the time for the
// write ran out.
func notRead(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), ErrTimeout) {
		return fmt.Errorf("%w: %w", errNotRead, context.Cause(ctx))
	}
	return err
}

// write logs what is sent and then gives it to the pipe, in that order also
// against other writers. It returns the number of the entry; 0 if the message
// was not logged.
func (s *Session) write(ctx context.Context, r *run, w write) (uint64, error) {
	if err := s.send.take(ctx); err != nil {
		return 0, &WriteError{Err: notRead(ctx, err)}
	}
	defer s.send.give()
	if r.ended {
		return 0, &WriteError{Status: executor.StdinClosed, Err: r.endError()}
	}
	if r.openLine > 0 && !w.bytes {
		s.Note(fmt.Sprintf("the line of entry %d has no newline yet: what goes out now continues it", r.openLine), "send the rest of the line, or a newline")
	}
	n, err := s.logWrite(w)
	if err != nil {
		return 0, err
	}
	r.openLine = 0
	if w.eol == framing.NoEOL {
		r.openLine = n
	}
	if w.call != nil {
		s.calls.written(w.call, n)
	}
	s.outLine = append(append(s.outLine[:0], w.payload...), w.eol.String()...)
	r.stdin.add(s.outLine)
	res, err := r.proc.Write(ctx, writeID(n), s.outLine)
	if cap(s.outLine) > maxKeptLine {
		s.outLine = nil
	}
	if err == nil && res.Status == executor.Accepted {
		return n, nil
	}
	r.broken.Store(res.Status == executor.StdinClosed)
	if err != nil {
		err = notRead(ctx, err)
	}
	failure := &WriteError{Status: res.Status, Err: err}
	if lost := r.proc.Info().Failure; lost != nil {
		failure.Err = lost // the first cause, not what it did to the pipe
	}
	body := WriteBody{Of: n, Status: res.Status.String(), Bytes: res.Bytes}
	if err != nil {
		body.Error = err.Error()
	}
	s.append(NewEntry(KindWrite, 0, body))
	return n, failure
}

// logWrite logs a write, with its act directly before it, and returns its
// number. The lock send is held.
func (s *Session) logWrite(w write) (uint64, error) {
	e := &s.outEntries[1]
	*e = Entry{Kind: KindStdin, Payload: w.payload, EOL: w.eol, Msg: framing.Scan(w.payload)}
	if w.eol == framing.CRLF {
		e.Msg.Problems |= framing.ProblemCRLF
	}
	entries := s.outEntries[1:]
	if w.act != nil {
		s.outEntries[0] = NewEntry(KindAct, 0, *w.act)
		entries = s.outEntries[:]
	}
	err := s.log.Append(entries)
	n := e.N
	clear(s.outEntries[:]) // holds on to no bytes
	return n, err
}

func writeID(n uint64) string { return strconv.FormatUint(n, 10) }

func parseWriteID(id string) uint64 {
	n, _ := strconv.ParseUint(id, 10, 64) // ours, or none
	return n
}
