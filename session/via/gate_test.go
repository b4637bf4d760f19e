package via

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
	"mcpdbg/session/executor/guard"
)

func TestStatusIsTakenOutOfTheStream(t *testing.T) {
	mark := executor.NewMark()
	marker := guard.ExitMarker(mark)
	for _, c := range []struct {
		name, in, out string
		status        int // -1: none
	}{
		{"alone", marker + "0\n", "", 0},
		{"after lines", "one\ntwo\n" + marker + "7\n", "one\ntwo\n", 7},
		{"within a line", "no newline" + marker + "143\n", "no newline", 143},
		{"before the output of a child", marker + "1\nlate\n", "late\n", 1},
		{"none", "one\ntwo", "one\ntwo", -1},
		{"of another run", guard.ExitMarker(executor.NewMark()) + "3\n", "", -1},
		{"not complete", "one\n" + marker + "14", "one\n" + marker + "14", -1},
		{"not a number", marker + "x\nmore", marker + "x\nmore", -1},
		{"only its first byte", "\x1e\x1e", "\x1e\x1e", -1},
		{"begun twice", marker[:10] + marker + "5\n", marker[:10], 5},
		{"only the first counts", marker + "1\n" + marker + "2\n", marker + "2\n", 1},
	} {
		if c.name == "of another run" {
			c.out = c.in
		}
		for name, slow := range map[string]func(io.Reader) io.Reader{
			"at once": func(r io.Reader) io.Reader { return r }, "by bytes": iotest.OneByteReader, "with its end": iotest.DataErrReader,
		} {
			status := -1
			r := &statusReader{r: slow(strings.NewReader(c.in)), marker: []byte(marker), report: func(code int) { status = code }}
			out, err := io.ReadAll(r)
			require.NoError(t, err)
			require.Equal(t, c.out, string(out), "%s, %s", c.name, name)
			require.Equal(t, c.status, status, "%s, %s", c.name, name)
		}
	}
}

// A line is delivered when it comes, unless it may be the report.
func TestStatusReaderDelaysNothing(t *testing.T) {
	in, end := io.Pipe()
	r := &statusReader{r: in, marker: []byte(guard.ExitMarker(executor.NewMark())), report: func(int) {}}
	go func() {
		_, _ = io.WriteString(end, "first\n") // the reader gets it, or the test fails
		_, _ = io.WriteString(end, "second\n")
	}()
	b := make([]byte, 100)
	for _, want := range []string{"first\n", "second\n"} {
		n, err := r.Read(b)
		require.NoError(t, err)
		require.Equal(t, want, string(b[:n]))
	}
}

func FuzzStatusReader(f *testing.F) {
	f.Add("one\n\x1eEXIT-0 7\nmore", 3)
	f.Add("\x1e\x1eEXIT-0 x\n", 1)
	f.Fuzz(func(t *testing.T, in string, step int) {
		read := func(r io.Reader) (string, []int) {
			var reported []int
			s := &statusReader{r: r, marker: []byte("\x1eEXIT-0 "), report: func(code int) { reported = append(reported, code) }}
			out, err := io.ReadAll(s)
			require.NoError(t, err)
			return string(out), reported
		}
		out, reported := read(strings.NewReader(in))
		slow, again := read(iotest.OneByteReader(strings.NewReader(in)))
		require.LessOrEqual(t, len(reported), 1)
		if len(reported) == 0 {
			require.Equal(t, in, out)
		}
		if len(again) == 0 {
			require.Equal(t, in, slow)
		}
	})
}

// TestFailureNamesTheHost: of many hosts with the same container, the message names the one.
func TestFailureNamesTheHost(t *testing.T) {
	e, err := New(Options{Words: []string{"docker", "exec", "-i", "web"}, Host: "build-7"})
	require.NoError(t, err)
	p, _, failure := e.prefixFor([]string{"server"})
	require.Nil(t, failure)
	failure = p.fail("inside", executor.ViaNotRunning, errors.New("it is paused"), "")
	require.EqualError(t, failure, "start on build-7: docker web: it is paused")
}
