package run

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"mcpdbg/framing"
	"mcpdbg/internal/cli/console"
	"mcpdbg/session"
)

// --in; nil for "".
func openInput(ctx context.Context, env *console.Env, name string) (io.ReadCloser, error) {
	if name == "" {
		return nil, nil
	}
	in, err := env.Open(ctx, "--in", name)
	if err != nil {
		return nil, console.UnreadInput("--in", err)
	}
	return in, nil
}

// sendLines sends each line until the end of in or of the server, and returns the
// requests that stay open. Unless raw is set, modern requests get _meta, and blank lines
// are skipped.
func sendLines(ctx context.Context, s *session.Session, in io.Reader, raw bool, ended <-chan struct{}) (standing, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lines, failure := readLines(ctx, in)
	var open standing
	for {
		select {
		case line, more := <-lines:
			if !more {
				return open, <-failure
			}
			if len(bytes.TrimSpace(line)) == 0 && !raw {
				continue
			}
			if !raw {
				line = s.FillMeta(line)
			}
			n, err := s.Send(ctx, line)
			if err != nil {
				return open, err
			}
			open.add(n, line)
		case <-ended:
			return open, nil
		case <-ctx.Done():
			return open, context.Cause(ctx)
		}
	}
}

// readLines reads lines, without their newline, in a goroutine, because the session may
// end while a read blocks; it ends when in is closed. After lines is closed, failure
// delivers the error, nil at the end of in.
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
				failed <- console.UnreadInput(fmt.Sprintf("--in: line %d", number), err)
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

// The last line may lack a newline; io.EOF means that there are no more lines. limit is
// in bytes.
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
