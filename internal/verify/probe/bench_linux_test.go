package probe_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/demo/demotest"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/probe"
)

const (
	fleetSize = 200
	fleetJobs = 16
)

// BenchmarkFleet tests 200 servers, 16 at a time. In addition to the time per
// target it reports the time of the same handshakes and requests without this
// program, and the peak memory per target.
func BenchmarkFleet(b *testing.B) {
	for _, bench := range []struct {
		name    string
		bare    bool
		options func(testing.TB) probe.Options
	}{
		{"processes", true, func(t testing.TB) probe.Options { return newLab(t).options(targets(make([]string, fleetSize)...)...) }},
		{"fakes", false, func(t testing.TB) probe.Options {
			w := newWorld(t)
			w.add(verify.Local, &host{})
			hosts := make([]string, fleetSize)
			for i := range hosts {
				hosts[i] = verify.Local
			}
			return w.options(hosts...)
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			var took, bare time.Duration
			var peak int64
			targets := 0.0
			for b.Loop() {
				opts := bench.options(b)
				opts.Jobs = fleetJobs
				began, stop := rss(), watchRSS()
				begin := time.Now()
				report := probe.Run(b.Context(), opts)
				took += time.Since(begin)
				peak = max(peak, stop()-began)
				require.True(b, report.OK)
				targets += fleetSize
				if bench.bare {
					bare += bareFleet(b)
				}
			}
			b.ReportMetric(float64(took)/targets, "ns/target")
			b.ReportMetric(float64(peak)/fleetSize, "rss-B/target")
			if bench.bare {
				b.ReportMetric(float64(bare)/targets, "bare-ns/target")
				b.ReportMetric(float64(took)/float64(bare), "x-bare")
			}
		})
	}
}

// bareFleet starts as many servers, sends each the same requests and closes
// their stdin.
func bareFleet(b *testing.B) time.Duration {
	begin := time.Now()
	var workers sync.WaitGroup
	todo := make(chan int, fleetSize)
	for i := range fleetSize {
		todo <- i
	}
	close(todo)
	for range fleetJobs {
		workers.Go(func() {
			for range todo {
				bareServer(b)
			}
		})
	}
	workers.Wait()
	return time.Since(begin)
}

func bareServer(b *testing.B) {
	argv := demotest.Command("")
	cmd := exec.CommandContext(b.Context(), argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), demotest.FastExit)
	in, err := cmd.StdinPipe()
	require.NoError(b, err)
	out, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	lines := bufio.NewReader(out)
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bare","version":"0"},"io.modelcontextprotocol/clientCapabilities":{}}`
	for i, method := range []string{"server/discover", "tools/list", "resources/list", "resources/templates/list", "prompts/list", "server/discover"} {
		cursor := ""
		for page := 0; page == 0 || cursor != ""; page++ {
			_, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":"%d-%d","method":%q,"params":{%s%s}}`+"\n", i, page, method, cursor, meta)
			require.NoError(b, err)
			line, err := lines.ReadBytes('\n')
			require.NoError(b, err)
			var answer struct {
				Result *struct{ NextCursor string }
			}
			require.NoError(b, json.Unmarshal(line, &answer))
			require.NotNil(b, answer.Result, "%s", line)
			if cursor = answer.Result.NextCursor; cursor != "" {
				cursor = fmt.Sprintf(`"cursor":%q,`, cursor)
			}
		}
	}
	require.NoError(b, in.Close())
	_, _ = io.Copy(io.Discard, lines)
	require.NoError(b, cmd.Wait())
}

// watchRSS measures memory until the function that it returns is called, which
// returns the peak.
func watchRSS() func() int64 {
	stop, peak := make(chan struct{}), make(chan int64)
	go func() {
		most := rss()
		ticker := time.NewTicker(5 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				most = max(most, rss())
			case <-stop:
				peak <- most
				return
			}
		}
	}()
	return func() int64 {
		close(stop)
		return <-peak
	}
}

// rss returns the resident memory of this process in bytes.
func rss() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	var size, resident int64
	if _, scanErr := fmt.Sscan(string(text), &size, &resident); err != nil || scanErr != nil {
		panic("no /proc/self/statm")
	}
	return resident * int64(os.Getpagesize())
}
