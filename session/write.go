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

type write struct {
	payload []byte
	eol     framing.EOL // the zero value is a newline
	act     *ActBody    // logged directly before it
	call    *call       // gets the entry number before the server can answer
	bytes   bool        // from SendBytes: may break lines on purpose
}

// Send sends one line unchanged, followed by a newline, and returns its entry
// number. It does not wait for the response; see the log.
func (s *Session) Send(ctx context.Context, line []byte) (uint64, error) {
	r, err := s.current()
	if err != nil {
		return 0, err
	}
	return r.write(ctx, write{payload: line})
}

// SendWith is like Send, or with raw like SendBytes. It logs an act directly before the
// data, or alone if the data was not logged.
func (s *Session) SendWith(ctx context.Context, act ActBody, data []byte, raw bool) (n uint64, err error) {
	w := write{payload: data}
	if raw {
		w, err = rawWrite(data)
	}
	w.act = &act
	if err == nil {
		var r *run
		if r, err = s.current(); err == nil {
			n, err = r.write(ctx, w)
		}
	}
	if n == 0 {
		s.append(NewEntry(KindAct, 0, act))
	}
	return n, err
}

// SendBytes sends exactly these bytes, without a newline, and returns the number of their
// single entry. Anything sent while a line is open continues that line; unless it is sent
// by SendBytes, a note says so.
func (s *Session) SendBytes(ctx context.Context, data []byte) (uint64, error) {
	w, err := rawWrite(data)
	if err != nil {
		return 0, err
	}
	r, err := s.current()
	if err != nil {
		return 0, err
	}
	return r.write(ctx, w)
}

// rawWrite returns a write of exactly these bytes.
func rawWrite(data []byte) (write, error) {
	if len(data) == 0 {
		return write{}, errors.New("no bytes to send")
	}
	if payload, ok := bytes.CutSuffix(data, []byte("\r\n")); ok {
		return write{payload: payload, eol: framing.CRLF, bytes: true}, nil
	}
	if payload, ok := bytes.CutSuffix(data, []byte("\n")); ok {
		return write{payload: payload, eol: framing.LF, bytes: true}, nil
	}
	return write{payload: data, eol: framing.NoEOL, bytes: true}, nil
}

// A turn is a lock whose acquisition can be cancelled by a context: a server
// that does not read its input blocks writers.
type turn chan struct{}

// take acquires the lock; the error is the cause of ctx.
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

var errNotRead = errors.New("the server does not read its input")

func notRead(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), ErrTimeout) {
		return fmt.Errorf("%w: %w", errNotRead, context.Cause(ctx))
	}
	return err
}

// write logs a message and then writes it to the pipe, in the same order for all writers.
// The entry number is 0 if the message was not logged.
func (r *run) write(ctx context.Context, w write) (uint64, error) {
	if err := r.s.send.take(ctx); err != nil {
		return 0, &WriteError{Err: notRead(ctx, err)}
	}
	defer r.s.send.give()
	if r.ended {
		return 0, &WriteError{Status: executor.StdinClosed, Err: r.endError()}
	}
	if open := r.openLine.Load(); open > 0 && !w.bytes {
		r.s.Note(fmt.Sprintf("the line of entry %d has no newline yet: this message continues it", open), "send the rest of the line, or a newline")
	}
	n, err := r.logWrite(w)
	if err != nil {
		return 0, err
	}
	r.openLine.Store(0)
	if w.eol == framing.NoEOL {
		r.openLine.Store(n)
	}
	if w.call != nil {
		r.s.calls.written(w.call, n)
	}
	r.s.outLine = append(append(r.s.outLine[:0], w.payload...), w.eol.String()...)
	r.stdin.Add(r.s.outLine)
	res, err := r.proc.Write(ctx, writeID(n), r.s.outLine)
	if cap(r.s.outLine) > maxKeptLine {
		r.s.outLine = nil
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
		failure.Err = lost // the root cause, not the error of the pipe
	}
	body := WriteBody{Of: n, Status: res.Status.String(), Bytes: res.Bytes}
	if err != nil {
		body.Error = err.Error()
	}
	r.s.append(NewEntry(KindWrite, 0, body))
	return n, failure
}

// logWrite logs a write, with its act directly before it. The lock send is held.
func (r *run) logWrite(w write) (uint64, error) {
	e := &r.s.outEntries[1]
	*e = Entry{Kind: KindStdin, Payload: w.payload, EOL: w.eol, Msg: framing.Scan(w.payload)}
	if w.eol == framing.CRLF {
		e.Msg.Problems |= framing.ProblemCRLF
	}
	entries := r.s.outEntries[1:]
	if w.act != nil {
		r.s.outEntries[0] = NewEntry(KindAct, 0, *w.act)
		entries = r.s.outEntries[:]
	}
	err := r.s.log.Append(entries)
	n := e.N
	clear(r.s.outEntries[:]) // do not retain the bytes
	return n, err
}

func writeID(n uint64) string { return strconv.FormatUint(n, 10) }

func parseWriteID(id string) uint64 {
	n, _ := strconv.ParseUint(id, 10, 64) // always one of ours
	return n
}
