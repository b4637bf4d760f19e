//go:build unix

package sshexec

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/link"
	"mcpdbg/sshexec/sshconfig"
	"mcpdbg/sshexec/sshtest"
)

// These benchmarks compare an executor with the ssh program doing the same, in
// alternating rounds, and report the ratio of the medians: absolute figures of
// a shared machine mean little.

// duel alternates two functions and returns the median time of each.
func duel(rounds int, ssh, ours func() time.Duration) (sshTime, ourTime time.Duration) {
	var base, all []time.Duration
	for range rounds {
		base = append(base, ssh())
		all = append(all, ours())
	}
	slices.Sort(base)
	slices.Sort(all)
	return base[rounds/2], all[rounds/2]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// fast returns a server with the cipher that is fastest for both sides.
func fast(b *testing.B) *sshtest.Server {
	return sshtest.OpenSSH(b, sshtest.Options{SSH: []string{"Ciphers aes128-gcm@openssh.com"}, LogLevel: "INFO"})
}

// A pipe is a running ssh program.
type pipe struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func sshPipe(b *testing.B, s *sshtest.Server, command string) *pipe {
	cmd := s.Command(context.Background(), command)
	in, err := cmd.StdinPipe()
	require.NoError(b, err)
	out, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	return &pipe{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 64<<10)}
}

func (p *pipe) end(b *testing.B) {
	require.NoError(b, p.in.Close())
	_, _ = io.Copy(io.Discard, p.out)
	require.NoError(b, p.cmd.Wait())
}

// A counter is a subscription that counts bytes of output.
type counter struct {
	executor.Process
	got  int
	want int
	full chan struct{} // one slot: want bytes have come
}

func (c *counter) handle(e executor.Event) {
	if e.Kind != executor.Output {
		return
	}
	c.got += len(e.Data)
	if c.got >= c.want {
		c.got -= c.want
		c.full <- struct{}{}
	}
}

func startCounter(b *testing.B, e *Executor, want int, argv ...string) *counter {
	p, err := e.Start(context.Background(), executor.Command{Argv: argv})
	require.NoError(b, err)
	c := &counter{Process: p, want: want, full: make(chan struct{}, 1)}
	_, err = p.Subscribe(executor.SubscribeOptions{Pin: true, Handler: c.handle})
	require.NoError(b, err)
	return c
}

func (c *counter) end(b *testing.B) {
	_, err := c.Terminate(context.Background())
	require.NoError(b, err)
}

func (c *counter) send(b *testing.B, p []byte) {
	r, err := c.Write(context.Background(), "", p)
	require.NoError(b, err)
	require.Equal(b, executor.Accepted, r.Status)
}

// BenchmarkFirstEcho: connect, log in, execute cat under the guard, and have one
// line come back. At most 0.6 of ssh.
func BenchmarkFirstEcho(b *testing.B) {
	s := fast(b)
	e := at(b, s)
	defer e.Close()
	for b.Loop() {
		base, ours := duel(15, func() time.Duration { return echoBySSH(b, s) }, func() time.Duration { return echo(b, e) })
		b.ReportMetric(ms(base), "ssh-ms")
		b.ReportMetric(ms(ours), "ms")
		b.ReportMetric(ours.Seconds()/base.Seconds(), "of-ssh")
	}
}

func echoBySSH(b *testing.B, s *sshtest.Server) time.Duration {
	begin := time.Now()
	p := sshPipe(b, s, "cat")
	_, err := io.WriteString(p.in, "hello\n")
	require.NoError(b, err)
	_, err = p.out.ReadString('\n')
	require.NoError(b, err)
	took := time.Since(begin)
	p.end(b)
	return took
}

func echo(b *testing.B, e *Executor) time.Duration {
	begin := time.Now()
	c := startCounter(b, e, 6, "cat")
	c.send(b, []byte("hello\n"))
	<-c.full
	took := time.Since(begin)
	c.end(b)
	return took
}

