//go:build unix

package serve

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/session/unixsocket"
)

// messageSize is that of the benchmarks of package localexec.
const messageSize = 205

// benchConn is a connection to a server of another process's kind: a Unix socket.
func benchConn(b *testing.B) *wire.Lines {
	b.Helper()
	path := filepath.Join(shortDir(b), "s")
	l, err := unixsocket.Listen(path)
	require.NoError(b, err)
	s := newServer(b, Options{})
	ctx, cancel := context.WithCancel(b.Context())
	b.Cleanup(cancel)
	go func() { _ = s.Serve(ctx, l) }()
	stream, err := unixsocket.Dial(b.Context(), path)
	require.NoError(b, err)
	lines := wire.NewLines(stream, wire.MaxMessage)
	b.Cleanup(func() { _ = lines.Close() })
	send(b, lines, wire.MethodInitialize, wire.InitializeParams{})
	_, err = lines.Read(b.Context())
	require.NoError(b, err)
	require.NoError(b, lines.Write(b.Context(), []byte(`{"method":"initialized"}`)))
	return lines
}

func send(b *testing.B, lines *wire.Lines, method string, params any) {
	require.NoError(b, lines.Write(b.Context(), request(b, 1, method, params)))
}

// outputs reads until so many bytes of output have come.
func outputs(b *testing.B, lines *wire.Lines, size int) {
	for size > 0 {
		text, err := lines.Read(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		if o, ok := wire.ParseOutput(text); ok {
			size -= len(o.Chunk)
		}
	}
}

// BenchmarkBulk compares, in alternating rounds, the output of a process through the local
// executor and through a server.
func BenchmarkBulk(b *testing.B) {
	const messages = 200_000
	flood := []string{"flood", strconv.Itoa(messages), strconv.Itoa(messageSize)}
	e := local()
	defer e.Close()
	lines := benchConn(b)
	var direct, served []time.Duration
	for i := 0; b.Loop(); i++ {
		direct = append(direct, timed(func() {
			p, err := e.Start(context.Background(), executor.Command{Argv: append([]string{os.Args[0]}, exectest.HelperArgs(flood...)...), Pinned: true})
			require.NoError(b, err)
			over := make(chan struct{})
			_, err = p.Subscribe(executor.SubscribeOptions{Pin: true, Handler: func(ev executor.Event) {
				if ev.Kind == executor.Closed {
					close(over)
				}
			}})
			require.NoError(b, err)
			<-over
		}))
		served = append(served, timed(func() {
			send(b, lines, wire.MethodStart, helper(b, strconv.Itoa(i), flood...))
			outputs(b, lines, messages*messageSize)
		}))
	}
	report(b, direct, served, messages*messageSize/1e6)
}

// report compares the tenth percentiles: higher ones depend on the load of the machine.
func report(b *testing.B, direct, served []time.Duration, size float64) {
	slices.Sort(direct)
	slices.Sort(served)
	local, server := direct[len(direct)/10].Seconds(), served[len(served)/10].Seconds()
	b.ReportMetric(size/local, "local/s")
	b.ReportMetric(size/server, "served/s")
	b.ReportMetric(local/server, "x-local")
}

func timed(f func()) time.Duration {
	begin := time.Now()
	f()
	return time.Since(begin)
}

// BenchmarkRoundTrip compares, in alternating rounds, the round trips of a message to an
// echoing process.
func BenchmarkRoundTrip(b *testing.B) {
	const trips = 200
	message := append(bytes.Repeat([]byte{'x'}, messageSize-1), '\n')
	e := local()
	defer e.Close()
	p, err := e.Start(context.Background(), executor.Command{Argv: append([]string{os.Args[0]}, exectest.HelperArgs("echo")...)})
	require.NoError(b, err)
	back := make(chan struct{}, 1)
	left := 0
	_, err = p.Subscribe(executor.SubscribeOptions{Pin: true, Handler: func(ev executor.Event) {
		if ev.Kind != executor.Output {
			return
		}
		if left--; left > 0 {
			_, _ = p.Write(context.Background(), "", message)
		} else {
			back <- struct{}{}
		}
	}})
	require.NoError(b, err)
	lines := benchConn(b)
	send(b, lines, wire.MethodStart, helper(b, "echo", "echo"))
	var direct, served []time.Duration
	var buf []byte
	id := uint64(0)
	for b.Loop() {
		direct = append(direct, timed(func() {
			left = trips
			_, _ = p.Write(context.Background(), "", message)
			<-back
		}))
		served = append(served, timed(func() {
			for range trips {
				id++
				buf = wire.AppendWrite(buf[:0], id, wire.WriteParams{ProcessID: "echo", Chunk: message, WriteID: strconv.FormatUint(id, 10)})
				if err := lines.Write(context.Background(), buf); err != nil {
					b.Fatal(err)
				}
				outputs(b, lines, len(message))
			}
		}))
	}
	report(b, direct, served, trips)
}
