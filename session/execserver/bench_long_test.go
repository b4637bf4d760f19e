//go:build long && linux

package execserver

import (
	"bytes"
	"context"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/exectest"
)

// A rawReader reads the protocol, and does nothing else.
type rawReader struct {
	b    *testing.B
	conn wire.Conn
	id   uint64
}

func newRawReader(b *testing.B, dial func(context.Context) (wire.Conn, error)) *rawReader {
	conn, err := dial(b.Context())
	require.NoError(b, err)
	b.Cleanup(func() { _ = conn.Close() })
	r := &rawReader{b: b, conn: conn}
	r.send(wire.MethodInitialize, wire.InitializeParams{ClientName: "raw"})
	_, err = conn.Read(context.Background())
	require.NoError(b, err)
	require.NoError(b, conn.Write(context.Background(), []byte(`{"method":"initialized"}`)))
	return r
}

func (r *rawReader) send(method string, params any) {
	body, err := marshal(params)
	require.NoError(r.b, err)
	r.id++
	require.NoError(r.b, r.conn.Write(context.Background(), wire.AppendRequest(nil, r.id, method, body)))
}

func (r *rawReader) start(id string, steps ...string) {
	r.send(wire.MethodStart, wire.StartParams{
		ProcessID: id, Argv: append([]string{os.Args[0]}, exectest.HelperArgs(steps...)...), CWD: "file:///", Env: map[string]string{}, PipeStdin: true,
	})
}

// read reads until so many bytes of output have come.
func (r *rawReader) read(size int) {
	for size > 0 {
		text, err := r.conn.Read(context.Background())
		if err != nil {
			r.b.Fatal(err)
		}
		if o, ok := wire.ParseOutput(text); ok {
			size -= len(o.Chunk)
		}
	}
}

func (r *rawReader) pace() pace {
	message := append(bytes.Repeat([]byte{'x'}, messageSize-1), '\n')
	r.start("echo", "echo")
	var buf []byte
	floods := 0
	return pace{
		trip: func() {
			for range trips {
				r.id++
				buf = wire.AppendWrite(buf[:0], r.id, wire.WriteParams{ProcessID: "echo", Chunk: message, WriteID: strconv.FormatUint(r.id, 10)})
				if err := r.conn.Write(context.Background(), buf); err != nil {
					r.b.Fatal(err)
				}
				r.read(len(message))
			}
		},
		flood: func() {
			floods++
			r.start("flood"+strconv.Itoa(floods), "flood", strconv.Itoa(flood), strconv.Itoa(messageSize))
			r.read(flood * messageSize)
		},
	}
}

// codexPaces returns those of a raw reader and of a client of the same kind of Codex.
func codexPaces(b *testing.B) map[string][2]pace {
	dials := map[string]func(context.Context) (wire.Conn, error){
		"stdio": command(b, here(b), codexCommand(codexProgram(b))), "WebSocket": command(b, nil, codexURL(b)),
	}
	paces := map[string][2]pace{}
	for name, dial := range dials {
		e, err := Open(b.Context(), Options{Dial: dial, Concurrency: wire.CodexConcurrency, Placement: name})
		require.NoError(b, err)
		b.Cleanup(func() { _ = e.Close() })
		paces[name] = [2]pace{newRawReader(b, dial).pace(), paceOf(b, e)}
	}
	return paces
}

// BenchmarkLongCodexRoundTrip compares the client with a raw reader.
func BenchmarkLongCodexRoundTrip(b *testing.B) {
	for name, p := range codexPaces(b) {
		b.Run(name, func(b *testing.B) { compare(b, p[0].trip, p[1].trip, trips, "trips/s") })
	}
}

// BenchmarkLongCodexBulk compares the client with a raw reader.
func BenchmarkLongCodexBulk(b *testing.B) {
	for name, p := range codexPaces(b) {
		b.Run(name, func(b *testing.B) { compare(b, p[0].flood, p[1].flood, flood*messageSize/1e6, "MB/s") })
	}
}
