//go:build unix

package localexec

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
)

// newExecutor returns an executor that is closed with the test.
func newExecutor(t *testing.T, o Options) *Executor {
	t.Helper()
	e := New(o)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

// failure starts cmd and returns the error.
func failure(t *testing.T, o Options, cmd executor.Command) *executor.StartError {
	t.Helper()
	_, err := newExecutor(t, o).Start(t.Context(), cmd)
	var failed *executor.StartError
	require.ErrorAs(t, err, &failed)
	return failed
}

// output runs cmd to its end and returns what it wrote to standard output.
func output(t *testing.T, e *Executor, cmd executor.Command) string {
	t.Helper()
	p, err := e.Start(t.Context(), cmd)
	require.NoError(t, err)
	s, err := p.Subscribe(executor.SubscribeOptions{})
	require.NoError(t, err)
	defer s.Close()
	var text strings.Builder
	for {
		ev, err := s.Next(t.Context())
		require.NoError(t, err)
		switch {
		case ev.Kind == executor.Closed:
			return text.String()
		case ev.Kind == executor.Output && ev.Stream == executor.Stdout:
			text.Write(ev.Data)
		}
	}
}

func writeFile(t *testing.T, path, text string, mode os.FileMode) string {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), mode))
	require.NoError(t, os.Chmod(path, mode))
	return path
}

func TestProgramErrors(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct {
		name, program string
		code          executor.StartCode
		said, hint    string
	}{
		{"missing", at("none"), executor.StartNotFound, "does not exist", "check the path"},
		{"below a file", writeFile(t, at("file"), "", 0o755) + "/x", executor.StartNotFound, "does not exist", "path"},
		{"a directory", dir, executor.StartNoExec, "is a directory", "program inside"},
		{"no x bit", writeFile(t, at("plain"), "x", 0o644), executor.StartNoExec, "is not executable", "chmod +x"},
		{
			"script without x bit", writeFile(t, at("script"), "#!/bin/sh\n", 0o644),
			executor.StartNoExec, "is not executable", "start it as: /bin/sh",
		},
		{
			"interpreter is missing", writeFile(t, at("bad"), "#! /no/such/sh -e\n", 0o755),
			executor.StartNoExec, "interpreter /no/such/sh", "first line",
		},
		{
			"Windows line endings", writeFile(t, at("crlf"), "#!/bin/sh\r\necho\r\n", 0o755),
			executor.StartNoExec, `interpreter "/bin/sh\r"`, "carriage return",
		},
		{
			"interpreter is not executable", writeFile(t, at("indirect"), "#!"+at("plain")+"\n", 0o755),
			executor.StartNoExec, "indirect by " + at("plain"), "cannot be executed",
		},
		{
			"no first line", writeFile(t, at("text"), "echo hello\n", 0o755),
			executor.StartNoExec, "exec format error", "#!/bin/sh",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := failure(t, Options{}, executor.Command{Argv: []string{c.program}})
			require.Equal(t, c.code, err.Code)
			require.ErrorContains(t, err, c.said)
			require.Contains(t, err.Hint, c.hint)
			require.Contains(t, []string{"resolve", "spawn"}, err.Phase)
		})
	}
}

func TestDirectoryErrors(t *testing.T) {
	dir := t.TempDir()
	file := writeFile(t, filepath.Join(dir, "file"), "", 0o644)
	for _, d := range []string{filepath.Join(dir, "none"), file, filepath.Join(file, "below")} {
		err := failure(t, Options{}, executor.Command{Argv: []string{"true"}, Dir: d})
		require.Equal(t, executor.StartNoDir, err.Code)
		require.ErrorContains(t, err, d)
		require.NotEmpty(t, err.Hint)
	}
}

func TestInaccessibleDirectoryIsReported(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root can access every directory; .ci/run runs this as another user too")
	}
	dir := filepath.Join(t.TempDir(), "closed")
	require.NoError(t, os.Mkdir(dir, 0))
	err := failure(t, Options{}, executor.Command{Argv: []string{"true"}, Dir: dir})
	require.Equal(t, executor.StartNoDir, err.Code)
	require.ErrorContains(t, err, "enter working directory "+dir)
	require.Contains(t, err.Hint, "--cwd")
}

func TestTooLargeCommand(t *testing.T) {
	err := failure(t, Options{}, executor.Command{Argv: []string{"true", strings.Repeat("x", 4<<20)}})
	require.Equal(t, executor.StartInvalid, err.Code)
	require.Contains(t, err.Hint, "too large")
}

