package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"mcpdbg/framing"
	"mcpdbg/internal/input"
	"mcpdbg/session"
)

// standardInput is what errors call it.
const standardInput = "standard input"

// inputs knows what reads standard input, which can be read only once.
type inputs struct {
	mu    sync.Mutex
	stdin string // a flag or an argument; "" for nothing
}

// takeStdin gives standard input to a flag or argument, the only one that reads
// it.
func (a *app) takeStdin(reader string) error {
	a.inputs.mu.Lock()
	defer a.inputs.mu.Unlock()
	if other := a.inputs.stdin; other != "" {
		return usagef("%s and %s cannot both read standard input", other, reader)
	}
	a.inputs.stdin = reader
	return nil
}

// open opens a file for a flag or argument; - is standard input. Errors, those of
// reads included, do not name the flag.
func (a *app) open(ctx context.Context, flag, name string) (io.ReadCloser, error) {
	if name != "-" {
		return input.Open(ctx, name)
	}
	if err := a.takeStdin(flag); err != nil {
		return nil, err
	}
	return input.Reader(ctx, a.stdin), nil
}

// readFile reads a whole file for a flag or argument; - is standard input. The
// error is wrong usage, or the signal that ended ctx.
func (a *app) readFile(ctx context.Context, flag, name string) ([]byte, error) {
	from, err := a.open(ctx, flag, name)
	if err != nil {
		return nil, unreadInput(flag, err)
	}
	defer from.Close()
	if name == "-" {
		name = standardInput
	}
	data, err := input.ReadAll(name, from)
	if err != nil {
		return nil, unreadInput(flag, err)
	}
	return data, nil
}

// unreadInput is the error of an input: wrong usage, or the signal that ended
// the read.
func unreadInput(flag string, err error) error {
	var sig *signalError
	var usage *usageError
	if errors.As(err, &sig) || errors.As(err, &usage) || errors.Is(err, context.Canceled) {
		return err
	}
	return usagef("%s: %v", flag, err)
}

// openInput opens what --in names, nil for nothing.
func (a *app) openInput(ctx context.Context, name string) (io.ReadCloser, error) {
	if name == "" {
		return nil, nil
	}
	in, err := a.open(ctx, "--in", name)
	if err != nil {
		return nil, unreadInput("--in", err)
	}
	return in, nil
}

// sendLines sends each line of in as it is, until its end or the server's.
// Blank lines are sent only raw: they are no messages.
func sendLines(ctx context.Context, s *session.Session, in io.Reader, raw bool, ended <-chan struct{}) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lines, failure := readLines(ctx, in)
	for {
		select {
		case line, more := <-lines:
			if !more {
				return <-failure
			}
			if len(bytes.TrimSpace(line)) == 0 && !raw {
				continue
			}
			if _, err := s.Send(ctx, line); err != nil {
				return err
			}
		case <-ended:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// readLines reads lines, without their newline, from a goroutine of its own: the
// session may end while a read waits. That goroutine ends when in is closed.
// When lines is closed failure has the error, nil at the end of in.
func readLines(ctx context.Context, in io.Reader) (lines <-chan []byte, failure <-chan error) {
	out, failed := make(chan []byte), make(chan error, 1)
	go func() {
		defer close(out)
		from := bufio.NewReaderSize(in, 64<<10)
		for number := 1; ; number++ {
			line, err := readLine(from, framing.DefaultLimit)
			if errors.Is(err, io.EOF) {
				failed <- nil
				return
			}
			if err != nil {
				failed <- unreadInput(fmt.Sprintf("--in: line %d", number), err)
				return
			}
			select {
			case out <- line:
			case <-ctx.Done():
				failed <- context.Cause(ctx)
				return
			}
		}
	}()
	return out, failed
}

// readLine reads a line of at most limit bytes. The last one may have no
// newline; the error is io.EOF only when there is none any more.
func readLine(from *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := from.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > limit+1:
			return nil, fmt.Errorf("longer than %d bytes", limit)
		case err == nil, errors.Is(err, io.EOF) && len(line) > 0:
			return bytes.TrimSuffix(line, []byte{'\n'}), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}
