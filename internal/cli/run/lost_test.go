package run

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/live"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
)

// A scripted executor starts one process and runs serve meanwhile.
type scripted struct {
	serve func(*exectest.Fake)
}

func (x scripted) Start(_ context.Context, cmd executor.Command) (executor.Process, error) {
	p := exectest.NewFake("mcp-stdio-1", cmd)
	go x.serve(p)
	return p, nil
}

func (x scripted) Process(string) executor.Process { panic("not used") }
func (x scripted) Close() error                    { return nil }

// The error of requests without a response is that of the end which explains it, also if
// a write fails earlier.
func TestWriteFailsBeforeTheEnd(t *testing.T) {
	lost := &executor.LostError{Code: executor.LostReset, Err: io.ErrUnexpectedEOF}
	for name, c := range map[string]struct {
		serve func(*exectest.Fake)
		lines []string
		want  string
		code  int
	}{
		"connection lost": {
			func(p *exectest.Fake) {
				_ = p.In.CloseWithError(io.ErrClosedPipe) // never fails
				time.Sleep(time.Second)
				p.Journal.Fail(lost)
			}, []string{"1"}, "lost after", console.ExitReach,
		},
		"server exits": {
			func(p *exectest.Fake) {
				_ = p.In.CloseWithError(io.ErrClosedPipe) // never fails
				time.Sleep(time.Second)
				p.End(executor.Exit{Kind: executor.ExitCode, Code: 7})
				p.EOF()
			}, []string{"1"}, "server ended before it answered: exit code 7", console.ExitStart,
		},
		"server runs": {
			func(p *exectest.Fake) {
				_ = p.In.CloseWithError(io.ErrClosedPipe) // never fails
			}, []string{"1"}, "message not sent: stdin-closed", console.ExitStart,
		},
		"id used again": {
			func(p *exectest.Fake) {
				buf := make([]byte, 1<<10)
				for range 2 {
					_, _ = p.In.Read(buf) // one message each
				}
				p.Journal.Output(executor.Stdout, []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`+"\n"))
			}, []string{"1", "1"}, "id used again before the response", console.ExitFailure,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log, err := recordings.Create(recordings.Options{NoRecord: true, Header: session.Header{Tool: "test"}})
				require.NoError(t, err)
				s := session.New(session.Config{Executor: scripted{c.serve}, Log: log, ClientName: "test", ClientVersion: "0", Command: executor.Command{Argv: []string{"fake"}}})
				defer func() {
					_, err := s.Close(context.Background())
					require.NoError(t, err)
					require.NoError(t, log.Close())
				}()
				l := &live.Session{Session: s, Log: log}
				require.NoError(t, s.Start(t.Context()))
				first := log.Len()
				for _, id := range c.lines {
					_, err = s.Send(t.Context(), []byte(`{"jsonrpc":"2.0","id":`+id+`,"method":"tools/list"}`))
					require.NoError(t, err)
				}
				err = awaitResponses(t.Context(), l, first, nil, time.Minute, l.Done())
				require.Equal(t, c.code, console.ExitCode(err), "%v", err)
				require.ErrorContains(t, err, c.want)
				require.ErrorContains(t, err, "1 request without a response")
			})
		})
	}
}
