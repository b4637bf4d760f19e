package link

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestGreeting(t *testing.T) {
	const version = "SSH-2.0-Test_1.0\r\n"
	long := strings.Repeat("x", 10_000)
	for name, c := range map[string]struct {
		in   string
		out  string // returned by Read
		said string
		err  error
	}{
		"version":              {version + "rest", version + "rest", "", nil},
		"version of both":      {"SSH-1.99-Both\n", "SSH-1.99-Both\n", "", nil},
		"text before it":       {"hello\r\n\r\nworld\n" + version, version, "hello\r\n\r\nworld\n", nil},
		"a long line before":   {long + "\n" + version, version, long[:maxSaid], nil},
		"SSH- in a line":       {"no SSH-2.0-x\n" + version, version, "no SSH-2.0-x\n", nil},
		"SSH- in a long line":  {long[:maxSaid] + "SSH-2.0-x\n" + version, version, long[:maxSaid], nil},
		"nothing":              {"", "", "", io.EOF},
		"only text":            {"Too many users", "", "Too many users", io.EOF},
		"no end of line":       {"SSH-2.0-x", "", "SSH-2.0-x", io.EOF},
		"version 1":            {"SSH-1.5-x\n", "", "SSH-1.5-x\n", errNotSSH},
		"too long a version":   {"SSH-2.0-" + long[:300] + "\n", "", "SSH-2.0-" + long[:300] + "\n", errNotSSH},
		"too much text":        {strings.Repeat("x\n", maxGreeting), "", strings.Repeat("x\n", maxSaid/2), errNotSSH},
		"one line without end": {strings.Repeat("x", 2*maxGreeting), "", strings.Repeat("x", maxSaid), errNotSSH},
	} {
		t.Run(name, func(t *testing.T) {
			for _, reader := range []func(io.Reader) io.Reader{
				func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.DataErrReader,
			} {
				source := strings.NewReader(c.in)
				g := newGreeting(reader(source))
				var out bytes.Buffer
				buf := make([]byte, 7)
				var err error
				for !g.empty() && err == nil {
					var n int
					n, err = g.Read(buf)
					out.Write(buf[:n])
				}
				require.ErrorIs(t, err, c.err)
				if c.err == nil {
					_, err = io.Copy(&out, source) // the unread rest
					require.NoError(t, err)
				}
				require.Equal(t, c.out, out.String())
				require.Equal(t, c.said, string(g.said))
			}
		})
	}
}

func FuzzGreeting(f *testing.F) {
	for _, seed := range []string{"SSH-2.0-x\r\nrest", "text\nSSH-2.0-x\n", "SSH-1.5-x\n", "HTTP/1.1 400\r\n\r\n", "\x15\x03\x01", "SSH-\n", "\x00\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		g := newGreeting(bytes.NewReader(in))
		var out []byte
		buf := make([]byte, 100)
		for {
			n, err := g.Read(buf)
			out = append(out, buf[:n]...)
			if err != nil {
				if !g.found && !errors.Is(err, io.EOF) && !errors.Is(err, errNotSSH) {
					t.Fatal(err)
				}
				break
			}
			if g.empty() {
				break
			}
		}
		if len(g.said) > maxSaid || !bytes.HasPrefix(in, g.said) {
			t.Fatalf("said %q", g.said)
		}
		if g.found && !bytes.Contains(in, out) {
			t.Fatalf("handed on %q", out)
		}
	})
}
