//go:build long

package smoke_test

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/verify/probe"
	"mcpdbg/internal/verify/report"
)

// BenchmarkSmoke200 compares mcpdbg smoke on the lab of 200 hosts with 200 bare
// logins by x/crypto alone that each execute true, at the same concurrency. It
// may take 1.3 times as long as these or as the limit for a connection,
// whichever is more.
//
//	go test -tags long -run '^$' -bench Smoke200 -benchtime 1x ./internal/cli/smoke
func BenchmarkSmoke200(b *testing.B) {
	const timeout = 10 * time.Second
	l := newLab(b)
	for b.Loop() {
		bare := l.bare(b)
		begin := time.Now()
		cmd := l.smoke(b, "--quiet", "--ssh-connect-timeout", timeout.String())
		_ = cmd.Run() // some fail
		took := time.Since(begin)
		b.ReportMetric(bare.Seconds(), "bare-s")
		b.ReportMetric(took.Seconds(), "s")
		b.ReportMetric(took.Seconds()/max(bare, timeout).Seconds(), "x-bound")
		b.ReportMetric(cpu(cmd).Seconds(), "cpu-s")
	}
}

// BenchmarkSmokeGoodHosts is the same with only the good hosts, without timeouts.
func BenchmarkSmokeGoodHosts(b *testing.B) {
	l := newLab(b)
	l.hosts = slices.DeleteFunc(l.hosts, func(name string) bool { return l.kinds[name].name != "good" })
	for b.Loop() {
		bare := l.bare(b)
		begin := time.Now()
		cmd := l.smoke(b, "--quiet")
		require.NoError(b, cmd.Run())
		took := time.Since(begin)
		b.ReportMetric(bare.Seconds(), "bare-s")
		b.ReportMetric(took.Seconds(), "s")
		b.ReportMetric(took.Seconds()/bare.Seconds(), "x-bare")
		b.ReportMetric(cpu(cmd).Seconds(), "cpu-s")
	}
}

// bare returns how long it takes to log in to each host of l and execute true,
// with the concurrency of smoke.
func (l *lab) bare(b *testing.B) time.Duration {
	config := l.server.ClientConfig()
	_, port, err := net.SplitHostPort(l.server.Addr)
	require.NoError(b, err)
	begin := time.Now()
	turns := make(chan bool, probe.DefaultJobs)
	var all sync.WaitGroup
	for i := range l.hosts {
		turns <- true
		all.Go(func() {
			defer func() { <-turns }()
			client, err := ssh.Dial("tcp", net.JoinHostPort(l.address(0, i), port), config)
			require.NoError(b, err)
			defer client.Close()
			session, err := client.NewSession()
			require.NoError(b, err)
			require.NoError(b, session.Run("true"))
		})
	}
	all.Wait()
	return time.Since(begin)
}

// cpu returns the CPU time of a program and its child processes.
func cpu(cmd *exec.Cmd) time.Duration {
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// inspector is the package of the Inspector, whose command line is --cli.
const inspector = "@modelcontextprotocol/inspector"

// BenchmarkSmokeAgainstInspector compares the local CPU time per host of
// tools/list on hosts, by mcpdbg smoke and by a shell loop over the Inspector's
// CLI with the ssh program. smoke may take at most a twentieth.
func BenchmarkSmokeAgainstInspector(b *testing.B) {
	const n = 8
	clitest.Need(b, "npx")
	clitest.Need(b, "ssh")
	l := newLab(b)
	l.hosts = slices.DeleteFunc(l.hosts, func(name string) bool { return l.kinds[name].name != "good" })[:n]
	loop := filepath.Join(b.TempDir(), "loop")
	lines := []string{"set -e"}
	for _, host := range l.hosts {
		lines = append(lines, strings.Join([]string{"npx -y", inspector, "--cli ssh -F", l.config, host, labServer, "--method tools/list"}, " "))
	}
	require.NoError(b, os.WriteFile(loop, []byte(strings.Join(lines, "\n")), 0o700))
	for b.Loop() {
		theirs := exec.Command("sh", loop)
		out, err := theirs.Output()
		if err != nil && os.Getenv("CI") != "true" {
			b.Skip("the Inspector could not be run: ", err)
		}
		require.NoError(b, err)
		require.Equal(b, n, strings.Count(string(out), `"echo"`), "%s", out)
		ours := l.smoke(b, "--json")
		out, err = ours.Output()
		require.NoError(b, err)
		var report report.SmokeV1
		require.NoError(b, json.Unmarshal(out, &report))
		require.True(b, report.OK)
		b.ReportMetric(cpu(theirs).Seconds()*1000/n, "inspector-cpu-ms/host")
		b.ReportMetric(cpu(ours).Seconds()*1000/n, "cpu-ms/host")
		b.ReportMetric(cpu(theirs).Seconds()/cpu(ours).Seconds(), "x-less")
	}
}
