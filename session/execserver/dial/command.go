package dial

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/executor"
)

const (
	// maxStderr is how many of the last bytes on standard error are kept.
	maxStderr = 4 << 10
	// maxRecovered is how many bytes are read at once from what the executor retains.
	maxRecovered = 1 << 20
	// endTimeout limits the wait for a program after the end of its input.
	endTimeout = 2 * time.Second
)

// start starts the program of an exec server and returns a connection over its standard
// streams. When the connection is closed, the program is ended.
func start(ctx context.Context, run executor.Executor, argv []string) (wire.Conn, error) {
	p, err := run.Start(ctx, executor.Command{Argv: argv, Pinned: true})
	if err != nil {
		return nil, err
	}
	sub, err := p.Subscribe(executor.SubscribeOptions{Pin: true})
	if err != nil {
		_, _ = p.Terminate(ctx) // the first error matters
		return nil, &executor.StartError{Code: executor.StartFailed, Phase: "connect", Err: err}
	}
	return wire.NewLines(&program{argv: argv, process: p, sub: sub}, wire.MaxMessage), nil
}

// A program is the standard streams of a process. Its Read and Write are each called from one
// goroutine at a time.
type program struct {
	argv    []string
	process executor.Process
	sub     *executor.Subscription

	chunks [][]byte // of standard output, to be read
	stderr []byte
	exit   executor.Exit
	ended  error
}

// Read implements io.Reader. Its last error is the cause of the end.
func (p *program) Read(buf []byte) (int, error) {
	for len(p.chunks) == 0 {
		if p.ended != nil {
			return 0, p.ended
		}
		p.next()
	}
	n := copy(buf, p.chunks[0])
	if p.chunks[0] = p.chunks[0][n:]; len(p.chunks[0]) == 0 {
		p.chunks = p.chunks[1:]
	}
	return n, nil
}

func (p *program) next() {
	e, err := p.sub.Next(context.Background()) // Close ends it
	switch {
	case err != nil:
		p.ended = err
	case e.Kind == executor.Output:
		p.take(e.Stream, e.Data)
	case e.Kind == executor.Lagged:
		p.recover()
	case e.Kind == executor.Exited:
		p.exit = e.Exit
	case e.Kind == executor.Closed:
		p.ended = p.end()
	case e.Kind == executor.Failed:
		p.ended = e.Err
	}
}

func (p *program) take(stream executor.Stream, data []byte) {
	if stream == executor.Stderr {
		p.stderr = append(p.stderr, data...)
		p.stderr = slices.Delete(p.stderr, 0, max(0, len(p.stderr)-maxStderr))
		return
	}
	p.chunks = append(p.chunks, data)
}

// recover reads what was dropped from the queue of the subscription, but is retained for it.
func (p *program) recover() {
	for {
		r, err := p.sub.Read(context.Background(), maxRecovered)
		if err != nil || len(r.Chunks) == 0 {
			return // Next has the error, too
		}
		for _, c := range r.Chunks {
			p.take(c.Stream, c.Data)
		}
	}
}

// An endedError is the cause of a connection whose exec server has ended.
type endedError struct {
	Program string
	Exit    executor.Exit
	Said    string // its last line on standard error, untrusted text
}

// Error returns how the server ended.
func (e *endedError) Error() string {
	text := fmt.Sprintf("the exec server %s %s", e.Program, e.Exit.How())
	if e.Said != "" {
		text += ": " + e.Said
	}
	return text
}

func (p *program) end() error {
	said := strings.TrimSpace(string(p.stderr))
	return &endedError{Program: p.argv[0], Exit: p.exit, Said: said[strings.LastIndexByte(said, '\n')+1:]}
}

// Write implements io.Writer.
func (p *program) Write(data []byte) (int, error) {
	r, err := p.process.Write(context.Background(), "", data)
	switch {
	case err != nil:
		return r.Bytes, err
	case r.Status != executor.Accepted:
		return r.Bytes, fmt.Errorf("the exec server does not read: %s", r.Status)
	}
	return len(data), nil
}

// Close implements io.Closer. It ends the program: with its input, or else with a signal.
func (p *program) Close() error {
	p.sub.Close()
	p.process.CloseStdin()
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	for {
		r, err := p.process.Read(ctx, p.process.Info().NextSeq, 1, endTimeout)
		if r.Closed || r.Failure != nil || errors.Is(err, executor.ErrUnknownProcess) {
			return nil
		}
		if ctx.Err() != nil {
			break
		}
	}
	_, err := p.process.Terminate(context.Background())
	return err
}
