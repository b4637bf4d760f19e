package tap

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
)

// A fakeServer is an executor whose processes end only at KILL, unless a test ends them.
type fakeServer struct {
	executor.Executor
	fails error // of the next starts
	slow  bool  // Start waits until it is cancelled

	mu    sync.Mutex
	procs []*fakeProc
}

type fakeProc struct {
	*exectest.Fake
	lines *bufio.Reader // what it reads
	steps chan executor.Step
}

func (s *fakeServer) Start(ctx context.Context, cmd executor.Command) (executor.Process, error) {
	if s.slow {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	if s.fails != nil {
		return nil, s.fails
	}
	p := &fakeProc{Fake: exectest.NewFake("mcp-stdio-1", cmd), steps: make(chan executor.Step, 8)}
	p.lines = bufio.NewReader(p.In)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.procs = append(s.procs, p)
	return p, nil
}

func (p *fakeProc) Stop(ctx context.Context, step executor.Step, scope executor.Scope) (executor.StopReport, error) {
	p.steps <- step
	return p.Fake.Stop(ctx, step, scope)
}

// A liveBench is a live tap between a test and fake processes.
type liveBench struct {
	*fakeServer
	t        *testing.T
	in       *io.PipeWriter
	out      *bufio.Reader
	log      *memoryLog
	commands chan Command
	signals  chan executor.Step
	exit     executor.Exit
	done     chan struct{}
	news     News // locked by mu
}

func goLive(t *testing.T, s *fakeServer) *liveBench {
	in, w := io.Pipe()
	out, stdout := io.Pipe()
	b := &liveBench{
		fakeServer: s, t: t, in: w, out: bufio.NewReader(out), log: newMemoryLog(),
		commands: make(chan Command), signals: make(chan executor.Step), done: make(chan struct{}),
	}
	go func() {
		defer close(b.done)
		b.exit, _ = Run(t.Context(), Config{
			Executor: s, Log: b.log, In: in, Out: stdout, Err: io.Discard, Signals: b.signals,
			Live: &LiveOptions{Name: "notes", Commands: b.commands, Publish: b.publish},
		})
	}()
	synctest.Wait()
	t.Cleanup(func() {
		_ = in.Close()
		_ = out.Close()
	})
	return b
}

func (b *liveBench) publish(n News) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.news = n
}

// published returns the latest news.
func (b *liveBench) published() News {
	synctest.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.news
}

// proc returns the nth process.
func (b *liveBench) proc(n int) *fakeProc {
	b.t.Helper()
	for range 1000 {
		synctest.Wait()
		b.mu.Lock()
		procs := b.procs
		b.mu.Unlock()
		if n < len(procs) {
			return procs[n]
		}
		time.Sleep(stepTime / 100) // of the bubble
	}
	b.t.Fatalf("process %d was not started", n)
	return nil
}

// client sends a message of the client, and server one of a process.
func (b *liveBench) client(text string) {
	b.t.Helper()
	_, err := b.in.Write(expand(text))
	require.NoError(b.t, err)
}

func (p *fakeProc) says(text string) { p.Journal.Output(executor.Stdout, expand(text)) }

func (b *liveBench) next(from *bufio.Reader) string {
	b.t.Helper()
	line, err := from.ReadBytes('\n')
	require.NoError(b.t, err, "%s", line)
	return shorten(line)
}

// gets checks the next messages of one side.
func (b *liveBench) gets(from *bufio.Reader, want ...string) {
	b.t.Helper()
	for _, w := range want {
		require.Equal(b.t, w, b.next(from))
	}
}

func (p *fakeProc) ends(exit executor.Exit) {
	p.End(exit)
	p.EOF()
}

const (
	liveInit   = `0 initialize {"protocolVersion":"2025-11-25"}`
	liveResult = `0 = {"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}}}`
)

// handshakes plays the handshake of the client with the first process.
func (b *liveBench) handshakes() *fakeProc {
	b.t.Helper()
	p := b.proc(0)
	b.client(liveInit)
	b.gets(p.lines, liveInit)
	p.says(liveResult)
	b.gets(b.out, liveResult)
	b.client("notifications/initialized")
	b.gets(p.lines, "notifications/initialized")
	return p
}

