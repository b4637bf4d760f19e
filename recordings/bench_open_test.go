package recordings

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/internal/tools/corpus"
	"mcpdbg/session"
)

// benchBytes is the size of the recording that is opened. MCPDBG_BENCH_BYTES
// sets another one: 1073741824 is the GiB with 2.35 M entries that the
// numbers of docs/dev/performance.md refer to.
func benchBytes(tb testing.TB) int64 {
	text := os.Getenv("MCPDBG_BENCH_BYTES")
	if text == "" {
		return 64 << 20
	}
	n, err := strconv.ParseInt(text, 10, 64)
	require.NoError(tb, err)
	return n
}

// writeREC writes a recording of about size bytes: the messages of the MIX
// corpus, requests as stdin and the rest as stdout.
func writeREC(tb testing.TB, path string, size int64) (entries int) {
	file, err := os.Create(path)
	require.NoError(tb, err)
	out := bufio.NewWriterSize(file, 1<<20)
	_, err = out.WriteString(header)
	require.NoError(tb, err)
	var line []byte
	messages := corpus.MIX(int(min(size/400, 100_000))) // as many as needed, up to a limit
	for written := int64(len(header)); written < size; entries++ {
		e := session.Entry{N: uint64(entries + 1), T: int64(entries), Kind: session.KindStdout, Payload: messages[entries%len(messages)]}
		e.Msg = framing.Scan(e.Payload)
		if e.Msg.Kind == framing.Request {
			e.Kind = session.KindStdin
		} else {
			e.Seq = uint64(entries + 1)
		}
		line = AppendEntry(line[:0], &e)
		written += int64(len(line))
		_, err = out.Write(line)
		require.NoError(tb, err)
	}
	require.NoError(tb, out.Flush())
	require.NoError(tb, file.Close())
	return entries
}

// BenchmarkOpenREC opens a recording: its last rows, the number of its lines
// against wc -l, the whole of it against reading the same bytes, and all of it
// with its stored index. The variants take turns, so that a busy machine slows
// all of them; the median of the rounds is reported.
func BenchmarkOpenREC(b *testing.B) {
	path := filepath.Join(b.TempDir(), "rec.jsonl")
	if given := os.Getenv("MCPDBG_BENCH_FILE"); given != "" {
		path = given // which is created if missing
	}
	if _, err := os.Stat(path); err != nil {
		writeREC(b, path, benchBytes(b))
	}
	info, err := os.Stat(path)
	require.NoError(b, err)
	run := func(name string, do func(b *testing.B)) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(info.Size())
			for b.Loop() {
				do(b)
			}
		})
	}
	compare := func(name, unit string, do, with func()) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(info.Size())
			var ratios []float64
			var cpu []time.Duration
			for b.Loop() {
				before := cpuTime(b)
				took := timed(do)
				b.StopTimer()
				cpu = append(cpu, cpuTime(b)-before)
				ratios = append(ratios, float64(took)/float64(timed(with)))
				b.StartTimer()
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], unit)
			b.ReportMetric(slices.Min(cpu).Seconds()*1000, "cpu-ms")
		})
	}

	b.Run("first-screen", func(b *testing.B) {
		var read int64
		for b.Loop() {
			f, err := openFile(path)
			require.NoError(b, err)
			counted := &countingFile{file: f}
			header, begin, err := readHeader(path, counted)
			require.NoError(b, err)
			tail, err := readTail(&Recording{path: path, f: counted, header: header}, begin, info.Size())
			require.NoError(b, err)
			require.NotZero(b, tail.Len())
			require.NoError(b, f.Close())
			read = counted.read.Load()
		}
		b.ReportMetric(float64(read), "bytes-read")
	})
	compare("count", "x-wc", func() {
		f, err := openFile(path)
		require.NoError(b, err)
		_, err = countLines(f, 0, info.Size(), nil)
		require.NoError(b, err)
		require.NoError(b, f.Close())
	}, func() { require.NoError(b, exec.Command("wc", "-l", path).Run()) })
	compare("whole", "x-reading", func() {
		r := openRecording(b, path, allRows, "")
		<-r.Indexed()
		require.NoError(b, r.Close())
	}, func() {
		f, err := os.Open(path)
		require.NoError(b, err)
		_, err = io.CopyBuffer(io.Discard, struct{ io.Reader }{f}, make([]byte, firstBuffer))
		require.NoError(b, err)
		require.NoError(b, f.Close())
	})
	stored := filepath.Join(b.TempDir(), "stored.index")
	r := openRecording(b, path, allRows, stored)
	<-r.Indexed()
	require.NoError(b, r.Close())
	run("stored-index", func(b *testing.B) {
		r := openRecording(b, path, lastRows, stored)
		require.NotZero(b, r.Rows(r.Len()-100, make([]session.Row, 100)))
		require.NoError(b, r.Close())
	})
}

func timed(do func()) time.Duration {
	start := time.Now()
	do()
	return time.Since(start)
}

// openRecording opens a recording with its index stored in the given file.
func openRecording(tb testing.TB, path string, what opening, stored string) *Recording {
	f, err := openFile(path)
	require.NoError(tb, err)
	r, err := newRecording(path, f, what, stored)
	require.NoError(tb, err)
	return r
}
