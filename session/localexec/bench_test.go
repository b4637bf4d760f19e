//go:build unix

package localexec

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/session/localexec/watchdog"
)

// The size of a message: the mean of the messages of MCP servers in
// reference/recordings-perf.md 2.2.
const messageSize = 205

// BenchmarkDrain compares, in alternating rounds, how fast a child can write
// messages, one write each: into cat, and into a Handler.
func BenchmarkDrain(b *testing.B) {
	const messages = 200_000
	steps := exectest.HelperArgs("flood", strconv.Itoa(messages), strconv.Itoa(messageSize))
	e := New(Options{})
	defer e.Close()
	var cat, handler time.Duration
	for b.Loop() {
		cat += drainWithCat(b, steps)
		handler += drainWithHandler(b, e, steps, messages*messageSize)
	}
	bytes := float64(b.N) * messages * messageSize
	b.ReportMetric(bytes/cat.Seconds()/1e6, "cat-MB/s")
	b.ReportMetric(bytes/handler.Seconds()/1e6, "handler-MB/s")
	b.ReportMetric(cat.Seconds()/handler.Seconds(), "x-cat")
}

func drainWithCat(b *testing.B, steps []string) time.Duration {
	r, w, err := os.Pipe()
	require.NoError(b, err)
	defer r.Close()
	cat := exec.Command("cat")
	cat.Stdin = r
	require.NoError(b, cat.Start())
	writer := exec.Command(os.Args[0], steps...)
	writer.Stdout = w
	begin := time.Now()
	require.NoError(b, writer.Start())
	require.NoError(b, w.Close())
	require.NoError(b, writer.Wait())
	require.NoError(b, cat.Wait())
	return time.Since(begin)
}

func drainWithHandler(b *testing.B, e *Executor, steps []string, want int) time.Duration {
	begin := time.Now()
	p, err := e.Start(context.Background(), executor.Command{Argv: append([]string{os.Args[0]}, steps...)})
	require.NoError(b, err)
	got := 0
	closed := make(chan struct{})
	_, err = p.Subscribe(executor.SubscribeOptions{Pin: true, Handler: func(ev executor.Event) {
		switch ev.Kind {
		case executor.Output:
			got += len(ev.Data)
		case executor.Closed:
			close(closed)
		case executor.Lagged:
			b.Error("lagged")
		}
	}})
	require.NoError(b, err)
	<-closed
	took := time.Since(begin)
	require.Equal(b, want, got)
	return took
}

// BenchmarkRoundTrip compares, in alternating rounds, the round trip of a
// message to an echoing child: over bare pipes, and through Write and a
// Handler. It reports the tenth percentile of the rounds: higher ones depend
// more on the load of the machine.
func BenchmarkRoundTrip(b *testing.B) {
	const trips = 200
	message := append(bytes.Repeat([]byte{'x'}, messageSize-1), '\n')
	raw := newRawEcho(b)
	echo := newEcho(b)
	var bare, through []time.Duration
	for b.Loop() {
		bare = append(bare, timed(func() { raw.trips(b, message, trips) }))
		through = append(through, timed(func() { echo.trips(message, trips) }))
	}
	b.ReportMetric(quiet(bare).Seconds()/trips*1e6, "raw-us/trip")
	b.ReportMetric(quiet(through).Seconds()/trips*1e6, "handler-us/trip")
	b.ReportMetric(quiet(bare).Seconds()/quiet(through).Seconds(), "x-raw")
}

func quiet(rounds []time.Duration) time.Duration {
	slices.Sort(rounds)
	return rounds[len(rounds)/10]
}

func timed(f func()) time.Duration {
	begin := time.Now()
	f()
	return time.Since(begin)
}

type rawEcho struct {
	in  io.Writer
	out io.Reader
	buf []byte
}

func newRawEcho(b *testing.B) *rawEcho {
	cmd := exec.Command(os.Args[0], exectest.HelperArgs("echo")...)
	in, err := cmd.StdinPipe()
	require.NoError(b, err)
	out, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	b.Cleanup(func() {
		require.NoError(b, in.Close())
		require.NoError(b, cmd.Wait())
	})
	return &rawEcho{in: in, out: out, buf: make([]byte, 64<<10)}
}

func (r *rawEcho) trips(b *testing.B, message []byte, n int) {
	for range n {
		if _, err := r.in.Write(message); err != nil {
			b.Fatal(err)
		}
		for got := 0; got < len(message); {
			n, err := r.out.Read(r.buf)
			if err != nil {
				b.Fatal(err)
			}
			got += n
		}
	}
}

// An echo sends the next message in the Handler as soon as one came back.
type echo struct {
	p       executor.Process
	message []byte
	got     int
	left    int
	done    chan struct{}
}

func newEcho(b *testing.B) *echo {
	e := New(Options{})
	b.Cleanup(func() { require.NoError(b, e.Close()) })
	p, err := e.Start(context.Background(), executor.Command{
		Argv: append([]string{os.Args[0]}, exectest.HelperArgs("echo")...),
	})
	require.NoError(b, err)
	c := &echo{p: p, done: make(chan struct{})}
	_, err = p.Subscribe(executor.SubscribeOptions{Pin: true, Handler: c.handle})
	require.NoError(b, err)
	return c
}

func (c *echo) handle(ev executor.Event) {
	if ev.Kind != executor.Output {
		return
	}
	c.got += len(ev.Data)
	if c.got < len(c.message) {
		return
	}
	c.got = 0
	if c.left--; c.left == 0 {
		c.done <- struct{}{}
		return
	}
	c.send()
}

func (c *echo) send() { _, _ = c.p.Write(context.Background(), "", c.message) }

func (c *echo) trips(message []byte, n int) {
	c.message, c.left = message, n
	c.send()
	<-c.done
}

// BenchmarkStart measures a start with and without a watchdog, until the end of
// the process is read. Tenth percentiles, as above.
func BenchmarkStart(b *testing.B) {
	for _, c := range []struct{ name, program string }{{"watched", watchdog.Program}, {"bare", ""}} {
		b.Run(c.name, func(b *testing.B) {
			e := New(Options{Watchdog: watchdogCommand(), Retention: time.Millisecond})
			e.program = c.program
			b.Cleanup(func() { require.NoError(b, e.Close()) })
			var starts, ends []time.Duration
			for b.Loop() {
				begin := time.Now()
				p, err := e.Start(context.Background(), executor.Command{Argv: []string{"/bin/true"}})
				require.NoError(b, err)
				starts = append(starts, time.Since(begin))
				_, err = p.Read(context.Background(), 0, 0, time.Minute)
				require.NoError(b, err)
				ends = append(ends, time.Since(begin))
			}
			b.ReportMetric(quiet(starts).Seconds()*1e6, "start-us")
			b.ReportMetric(quiet(ends).Seconds()*1e6, "closed-us")
		})
	}
}
