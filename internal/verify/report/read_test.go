package report

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
)

// documents are reports that version 0.1.0 wrote.
const documents = "../../cli/testdata/documents"

// What version 0.1.0 wrote is read, and written again, without a change.
func TestReadVersion1(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(documents, "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		r, err := Read(bytes.NewReader(want))
		require.NoError(t, err, file)
		require.NotEmpty(t, r.Targets, file)
		require.NotEmpty(t, r.Targets[0].ID, file)
		if bytes.Contains(want, []byte(`"line": "start"`)) {
			require.NotEmpty(t, r.Tool, file)
			require.False(t, r.Started.IsZero(), file)
			continue
		}
		again := written(t, func(w io.Writer) error { return JSON(w, r) })
		require.Equal(t, withoutZeros(t, file, want), withoutZeros(t, file, again), file)
	}
}

// withoutZeros returns a document without members that are 0 and without empty said: the
// stored ones have these for values that change.
func withoutZeros(t *testing.T, file string, document []byte) any {
	var value any
	require.NoError(t, json.Unmarshal(document, &value), file)
	var clean func(v any)
	clean = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				lines, _ := member.([]any)
				if member == 0.0 || name == "said" && len(lines) == 0 {
					delete(v, name)
				}
				clean(member)
			}
		case []any:
			for _, item := range v {
				clean(item)
			}
		}
	}
	clean(value)
	return value
}

func TestReadVersion2(t *testing.T) {
	for name, r := range map[string]*verify.Report{"sample": sample(), "full": full()} {
		r.Version, r.Command = 2, "smoke"
		r.Settle()
		want := written(t, func(w io.Writer) error { return Version2(w, r) })
		read, err := Read(bytes.NewReader(want))
		require.NoError(t, err, name)
		require.JSONEq(t, string(want), string(written(t, func(w io.Writer) error { return Version2(w, read) })), name)

		byLine, err := Read(bytes.NewReader(written(t, func(w io.Writer) error { return Version2Lines(w, r) })))
		require.NoError(t, err, name)
		require.JSONEq(t, string(want), string(written(t, func(w io.Writer) error { return Version2(w, byLine) })), name)
	}
}

func TestReadRejects(t *testing.T) {
	for _, text := range []string{"", "{}", "[]", "x", `{"mcpdbg_report":1}`, `{"mcpdbg_report":3}`, `{"mcpdbg_smoke":2}`,
		`{"mcpdbg_report":2,"targets":7}`, `{"mcpdbg_report":2,"fail_on":["x"]}`, `{"mcpdbg_report":2} {`, `{"mcpdbg_report":2} {"a":1}`} {
		_, err := Read(strings.NewReader(text))
		require.Error(t, err, text)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"mcpdbg_report":2,"targets":[{"id":"a@b"}]}`))
	files, err := filepath.Glob(filepath.Join(documents, "*.json"))
	require.NoError(f, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		_, err = json.Marshal(r)
		require.NoError(t, err)
	})
}