func (b *liveBench) restart(drain time.Duration) chan string {
	answer := make(chan string, 1)
	b.commands <- Command{Do: Restart, Text: "main.go changed", Drain: drain, Answer: answer}
	return answer
}

// replays plays the handshake that a later process gets.
func (b *liveBench) replays(p *fakeProc) {
	b.t.Helper()
	b.gets(p.lines, liveInit)
	p.says(liveResult)
	b.gets(p.lines, "notifications/initialized")
	b.gets(b.out, "notifications/tools/list_changed")
}

// leaves closes the client's side, and ends the process.
func (b *liveBench) leaves(p *fakeProc) []string {
	b.t.Helper()
	go func() { _, _ = io.Copy(io.Discard, b.out) }()
	require.NoError(b.t, b.in.Close())
	_, _ = io.Copy(io.Discard, p.lines) // until its input ends
	p.ends(executor.Exit{Kind: executor.ExitCode})
	<-b.done
	return b.log.lines()
}

func inLive(t *testing.T, s *fakeServer, test func(t *testing.T, b *liveBench)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { test(t, goLive(t, s)) })
}

// logged checks that entries with these texts follow each other.
func logged(t *testing.T, lines []string, want ...string) {
	t.Helper()
	for _, line := range lines {
		if len(want) > 0 && strings.Contains(line, want[0]) {
			want = want[1:]
		}
	}
	require.Empty(t, want, "not in this order in\n%s", strings.Join(lines, "\n"))
}

// TestRestartIsLogged plays a restart, and checks each entry of it and their order.
func TestRestartIsLogged(t *testing.T) {
	inLive(t, &fakeServer{}, func(t *testing.T, b *liveBench) {
		first := b.handshakes()
		b.client(`1 tools/call {"name":"a"}`)
		b.client(`2 tools/list`)
		b.gets(first.lines, `1 tools/call {"name":"a"}`, `2 tools/list`)
		answer := b.restart(0)
		b.gets(b.out, "1 !restarted")
		b.client(`3 tools/call {"name":"b"}`)
		synctest.Wait() // it is held
		_, err := first.lines.ReadByte()
		require.Equal(t, io.EOF, err, "its input ends first")
		first.ends(executor.Exit{Kind: executor.ExitCode})
		second := b.proc(1)
		b.replays(second)
		b.gets(second.lines, `2 tools/list`, `3 tools/call {"name":"b"}`)
		require.Contains(t, <-answer, "restarted: main.go changed")
		second.says(`3 = {}`)
		b.gets(b.out, `3 = {}`)
		lines := b.leaves(second)
		require.Equal(t, executor.Exit{Kind: executor.ExitCode, By: executor.EndedByClient}, b.exit)
		logged(t, lines,
			`stdin 1 {"jsonrpc":"2.0","id":0,"method":"initialize"`, `stdout 2 {"jsonrpc":"2.0","id":0,"result"`,
			`stdin 4 {"jsonrpc":"2.0","id":1,"method":"tools/call"`, `stdin 5 {"jsonrpc":"2.0","id":2,"method":"tools/list"`,
			`to-client 0 {"why":"restart","m":{"jsonrpc":"2.0","id":1,"error"`, `"phase":"close-stdin"`,
			`from-client 6 {"why":"held","m":{"jsonrpc":"2.0","id":3,"method":"tools/call"`, `exited 7 {"code":0,"by":"shutdown"}`, `start 0 `,
			`stdin 0 {"jsonrpc":"2.0","id":0,"method":"initialize"`, `stdout 9 `, `to-client 0 {"why":"restart","m":{"jsonrpc":"2.0","id":0,"result"`,
			`stdin 0 {"jsonrpc":"2.0","method":"notifications/initialized"}`, `"code":"tap.restarted"`,
			`stdin 0 {"jsonrpc":"2.0","id":2,`, `stdin 0 {"jsonrpc":"2.0","id":3,`, `stdout 10 `, `"detail":"by the client"`, `exited 11 `)
	})
}

