package tap

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
)

// A server is a fake process and its executor.
type server struct {
	executor.Executor
	*exectest.Fake
	starting chan struct{} // Start waits until it is closed; nil for not at all
	fails    error
	steps    chan executor.Step
}

func (s *server) Start(ctx context.Context, cmd executor.Command) (executor.Process, error) {
	if s.starting != nil {
		select {
		case <-s.starting:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	s.Fake = exectest.NewFake("mcp-stdio-1", cmd)
	return s, s.fails
}

func (s *server) Stop(ctx context.Context, step executor.Step, scope executor.Scope) (executor.StopReport, error) {
	s.steps <- step
	return s.Fake.Stop(ctx, step, scope)
}

// A bench is a tap that runs between a test and a fake server.
type bench struct {
	*server
	in      *io.PipeWriter
	out     *io.PipeReader
	log     *memoryLog
	signals chan executor.Step
	gone    chan struct{}
	exit    executor.Exit
	err     error
	done    chan struct{}
}

func start(t *testing.T, s *server) *bench {
	t.Helper()
	s.steps = make(chan executor.Step, 8)
	in, w := io.Pipe()
	out, stdout := io.Pipe()
	b := &bench{
		server: s, in: w, out: out, log: newMemoryLog(),
		signals: make(chan executor.Step), gone: make(chan struct{}), done: make(chan struct{}),
	}
	go func() {
		defer close(b.done)
		b.exit, b.err = Run(t.Context(), Config{
			Executor: s, Log: b.log, In: in, Out: stdout, Err: io.Discard, Signals: b.signals, Gone: b.gone,
			Conceal: func(text string) string { return strings.ReplaceAll(text, "secret", "${KEY}") },
		})
	}()
	synctest.Wait()
	t.Cleanup(func() {
		_ = in.Close()
		_ = out.Close()
	})
	return b
}

func (b *bench) send(t *testing.T, text string) {
	t.Helper()
	_, err := b.in.Write([]byte(text))
	require.NoError(t, err)
}

func (b *bench) receive(t *testing.T, from io.Reader, text string) {
	t.Helper()
	buf := make([]byte, len(text))
	_, err := io.ReadFull(from, buf)
	require.NoError(t, err)
	require.Equal(t, text, string(buf))
}

func (b *bench) finish(t *testing.T, exit executor.Exit) []string {
	t.Helper()
	b.End(exit)
	b.EOF()
	<-b.done
	require.NoError(t, b.err)
	return b.log.lines()
}

func TestForwardsBothDirections(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t, &server{})
		b.send(t, "question")
		b.receive(t, b.In, "question")
		go b.Journal.Output(executor.Stdout, []byte("ans"))
		b.receive(t, b.out, "ans")
		require.NoError(t, b.in.Close())
		_, err := b.In.Read(make([]byte, 1))
		require.Equal(t, io.EOF, err, "the end of input passes")
		go b.Journal.Output(executor.Stdout, []byte("wer\n"))
		b.receive(t, b.out, "wer\n")
		lines := b.finish(t, executor.Exit{Kind: executor.ExitCode, Code: 3})
		require.Equal(t, executor.Exit{Kind: executor.ExitCode, Code: 3, By: executor.EndedByClient}, b.exit)
		text := strings.Join(lines, "\n")
		require.Contains(t, text, "stdin 1 question[no end]")
		require.Contains(t, text, "stdout 3 answer from 2 cuts [{3 3}]")
		require.Contains(t, text, `phase 0 {"phase":"close-stdin","detail":"by the client"`)
		require.Contains(t, text, `exited 4 {"code":3,"by":"client"}`)
	})
}

func TestSignalsPass(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t, &server{})
		b.signals <- executor.StepInterrupt
		b.signals <- executor.StepTerm
		require.Equal(t, executor.StepInterrupt, <-b.steps)
		require.Equal(t, executor.StepTerm, <-b.steps)
		b.finish(t, executor.Exit{Kind: executor.ExitSignal, Signal: "TERM"})
		require.Equal(t, executor.EndedByClient, b.exit.By)
	})
}

func TestServerEndsItself(t *testing.T) {
	t.Parallel()
	for signal, by := range map[string]executor.EndedBy{"SEGV": executor.EndedByServer, "KILL": executor.EndedBySignal} {
		synctest.Test(t, func(t *testing.T) {
			b := start(t, &server{})
			b.finish(t, executor.Exit{Kind: executor.ExitSignal, Signal: signal})
			require.Equal(t, by, b.exit.By, signal)
		})
	}
}

func TestClientIsGone(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(*bench){
		"seen":          func(b *bench) { close(b.gone) },
		"a write fails": func(b *bench) { _ = b.out.Close(); b.Journal.Output(executor.Stdout, []byte("x\n")) },
	} {
		synctest.Test(t, func(t *testing.T) {
			b := start(t, &server{})
			began := time.Now()
			leave(b)
			<-b.done // the fake ignores all steps but KILL
			require.Equal(t, 2*leaveTime, time.Since(began), name)
			require.Equal(t, executor.StepTerm, <-b.steps)
			require.Equal(t, executor.EndedByClient, b.exit.By)
			require.Contains(t, strings.Join(b.log.lines(), "\n"), `"code":"tap.gone"`, name)
		})
	}
}

func TestServerStopsReading(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t, &server{})
		b.CloseStdin()
		b.send(t, "lost")
		synctest.Wait()
		_, err := b.in.Write([]byte("more"))
		require.ErrorIs(t, err, io.ErrClosedPipe, "as without a tap")
		lines := b.finish(t, executor.Exit{Kind: executor.ExitCode})
		require.Contains(t, strings.Join(lines, "\n"), "4 bytes did not reach it")
	})
}

func TestFailedStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t, &server{fails: &executor.StartError{Code: executor.StartNotFound, Err: errors.New("no such program")}})
		<-b.done
		var failed *executor.StartError
		require.ErrorAs(t, b.err, &failed)
		require.Contains(t, strings.Join(b.log.lines(), "\n"), `state 0 {"state":"failed","detail":"start: no such program","code":"start.notfound"}`)
	})
	synctest.Test(t, func(t *testing.T) {
		b := start(t, &server{starting: make(chan struct{})})
		b.signals <- executor.StepTerm
		<-b.done
		require.ErrorIs(t, b.err, errStopped)
	})
}

func TestWithoutALog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{steps: make(chan executor.Step, 8)}
		in, w := io.Pipe()
		done := make(chan error)
		go func() {
			_, err := Run(t.Context(), Config{Executor: s, In: in, Out: io.Discard, Err: io.Discard})
			done <- err
		}()
		_, err := w.Write([]byte("x"))
		require.NoError(t, err)
		_, err = io.ReadFull(s.In, make([]byte, 1))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		synctest.Wait()
		s.End(executor.Exit{Kind: executor.ExitCode})
		s.EOF()
		require.NoError(t, <-done)
	})
}
