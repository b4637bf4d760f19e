//go:build long && linux

package recordings

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
)

func init() {
	kills, seeds = 100, 50
	for name, c := range longLines {
		children[name+"-write"] = func(path string) error { return writeLong(path, c.make(c.size)) }
		children[name+"-open"] = openLong
	}
}

// longLines are payloads of hundreds of megabytes, in each representation.
var longLines = map[string]struct {
	size int
	make func(size int) []byte
}{
	"m-100":   {100 << 20, longMessage},
	"m-300":   {300 << 20, longMessage},
	"raw-300": {300 << 20, func(n int) []byte { return bytes.Repeat([]byte("no message "), n/11) }},
	"b64-200": {200 << 20, func(n int) []byte { return bytes.Repeat([]byte("\xff\x00_."), n/4) }},
}

func longMessage(size int) []byte {
	b := make([]byte, 0, size)
	b = append(b, `{"jsonrpc":"2.0","id":1,"result":"`...)
	for len(b) < size-10 {
		b = append(b, "0123456789abcdef"[:min(16, size-10-len(b))]...)
	}
	return append(b, `"}`...)
}

// peak returns the peak memory of this process in bytes.
func peak() (int, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	var kb int
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	_, err = fmt.Sscan(rest, &kb)
	return kb << 10, err
}

// writeLong records one line and prints how much extra memory that took.
func writeLong(path string, payload []byte) error {
	before, err := peak()
	if err != nil {
		return err
	}
	f, err := Create(Options{Path: path})
	if err != nil {
		return err
	}
	e := session.Entry{Kind: session.KindStdout, Seq: 1, Payload: payload, Msg: framing.Scan(payload)}
	if err := f.Append([]session.Entry{e}); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	after, err := peak()
	fmt.Println(after - before)
	return err
}

// openLong opens a recording and prints how much memory that took.
func openLong(path string) error {
	r, err := Open(path)
	if err != nil {
		return err
	}
	row := make([]session.Row, 1)
	r.Rows(0, row)
	if _, err := r.Entry(row[0], 1<<16); err != nil {
		return err
	}
	after, err := peak()
	fmt.Println(after)
	return err
}

func TestLongHugeLines(t *testing.T) {
	for name, c := range longLines {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "r.jsonl")
			took := func(name string) (bytes int) {
				out, err := child(name, path).Output()
				require.NoError(t, err)
				_, err = fmt.Sscan(string(out), &bytes)
				require.NoError(t, err)
				return bytes
			}
			require.Less(t, took(name+"-write"), 16<<20, "the recorder holds no second copy")
			r := open(t, path)
			require.Zero(t, r.Warnings())
			require.Less(t, took(name+"-open"), 3*int(r.Stats().Size), "the reader holds the line, and its smaller buffer while that grows")
			payload := c.make(c.size)
			e, err := r.Entry(rows(t, r)[0], 0)
			require.NoError(t, err)
			require.Equal(t, sha256.Sum256(payload), sha256.Sum256(e.Payload))
			report, err := Verify(path)
			require.NoError(t, err)
			require.True(t, report.OK(), "%v", report.Problems)
		})
	}
}

// TestLongRandomRecordings runs the quick tests with more recordings.
func TestLongRandomRecordings(t *testing.T) {
	t.Run("opened", TestAllWaysToOpenAgree)
	t.Run("written", TestFollowedEqualsOpened)
	t.Run("in chunks", TestAnyChunkingComesBack)
}
