package recordings

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/secret"
)

// Each change of one byte is a problem, or leaves the recording without an end.
func TestVerifyFindsEveryChangedByte(t *testing.T) {
	data, err := os.ReadFile(twoRuns(t))
	require.NoError(t, err)
	path := write(t, "")
	for at := range data {
		changed := bytes.Clone(data)
		changed[at] ^= 1 << rand.IntN(8)
		require.NoError(t, os.WriteFile(path, changed, 0o600))
		r, err := Verify(path)
		require.False(t, err == nil && r.OK() && r.Finished, "byte %d of\n%s", at, changed)
	}
}

func TestVerifyFindsEveryChangedByteOfParts(t *testing.T) {
	f := recordParts(t, 4<<10, 40)
	require.NoError(t, f.Close())
	r, err := Verify(f.Path())
	require.NoError(t, err)
	require.Empty(t, r.Problems)
	require.True(t, r.Whole)
	for part := 1; ; part++ {
		path := PartPath(f.Path(), part)
		data, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			require.Greater(t, part, 2)
			return
		}
		require.NoError(t, err)
		header := bytes.IndexByte(data, '\n') + 1
		for i := range header + 30 {
			at := i
			if i >= header {
				at = rand.IntN(len(data))
			}
			changed := bytes.Clone(data)
			changed[at] ^= 1 << rand.IntN(8)
			require.NoError(t, os.WriteFile(path, changed, 0o600))
			r, err := Verify(f.Path())
			require.False(t, err == nil && r.OK() && r.Finished, "byte %d of part %d: %.300s", at, part, changed)
		}
		require.NoError(t, os.WriteFile(path, data, 0o600))
	}
}

// A recording without secrets and one file of all parts have the same sums.
func TestCopiesAreWhole(t *testing.T) {
	digests := &secret.Digests{}
	f := create(t, Options{Header: session.Header{Argv: []string{"s"}, Secrets: digests}})
	require.NoError(t, f.Append([]session.Entry{stdout(1, "x")}))
	require.NoError(t, f.Close())
	data, err := os.ReadFile(f.Path())
	require.NoError(t, err)
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	require.Contains(t, string(first), `"secrets"`)
	public := string(WithoutSecrets(append(first, '\n'))) + string(rest)
	require.NotContains(t, public, `"secrets"`)

	parts := recordParts(t, 4<<10, 40)
	require.NoError(t, parts.Close())
	var joined strings.Builder
	for part := 1; ; part++ {
		data, err := os.ReadFile(PartPath(parts.Path(), part))
		if os.IsNotExist(err) {
			require.Greater(t, part, 2)
			break
		}
		require.NoError(t, err)
		if part > 1 {
			data = data[bytes.IndexByte(data, '\n')+1:]
		}
		joined.Write(data)
	}
	for _, path := range []string{f.Path(), write(t, public), write(t, joined.String())} {
		r, err := Verify(path)
		require.NoError(t, err)
		require.True(t, r.Whole, "%v", r.Problems)
	}
}

func TestVerifyWithoutWhole(t *testing.T) {
	data, err := os.ReadFile(twoRuns(t))
	require.NoError(t, err)
	begin, found := CutWhole(data)
	require.True(t, found)
	r, err := Verify(write(t, string(begin)+"}\n"))
	require.NoError(t, err)
	require.True(t, r.OK())
	require.False(t, r.Whole)
	r, err = Verify(write(t, strings.Replace(string(data), `,"whole"`, `,"hole"`, 1)))
	require.NoError(t, err)
	require.Contains(t, fmt.Sprint(r.Problems), `has a member "hole", but no whole`)
}

// A Writer makes what a File would.
func TestWriterIsWhole(t *testing.T) {
	w, err := CreateWriter(Options{Path: filepath.Join(t.TempDir(), "w.jsonl"), Header: session.Header{Start: time.Now(), Argv: []string{"s"}}})
	require.NoError(t, err)
	for _, payload := range []string{"x", strings.Repeat("long ", pieceSize), `{"id":1,"method":"m"}`} {
		e := stdout(1, payload)
		require.NoError(t, w.Append(&e))
	}
	require.NoError(t, w.Close())
	r, err := Verify(w.Path())
	require.NoError(t, err)
	require.True(t, r.Whole, "%v", r.Problems)
}
