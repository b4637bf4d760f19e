package mock

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/internal/testhome"
	"mcpdbg/recordings"
)

// Benchmarks start this test binary as the servers that they compare.
const (
	roleName = "MCPDBG_MOCK_BENCH_ROLE" // echo or mock
	fileName = "MCPDBG_MOCK_BENCH_FILE" // the recording
)

func TestMain(m *testing.M) {
	switch os.Getenv(roleName) {
	case "echo":
		echo(os.Stdin, os.Stdout)
	case "mock":
		beMock(os.Getenv(fileName))
	default:
		testhome.Main(m)
	}
}

// echo responds to each line with the same line: the least that a server
// can do.
func echo(in io.Reader, out io.Writer) {
	response := []byte(benchResponse(1) + "\n")
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		if _, err := lines.ReadSlice('\n'); err != nil {
			return
		}
		if _, err := out.Write(response); err != nil {
			return
		}
	}
}

func beMock(path string) {
	rec, err := recordings.Open(path)
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	server, err := New(ctx, rec, Options{})
	if err != nil {
		panic(err)
	}
	_, _ = server.Serve(ctx, os.Stdin, os.Stdout, os.Stderr)
}

func benchRequest(id, query int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"search","arguments":{"query":"%s %d","limit":10}}}`,
		id, strings.Repeat("q", 90), query)
}

func benchResponse(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"}],"isError":false}}`, id, strings.Repeat("a", 500))
}

// benchRecording returns a session of n different calls.
func benchRecording(b *testing.B, n int) string {
	b.Helper()
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "> %s\n< %s\n", benchRequest(i, i), benchResponse(i))
	}
	return write(b, legacy+text.String())
}

// A peer is a server in another process.
type peer struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	next int // request
	took time.Duration
}

func startPeer(b *testing.B, role, path string) *peer {
	b.Helper()
	p := &peer{cmd: exec.CommandContext(b.Context(), os.Args[0])}
	p.cmd.Env = append(os.Environ(), roleName+"="+role, fileName+"="+path)
	var err error
	p.in, err = p.cmd.StdinPipe()
	require.NoError(b, err)
	out, err := p.cmd.StdoutPipe()
	require.NoError(b, err)
	p.out = bufio.NewReaderSize(out, 64<<10)
	require.NoError(b, p.cmd.Start())
	p.trips(b, 1, 1) // wait until it runs
	p.took, p.next = 0, 0
	return p
}

func (p *peer) end(b *testing.B) {
	require.NoError(b, p.in.Close())
	require.NoError(b, p.cmd.Wait())
}

// trips makes n sequential round trips with requests that repeat
// after of different ones.
func (p *peer) trips(b *testing.B, n, of int) {
	var line []byte
	begin := time.Now()
	for range n {
		line = append(append(line[:0], benchRequest(p.next, p.next%of)...), '\n')
		p.next++
		if _, err := p.in.Write(line); err != nil {
			b.Fatal(err)
		}
		response, err := p.out.ReadSlice('\n')
		if err != nil || len(response) < 500 {
			b.Fatalf("%s %v", response, err)
		}
	}
	p.took += time.Since(begin)
}

// BenchmarkRoundTrip measures one request and its response over the pipes of another
// process. An echo server and the mock alternate, so that both run under the same
// load; x-echo is how many round trips the mock makes in the time in which
// the echo server makes one. The requests repeat, or each is sent once.
func BenchmarkRoundTrip(b *testing.B) {
	const turn = 200
	for _, c := range []struct {
		name     string
		recorded int
	}{{"again", 2000}, {"once", 40_000}} {
		b.Run(c.name, func(b *testing.B) {
			path := benchRecording(b, c.recorded)
			echo, mock := startPeer(b, "echo", ""), startPeer(b, "mock", path)
			trips := 0
			for b.Loop() {
				echo.trips(b, turn, c.recorded)
				if c.name == "once" && mock.next+turn > c.recorded {
					mock.end(b)
					took := mock.took
					mock = startPeer(b, "mock", path)
					mock.took = took
				}
				mock.trips(b, turn, c.recorded)
				trips += turn
			}
			b.ReportMetric(float64(echo.took)/float64(mock.took), "x-echo")
			b.ReportMetric(float64(mock.took.Nanoseconds())/float64(trips), "ns/trip")
			echo.end(b)
			mock.end(b)
		})
	}
}

// BenchmarkAnswer measures one request to the mock without pipes: one that
// was sent before, and one that is new.
func BenchmarkAnswer(b *testing.B) {
	const recorded = 20_000
	rec := open(b, benchRecording(b, recorded))
	requests := make([]framing.Line, recorded)
	for i := range requests {
		requests[i].Data = []byte(benchRequest(i, i))
	}
	fresh := func() *Server {
		server, err := New(b.Context(), rec, Options{})
		require.NoError(b, err)
		server.out.w = io.Discard
		return server
	}
	b.Run("again", func(b *testing.B) {
		server := fresh()
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			server.line(requests[i%1000])
			server.flush()
		}
		require.True(b, server.report.Good())
	})
	b.Run("once", func(b *testing.B) {
		server := fresh()
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if i%recorded == 0 {
				server = fresh()
			}
			server.line(requests[i%recorded])
			server.flush()
		}
		require.True(b, server.report.Good())
	})
}