func TestProgramIsSearchedOnThePathOfTheProcess(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
		return filepath.Join(dir, name)
	}
	writeFile(t, at("first/tool"), "not executable", 0o644)
	writeFile(t, at("second/tool"), "#!/bin/sh\necho second $0\n", 0o755)
	writeFile(t, at("third/tool"), "#!/bin/sh\necho third\n", 0o755)
	path := func(value string) []executor.EnvVar { return []executor.EnvVar{{Name: "PATH", Value: value}} }
	e := newExecutor(t, Options{Environ: []string{"PATH=" + at("third")}})

	run := func(cmd executor.Command) string { return output(t, e, cmd) }
	require.Equal(t, "third\n", run(executor.Command{Argv: []string{"tool"}}))
	require.Equal(t, "second "+at("second/tool")+"\n", run(executor.Command{
		Argv: []string{"tool"}, Env: path(at("first") + ":" + at("second") + ":" + at("third")),
	}), "files that cannot be executed are skipped")
	require.Equal(t, "third\n", run(executor.Command{Argv: []string{"tool"}, Env: path("third"), Dir: dir}),
		"relative to the working directory")
	require.Equal(t, "third\n", run(executor.Command{Argv: []string{"third/tool"}, Dir: dir}))
	require.Equal(t, "third\n", run(executor.Command{Argv: []string{"tool"}, Env: path("/x::/y"), Dir: at("third")}),
		"an empty element is the working directory")

	err := failure(t, Options{}, executor.Command{Argv: []string{"tool"}, Env: path(at("first"))})
	require.Equal(t, executor.StartNoExec, err.Code)
	err = failure(t, Options{}, executor.Command{Argv: []string{"no-such-tool"}, Env: path(dir + ":/other")})
	require.Equal(t, executor.StartNotFound, err.Code)
	require.Contains(t, err.Hint, "PATH="+dir+":/other")
}

func TestArgvZeroIsUnchanged(t *testing.T) {
	e := newExecutor(t, Options{})
	require.Equal(t, "sh\n", output(t, e, executor.Command{Argv: []string{"sh", "-c", "echo $0"}}))
}

func TestMarksOfOuterDebuggersAreKept(t *testing.T) {
	e := newExecutor(t, Options{Environ: []string{"PATH=/bin:/usr/bin", executor.MarkName + "=outer"}})
	cmd := executor.Command{
		Argv: []string{"sh", "-c", "echo $" + executor.MarkName}, EnvPolicy: executor.EnvNone,
		Env: []executor.EnvVar{{Name: executor.MarkName, Value: "mine"}},
	}
	got := output(t, e, cmd)
	require.Regexp(t, "^outer,[0-9a-f]{32}\n$", got)
	require.NotEqual(t, got, output(t, e, cmd), "each process has its own")

	env := addMark(nil, []string{executor.MarkName + "=" + strings.Repeat("x,", 100) + "y"}, "new")
	require.Equal(t, []string{executor.MarkName + "=x,x,x,x,x,x,y,new"}, env, "their number is limited")
}

func TestDescendantsEndWithTheRetention(t *testing.T) {
	e := newExecutor(t, Options{Retention: time.Millisecond})
	text := output(t, e, executor.Command{
		Argv: append([]string{os.Args[0]}, exectest.HelperArgs("spawn", "daemon", "pid", "closeout", "hang", "end")...),
	})
	var pid int
	_, err := fmt.Sscanf(text, "pid %d", &pid)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return !alive(pid) }, waitLimit, 10*time.Millisecond)
}

// outputReaders returns a pipe with each kind of reader that this system has.
func outputReaders(t *testing.T) map[string]func() (outputReader, *os.File) {
	t.Helper()
	readers := map[string]func() (outputReader, *os.File){
		"polled": func() (outputReader, *os.File) {
			r, w, err := os.Pipe()
			require.NoError(t, err)
			return newPipeReader(r), w
		},
	}
	if r, w, err := newUnpolled(); err == nil {
		r.stop()
		closeAll([]*os.File{w})
		readers["unpolled"] = func() (outputReader, *os.File) {
			r, w, err := newUnpolled()
			require.NoError(t, err)
			return r, w
		}
	} else {
		require.NotEqual(t, "linux", runtime.GOOS, "it must not fall back unseen: %v", err)
	}
	return readers
}

