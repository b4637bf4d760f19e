package uitest

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/ui/workspace"
)

// ModernMeta is the _meta of every result of a server of the modern era.
const ModernMeta = `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"fake","version":"1"}}`

// A Server is an executor whose processes run a function, so that a whole session runs in
// a synctest bubble.
type Server struct {
	Serve        func(p *Process, m Message) // messages after the handshake; may be nil
	Capabilities string                      // declared by the server, "" for those of most servers
	Modern       bool                        // it speaks the modern era
	Refuse       error                       // why it cannot be started
	Info         executor.Info               // Via and Notices of its processes, and if there is a Link, it and Placement
	Startup      time.Duration               // delay before a process reads its first message

	// Way, if set, runs in a start before there is a process.
	Way func(context.Context, executor.Command) error

	mu      sync.Mutex
	started []*Process
}

// Start implements executor.Executor.
func (x *Server) Start(ctx context.Context, cmd executor.Command) (executor.Process, error) {
	if x.Way != nil {
		if err := x.Way(ctx, cmd); err != nil {
			return nil, err
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.Refuse != nil {
		return nil, &executor.StartError{Code: executor.StartNotFound, Err: x.Refuse, Hint: "look for it"}
	}
	p := &Process{Fake: exectest.NewFake(fmt.Sprintf("mcp-stdio-%d", len(x.started)+1), cmd), Steps: make(chan executor.Step, 8), of: x, About: x.Info}
	if p.About.Link != nil {
		link := *p.About.Link
		p.About.Link = &link
	}
	x.started = append(x.started, p)
	p.ended.Go(p.run)
	return p, nil
}

// Process is not used.
func (x *Server) Process(string) executor.Process { panic("not used") }

// Close does nothing.
func (x *Server) Close() error { return nil }

// Started returns how many processes were started.
func (x *Server) Started() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.started)
}

// Latest returns the running process.
func (x *Server) Latest() *Process {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.started[len(x.started)-1]
}

// A Process is one of a Server.
type Process struct {
	*exectest.Fake
	Steps      chan executor.Step                   // TERM and INT, which it ignores
	Stays      bool                                 // it keeps running when its stdin is closed
	Holds      bool                                 // its streams stay open after it exits
	Children   func(*Process) []executor.Descendant // its tree; may be nil
	Killed     []int                                // one by one
	About      executor.Info                        // as Server.Info
	CannotTell []string                             // why the shutdown may have missed processes

	of    *Server
	ended sync.WaitGroup
}

// A Message is one that a Process reads.
type Message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// run performs the handshake and leaves other messages to Serve.
func (p *Process) run() {
	time.Sleep(p.of.Startup)
	in := bufio.NewReader(p.In)
	capabilities := cmp.Or(p.of.Capabilities, `{"prompts":{},"resources":{},"tools":{}}`)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			break
		}
		var m Message
		_ = json.Unmarshal([]byte(line), &m) // tests also send invalid JSON
		switch {
		case m.Method == "server/discover" && p.of.Modern:
			p.Out(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":%s,"ttlMs":0,"cacheScope":"private",`+ModernMeta+`}}`, m.ID, capabilities)
		case m.Method == "server/discover":
			p.Out(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown method"}}`, m.ID)
		case m.Method == "initialize":
			p.Out(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":%s,"serverInfo":{"name":"fake","version":"1"}}}`, m.ID, capabilities)
		case p.of.Serve != nil:
			p.of.Serve(p, m)
		}
	}
	if !p.Stays {
		p.Exit(executor.Exit{Kind: executor.ExitCode})
	}
}

// Info implements executor.Process.
func (p *Process) Info() executor.Info {
	info := p.Fake.Info()
	info.Env.Named, info.Via, info.Notices = []string{"TOKEN"}, p.About.Via, p.About.Notices
	if p.About.Link != nil {
		link := *p.About.Link
		info.Placement, info.Link = p.About.Placement, &link
	}
	return info
}

// Out writes a line to stdout.
func (p *Process) Out(format string, args ...any) {
	p.Journal.Output(executor.Stdout, fmt.Appendf(nil, format+"\n", args...))
}

// Err writes a line to stderr.
func (p *Process) Err(line string) { p.Journal.Output(executor.Stderr, []byte(line+"\n")) }

// Exit ends the process.
func (p *Process) Exit(exit executor.Exit) {
	if p.End(exit) && !p.Holds {
		p.EOF()
	}
}

// Stop implements executor.Process.
func (p *Process) Stop(_ context.Context, step executor.Step, _ executor.Scope) (executor.StopReport, error) {
	report := executor.StopReport{Running: p.Info().State == executor.StateRunning}
	if step == executor.StepCloseStdin {
		p.CloseStdin()
	} else {
		p.Steps <- step
	}
	return report, nil
}

// Terminate implements executor.Process.
func (p *Process) Terminate(context.Context) (executor.StopReport, error) {
	running := p.Info().State == executor.StateRunning
	p.Exit(executor.Exit{Kind: executor.ExitSignal, Signal: "KILL"})
	p.EOF()
	return executor.StopReport{Running: running, CannotTell: p.CannotTell}, nil
}

// Tree implements executor.Process.
func (p *Process) Tree(context.Context) ([]executor.Descendant, error) {
	if p.Children == nil {
		return nil, nil
	}
	return p.Children(p), nil
}

// KillOne records a process in Killed.
func (p *Process) KillOne(_ context.Context, pid int) (executor.Descendant, error) {
	p.Killed = append(p.Killed, pid)
	return executor.Descendant{PID: pid}, nil
}

// NewLog returns a log without a name.
func NewLog(t testing.TB) *recordings.File {
	t.Helper()
	return newLog(t, session.Header{Argv: []string{"fake-server"}})
}

func newLog(t testing.TB, h session.Header) *recordings.File {
	t.Helper()
	log, err := recordings.Create(recordings.Options{NoRecord: true, Header: h})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, log.Close())
		require.NoError(t, log.Release())
	})
	return log
}

