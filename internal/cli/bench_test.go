//go:build unix

package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/live"
	"mcpdbg/recordings"
	"mcpdbg/session"
)

// These benchmarks compare the program with the simplest program that does the
// same work, in alternating rounds, and report the ratio of the medians:
// absolute figures of a shared machine mean little.

// duel alternates two functions, rounds times each, and returns the median time
// of each.
func duel(rounds int, base, ours func() time.Duration) (baseTime, ourTime time.Duration) {
	var bases, all []time.Duration
	for range rounds {
		bases = append(bases, base())
		all = append(all, ours())
	}
	slices.Sort(bases)
	slices.Sort(all)
	return bases[rounds/2], all[rounds/2]
}

// rounds of a duel.
const rounds = 7

// BenchmarkChildToLog measures how fast a child process that writes one message
// at a time can write them to the log of run, compared with cat. The time is
// that of the child, from its start to its end.
func BenchmarkChildToLog(b *testing.B) {
	const messages, size = 200_000, 205
	fault := fmt.Sprintf("writer-now:%dx%d", messages, size)
	for b.Loop() {
		cat, ours := duel(rounds,
			func() time.Duration { return childInto(b, fault, "cat") },
			func() time.Duration { return childInRun(b, fault) })
		b.ReportMetric(cat.Seconds()/ours.Seconds(), "x-cat")
		b.ReportMetric(messages*size/ours.Seconds()/1e6, "MB/s")
	}
}

// BenchmarkBulk is BenchmarkChildToLog with writes of 64 KiB, compared with a tee
// that also writes a file.
func BenchmarkBulk(b *testing.B) {
	const size = 200 << 20
	fault := fmt.Sprintf("bulk-now:%d", size)
	for b.Loop() {
		tee, ours := duel(rounds,
			func() time.Duration { return childInto(b, fault, "tee", filepath.Join(b.TempDir(), "copy")) },
			func() time.Duration { return childInRun(b, fault) })
		b.ReportMetric(tee.Seconds()/ours.Seconds(), "x-tee")
		b.ReportMetric(size/ours.Seconds()/1e6, "MB/s")
	}
}

// childInto runs the demo server with its stdout piped to a command whose
// output is discarded, and returns the time that it took.
func childInto(b *testing.B, fault string, reader ...string) time.Duration {
	b.Helper()
	r, w, err := os.Pipe()
	require.NoError(b, err)
	sink := exec.Command(reader[0], reader[1:]...)
	sink.Stdin = r
	require.NoError(b, sink.Start())
	require.NoError(b, r.Close())
	child := exec.Command(binary, console.DemoServer, "--misbehave", fault)
	child.Stdout = w
	begin := time.Now()
	require.NoError(b, child.Start())
	require.NoError(b, w.Close())
	require.NoError(b, child.Wait())
	require.NoError(b, sink.Wait())
	return time.Since(begin)
}

// childInRun runs the demo server in run, and returns the recorded time from its
// start to closed.
func childInRun(b *testing.B, fault string) time.Duration {
	b.Helper()
	record := filepath.Join(b.TempDir(), "r.jsonl")
	r := run(b, against(fault, "run", "--raw", "--quiet", "--record", record)...)
	require.Equal(b, 0, r.code, r.stderr)
	rec, err := recordings.Open(record)
	require.NoError(b, err)
	rows := make([]session.Row, rec.Len())
	rec.Rows(0, rows)
	require.NoError(b, rec.Close())
	require.NoError(b, os.Remove(record))
	var begin, end int64
	for i, row := range rows {
		switch {
		case row.Kind == session.KindPhase && begin == 0:
			begin = row.T // the first step ends before the server runs
		case row.Kind == session.KindClosed:
			end = rows[i].T
		}
	}
	return time.Duration(end-begin) * time.Microsecond
}

// BenchmarkListTools measures list tools and its peak memory, compared with a
// client that does only the same exchange. That client is in this process;
// x-program adds the cost of starting a program.
func BenchmarkListTools(b *testing.B) {
	args := against("probe-fast", "list", "tools")
	for b.Loop() {
		raw, ours := duel(3*rounds, func() time.Duration { return rawListTools(b) }, func() time.Duration { return wallTime(b, args) })
		start, _ := duel(3*rounds, func() time.Duration { return wallTime(b, []string{"version"}) }, func() time.Duration { return 0 })
		b.ReportMetric(ours.Seconds()/raw.Seconds(), "x-raw")
		b.ReportMetric(ours.Seconds()/(raw+start).Seconds(), "x-program")
		b.ReportMetric(float64(ours.Microseconds())/1000, "ms")
		if mb, ok := peakOf(b, args); ok {
			b.ReportMetric(mb, "MB-RSS")
		}
	}
}

