//go:build unix

package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
	"mcpdbg/sshexec/sshtest"
)

// BenchmarkRecordedOverSSH compares recording a server on a host that writes as
// fast as it can with discarding its output through the ssh program, from the
// start of each program to its end. The speed must be at least 0.75 of ssh with
// lines of 64 KiB, and 0.4 with lines of 205 bytes.
func BenchmarkRecordedOverSSH(b *testing.B) {
	s := sshtest.OpenSSH(b, sshtest.Options{SSH: []string{"Ciphers aes128-gcm@openssh.com"}, LogLevel: "INFO"})
	for _, c := range []struct{ name, fault string }{
		{"64KiB", "bulk-now:268435456"},
		{"205B", "writer-now:500000x205"},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				ssh, ours := clitest.Duel(5,
					func() time.Duration { return drainBySSH(b, s, c.fault) },
					func() time.Duration { return recordOverSSH(b, s, c.fault) })
				b.ReportMetric(ssh.Seconds()/ours.Seconds(), "x-ssh")
				b.ReportMetric(ours.Seconds()*1000, "ms")
			}
		})
	}
}

func drainBySSH(b *testing.B, s *sshtest.Server, fault string) time.Duration {
	cmd := s.Command(context.Background(), clitest.Binary(), console.DemoServer, "--misbehave", fault)
	out, err := cmd.StdoutPipe()
	require.NoError(b, err)
	begin := time.Now()
	require.NoError(b, cmd.Start())
	_, err = io.Copy(io.Discard, out)
	require.NoError(b, err)
	require.NoError(b, cmd.Wait())
	return time.Since(begin)
}

func recordOverSSH(b *testing.B, s *sshtest.Server, fault string) time.Duration {
	record := filepath.Join(b.TempDir(), "r.jsonl")
	return wallTime(b, []string{
		"run", "--raw", "--quiet", "--record", record, "-F", s.Config, "--ssh", s.Alias, "--",
		clitest.Binary(), console.DemoServer, "--misbehave", fault,
	})
}

// BenchmarkListToolsOverSSH compares connecting, the handshake and tools/list
// on a host 20 ms away with the ssh program and a client that does the same
// exchange by hand. It must need no more round trips, and so about the same
// time.
func BenchmarkListToolsOverSSH(b *testing.B) {
	server := sshtest.OpenSSH(b, sshtest.Options{LogLevel: "INFO"})
	proxy := sshtest.NewProxy(b, server.Addr)
	proxy.Delay(10*time.Millisecond, 10*time.Millisecond)
	s := server.Through(b, proxy)
	args := []string{"list", "--no-record", "-F", s.Config, "--ssh", s.Alias, "tools", "--", clitest.Binary(), console.DemoServer, "--misbehave", "probe-fast"}
	for b.Loop() {
		ssh, ours := clitest.Duel(rounds,
			func() time.Duration { return listBySSH(b, s) },
			func() time.Duration { return wallTime(b, args) })
		b.ReportMetric(ours.Seconds()/ssh.Seconds(), "of-ssh")
		b.ReportMetric(ssh.Seconds()*1000, "ssh-ms")
		b.ReportMetric(ours.Seconds()*1000, "ms")
	}
}

func listBySSH(b *testing.B, s *sshtest.Server) time.Duration {
	cmd := s.Command(context.Background(), fmt.Sprintf("%s %s --misbehave probe-fast", clitest.Binary(), console.DemoServer))
	begin := time.Now()
	exchange(b, startRaw(b, cmd))
	return time.Since(begin)
}