func TestFlushEmptiesThePipe(t *testing.T) {
	for name, newPipe := range outputReaders(t) {
		t.Run(name, func(t *testing.T) {
			for range 100 {
				p, w := newPipe()
				j := executor.NewJournal(executor.JournalOptions{})
				done := make(chan struct{})
				go func() {
					defer close(done)
					for b := make([]byte, 100); ; {
						n, err := p.Read(b)
						j.Output(executor.Stdout, bytes.Clone(b[:n]))
						if err != nil {
							return
						}
					}
				}()
				_, err := w.WriteString("written before the flush")
				require.NoError(t, err)
				flush(p)
				var info executor.Info
				j.Fill(&info)
				require.Equal(t, uint64(2), info.NextSeq)

				_, err = w.WriteString("and after it")
				require.NoError(t, err)
				require.NoError(t, w.Close())
				<-done
				j.Fill(&info)
				require.Equal(t, uint64(3), info.NextSeq)
			}
		})
	}
}

// Bytes written before the flush are handled when it returns, although the pipe
// is empty long before, and although more keeps coming.
func TestFlushWaitsForTheHandler(t *testing.T) {
	for name, newPipe := range outputReaders(t) {
		for _, endless := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, more output %v", name, endless), func(t *testing.T) {
				p, w := newPipe()
				var handled atomic.Int64
				done := make(chan struct{})
				go func() {
					defer close(done)
					for b := make([]byte, executor.MaxChunk); ; {
						n, err := p.Read(b)
						if err != nil {
							return
						}
						time.Sleep(30 * time.Millisecond) // the pipe is empty meanwhile
						handled.Add(int64(n))
					}
				}()
				written, err := w.Write(make([]byte, 60_000))
				require.NoError(t, err)
				stop, ended := make(chan struct{}), make(chan struct{})
				go func() {
					defer close(ended)
					for endless {
						select {
						case <-stop:
							return
						default:
							_, _ = w.Write(make([]byte, 4096)) // it fails when the reader has stopped
							time.Sleep(50 * time.Microsecond)
						}
					}
				}()
				timeout := time.NewTimer(waitLimit)
				defer timeout.Stop()
				require.True(t, p.flush(timeout.C))
				require.GreaterOrEqual(t, handled.Load(), int64(written))
				close(stop)
				<-ended
				p.stop()
				<-done // stop wakes a Read, although the pipe has a writer
				require.NoError(t, w.Close())
			})
		}
	}
}

func TestStopBeforeRead(t *testing.T) {
	for name, newPipe := range outputReaders(t) {
		t.Run(name, func(t *testing.T) {
			p, w := newPipe()
			p.stop()
			p.stop()
			for range 2 {
				n, err := p.Read(make([]byte, 1))
				require.Zero(t, n)
				require.Error(t, err)
			}
			require.NoError(t, w.Close())
		})
	}
}

func TestThreadsAreLimited(t *testing.T) {
	e := newExecutor(t, Options{})
	cat := executor.Command{Argv: []string{"cat"}}
	var all []executor.Process
	for range maxThreads + 2 {
		p, err := e.Start(t.Context(), cat)
		require.NoError(t, err)
		all = append(all, p)
	}
	require.Equal(t, int32(maxThreads), e.threads.Load())
	for _, p := range all {
		_, err := p.Terminate(t.Context())
		require.NoError(t, err)
	}
	_, err := e.Start(t.Context(), executor.Command{Argv: []string{filepath.Join(t.TempDir(), "none")}})
	require.Error(t, err)
	require.Eventually(t, func() bool { return e.threads.Load() == 0 }, waitLimit, time.Millisecond)
}

func TestPipeHeldByUnreachableProcessIsClosed(t *testing.T) {
	e := newExecutor(t, Options{}) // its Close waits for the pumps
	e.program = ""                 // a watchdog would find it
	p, err := e.Start(t.Context(), executor.Command{
		Argv: append([]string{os.Args[0]}, exectest.HelperArgs("spawn", "stray", "pid", "hang", "end")...),
	})
	require.NoError(t, err)
	s, err := p.Subscribe(executor.SubscribeOptions{})
	require.NoError(t, err)
	var stray int
	for exited := false; stray == 0 || !exited; { // whichever comes first
		ev, err := s.Next(t.Context())
		require.NoError(t, err)
		switch ev.Kind {
		case executor.Output:
			_, err = fmt.Sscanf(string(ev.Data), "pid %d", &stray)
			require.NoError(t, err)
		case executor.Exited:
			exited = true
		}
	}
	t.Cleanup(func() { require.NoError(t, unix.Kill(stray, unix.SIGKILL)) })
	_, err = p.Terminate(t.Context())
	require.NoError(t, err)
	require.NoError(t, e.Close())
	require.True(t, alive(stray))
}