// TestStepsOfARestart measures the shutdown of a server that ignores all but KILL.
func TestStepsOfARestart(t *testing.T) {
	inLive(t, &fakeServer{}, func(t *testing.T, b *liveBench) {
		first := b.handshakes()
		began := time.Now()
		b.restart(0)
		require.Equal(t, executor.StepTerm, <-first.steps)
		require.Equal(t, stepTime, time.Since(began))
		_, err := first.lines.ReadByte()
		require.Equal(t, io.EOF, err)
		b.replays(b.proc(1)) // KILL was the end of the first one
		require.Equal(t, 2*stepTime, time.Since(began))
		b.leaves(b.proc(1))
	})
}

// TestClientLeavesInARestart: the end of the client's input shortens the steps, and starts
// nothing.
func TestClientLeavesInARestart(t *testing.T) {
	for name, leave := range map[string]func(b *liveBench){
		"end of input": func(b *liveBench) { _ = b.in.Close() },
		"signal":       func(b *liveBench) { b.signals <- executor.StepInterrupt },
	} {
		t.Run(name, func(t *testing.T) {
			inLive(t, &fakeServer{}, func(t *testing.T, b *liveBench) {
				b.handshakes()
				b.restart(0)
				synctest.Wait()
				began := time.Now()
				leave(b)
				<-b.done
				require.Equal(t, 2*hurryTime, time.Since(began))
				require.Len(t, b.procs, 1)
				require.Equal(t, executor.Exit{Kind: executor.ExitCode}, b.exit, "the tap ended the only process")
			})
		})
	}
}

func TestStatusOfTheLatestEnd(t *testing.T) {
	inLive(t, &fakeServer{}, func(t *testing.T, b *liveBench) {
		first := b.handshakes()
		b.client(`1 tools/call`)
		b.gets(first.lines, `1 tools/call`)
		first.Journal.Output(executor.Stderr, []byte("panic: no\n\n"))
		first.ends(executor.Exit{Kind: executor.ExitCode, Code: 3})
		line, err := b.out.ReadString('\n')
		require.NoError(t, err)
		require.Contains(t, line, `The server ended (exit code 3) while it handled this tools/call. Last line on stderr: \"panic: no\"`)
		require.NoError(t, b.in.Close())
		<-b.done
		require.Equal(t, executor.Exit{Kind: executor.ExitCode, Code: 3, By: executor.EndedByServer}, b.exit)
	})
}

// TestAnswersOfRestarts: each way in which a restart can end is an answer to its command.
func TestAnswersOfRestarts(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(b *liveBench)
		want string
	}{
		"not started": {func(b *liveBench) {
			b.fails = &executor.StartError{Code: executor.StartNotFound, Err: errors.New("no such program")}
			b.proc(0).ends(executor.Exit{Kind: executor.ExitCode})
		}, "not started: "},
		"ended in the handshake": {func(b *liveBench) {
			b.proc(0).ends(executor.Exit{Kind: executor.ExitCode})
			b.proc(1).Journal.Output(executor.Stderr, []byte("syntax error\n"))
			b.proc(1).ends(executor.Exit{Kind: executor.ExitCode, Code: 1})
		}, "not started: it ended (exit code 1): syntax error"},
		"refused": {func(b *liveBench) {
			b.proc(0).ends(executor.Exit{Kind: executor.ExitCode})
			b.gets(b.proc(1).lines, liveInit)
			b.proc(1).says(`0 ! {"code":-32602,"message":"no"}`)
		}, "not started: "},
		"the client leaves": {func(b *liveBench) { _ = b.in.Close() }, "the tap has ended"},
	} {
		t.Run(name, func(t *testing.T) {
			inLive(t, &fakeServer{}, func(t *testing.T, b *liveBench) {
				b.handshakes()
				answer := b.restart(0)
				synctest.Wait()
				c.end(b)
				require.Contains(t, <-answer, c.want)
				_ = b.in.Close()
				<-b.done
			})
		})
	}
}

