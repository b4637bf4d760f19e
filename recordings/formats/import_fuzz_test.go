package formats

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzImport checks that an import fails only for unknown or empty sources, and that
// every recording verifies.
func FuzzImport(f *testing.F) {
	all, err := filepath.Glob("testdata/imports/*.*")
	require.NoError(f, err)
	for _, path := range all {
		source, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(source[:min(len(source), 2500)], uint8(0))
	}
	for n := range ImportFormats() {
		f.Add([]byte("{\"a\":[{\"b\":\"\\u00e9\xff\"}]}\n[{},}"), uint8(n+1))
	}
	f.Fuzz(func(t *testing.T, source []byte, format uint8) {
		o := ImportOptions{File: "fuzz"}
		if names := ImportFormats(); format > 0 {
			o.Format = names[int(format)%len(names)]
		}
		o.Path = filepath.Join(t.TempDir(), "x.jsonl")
		report, err := Import(t.Context(), bytes.NewReader(source), o)
		var unknown *UnknownFormatError
		var empty *EmptyLogError
		if errors.As(err, &unknown) || errors.As(err, &empty) {
			return
		}
		require.NoError(t, err)
		requireVerified(t, report.Recording)
	})
}
