package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// inputs returns a folder with a program and a text file.
func inputs(t *testing.T) (program, text string) {
	dir := t.TempDir()
	program, text = filepath.Join(dir, "program"), filepath.Join(dir, "text")
	require.NoError(t, os.WriteFile(program, []byte("program"), 0o700))
	require.NoError(t, os.WriteFile(text, []byte("text"), 0o600))
	return program, text
}

// twice runs a command two times, with other times of the inputs, and returns the
// file that both made.
func twice(t *testing.T, name string, args func(out string) []string) []byte {
	t.Helper()
	var outputs [][]byte
	for range 2 {
		out := filepath.Join(t.TempDir(), name)
		require.NoError(t, run(args(out)))
		data, err := os.ReadFile(out)
		require.NoError(t, err)
		outputs = append(outputs, data)
	}
	require.True(t, bytes.Equal(outputs[0], outputs[1]), "the same input gave other bytes")
	return outputs[0]
}

// unpack returns the contents and headers of a tar file.
func unpack(t *testing.T, r io.Reader) (map[string]string, map[string]*tar.Header) {
	t.Helper()
	contents, headers := map[string]string{}, map[string]*tar.Header{}
	for in := tar.NewReader(r); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return contents, headers
		}
		require.NoError(t, err)
		data, err := io.ReadAll(in)
		require.NoError(t, err)
		contents[h.Name], headers[h.Name] = string(data), h
	}
}

func gunzip(t *testing.T, data []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	plain, err := io.ReadAll(r)
	require.NoError(t, err)
	return plain
}

func TestArchives(t *testing.T) {
	program, text := inputs(t)
	args := func(out string) []string {
		return []string{"archive", "1700000000", out, "mcpdbg=" + program, "man/a.1=" + text}
	}
	contents, headers := unpack(t, bytes.NewReader(gunzip(t, twice(t, "a.tar.gz", args))))
	require.Equal(t, map[string]string{"mcpdbg": "program", "man/a.1": "text"}, contents)
	require.EqualValues(t, 0o755, headers["mcpdbg"].Mode)
	require.EqualValues(t, 0o644, headers["man/a.1"].Mode)
	require.EqualValues(t, 1700000000, headers["mcpdbg"].ModTime.Unix())
	require.Zero(t, headers["mcpdbg"].Uid)

	data := twice(t, "a.zip", args)
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	require.Len(t, r.File, 2)
	require.Equal(t, "mcpdbg", r.File[0].Name)
	require.EqualValues(t, 0o755, r.File[0].Mode().Perm())
}

// TestImage checks that every reference of the image leads to a blob with its
// digest and size.
func TestImage(t *testing.T) {
	program, text := inputs(t)
	data := twice(t, "a.tar", func(out string) []string {
		return []string{"image", "1700000000", out, "1.2.3", "arm64", program, text}
	})
	contents, _ := unpack(t, bytes.NewReader(data))
	require.JSONEq(t, `{"imageLayoutVersion":"1.0.0"}`, contents["oci-layout"])
	blob := func(d descriptor) string {
		name := "blobs/sha256/" + strings.TrimPrefix(d.Digest, "sha256:")
		sum := sha256.Sum256([]byte(contents[name]))
		require.Equal(t, "sha256:"+hex.EncodeToString(sum[:]), d.Digest)
		require.Len(t, contents[name], d.Size)
		return contents[name]
	}
	var index struct{ Manifests []descriptor }
	require.NoError(t, json.Unmarshal([]byte(contents["index.json"]), &index))
	require.Equal(t, map[string]string{"os": "linux", "architecture": "arm64"}, index.Manifests[0].Platform)
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	require.NoError(t, json.Unmarshal([]byte(blob(index.Manifests[0])), &manifest))
	layer := gunzip(t, []byte(blob(manifest.Layers[0])))
	sum := sha256.Sum256(layer)
	config := blob(manifest.Config)
	require.Contains(t, config, `"diff_ids":["sha256:`+hex.EncodeToString(sum[:])+`"]`)
	require.Contains(t, config, `"Entrypoint":["/mcpdbg"]`)
	files, headers := unpack(t, bytes.NewReader(layer))
	require.Equal(t, "program", files["mcpdbg"])
	require.Equal(t, userID, headers[home].Uid, "the user of the container can write there")

	var saved []struct {
		Config string
		Layers []string
	}
	require.NoError(t, json.Unmarshal([]byte(contents["manifest.json"]), &saved))
	require.Contains(t, contents, saved[0].Config)
	require.Contains(t, contents, saved[0].Layers[0])
}

func TestUsage(t *testing.T) {
	program, text := inputs(t)
	for want, args := range map[string][]string{
		"missing arguments": {},
		"invalid time":      {"archive", "now", "a.zip", "a=" + text},
		"unknown command":   {"unpack", "1", "a.zip", "a=" + text},
		"unknown format":    {"archive", "1", "a.rar", "a=" + text},
		"NAME=FILE":         {"archive", "1", "a.zip", text},
		"no such file":      {"archive", "1", "a.zip", "a=" + program + "x"},
		"wrong number":      {"image", "1", "a.tar", "1.2.3"},
	} {
		require.ErrorContains(t, run(args), want)
	}
}
