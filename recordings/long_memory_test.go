//go:build long && linux

package recordings

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
)

func init() {
	children["rows-index"] = openRows
	children["rows-stored"] = openRows
}

// openRows opens a recording, reads rows all over it and prints how much memory
// that took.
func openRows(path string) error {
	r, err := Open(path)
	if err != nil {
		return err
	}
	rows := make([]session.Row, 100)
	for from := 0; from < r.Len(); from += r.Len() / 100 {
		if r.Rows(from, rows) == 0 {
			return fmt.Errorf("row %d can't be read", from)
		}
	}
	if err := r.Close(); err != nil {
		return err
	}
	after, err := peak()
	fmt.Println(after)
	return err
}

// TestLongTenMillionRows limits the memory that the index of a recording takes.
func TestLongTenMillionRows(t *testing.T) {
	cache := t.TempDir()
	path := filepath.Join(t.TempDir(), "r.jsonl")
	file, err := os.Create(path)
	require.NoError(t, err)
	out := bufio.NewWriterSize(file, 1<<20)
	_, err = out.WriteString(header)
	require.NoError(t, err)
	var line []byte
	for i := range 10_000_000 {
		e := session.Entry{N: uint64(i + 1), T: int64(i), Kind: session.KindStdin}
		if i%2 == 0 {
			e.Payload = fmt.Appendf(nil, `{"id":%d,"method":"m"}`, i/2)
		} else {
			e.Kind, e.Seq, e.Payload = session.KindStdout, uint64(i), fmt.Appendf(nil, `{"id":%d,"result":1}`, i/2)
		}
		e.Msg = framing.Scan(e.Payload)
		line = AppendEntry(line[:0], &e)
		_, err = out.Write(line)
		require.NoError(t, err)
	}
	require.NoError(t, out.Flush())
	require.NoError(t, file.Close())
	for _, name := range []string{"rows-index", "rows-stored"} {
		cmd := child(name, path)
		cmd.Env = append(cmd.Env, "XDG_CACHE_HOME="+cache)
		said, err := cmd.Output()
		require.NoError(t, err)
		var bytes int
		_, err = fmt.Sscan(string(said), &bytes)
		require.NoError(t, err)
		t.Logf("%s: %d MiB", name, bytes>>20)
		require.Less(t, bytes, 350<<20)
	}
}