// NewSession returns a session over a server, which is not started.
func NewSession(t testing.TB, x *Server) *session.Session {
	t.Helper()
	return NewSessionWith(t, x, NewLog(t), func(*session.Config) {})
}

// NewSessionWith is NewSession with a log and a changed config.
func NewSessionWith(t testing.TB, x *Server, log session.Log, configure func(*session.Config)) *session.Session {
	t.Helper()
	cfg := session.Config{
		Executor: x, Log: log, ClientName: "test", ClientVersion: "0",
		Command: executor.Command{Argv: []string{"fake-server"}, Env: []executor.EnvVar{{Name: "TOKEN", Value: "sesame"}}},
	}
	configure(&cfg)
	s := session.New(cfg)
	t.Cleanup(func() {
		_, err := s.Close(context.Background())
		require.NoError(t, err)
		for _, p := range x.started {
			p.ended.Wait()
		}
	})
	return s
}

// Live runs a test in a synctest bubble with the workspace of an open session, on a
// screen of w by h cells.
func Live(t *testing.T, x *Server, w, h int, test func(*testing.T, *Host)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := NewSession(t, x)
		require.NoError(t, s.Open(t.Context()))
		synctest.Wait() // the server has read all of the handshake
		test(t, NewHost(t, LiveWorkspace(t, s), w, h))
	})
}

// LiveWorkspace returns the workspace of a session, as it is now.
func LiveWorkspace(t testing.TB, s *session.Session) *workspace.Workspace {
	t.Helper()
	ctx, forget := context.WithCancel(t.Context())
	t.Cleanup(forget)
	ws := workspace.New(ctx, forget, workspace.Opened{Session: s, Title: "fake (local)"}, 1)
	ws.WatchCalls()
	pull(ws)
	return ws
}

// AllCapabilities are the capabilities of a server that supports everything.
const AllCapabilities = `{"tools":{},"resources":{"subscribe":true},"prompts":{},"completions":{}}`

// Echo answers every request with an empty result of a call.
func Echo(p *Process, m Message) {
	if m.ID != nil && m.Method != "" {
		p.Out(`{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`, m.ID)
	}
}

// The pages of tools that Offers answers with.
const (
	FirstTools = `{"tools":[
		{"name":"echo","title":"Echo","description":"Says it again.\nAs often as you like.","inputSchema":{"type":"object","properties":{"text":{"type":"string","description":"what to say"},"times":{"type":"integer","minimum":1,"default":1},"how":{"type":"string","enum":["loud","low"]}},"required":["text"]},"annotations":{"readOnlyHint":true,"openWorldHint":false}},
		{"name":"remove","description":"Removes a file.","inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]},"outputSchema":{"type":"object"},"annotations":{"destructiveHint":true}}
	],"nextCursor":"two"}`
	SecondTools = `{"tools":[{"name":"sleep","inputSchema":{"type":"object","properties":{"seconds":{"type":"number"}}}}]}`
)

// lists are what Offers answers with, but for the second page of tools.
var lists = map[string]string{
	"tools/list":               FirstTools,
	"prompts/list":             `{"prompts":[{"name":"greet","title":"Greeting","description":"Greets somebody","arguments":[{"name":"who","description":"a name","required":true},{"name":"how"}]}]}`,
	"resources/list":           `{"resources":[{"uri":"res://logs/1","name":"log","mimeType":"text/plain"}]}`,
	"resources/templates/list": `{"resourceTemplates":[{"uriTemplate":"res://{kind}/{id}","name":"any","description":"one of them"}]}`,
}

// Offers answers the requests of a catalog, and reports whether it did.
func Offers(p *Process, m Message) bool {
	answer := lists[m.Method]
	if m.Method == "tools/list" && strings.Contains(string(m.Params), `"two"`) {
		answer = SecondTools
	}
	if answer == "" {
		return false
	}
	p.Out(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, strings.NewReplacer("\n", "", "\t", "").Replace(answer))
	return true
}

// OffersAndEchoes answers the requests of a catalog, and others as Echo does.
func OffersAndEchoes(p *Process, m Message) {
	if !Offers(p, m) {
		Echo(p, m)
	}
}

// Adds is a server with the tools add, which is read-only, and note, which is not. The
// result of add is the number more.
func Adds(more int) func(p *Process, m Message) {
	return func(p *Process, m Message) {
		switch m.Method {
		case "tools/list":
			p.Out(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"add","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},{"name":"note","inputSchema":{"type":"object"}}]}}`, m.ID)
		case "tools/call":
			p.Out(`{"jsonrpc":"2.0","id":%s,"result":{"content":[],"structuredContent":{"sum":%d}}}`, m.ID, more)
		default:
			Echo(p, m)
		}
	}
}
