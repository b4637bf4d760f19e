package execserver

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/console"
	"mcpdbg/session/execserver/dial"
	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/session/localexec"
)

const (
	// messageSize is that of the benchmarks of package localexec.
	messageSize = 205
	trips       = 20      // few, so that some rounds are undisturbed on a busy machine
	flood       = 100_000 // messages
)

// A pace is what benchmarks compare: round trips, and the output of a flood.
type pace struct {
	trip  func()
	flood func()
}

// compare reports, of alternating rounds, the tenth percentiles: higher ones depend on the load of
// the machine. x is how much of base ours reaches.
func compare(b *testing.B, base, ours func(), size float64, unit string) {
	b.Helper()
	var times [2][]float64
	for b.Loop() {
		for i, f := range []func(){base, ours} {
			begin := time.Now()
			f()
			times[i] = append(times[i], time.Since(begin).Seconds())
		}
	}
	var best [2]float64
	for i := range times {
		slices.Sort(times[i])
		best[i] = times[i][len(times[i])/10]
	}
	b.ReportMetric(size/best[0], "base-"+unit)
	b.ReportMetric(size/best[1], "ours-"+unit)
	b.ReportMetric(best[0]/best[1], "x-base")
}

// paceOf returns the pace of an executor.
func paceOf(b *testing.B, e executor.Executor) pace {
	start := func(onEvent func(executor.Event), steps ...string) executor.Process {
		p, err := e.Start(context.Background(), executor.Command{Argv: append([]string{os.Args[0]}, exectest.HelperArgs(steps...)...), Pinned: true})
		require.NoError(b, err)
		_, err = p.Subscribe(executor.SubscribeOptions{Pin: true, Handler: onEvent})
		require.NoError(b, err)
		return p
	}
	message := append(bytes.Repeat([]byte{'x'}, messageSize-1), '\n')
	back := make(chan struct{}, 1)
	left := 0
	var echo executor.Process
	echo = start(func(ev executor.Event) {
		if ev.Kind != executor.Output {
			return
		}
		if left--; left > 0 {
			_, _ = echo.Write(context.Background(), "", message)
		} else {
			back <- struct{}{}
		}
	}, "echo")
	return pace{
		trip: func() {
			left = trips
			_, _ = echo.Write(context.Background(), "", message)
			<-back
		},
		flood: func() {
			over := make(chan struct{})
			start(func(ev executor.Event) {
				if ev.Kind == executor.Closed || ev.Kind == executor.Failed {
					close(over)
				}
			}, "flood", strconv.Itoa(flood), strconv.Itoa(messageSize))
			<-over
		},
	}
}

// ownPace is the pace of a client of our own server, which is another process on a socket.
func ownPace(b *testing.B) pace {
	folder, err := os.MkdirTemp("/tmp", "x") //nolint:usetesting // the path must be short
	require.NoError(b, err)
	b.Cleanup(func() { _ = os.RemoveAll(folder) })
	path := filepath.Join(folder, "s")
	cmd := exec.Command(os.Args[0], "exec-server", "--listen", "unix:"+path) //nolint:noctx // it is killed
	out, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	_, err = out.Read(make([]byte, 200)) // it listens
	require.NoError(b, err)
	target, err := dial.Parse("unix:" + path)
	require.NoError(b, err)
	e, err := Open(b.Context(), Options{Dial: dial.Dialer{Target: target}.Dial, Placement: "own"})
	require.NoError(b, err)
	b.Cleanup(func() { _ = e.Close() })
	return paceOf(b, e)
}

func localPace(b *testing.B) pace {
	e := localexec.New(localexec.Options{Watchdog: append(console.Self(), console.WatchdogCommand)})
	b.Cleanup(func() { _ = e.Close() })
	return paceOf(b, e)
}

// BenchmarkOwnRoundTrip compares our server with the executor of this machine.
func BenchmarkOwnRoundTrip(b *testing.B) {
	compare(b, localPace(b).trip, ownPace(b).trip, trips, "trips/s")
}

// BenchmarkOwnBulk compares our server with the executor of this machine.
func BenchmarkOwnBulk(b *testing.B) {
	compare(b, localPace(b).flood, ownPace(b).flood, flood*messageSize/1e6, "MB/s")
}
