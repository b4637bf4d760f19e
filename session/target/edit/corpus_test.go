package edit

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/session/target"
)

// program is a path of mcpdbg; nothing starts it.
const program = "/opt/mcpdbg/bin/mcpdbg"

// editor returns an Editor with a state folder of its own.
func editor(t testing.TB) *Editor {
	t.Helper()
	none := func(string) (string, bool) { return "", false }
	return &Editor{Options: target.Options{Home: "/home/ada", Cwd: "/home/ada/project", GOOS: "linux", LookupEnv: none},
		Program: program, State: filepath.Join(t.TempDir(), "state"), Shared: true}
}

// corpus calls f for a copy of each file of the corpus.
func corpus(t *testing.T, f func(t *testing.T, path string, data []byte)) {
	files := 0
	require.NoError(t, filepath.WalkDir("testdata/corpus", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		rel, err := filepath.Rel("testdata/corpus", path)
		require.NoError(t, err)
		t.Run(filepath.ToSlash(filepath.Dir(rel)), func(t *testing.T) {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			f(t, written(t, rel, data), data)
		})
		return nil
	}))
	require.GreaterOrEqual(t, files, 40)
}

// written writes a file into a folder of its own.
func written(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

// keys returns the entries of a file that can be wrapped, and the words of their servers.
func keys(t testing.TB, ed *Editor, path string) (keys []Key, words [][]string) {
	t.Helper()
	file, err := target.Read(path, ed.Options)
	require.NoError(t, err)
	for i := range file.Entries {
		if e := &file.Entries[i]; Refusal(e, false) == nil {
			keys, words = append(keys, KeyOf(e)), append(words, e.Source.Words)
		}
	}
	require.NotEmpty(t, keys)
	return keys, words
}

func wrapAll(t testing.TB, ed *Editor, keys []Key) {
	t.Helper()
	for _, key := range keys {
		c, err := ed.Wrap(t.Context(), key)
		require.NoError(t, err)
		require.True(t, c.Changed())
		require.NoError(t, ed.Holds(&c))
	}
}

func unwrapAll(t testing.TB, ed *Editor, keys []Key) {
	t.Helper()
	for _, key := range keys {
		c, err := ed.Unwrap(t.Context(), key)
		require.NoError(t, err)
		require.True(t, c.Changed())
	}
}

// TestRoundTrip checks that unwrapping gives back each file byte by byte, and what is in it
// between.
func TestRoundTrip(t *testing.T) {
	corpus(t, func(t *testing.T, path string, data []byte) {
		ed := editor(t)
		keys, words := keys(t, ed, path)
		wrapAll(t, ed, keys)
		file, err := target.Read(path, ed.Options)
		require.NoError(t, err)
		for i, key := range keys {
			e, err := find(&file, key)
			require.NoError(t, err)
			require.NotNil(t, e.Tap)
			require.Equal(t, program, e.Tap.Program)
			require.Equal(t, words[i], server(e), "readers see the server")
			if words[i][0][0] != '$' {
				require.Equal(t, words[i][0], e.Argv[0].String())
			}
			name := []string{"--name", key.Name}
			if strings.HasPrefix(key.Name, "-") {
				name = []string{"--name=" + key.Name}
			}
			require.Equal(t, append(append([]string{program, "tap"}, name...), "--"), e.Source.Words[:e.Tap.Words])
		}
		once := read(t, path)
		for _, key := range keys {
			c, err := ed.Wrap(t.Context(), key)
			require.NoError(t, err)
			require.False(t, c.Changed())
		}
		require.Equal(t, once, read(t, path), "wrapping twice is wrapping once")
		unwrapAll(t, ed, keys)
		require.Equal(t, string(data), read(t, path))
		for _, key := range keys {
			c, err := ed.Unwrap(t.Context(), key)
			require.NoError(t, err)
			require.False(t, c.Changed())
		}
		require.Empty(t, ed.Remembered())
	})
}

// TestWithoutMemory checks that an entry whose old bytes are not known is unwrapped by what
// it means, and byte by byte if it had arguments.
func TestWithoutMemory(t *testing.T) {
	corpus(t, func(t *testing.T, path string, data []byte) {
		ed := editor(t)
		keys, words := keys(t, ed, path)
		for i, key := range keys {
			require.NoError(t, os.WriteFile(path, data, 0o600))
			wrapAll(t, ed, keys[i:i+1])
			require.NoError(t, ed.Forget(key))
			unwrapAll(t, ed, keys[i:i+1])
			if len(words[i]) > 1 {
				require.Equal(t, string(data), read(t, path))
			}
			file, err := target.Read(path, ed.Options)
			require.NoError(t, err)
			e, err := find(&file, key)
			require.NoError(t, err)
			require.Nil(t, e.Tap)
			require.Equal(t, words[i], e.Source.Words)
		}
	})
}

// TestRewritten checks that unwrapping leaves a file as another program has rewritten it:
// claude writes all of ~/.claude.json with two spaces and opened arrays whatever it does, and
// codex mcp add rewrites all servers.
func TestRewritten(t *testing.T) {
	rewritten := 0
	corpus(t, func(t *testing.T, path string, data []byte) {
		rewrite := asClaude
		if filepath.Ext(path) == ".toml" {
			rewrite = asCodex
		}
		want, ok := rewrite(data)
		if !ok {
			t.Skip("its client does not write such a file")
		}
		rewritten++
		ed := editor(t)
		keys, _ := keys(t, ed, path)
		wrapAll(t, ed, keys)
		now, ok := rewrite([]byte(read(t, path)))
		require.True(t, ok)
		require.NoError(t, os.WriteFile(path, now, 0o600))
		unwrapAll(t, ed, keys)
		require.Equal(t, string(want), read(t, path))
	})
	require.Greater(t, rewritten, 25)
}

// asClaude returns JSON as JSON.stringify indents it.
func asClaude(data []byte) ([]byte, bool) {
	var flat, out bytes.Buffer
	if err := json.Compact(&flat, bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))); err != nil {
		return nil, false
	}
	err := json.Indent(&out, flat.Bytes(), "", "  ")
	return out.Bytes(), err == nil
}

// asCodex returns TOML with a table for each server and each environment, and without
// comments.
func asCodex(data []byte) ([]byte, bool) {
	var values map[string]any
	if err := toml.Unmarshal(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), &values); err != nil {
		return nil, false
	}
	out, err := toml.Marshal(values)
	return out, err == nil
}

// TestRealRewrites checks files that were wrapped and then rewritten by codex mcp add
// (0.169.0) and claude mcp list (2.1.197). They become those that the same command leaves of
// files without a tap.
func TestRealRewrites(t *testing.T) {
	wants, err := filepath.Glob("testdata/rewritten/*.want.*")
	require.NoError(t, err)
	require.Len(t, wants, 6)
	for _, want := range wants {
		t.Run(filepath.Base(want), func(t *testing.T) {
			ed := editor(t)
			path := written(t, filepath.Base(want), []byte(read(t, strings.Replace(want, ".want", "", 1))))
			file, err := target.Read(path, ed.Options)
			require.NoError(t, err)
			unwrapped := 0
			for i := range file.Entries {
				if file.Entries[i].Tap != nil {
					unwrapAll(t, ed, []Key{KeyOf(&file.Entries[i])})
					unwrapped++
				}
			}
			require.NotZero(t, unwrapped)
			require.Equal(t, read(t, want), read(t, path))
		})
	}
}