// BenchmarkFirstEchoFarAway is BenchmarkFirstEcho at 20 ms of round trip time.
func BenchmarkFirstEchoFarAway(b *testing.B) {
	server := fast(b)
	proxy := sshtest.NewProxy(b, server.Addr)
	proxy.Delay(10*time.Millisecond, 10*time.Millisecond)
	s := server.Through(b, proxy)
	e := at(b, s)
	defer e.Close()
	for b.Loop() {
		base, ours := duel(9, func() time.Duration { return echoBySSH(b, s) }, func() time.Duration { return echo(b, e) })
		b.ReportMetric(ms(base), "ssh-ms")
		b.ReportMetric(ms(ours), "ms")
		b.ReportMetric(ours.Seconds()/base.Seconds(), "of-ssh")
	}
}

// BenchmarkPingPong: lines of 64 bytes, one at a time, through cat. At least
// 0.95 of the rate of ssh.
func BenchmarkPingPong(b *testing.B) {
	const trips = 2000
	s := fast(b)
	e := at(b, s)
	defer e.Close()
	line := []byte(strings.Repeat("x", 63) + "\n")
	p := sshPipe(b, s, "cat")
	defer p.end(b)
	c := startCounter(b, e, len(line), "cat")
	defer c.end(b)
	for b.Loop() {
		base, ours := duel(9, func() time.Duration {
			begin := time.Now()
			buf := make([]byte, len(line))
			for range trips {
				_, err := p.in.Write(line)
				require.NoError(b, err)
				_, err = io.ReadFull(p.out, buf)
				require.NoError(b, err)
			}
			return time.Since(begin) / trips
		}, func() time.Duration {
			begin := time.Now()
			for range trips {
				c.send(b, line)
				<-c.full
			}
			return time.Since(begin) / trips
		})
		b.ReportMetric(float64(base.Nanoseconds())/1000, "ssh-us")
		b.ReportMetric(float64(ours.Nanoseconds())/1000, "us")
		b.ReportMetric(base.Seconds()/ours.Seconds(), "x-ssh")
	}
}

// BenchmarkDrain: 512 MiB of output. At least 0.85 of ssh.
func BenchmarkDrain(b *testing.B) {
	const size = 512 << 20
	s := fast(b)
	e := at(b, s)
	defer e.Close()
	command := []string{"head", "-c", fmt.Sprint(size), "/dev/zero"}
	for b.Loop() {
		base, ours := duel(5, func() time.Duration {
			begin := time.Now()
			p := sshPipe(b, s, strings.Join(command, " "))
			n, err := io.Copy(io.Discard, p.out)
			require.NoError(b, err)
			require.Equal(b, int64(size), n)
			require.NoError(b, p.cmd.Wait())
			return time.Since(begin)
		}, func() time.Duration {
			begin := time.Now()
			c := startCounter(b, e, size, command...)
			<-c.full
			took := time.Since(begin)
			c.end(b)
			return took
		})
		b.ReportMetric(size/base.Seconds()/1e6, "ssh-MB/s")
		b.ReportMetric(size/ours.Seconds()/1e6, "MB/s")
		b.ReportMetric(base.Seconds()/ours.Seconds(), "x-ssh")
	}
}

