package redact

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/internal/tools/corpus"
	"mcpdbg/recordings"
	"mcpdbg/session"
)

// BenchmarkCopy compares a redacted copy with the default rules with a plain copy.
func BenchmarkCopy(b *testing.B) {
	f, err := recordings.Create(recordings.Options{Path: filepath.Join(b.TempDir(), "mix.jsonl")})
	require.NoError(b, err)
	var entries []session.Entry
	for i, message := range corpus.MIX(100_000) {
		entries = append(entries, session.Entry{Kind: session.KindStdout, Seq: uint64(i + 1), Payload: message, Msg: framing.Scan(message)})
	}
	require.NoError(b, f.Append(entries))
	require.NoError(b, f.Close())
	defer func() { require.NoError(b, f.Release()) }()
	info, err := os.Stat(f.Path())
	require.NoError(b, err)

	target := func(b *testing.B) *os.File {
		out, err := os.Create(filepath.Join(b.TempDir(), "out.jsonl"))
		require.NoError(b, err)
		return out
	}
	b.Run("plain", func(b *testing.B) {
		b.SetBytes(info.Size())
		for b.Loop() {
			in, err := os.Open(f.Path())
			require.NoError(b, err)
			out := target(b)
			_, err = io.CopyBuffer(struct{ io.Writer }{out}, struct{ io.Reader }{in}, make([]byte, 256<<10))
			require.NoError(b, err)
			require.NoError(b, in.Close())
			require.NoError(b, out.Close())
		}
	})
	b.Run("redacted", func(b *testing.B) {
		b.SetBytes(info.Size())
		for b.Loop() {
			out := target(b)
			report, err := Copy(b.Context(), f.Path(), out, Default())
			require.NoError(b, err)
			require.Zero(b, report.Removed)
			require.NoError(b, out.Close())
		}
	})
}
