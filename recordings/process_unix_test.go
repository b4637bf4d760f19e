//go:build unix

package recordings

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"mcpdbg/internal/testhome"
	"mcpdbg/internal/tools/corpus"
	"mcpdbg/session"
)

// childEnv names the program that the test binary runs instead of testing.
const childEnv = "MCPDBG_TEST_CHILD"

// children are the programs that tests start, with the path of a recording.
var children = map[string]func(path string) error{
	"record": recordForEver,
	"quota":  recordWithQuota,
}

func TestMain(m *testing.M) {
	if name := os.Getenv(childEnv); name != "" {
		if err := children[name](os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	testhome.Main(m)
}

func child(name, path string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], path)
	cmd.Env = append(os.Environ(), childEnv+"="+name)
	cmd.Stderr = os.Stderr
	return cmd
}

// recordForEver records as fast as it can from two goroutines, and prints a line when
// the first entries are in the file.
func recordForEver(path string) error {
	f, err := Create(Options{Path: path})
	if err != nil {
		return err
	}
	messages := corpus.MIX(5000)
	failed := make(chan error)
	for range 2 {
		go func() {
			for i := 0; ; i++ {
				e := []session.Entry{stdout(uint64(i+1), string(messages[i%len(messages)])), stdout(uint64(i+1), "\xff\x00")}
				if err := f.Append(e); err != nil {
					failed <- err
				}
				if i == 100 {
					fmt.Println(f.Len())
				}
			}
		}()
	}
	return <-failed
}

// kills is how often the crash test kills; the long tests set more.
var kills = 8

func TestKilledRecorderLeavesCompleteLines(t *testing.T) {
	torn := 0
	for i := range kills {
		path := filepath.Join(t.TempDir(), fmt.Sprint(i))
		cmd := child("record", path)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		var seen int
		_, err = fmt.Fscan(out, &seen) // every number it prints is in the file
		require.NoError(t, err)
		info, err := os.Stat(path)
		require.NoError(t, err)
		for size := info.Size(); size < int64(i)<<16; size = info.Size() { // not always at the same offset
			runtime.Gosched()
			info, err = os.Stat(path)
			require.NoError(t, err)
		}
		require.NoError(t, cmd.Process.Kill())
		_, _ = io.Copy(io.Discard, out)
		require.Error(t, cmd.Wait())

		r := open(t, path)
		require.Zero(t, r.Warnings())
		require.Equal(t, session.RecordingTorn, r.Stats().Recording)
		require.False(t, r.Live())
		require.GreaterOrEqual(t, r.Len(), seen)
		all := rows(t, r)
		for n, row := range all {
			e, err := r.Entry(row, 0)
			require.NoError(t, err)
			require.Equal(t, uint64(n+1), e.N)
		}
		if end := all[len(all)-1]; end.Off+int64(end.Len) < r.Stats().Size {
			torn++
		}
		require.NoError(t, os.Remove(path))
	}
	t.Logf("%d of %d had a torn last line", torn, kills)
}

// recordWithQuota records until the kernel refuses more.
func recordWithQuota(path string) error {
	signal.Ignore(unix.SIGXFSZ)
	const quota = 100_000
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: quota, Max: quota}); err != nil {
		return err
	}
	f, err := Create(Options{Path: path})
	if err != nil {
		return err
	}
	var want bytes.Buffer
	for i := range 2000 {
		line := fmt.Sprintf("line %d %s", i, strings.Repeat("x", i%200))
		want.WriteString(line + "\n")
		if err := f.Append([]session.Entry{stdout(uint64(i+1), line)}); err != nil {
			return err
		}
	}
	var got bytes.Buffer
	all := make([]session.Row, f.Len())
	for _, row := range all[:f.Rows(0, all)] {
		e, err := f.Entry(row, 0)
		if err != nil {
			return err
		}
		got.Write(e.Payload)
		got.WriteString("\n")
	}
	if !bytes.Equal(want.Bytes(), got.Bytes()) {
		return fmt.Errorf("the log lost lines: %d bytes of %d", got.Len(), want.Len())
	}
	fmt.Println(f.Close())
	return nil
}

func TestRealQuotaStopsRecording(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quota.jsonl")
	out, err := child("quota", path).Output()
	require.NoError(t, err)
	require.Regexp(t, `^file too large; not recorded from entry \d+ on\n$`, string(out))
	r := open(t, path)
	require.Zero(t, r.Warnings())
	require.Equal(t, session.RecordingTorn, r.Stats().Recording)
	all := rows(t, r)
	require.Equal(t, r.Stats().Size, all[len(all)-1].Off+int64(all[len(all)-1].Len), "no torn line")
	require.Greater(t, r.Stats().Size, int64(99_000))
}

func TestLiveRecordingIsKnownByItsLock(t *testing.T) {
	f := create(t, Options{})
	require.NoError(t, f.Append([]session.Entry{stdout(1, "x")}))
	r := open(t, f.Path())
	require.True(t, r.Live())
	require.Equal(t, session.RecordingTorn, r.Stats().Recording)
	require.NoError(t, f.Close())
	r = open(t, f.Path())
	require.False(t, r.Live())
	require.Equal(t, session.RecordingDone, r.Stats().Recording)
}
