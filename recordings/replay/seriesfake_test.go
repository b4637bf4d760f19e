package replay_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

// A seriesServer implements a server as a function that answers a message; it exits if more is false.
type seriesServer func(m seriesMessage) (answer string, more bool)

type seriesMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string `json:"name"`
		Cursor    string `json:"cursor"`
		Arguments struct {
			N int `json:"n"`
		} `json:"arguments"`
	} `json:"params"`
}

// A seriesExec runs a server in this process, the one that is set when it starts; nil
// does not start.
type seriesExec struct {
	serve seriesServer
	over  sync.WaitGroup
}

type seriesProcess struct {
	*exectest.Fake
}

func (x *seriesExec) Start(_ context.Context, cmd executor.Command) (executor.Process, error) {
	serve := x.serve
	if serve == nil {
		return nil, &executor.StartError{Code: executor.StartNotFound, Err: fmt.Errorf("no such file")}
	}
	p := &seriesProcess{exectest.NewFake("mcp-stdio-1", cmd)}
	x.over.Go(func() {
		lines := bufio.NewScanner(p.In)
		for lines.Scan() {
			var m seriesMessage
			if json.Unmarshal(lines.Bytes(), &m) != nil || m.ID == nil {
				continue
			}
			answer, more := `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`, true
			if m.Method != "initialize" {
				answer, more = serve(m)
			}
			if !more {
				break
			}
			p.Journal.Output(executor.Stdout, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, answer))
		}
		p.End(executor.Exit{Kind: executor.ExitCode})
		p.EOF()
	})
	return p, nil
}

func (x *seriesExec) Process(string) executor.Process { return nil }
func (x *seriesExec) Close() error                    { return nil }

// adds returns a server with the tools add, which is read-only, and note, which is
// not. add returns n plus more.
func adds(more int) seriesServer {
	return func(m seriesMessage) (string, bool) {
		switch {
		case m.Method == mcp.MethodToolsList && m.Params.Cursor == "":
			return fmt.Sprintf(`"result":{"tools":[{"name":"add","description":"adds %d","annotations":{"readOnlyHint":true}}],"nextCursor":"2"}`, more), true
		case m.Method == mcp.MethodToolsList:
			return `"result":{"tools":[{"name":"note"}]}`, true
		case m.Method == "prompts/list", m.Params.Name == "note":
			return `"result":{"content":[]}`, true
		}
		return fmt.Sprintf(`"result":{"content":[],"structuredContent":{"sum":%d}}`, m.Params.Arguments.N+more), true
	}
}

// newSession returns a session with a server.
func newSession(t *testing.T, serve seriesServer) (*session.Session, *seriesExec) {
	t.Helper()
	log, err := recordings.Create(recordings.Options{NoRecord: true, Header: session.Header{Tool: "test"}})
	require.NoError(t, err)
	x := &seriesExec{serve: serve}
	s := session.New(session.Config{Executor: x, Log: log, Era: mcp.Legacy, ClientName: "test", ClientVersion: "0", Command: executor.Command{Argv: []string{"fake"}}})
	t.Cleanup(func() {
		_, err := s.Close(context.Background())
		require.NoError(t, err)
		require.NoError(t, log.Close())
		x.over.Wait()
		require.NoError(t, log.Release())
	})
	return s, x
}

// callTool calls a tool.
func callTool(t *testing.T, s *session.Session, tool string, n int) {
	t.Helper()
	_, err := s.Request(t.Context(), mcp.MethodToolsCall, fmt.Appendf(nil, `{"name":%q,"arguments":{"n":%d}}`, tool, n), session.CallOptions{})
	if err != nil {
		require.ErrorIs(t, err, session.ErrEnded)
	}
}

// sentCalls returns the calls that a process received, as tool and number, and the lists.
func sentCalls(t *testing.T, src session.Source) (calls []string) {
	t.Helper()
	rows := make([]session.Row, src.Len())
	for _, row := range rows[:src.Rows(0, rows)] {
		switch row.Kind {
		case session.KindStart:
			calls = nil
		case session.KindStdin:
			var m seriesMessage
			e, err := src.Entry(row, 0)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(e.Payload, &m))
			switch m.Method {
			case mcp.MethodToolsCall:
				calls = append(calls, fmt.Sprint(m.Params.Name, m.Params.Arguments.N))
			case mcp.MethodToolsList:
				calls = append(calls, "list"+m.Params.Cursor)
			}
		}
	}
	return calls
}

// methods returns the methods of all messages to the last process, except its handshake
// and the lists.
func methods(t *testing.T, src session.Source) (all []string) {
	t.Helper()
	rows := make([]session.Row, src.Len())
	for _, row := range rows[:src.Rows(0, rows)] {
		switch method := src.Method(row.Method); {
		case row.Kind == session.KindStart:
			all = nil
		case row.Kind == session.KindStdin && method != mcp.MethodInitialize && method != mcp.MethodInitialized && method != mcp.MethodToolsList:
			all = append(all, method)
		}
	}
	return all
}

// notes returns the notes in a log.
func notes(t *testing.T, src session.Source) (texts []string) {
	t.Helper()
	rows := make([]session.Row, src.Len())
	for _, row := range rows[:src.Rows(0, rows)] {
		var b session.NoteBody // only notes have text
		if e, err := src.Entry(row, 0); row.Kind == session.KindNote && err == nil && e.DecodeBody(&b) == nil {
			texts = append(texts, b.Text)
		}
	}
	return texts
}
