package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/internal/corpus"
	"mcpdbg/recordings"
	"mcpdbg/session"
)

// lastMethod is the method of the last entry of the recording: when it is on the
// screen, everything is.
const lastMethod = "zebra/last"

// writeREC writes a recording of 64 MiB, or of as many bytes as the environment
// variable MCPDBG_BENCH_BYTES says: 1073741824 are 2.35 M entries. With
// MCPDBG_BENCH_EVENTS it has that many entries of about 150 bytes instead.
func writeREC(b *testing.B, path string) {
	b.Helper()
	size, messages := 64<<20, corpus.MIX(100_000)
	if n, err := strconv.Atoi(os.Getenv("MCPDBG_BENCH_BYTES")); err == nil {
		size = n
	}
	if n, err := strconv.Atoi(os.Getenv("MCPDBG_BENCH_EVENTS")); err == nil {
		message := []byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`)
		messages = [][]byte{message, message, []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)}
		size = n * 115
	}
	f, err := os.Create(path)
	require.NoError(b, err)
	w := bufio.NewWriterSize(f, 1<<20)
	written, err := w.WriteString(goldenLines(b)[0])
	require.NoError(b, err)
	var line []byte
	for i := 0; ; i++ {
		m, last := messages[i%len(messages)], written >= size
		if last {
			m = []byte(`{"jsonrpc":"2.0","method":"` + lastMethod + `"}`)
		}
		e := session.Entry{N: uint64(i) + 1, T: int64(i) * 40, Kind: session.KindStdout, Seq: uint64(i) + 1, Payload: m, Msg: framing.Scan(m)}
		if e.Msg.Kind == framing.Request {
			e.Kind, e.Seq = session.KindStdin, 0
		}
		line = recordings.AppendEntry(line[:0], &e)
		_, err := w.Write(line)
		require.NoError(b, err)
		if written += len(line); last {
			break
		}
	}
	require.NoError(b, w.Flush())
	require.NoError(b, f.Close())
}

// BenchmarkOpenScreen measures the time from exec until the last entry of a
// recording is on a terminal of 80 by 24, compared with less, which shows the
// end of the same file there. Memory is the peak by then.
func BenchmarkOpenScreen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "rec.jsonl")
	writeREC(b, path)
	cache := b.TempDir()
	open := func() *exec.Cmd {
		cmd := program(b, "open", path)
		cmd.Env = append(cmd.Environ(), "XDG_CACHE_HOME="+cache)
		return cmd
	}
	less, err := exec.LookPath("less")
	if err != nil {
		b.Skip("less is not installed")
	}
	compare := func(name string, before func()) {
		b.Run(name, func(b *testing.B) {
			var peak float64
			for b.Loop() {
				base, ours := duel(3*rounds, func() time.Duration {
					took, _ := shows(b, exec.Command(less, "-n", "+G", path), "q")
					return took
				}, func() time.Duration {
					before()
					took, memory := shows(b, open(), "\x03")
					peak = max(peak, memory)
					return took
				})
				b.ReportMetric(float64(ours.Microseconds())/1000, "ms")
				b.ReportMetric(float64(base.Microseconds())/1000, "less-ms")
				b.ReportMetric(ours.Seconds()/base.Seconds(), "x-less")
			}
			b.ReportMetric(peak, "peak-MiB")
		})
	}
	compare("no-index", func() { require.NoError(b, os.RemoveAll(filepath.Join(cache, "mcpdbg"))) })

	r := startInPty(b, open(), 80, 24)
	for stored := false; !stored; time.Sleep(10 * time.Millisecond) {
		found, _ := filepath.Glob(filepath.Join(cache, "mcpdbg", "index", "*.index"))
		stored = len(found) > 0
	}
	b.Logf("with all rows indexed: %.0f MiB", memoryOf(b, r.cmd.Process.Pid, "VmHWM"))
	r.leave(b, "\x03")
	compare("stored-index", func() {})
}

// shows runs a command in a terminal until the last entry is on it, and returns
// how long that took and the peak memory of the process in MiB.
func shows(b *testing.B, cmd *exec.Cmd, quit string) (took time.Duration, peak float64) {
	begin := time.Now()
	r := startInPty(b, cmd, 80, 24)
	r.until(b, lastMethod)
	took = time.Since(begin)
	peak = memoryOf(b, r.cmd.Process.Pid, "VmHWM")
	r.leave(b, quit)
	return took, peak
}

// memoryOf returns a line of a process's status, in MiB.
func memoryOf(b *testing.B, pid int, name string) float64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(b, err)
	_, rest, found := bytes.Cut(status, []byte(name+":"))
	require.True(b, found)
	kib, err := strconv.Atoi(strings.Fields(string(rest))[0])
	require.NoError(b, err)
	return float64(kib) / 1024
}