// BenchmarkUpload: 256 MiB of input, counted at the other side. At least as
// fast as ssh.
func BenchmarkUpload(b *testing.B) {
	const size, piece = 256 << 20, 1 << 20
	s := fast(b)
	e := at(b, s)
	defer e.Close()
	data := make([]byte, piece)
	for b.Loop() {
		base, ours := duel(5, func() time.Duration {
			begin := time.Now()
			p := sshPipe(b, s, "wc -c")
			for range size / piece {
				_, err := p.in.Write(data)
				require.NoError(b, err)
			}
			require.NoError(b, p.in.Close())
			_, err := p.out.ReadString('\n')
			require.NoError(b, err)
			took := time.Since(begin)
			require.NoError(b, p.cmd.Wait())
			return took
		}, func() time.Duration {
			begin := time.Now()
			c := startCounter(b, e, len(fmt.Sprintln(size)), "wc", "-c")
			for range size / piece {
				c.send(b, data)
			}
			c.CloseStdin()
			<-c.full
			took := time.Since(begin)
			c.end(b)
			return took
		})
		b.ReportMetric(size/base.Seconds()/1e6, "ssh-MB/s")
		b.ReportMetric(size/ours.Seconds()/1e6, "MB/s")
		b.ReportMetric(base.Seconds()/ours.Seconds(), "x-ssh")
	}
}

// BenchmarkWarmExec: one command, from opening a channel to its exit status, on
// an existing connection through a bastion. At most 10 ms.
func BenchmarkWarmExec(b *testing.B) {
	target := sshtest.OpenSSH(b, sshtest.Options{Jump: sshtest.OpenSSH(b, sshtest.Options{Alias: "bastion"})})
	e := at(b, target)
	defer e.Close()
	dest, err := sshconfig.ParseDestination(target.Alias)
	require.NoError(b, err)
	conn, err := e.dialer.Dial(context.Background(), dest, link.Reporter{})
	require.NoError(b, err)
	defer conn.Close()
	b.ReportAllocs()
	var all []time.Duration
	for b.Loop() {
		begin := time.Now()
		ch, err := open(context.Background(), conn)
		require.NoError(b, err)
		require.NoError(b, ch.execBlind("true"))
		<-ch.exited
		all = append(all, time.Since(begin))
		_ = ch.Close() // the server has closed it
	}
	slices.Sort(all)
	b.ReportMetric(ms(all[len(all)/2]), "p50-ms")
}

// BenchmarkManyTargets: a hundred targets through one connection to a bastion,
// each started under its guard until its first output. At most 3 s and no
// error.
func BenchmarkManyTargets(b *testing.B) {
	const targets = 100
	bastion := sshtest.OpenSSH(b, sshtest.Options{Alias: "bastion", Sshd: []string{"MaxSessions 200"}, LogLevel: "INFO"})
	target := sshtest.OpenSSH(b, sshtest.Options{Jump: bastion, LogLevel: "INFO"})
	many(b, target, targets)
}

// BenchmarkManySessions: a hundred guarded sessions on one host. At most 3 s.
func BenchmarkManySessions(b *testing.B) {
	many(b, fast(b), 100)
}

func many(b *testing.B, s *sshtest.Server, n int) {
	dest, err := sshconfig.ParseDestination(s.Alias)
	require.NoError(b, err)
	for b.Loop() {
		dialer := NewDialer(Options{Config: s.Config})
		var all []*Executor
		for range n {
			e, err := New(Options{Destination: dest, Config: s.Config, Dialer: dialer, StartTimeout: time.Minute})
			require.NoError(b, err)
			all = append(all, e)
		}
		begin := time.Now()
		var starting sync.WaitGroup
		for _, e := range all {
			starting.Go(func() {
				p, err := e.Start(context.Background(), executor.Command{Argv: []string{"cat"}})
				if err == nil {
					_, err = p.Write(context.Background(), "", []byte("x"))
				}
				if err == nil {
					_, err = p.Read(context.Background(), 0, 0, time.Minute)
				}
				if err != nil {
					b.Error(err)
				}
			})
		}
		starting.Wait()
		b.ReportMetric(time.Since(begin).Seconds(), "s-to-start")
		begin = time.Now()
		var ending sync.WaitGroup
		for _, e := range all {
			ending.Go(func() {
				if err := e.Close(); err != nil {
					b.Error(err)
				}
			})
		}
		ending.Wait()
		b.ReportMetric(time.Since(begin).Seconds(), "s-to-end")
		require.NoError(b, dialer.Close())
	}
}
