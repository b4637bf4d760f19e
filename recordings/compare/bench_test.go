package compare

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/internal/tools/corpus"
	"mcpdbg/recordings"
)

// benchBytes is the size of the benchmark recordings.
const benchBytes = 100 << 20

// corpusFile writes a recording of the corpus in which each request is
// different, and each response is edited.
func corpusFile(b *testing.B, edit func(response []byte) []byte) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "corpus.jsonl")
	f, err := os.Create(path)
	require.NoError(b, err)
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, `{"mcpdbg":1,"id":"x","tool":"test","start":"2026-11-21T10:00:00Z","placement":"local","argv":["server"]}`)
	fmt.Fprintln(w, `{"n":1,"t":0,"k":"start","process":"mcp-stdio-1"}`)
	size := 0
	for n, messages := 2, corpus.MIX(benchBytes/412); size < benchBytes; n++ {
		m := messages[(n-2)%len(messages)]
		switch framing.Scan(m).Kind {
		case framing.Request:
			m = bytes.Replace(m, []byte(`"limit":10`), fmt.Appendf(nil, `"limit":%d`, n), 1)
			size += must(fmt.Fprintf(w, `{"n":%d,"t":%d,"k":"stdin","m":%s}`+"\n", n, n, m))
			continue
		case framing.Response:
			m = edit(m)
		}
		size += must(fmt.Fprintf(w, `{"n":%d,"t":%d,"k":"stdout","seq":%d,"m":%s}`+"\n", n, n, n, m))
	}
	require.NoError(b, w.Flush())
	require.NoError(b, f.Close())
	return path
}

func must(n int, err error) int {
	if err != nil {
		panic(err)
	}
	return n
}

// BenchmarkCompare compares two recordings of 100 MB: their bytes per second, both
// together, without opening them. decode is a program that decodes
// each line of both with encoding/json and compares the values.
func BenchmarkCompare(b *testing.B) {
	same := func(m []byte) []byte { return m }
	edited := func(m []byte) []byte { return bytes.Replace(m, []byte(`first line`), []byte(`other line`), 1) }
	before := corpusFile(b, same)
	for _, c := range []struct {
		name  string
		after string
		equal bool
	}{{"same", corpusFile(b, same), true}, {"each-answer-differs", corpusFile(b, edited), false}} {
		b.Run(c.name, func(b *testing.B) {
			first, second := opened(b, before), opened(b, c.after)
			b.SetBytes(first.Stats().Size + second.Stats().Size)
			b.ReportAllocs()
			for b.Loop() {
				r, err := Compare(b.Context(), first, second, Options{})
				require.NoError(b, err)
				require.Equal(b, c.equal, !r.Differs)
				require.Greater(b, r.Compared, 10_000)
				b.ReportMetric(float64(r.Compared), "exchanges")
			}
		})
	}
	b.Run("baseline-decode", func(b *testing.B) {
		b.SetBytes(2 * benchBytes)
		b.ReportAllocs()
		for b.Loop() {
			decodeBoth(b, before)
		}
	})
}

func opened(b *testing.B, path string) *recordings.Recording {
	b.Helper()
	r, err := recordings.Open(path)
	require.NoError(b, err)
	b.Cleanup(func() { _ = r.Close() })
	return r
}

// decodeBoth reads a file twice, line by line, and compares.
func decodeBoth(b *testing.B, path string) {
	a, c := lines(b, path), lines(b, path)
	for a.Scan() && c.Scan() {
		var x, y any
		require.NoError(b, json.Unmarshal(a.Bytes(), &x))
		require.NoError(b, json.Unmarshal(c.Bytes(), &y))
		if !reflect.DeepEqual(x, y) {
			b.Fatal("they differ")
		}
	}
}

func lines(b *testing.B, path string) *bufio.Scanner {
	f, err := os.Open(path)
	require.NoError(b, err)
	b.Cleanup(func() { _ = f.Close() })
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	return s
}
