package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"mcpdbg/framing"
	"mcpdbg/internal/tools/bench/trip"
	"mcpdbg/internal/tools/corpus"
	"mcpdbg/recordings"
	"mcpdbg/session"
)

const (
	// of a recording of calls
	lineSize = 1024
	// rareWord is in one of rareEach messages, lastWord in the last.
	rareWord = "customer"
	rareEach = 10_000
	lastWord = "zebra"
)

// recording has l.size bytes, a typical mix of messages of 412 bytes on average.
func (l *lab) recording() (string, error) {
	return l.make("mix.jsonl", func(path string) error { return writeMix(path, l.size) })
}

// index is what the first command that reads all of a recording does.
func (l *lab) index(file string) error {
	cmd := l.command(l.mcpdbg, "rec", "cat", "--filter", rareWord, file)
	cmd.Env = l.environment(side{})
	return runQuietly(cmd)
}

// A sixteenth of the size, for slow peers.
func (l *lab) small() (string, error) {
	return l.make("small.jsonl", func(path string) error { return writeMix(path, l.size/16) })
}

// It has l.size bytes with calls and their results, 1 KiB each.
func (l *lab) calls() (string, error) {
	return l.make("calls.jsonl", func(path string) error { return writeCalls(path, l.size) })
}

type recorder struct {
	w       *recordings.Writer
	sums    map[session.Kind]*session.Checksum
	seq     uint64
	t       int64
	written int64
	err     error
}

func record(path string) (*recorder, error) {
	w, err := recordings.CreateWriter(recordings.Options{Path: path, Header: session.Header{
		Tool: "mcpdbg bench", Start: time.Date(2026, 9, 1, 10, 0, 0, 0, time.UTC), Placement: "local", Argv: []string{"server"}, Era: "legacy",
	}})
	if err != nil {
		return nil, err
	}
	r := &recorder{w: w, sums: map[session.Kind]*session.Checksum{}}
	for _, kind := range []session.Kind{session.KindStdin, session.KindStdout, session.KindStderr} {
		sum := session.NewChecksum()
		r.sums[kind] = &sum
	}
	start := session.NewEntry(session.KindStart, 0, session.StartBody{Process: "server-1", PID: 4711, Placement: "local"})
	r.append(&start)
	return r, nil
}

func (r *recorder) append(e *session.Entry) {
	r.t += 40
	e.T = r.t
	if r.err == nil {
		r.err = r.w.Append(e)
	}
}

func (r *recorder) event(kind session.Kind, body any) {
	r.seq++
	e := session.NewEntry(kind, r.seq, body)
	r.append(&e)
}

func (r *recorder) line(kind session.Kind, line []byte) {
	e := session.Entry{Kind: kind, Payload: line}
	if kind != session.KindStdin {
		r.seq++
		e.Seq = r.seq
	}
	r.sums[kind].AddLine(line, framing.LF)
	r.written += int64(len(line)) + 40
	r.append(&e)
}

// The requests of the corpus are the client's.
func (r *recorder) message(message []byte) {
	kind := session.KindStdout
	if framing.Scan(message).Kind == framing.Request {
		kind = session.KindStdin
	}
	r.line(kind, message)
}

// In the legacy era, and a list with one tool.
func (r *recorder) handshake() {
	for _, pair := range [][2]string{
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"mcpdbg","version":"1"}}}`,
			`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"server","version":"1"}}}`},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, ""},
		{`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
			`{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"search","inputSchema":{"type":"object"}}]}}`},
	} {
		r.line(session.KindStdin, []byte(pair[0]))
		if pair[1] != "" {
			r.line(session.KindStdout, []byte(pair[1]))
		}
	}
}

func (r *recorder) end() error {
	code := 0
	r.event(session.KindExited, session.ExitedBody{Code: &code})
	r.event(session.KindClosed, session.ClosedBody{
		Stdout: r.sums[session.KindStdout].Sums(), Stderr: r.sums[session.KindStderr].Sums(), Stdin: r.sums[session.KindStdin].Sums(),
	})
	return errors.Join(r.err, r.w.Close())
}

func writeMix(path string, size int64) error {
	r, err := record(path)
	if err != nil {
		return err
	}
	r.handshake()
	messages := corpus.MIX(100_000)
	for i := 0; r.written < size && r.err == nil; i++ {
		r.message(messages[i%len(messages)])
		if i%rareEach == rareEach/2 {
			r.message([]byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"a ` + rareWord + `"}}`))
		}
	}
	for i := range 60 { // the last screen has no huge line
		r.message(messages[i%20])
	}
	r.message([]byte(`{"jsonrpc":"2.0","method":"` + lastWord + `"}`))
	return r.end()
}

func writeCalls(path string, size int64) error {
	r, err := record(path)
	if err != nil {
		return err
	}
	r.handshake()
	words := strings.Repeat("the quick brown fox jumps over the lazy dog, ", lineSize/40)
	for i := 10; r.written < size && r.err == nil; i++ {
		r.line(session.KindStdin, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"search","arguments":{"query":"query %d","context":"%s"}}}`,
			i, i, words[:lineSize-130]))
		r.line(session.KindStdout, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"line %d\n\"%s\""}],"isError":false}}`,
			i, i, words[:lineSize-110]))
	}
	return r.end()
}

// The n calls differ, for mock.
func (l *lab) trips(n int) (string, error) {
	return l.make(fmt.Sprintf("trips%d.jsonl", n), func(path string) error {
		r, err := record(path)
		if err != nil {
			return err
		}
		r.handshake()
		for i := range n {
			r.line(session.KindStdin, trip.Request(i))
			r.line(session.KindStdout, trip.Response(i))
		}
		return r.end()
	})
}

// A recording by the measured mcpdbg of lines of 1 KiB, with its sums.
func (l *lab) recorded(size int64) (string, error) {
	return l.make(fmt.Sprintf("recorded%d.jsonl", size), func(path string) error {
		cmd := l.command(l.mcpdbg, "run", "--raw", "--quiet", "--record", path, "--", l.raw, "flood", fmt.Sprint(size/lineSize), fmt.Sprint(lineSize), "65536")
		cmd.Env = l.environment(side{})
		return runQuietly(cmd)
	})
}

func (l *lab) pings(n int) (string, error) {
	return l.make(fmt.Sprintf("pings%d.yaml", n), func(path string) error {
		return os.WriteFile(path, []byte("scenario: 1\nsteps:\n"+strings.Repeat("  - call: ping\n", n)), 0o600)
	})
}

func (l *lab) requests() (string, error) {
	return l.make("requests.jsonl", func(path string) error {
		return os.WriteFile(path, []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"tool_0","arguments":{}}}
`), 0o600)
	})
}

// It starts the tiny server without arguments.
func (l *lab) script() (string, error) {
	return l.make("server.sh", func(path string) error {
		return os.WriteFile(path, []byte("#!/bin/sh\nexec "+l.raw+" serve\n"), 0o700)
	})
}