// TestRestartDuringAStart: the code may have changed after the pending process
// was started, so the command waits for another one.
func TestRestartDuringAStart(t *testing.T) {
	inLive(t, &fakeServer{}, func(t *testing.T, b *liveBench) {
		b.handshakes()
		early := b.restart(0)
		synctest.Wait()
		b.proc(0).ends(executor.Exit{Kind: executor.ExitCode})
		b.gets(b.proc(1).lines, liveInit)
		late := b.restart(0)
		b.proc(1).says(liveResult)
		require.Contains(t, <-early, "restarted: ")
		synctest.Wait()
		require.Empty(t, late)
		_, _ = io.Copy(io.Discard, b.proc(1).lines)
		b.proc(1).ends(executor.Exit{Kind: executor.ExitCode})
		b.gets(b.proc(2).lines, liveInit)
		b.proc(2).says(liveResult)
		require.Contains(t, <-late, "restarted: ")
		b.leaves(b.proc(2))
	})
}

// TestRestartDuringABuild: requests wait for the build all the same.
func TestRestartDuringABuild(t *testing.T) {
	inLive(t, &fakeServer{}, func(t *testing.T, b *liveBench) {
		b.handshakes()
		b.commands <- Command{Do: Changed}
		answer := b.restart(0)
		synctest.Wait()
		b.proc(0).ends(executor.Exit{Kind: executor.ExitCode})
		b.replays(b.proc(1))
		require.Contains(t, <-answer, "restarted: ")
		b.client(`1 tools/call`)
		b.commands <- Command{Do: BuildFailed, Text: "main.go:1: no"}
		b.gets(b.out, "1 !build")
		b.leaves(b.proc(1))
	})
}

// TestSlowStart: the end of the client's input ends a restart's start.
func TestSlowStart(t *testing.T) {
	inLive(t, &fakeServer{}, func(t *testing.T, b *liveBench) {
		b.handshakes()
		b.slow = true
		b.restart(0)
		synctest.Wait()
		b.proc(0).ends(executor.Exit{Kind: executor.ExitCode})
		synctest.Wait()
		began := time.Now()
		require.NoError(t, b.in.Close())
		<-b.done
		require.Equal(t, began, time.Now())
	})
}

func TestFirstStartFails(t *testing.T) {
	inLive(t, &fakeServer{fails: errors.New("no such program")}, func(t *testing.T, b *liveBench) {
		b.client(liveInit)
		b.gets(b.out, "0 !down")
		require.NoError(t, b.in.Close())
		<-b.done
		logged(t, b.log.lines(), `from-client`, `to-client`)
	})
}

// TestServerDoesNotRead: a server that leaves 8 MiB unread stops the client, and no
// signal.
func TestServerDoesNotRead(t *testing.T) {
	inLive(t, &fakeServer{}, func(t *testing.T, b *liveBench) {
		b.handshakes()
		line := []byte(`{"jsonrpc":"2.0","method":"x","params":"` + strings.Repeat("x", 1<<20) + `"}` + "\n")
		written := make(chan struct{})
		go func() {
			defer close(written)
			for range 16 {
				if _, err := b.in.Write(line); err != nil {
					return
				}
			}
		}()
		time.Sleep(time.Second) // of the bubble
		synctest.Wait()
		require.Len(t, b.procs, 1)
		unwritten := b.procs[0].Info().Unwritten
		require.Greater(t, unwritten, maxUnwritten)
		require.Less(t, unwritten, maxUnwritten+2<<20)
		go func() { _, _ = io.Copy(io.Discard, b.procs[0].In) }()
		<-written
		b.signals <- executor.StepTerm
		require.Equal(t, executor.StepTerm, <-b.procs[0].steps)
		b.procs[0].ends(executor.Exit{Kind: executor.ExitSignal, Signal: "TERM"})
		<-b.done
		require.Equal(t, executor.EndedByClient, b.exit.By)
	})
}