// wallTime returns how long the program takes.
func wallTime(b *testing.B, args []string) time.Duration {
	b.Helper()
	cmd := program(b, args...)
	begin := time.Now()
	require.NoError(b, cmd.Run())
	return time.Since(begin)
}

// rawListTools does by hand what list tools does, and returns the time it took.
func rawListTools(b *testing.B) time.Duration {
	b.Helper()
	begin := time.Now()
	exchange(b, startRaw(b, fastServer()))
	return time.Since(begin)
}

// exchange is what list tools sends to a legacy server.
func exchange(b *testing.B, c *rawClient) {
	require.Contains(b, c.ask(b, `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}`), "-32601")
	require.Contains(b, c.ask(b, `{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`), "probe-fast")
	c.send(b, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	require.Contains(b, c.ask(b, `{"jsonrpc":"2.0","id":3,"method":"tools/list"}`), "tool_9")
	c.stop(b)
}

// rawClient is a minimal client.
type rawClient struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// fastServer is a server that responds at once.
func fastServer() *exec.Cmd {
	return exec.Command(binary, console.DemoServer, "--misbehave", "probe-fast")
}

func startRaw(b *testing.B, cmd *exec.Cmd) *rawClient {
	b.Helper()
	in, err := cmd.StdinPipe()
	require.NoError(b, err)
	out, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	return &rawClient{cmd, in, bufio.NewReader(out)}
}

func (c *rawClient) send(b *testing.B, line string) {
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		b.Fatal(err)
	}
}

func (c *rawClient) ask(b *testing.B, line string) string {
	c.send(b, line)
	answer, err := c.out.ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return answer
}

func (c *rawClient) stop(b *testing.B) {
	require.NoError(b, c.in.Close())
	require.NoError(b, c.cmd.Wait())
}

// peakOf returns the peak memory of the program in MB, measured by GNU time,
// because a child of this big process would inherit its peak.
func peakOf(b *testing.B, args []string) (float64, bool) {
	const gnuTime = "/usr/bin/time"
	if _, err := os.Stat(gnuTime); err != nil {
		return 0, false
	}
	cmd := exec.Command(gnuTime, append([]string{"-f", "%M", binary}, args...)...)
	setUp(b, cmd)
	var said strings.Builder
	cmd.Stderr = &said
	require.NoError(b, cmd.Run())
	kb, err := strconv.Atoi(strings.TrimSpace(said.String()))
	require.NoError(b, err, said.String())
	return float64(kb) / 1024, true
}

// BenchmarkPing measures round trips of a recorded session, compared with a
// loop over bare pipes.
func BenchmarkPing(b *testing.B) {
	const pings = 5000
	a := &console.Env{Self: []string{binary}, Urgent: b.Context()}
	t := flags.Target{Era: "legacy", Overrun: "hold", EnvPolicy: "inherit", StartupTimeout: time.Minute, Timeout: time.Minute,
		Record: filepath.Join(b.TempDir(), "r.jsonl")}
	l, err := live.Prepare(b.Context(), a, t, []string{binary, console.DemoServer, "--misbehave", "probe-fast"}, nil)
	require.NoError(b, err)
	ctx := context.Background()
	require.NoError(b, l.Open(ctx))
	c := startRaw(b, fastServer())
	for b.Loop() {
		raw, ours := duel(rounds, func() time.Duration {
			begin := time.Now()
			for i := range pings {
				c.ask(b, `{"jsonrpc":"2.0","id":`+strconv.Itoa(i)+`,"method":"ping"}`)
			}
			return time.Since(begin)
		}, func() time.Duration {
			begin := time.Now()
			for range pings {
				if _, err := l.Request(ctx, "ping", nil, session.CallOptions{}); err != nil {
					b.Fatal(err)
				}
			}
			return time.Since(begin)
		})
		b.ReportMetric(raw.Seconds()/ours.Seconds(), "x-raw")
		b.ReportMetric(float64(ours.Microseconds())/pings, "µs/ping")
	}
	c.stop(b)
	_, err = l.End(ctx)
	require.NoError(b, err)
}