func TestKillRounds(t *testing.T) {
	m := proc{procID: procID{pid: 10, start: 3}}
	for _, tc := range []struct {
		name   string
		calm   int
		atOnce bool
		looks  []int // how many processes each look finds; none afterwards
		want   []int
	}{
		{"no process", 3, true, nil, []int{0}},
		{"no process seen, but the program was killed at any point", 3, false, nil, []int{0, 0, 0}},
		{"a process dies slowly", 3, true, []int{1, 1}, []int{1, 1, 0, 0, 0}},
		{"one look misses a process during an exec", 3, true, []int{1, 0, 1}, []int{1, 0, 1, 0, 0, 0}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var rounds []int
			err := killRounds(t.Context(), tc.calm, tc.atOnce, func() ([]proc, error) {
				if i := len(rounds); i < len(tc.looks) && tc.looks[i] > 0 {
					return []proc{m}, nil
				}
				return nil, nil
			}, func(round []proc) { rounds = append(rounds, len(round)) })
			require.NoError(t, err)
			require.Equal(t, tc.want, rounds)
		})
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	always := func() ([]proc, error) { return []proc{m}, nil }
	require.NoError(t, killRounds(ctx, looksAfterKill, true, always, func([]proc) {}), "it gives up; killAll knows the remaining processes")
}

func TestTerminateFromAHandler(t *testing.T) {
	e := newExecutor(t, Options{})
	p, err := e.Start(t.Context(), executor.Command{Argv: []string{"sh", "-c", "echo now; exec sleep 1000"}})
	require.NoError(t, err)
	ended := make(chan error, 1)
	closed := make(chan struct{})
	_, err = p.Subscribe(executor.SubscribeOptions{Handler: func(ev executor.Event) {
		switch ev.Kind {
		case executor.Output:
			_, err := p.Terminate(context.Background())
			ended <- err
		case executor.Closed:
			close(closed)
		}
	}})
	require.NoError(t, err)
	require.NoError(t, <-ended)
	<-closed
}

func TestFamily(t *testing.T) {
	at := func(pid, ppid, group int, marks string) proc {
		return proc{procID: procID{pid: pid}, ppid: ppid, group: group, session: group, marks: marks}
	}
	own := os.Getpid()
	dead := at(16, 10, 10, "m")
	dead.zombie = true
	all := []proc{
		at(1, 0, 1, ""), at(own, 1, own, ""), at(20, 1, 20, "m"), at(21, 20, 21, ""), at(22, 21, 21, ""),
		at(10, own, 10, "m"), at(11, 10, 10, ""), at(12, 10, 12, ""), at(13, 12, 12, ""), at(14, 1, 10, ""),
		at(15, 1, 15, "outer,m"), dead, at(30, own, 30, "other"), at(40, 1, 40, ""),
	}
	pids := func(f family) []int {
		var list []int
		for _, p := range f.members(all) {
			list = append(list, p.pid)
		}
		return list
	}
	require.Equal(t, []int{10, 20, 21, 22, 11, 12, 13, 14, 15}, pids(family{leader: 10, mark: "m"}))
	require.Equal(t, []int{10, 11, 12, 13, 14}, pids(family{leader: 10}))
	require.Equal(t, []int{20, 21, 22, 10, 11, 12, 13, 15}, pids(family{mark: "m"}))
	require.Equal(t, []int{40}, pids(family{known: map[procID]bool{{pid: 40}: true, {pid: 30, start: 7}: true}}))
	require.Empty(t, pids(family{}))
	require.NotContains(t, pids(family{leader: own}), own, "never ourselves")
}

func FuzzShebang(f *testing.F) {
	f.Add([]byte("#!/bin/sh -e\necho"))
	f.Add([]byte("#! \t\r\n"))
	f.Add([]byte("#!"))
	file := filepath.Join(f.TempDir(), "script")
	f.Fuzz(func(t *testing.T, text []byte) {
		require.NoError(t, os.WriteFile(file, text, 0o600))
		interpreter := shebang(file)
		require.LessOrEqual(t, len(interpreter), maxShebang)
		require.NotContains(t, interpreter, "\n")
	})
}