// TestServerDoesNotReadManyLines: more lines than an executor queues stop no signal
// either, and the server gets them all once it reads.
func TestServerDoesNotReadManyLines(t *testing.T) {
	inLive(t, &fakeServer{}, func(t *testing.T, b *liveBench) {
		p := b.handshakes()
		const lines = executor.MaxQueuedWrites + 100
		_, err := b.in.Write(bytes.Repeat([]byte("{}\n"), lines))
		require.NoError(t, err)
		synctest.Wait()
		b.signals <- executor.StepTerm
		require.Equal(t, executor.StepTerm, <-p.steps)
		for range lines {
			require.Equal(t, "{}", b.next(p.lines))
		}
		_, err = p.lines.ReadByte()
		require.ErrorIs(t, err, io.EOF) // the client has closed its side by its signal
		p.ends(executor.Exit{Kind: executor.ExitCode})
		<-b.done
	})
}

// TestClientDoesNotReadStderr: what a server writes there does not stop its answers.
func TestClientDoesNotReadStderr(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, live := range []*LiveOptions{nil, {Name: "notes"}} {
			s := &fakeServer{}
			in, w := io.Pipe()
			out, stdout := io.Pipe()
			stderr, toStderr := io.Pipe()
			done := make(chan struct{})
			go func() {
				defer close(done)
				_, _ = Run(t.Context(), Config{Executor: s, In: in, Out: stdout, Err: toStderr, Live: live})
			}()
			synctest.Wait()
			p := s.procs[0]
			go func() {
				p.Journal.Output(executor.Stderr, []byte("a word\n"))
				p.Journal.Output(executor.Stdout, []byte("{}\n"))
			}()
			line, err := bufio.NewReader(out).ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, "{}\n", line)
			require.NoError(t, stderr.Close())
			require.NoError(t, w.Close())
			p.ends(executor.Exit{Kind: executor.ExitCode})
			<-done
		}
	})
}

// TestStderrUnreadAtTheEnd: a client that ends its server by a signal, and has never read
// stderr, gets the end of the tap.
func TestStderrUnreadAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, live := range []*LiveOptions{nil, {Name: "notes"}} {
			s := &fakeServer{}
			in, w := io.Pipe()
			stderr, toStderr := io.Pipe()
			done, signals := make(chan executor.Exit), make(chan executor.Step)
			go func() {
				exit, _ := Run(t.Context(), Config{Executor: s, In: in, Out: io.Discard, Err: toStderr, Live: live, Signals: signals})
				done <- exit
			}()
			synctest.Wait()
			p := s.procs[0]
			go func() {
				for range 20 { // more than an outlet takes
					p.Journal.Output(executor.Stderr, bytes.Repeat([]byte("x"), 1<<20))
				}
				p.ends(executor.Exit{Kind: executor.ExitSignal, Signal: "TERM"})
			}()
			synctest.Wait()
			signals <- executor.StepTerm
			require.Equal(t, "TERM", (<-done).Signal)
			require.NoError(t, stderr.Close())
			require.NoError(t, w.Close())
		}
	})
}

// TestClientDoesNotRead: what waits for the client is limited, and a signal passes and
// ends the tap all the same.
func TestClientDoesNotRead(t *testing.T) {
	inLive(t, &fakeServer{}, func(t *testing.T, b *liveBench) {
		p := b.handshakes()
		line := []byte(`{"jsonrpc":"2.0","method":"x","params":"` + strings.Repeat("x", 1<<20) + `"}` + "\n")
		go func() {
			for range 64 {
				p.Journal.Output(executor.Stdout, line)
			}
		}()
		time.Sleep(time.Second)
		b.signals <- executor.StepTerm
		require.Equal(t, executor.StepTerm, <-p.steps)
		p.ends(executor.Exit{Kind: executor.ExitSignal, Signal: "TERM"})
		<-b.done
		require.Equal(t, "TERM", b.exit.Signal)
	})
}

func TestLastWords(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000)
	for want, pieces := range map[string][]string{
		"":             {"\n", " \n"},
		"error":        {"one\nerr", "or\n", "\n", " \r\n"},
		"half":         {"one\n", "ha", "lf"},
		"after":        {long, long, "\nafter"},
		long[:4096]:    {"a\n" + long, long},
		"blank inside": {"blank inside\n \n\n"},
	} {
		var p process
		for _, piece := range pieces {
			p.lastWords([]byte(piece))
		}
		require.Equal(t, want, p.said())
	}
}
