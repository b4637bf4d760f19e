package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOutputHasTheFormOfCodex(t *testing.T) {
	const text = `{"method":"process/output","params":{"processId":"a","seq":2,"stream":"stderr","chunk":"ZXJyCg=="}}`
	o, ok := ParseOutput([]byte(text))
	require.True(t, ok)
	require.Equal(t, Output{ProcessID: "a", Seq: 2, Stream: Stderr, Chunk: []byte("err\n")}, o)
	require.Equal(t, text, string(AppendOutput(nil, o)))
}

func TestAnotherFormIsLeftToDecode(t *testing.T) {
	for _, text := range []string{
		``, `{`, `{"method":"process/output","params":{"processId":"a`,
		`{"method":"process/output","params":{"seq":2,"processId":"a","stream":"stderr","chunk":""}}`,
		`{"method":"process/output","params":{"processId":"a\u0041","seq":2,"stream":"stderr","chunk":""}}`,
		`{"method":"process/output","params":{"processId":"a","seq":-2,"stream":"stderr","chunk":""}}`,
		`{"method":"process/output","params":{"processId":"a","seq":2,"stream":"other","chunk":""}}`,
		`{"method":"process/output","params":{"processId":"a","seq":2,"stream":"stderr","chunk":"?"}}`,
		`{"method":"process/output","params":{"processId":"a","seq":2,"stream":"stderr","chunk":"","x":1}}`,
	} {
		_, ok := ParseOutput([]byte(text))
		require.False(t, ok, text)
	}
}

func TestWrites(t *testing.T) {
	for _, id := range []string{"mcp-stdio-1", "", `"\`, "é\n"} {
		w := WriteParams{ProcessID: id, Chunk: []byte("data\x00"), WriteID: "w1"}
		text := AppendWrite(nil, 7, w)
		m, err := Decode(text)
		require.NoError(t, err)
		require.Equal(t, MethodWrite, m.Method)
		require.Equal(t, "7", string(m.ID))
		number, parsed, ok := ParseWrite(text)
		if strings.Contains(string(text), `\`) {
			require.False(t, ok)
			continue
		}
		require.True(t, ok, "%s", text)
		require.Equal(t, w, parsed)
		require.Equal(t, "7", string(number))
		response := AppendAccepted(nil, number)
		accepted, ok := ParseAccepted(response)
		require.True(t, ok)
		require.EqualValues(t, 7, accepted)
		_, ok = ParseAccepted([]byte(`{"id":7,"result":{"status":"starting"}}`))
		require.False(t, ok)
	}
}

func TestDecode(t *testing.T) {
	m, err := Decode([]byte(`{"error":{"code":-32600,"message":"unknown process id zz"},"id":6}`))
	require.NoError(t, err)
	require.EqualError(t, m.Error, "unknown process id zz")
	for _, text := range []string{`[]`, `{}`, `{"id":1}`, `x`} {
		_, err := Decode([]byte(text))
		require.ErrorContains(t, err, "not a JSON-RPC message")
	}
}

func TestLines(t *testing.T) {
	ours, theirs := net.Pipe()
	long := strings.Repeat("x", 3*linesBuffer)
	go func() {
		_, _ = io.WriteString(theirs, "\n{}\r\n  \n"+long+"\n"+"cut")
		_ = theirs.Close()
	}()
	c := NewLines(ours, 4*linesBuffer)
	for _, want := range []string{"{}", long} {
		line, err := c.Read(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, string(line))
	}
	_, err := c.Read(t.Context())
	require.ErrorIs(t, err, io.EOF)
}

func TestLineOverTheLimit(t *testing.T) {
	c := NewLines(struct {
		io.Reader
		io.WriteCloser
	}{bytes.NewReader(make([]byte, 3*linesBuffer)), nil}, 2*linesBuffer)
	_, err := c.Read(t.Context())
	require.ErrorIs(t, err, ErrTooLong)
}

// TestContextsEndLines ends a Read and a Write that wait.
func TestContextsEndLines(t *testing.T) {
	cause := errors.New("enough")
	for name, do := range map[string]func(context.Context, *Lines) error{
		"Read":  func(ctx context.Context, l *Lines) error { _, err := l.Read(ctx); return err },
		"Write": func(ctx context.Context, l *Lines) error { return l.Write(ctx, []byte("{}")) },
		"batch": func(ctx context.Context, l *Lines) error { return l.WriteBatch(ctx, []byte("{}\n")) },
	} {
		t.Run(name, func(t *testing.T) {
			ours, theirs := net.Pipe()
			defer theirs.Close()
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Millisecond, func() { cancel(cause) })
			require.ErrorIs(t, do(ctx, NewLines(ours, MaxMessage)), cause)
		})
	}
}
