package wire

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

// A Conn carries messages: each Read and Write is one of them. Read is called by one goroutine
// at a time, and Write by one; Close may be called at any time, and ends both.
type Conn interface {
	// Read returns the next message. It is valid until the next call.
	Read(ctx context.Context) ([]byte, error)
	// Write sends a message, which it does not retain.
	Write(ctx context.Context, message []byte) error
	Close() error
}

// A Pinger is a Conn whose transport can ask the other side for a sign of life.
type Pinger interface {
	// Ping waits for the reply. Read must be called meanwhile.
	Ping(ctx context.Context) error
}

// A BatchWriter is a Conn that can send several messages with one write.
type BatchWriter interface {
	// WriteBatch sends messages that each end with a newline.
	WriteBatch(ctx context.Context, messages []byte) error
}

// ErrTooLong is the error of a Read whose message exceeds the limit.
var ErrTooLong = errors.New("message too long")

// A Lines is a Conn over a stream: each message is a line. The end of a context closes it: a
// stream with a part of a message is of no use.
type Lines struct {
	stream io.ReadWriteCloser
	lines  *bufio.Reader
	limit  int
	long   []byte // a line that is longer than the buffer of lines

	mu  sync.Mutex // of writes
	out []byte
}

// linesBuffer holds a chunk of output of any executor.
const linesBuffer = 128 << 10

// NewLines returns a Conn over a stream, which it closes. limit is the maximum size of a
// message that is read.
func NewLines(stream io.ReadWriteCloser, limit int) *Lines {
	return &Lines{stream: stream, lines: bufio.NewReaderSize(stream, linesBuffer), limit: limit}
}

// Read implements Conn. It skips blank lines. The rest of a stream without a newline is not a
// message: the connection was cut.
func (l *Lines) Read(ctx context.Context) ([]byte, error) {
	defer l.until(ctx)()
	for {
		line, err := l.line()
		if err != nil {
			return nil, ended(ctx, err)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil
		}
	}
}

// until closes the stream when ctx ends, unless the returned function is called before.
func (l *Lines) until(ctx context.Context) func() bool {
	return context.AfterFunc(ctx, func() { _ = l.stream.Close() })
}

// ended returns the cause of the end of ctx, or else err.
func ended(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (l *Lines) line() ([]byte, error) {
	line, err := l.lines.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	l.long = l.long[:0]
	for {
		if l.long = append(l.long, line...); len(l.long) > l.limit {
			return nil, fmt.Errorf("%w: over %d bytes", ErrTooLong, l.limit)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l.long, err
		}
		line, err = l.lines.ReadSlice('\n')
	}
}

// Write implements Conn.
func (l *Lines) Write(ctx context.Context, message []byte) error {
	defer l.until(ctx)()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out = append(append(l.out[:0], message...), '\n')
	_, err := l.stream.Write(l.out)
	if cap(l.out) > MaxWrite {
		l.out = nil
	}
	return ended(ctx, err)
}

// WriteBatch implements BatchWriter.
func (l *Lines) WriteBatch(ctx context.Context, messages []byte) error {
	defer l.until(ctx)()
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.stream.Write(messages)
	return ended(ctx, err)
}

// Close implements Conn.
func (l *Lines) Close() error { return l.stream.Close() }
