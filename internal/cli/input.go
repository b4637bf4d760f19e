package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// openInput opens what --in names, nil for nothing.
func (a *app) openInput(name string) (io.ReadCloser, error) {
	switch name {
	case "":
		return nil, nil
	case "-":
		return io.NopCloser(a.stdin), nil
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return nil, usagef("--in: %s is a directory", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, usagef("--in: %v", err)
	}
	return f, nil
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

// readLines reads lines, without their newline, from a goroutine of its own: a
// terminal or a pipe can keep a read waiting for ever, also when the session is
// over. Such a goroutine ends with the program. When lines is closed failure
// has the error, nil at the end of in.
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
				failed <- usagef("--in: line %d: %v", number, err)
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
