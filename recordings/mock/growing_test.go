package mock

import (
	"bytes"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
)

// A growing is a source that is still being indexed.
type growing struct {
	*session.Past
	indexed chan struct{}
}

func (g *growing) Indexed() <-chan struct{} { return g.indexed }

// grow returns a source that gets the rows of src one by one.
func grow(t *testing.T, src session.Rewinder) *growing {
	t.Helper()
	g := &growing{session.NewPast(src), make(chan struct{})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for k := 1; k <= src.Len(); k++ {
			runtime.Gosched()
			g.To(k)
		}
		close(g.indexed)
	}()
	t.Cleanup(func() { <-done })
	return g
}

// TestServedWhileItIsIndexed checks that a mock that starts before its recording is
// indexed behaves like one that starts after that.
func TestServedWhileItIsIndexed(t *testing.T) {
	t.Parallel()
	all, err := filepath.Glob(fixtures + "*.jsonl")
	require.NoError(t, err)
	for _, path := range all {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".jsonl"), func(t *testing.T) {
			t.Parallel()
			rec := open(t, path)
			in := stream(t, rec, session.KindStdin, 1)
			for _, opts := range []Options{{}, {Exact: true}, {Strict: true}} {
				whole, part := serve(t, rec, opts, in), serve(t, grow(t, rec), opts, in)
				whole.report.Skipped, part.report.Skipped = 0, 0 // depends on how many rows were read
				require.Equal(t, whole, part)
			}
		})
	}
}

// chunks collects the data of each write.
type chunks []string

func (c *chunks) Write(p []byte) (int, error) {
	*c = append(*c, string(p))
	return len(p), nil
}

// TestChunks checks that lines are written in their recorded chunks, wherever an id of
// another length moves them; a chunk that began inside the id begins after it.
func TestChunks(t *testing.T) {
	t.Parallel()
	rec := record(t, legacy+`
	> {"jsonrpc":"2.0","id":100,"method":"ping"}
	{"k":"stdout","seq":4,"first":2,"cuts":[[3,23],[4,40]],"eol":"\r\n","m":{"jsonrpc":"2.0","id":100,"result":{"x":"0123456789"}}}
	{"k":"stdout","seq":4,"why":"not-json","raw":"with it"}
	{"k":"stdout","seq":5,"why":"not-json","raw":"in the next"}
	{"k":"stdout","seq":7,"first":6,"cuts":[[7,3]],"eol":"","raw":"unterminated"}
	`)
	server, err := New(t.Context(), rec, Options{Exact: true})
	require.NoError(t, err)
	var out chunks
	_, err = server.Serve(t.Context(), strings.NewReader(`{"jsonrpc":"2.0","id":"a longer one","method":"ping"}`+"\n"), &out, &bytes.Buffer{})
	require.NoError(t, err)
	require.Equal(t, chunks{
		`{"jsonrpc":"2.0","id":"a longer one"`, `,"result":{"x":`, `"0123456789"}}` + "\r\nwith it\n", "in the next\n", "unt", "erminated",
	}, out)
}
