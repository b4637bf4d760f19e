package recordings

import (
	"bytes"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/internal/tools/corpus"
	"mcpdbg/session"
)

// mix returns the entries of n messages of the corpus, and their size in bytes.
func mix(n int) (entries []session.Entry, size int64) {
	for i, m := range corpus.MIX(n) {
		entries = append(entries, session.Entry{N: uint64(i), Kind: session.KindStdout, Seq: uint64(i), Payload: m, Msg: framing.Scan(m)})
		size += int64(len(m) + 1)
	}
	return entries, size
}

func TestEncodingDoesNotAllocate(t *testing.T) {
	entries, size := mix(2000)
	for _, raw := range []string{"listening\x1b \"x\"", "\xff\x00"} {
		entries = append(entries, session.Entry{Kind: session.KindStderr, Payload: []byte(raw), Why: "not-json"})
	}
	buf := make([]byte, 0, 2*size)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		buf = buf[:0]
		for i := range entries {
			buf = AppendEntry(buf, &entries[i])
		}
	}))
}

func TestAppendDoesNotAllocate(t *testing.T) {
	f := create(t, Options{NoRecord: true})
	entries, _ := mix(100)
	require.NoError(t, f.Append(entries))
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		if err := f.Append(entries[:1]); err != nil {
			t.Error(err)
		}
	}))
}

// appendAll encodes entries as the log does.
func appendAll(buf []byte, entries []session.Entry) []byte {
	for i := range entries {
		buf = AppendEntry(buf, &entries[i])
	}
	return buf
}

// appendJSONText encodes entries with the fastest general encoder, which checks
// the messages again.
func appendJSONText(b *testing.B, w *bytes.Buffer, entries []session.Entry) {
	enc := jsontext.NewEncoder(w, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true))
	for i := range entries {
		e := &entries[i]
		for _, token := range []jsontext.Token{jsontext.BeginObject, jsontext.String("n"), jsontext.Uint(e.N), jsontext.String("t"), jsontext.Int(e.T),
			jsontext.String("k"), jsontext.String(e.Kind.String()), jsontext.String("seq"), jsontext.Uint(e.Seq), jsontext.String("m")} {
			if err := enc.WriteToken(token); err != nil {
				b.Fatal(err)
			}
		}
		if err := enc.WriteValue(e.Payload); err != nil {
			b.Fatal(err)
		}
		if err := enc.WriteToken(jsontext.EndObject); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEncode alternates with jsontext, so that both run under the same load.
func BenchmarkEncode(b *testing.B) {
	entries, size := mix(10_000)
	buf := make([]byte, 0, 2*size)
	var w bytes.Buffer
	w.Grow(int(2 * size))
	var ours, theirs time.Duration
	b.ReportAllocs()
	for b.Loop() {
		begin := time.Now()
		buf = appendAll(buf[:0], entries)
		ours += time.Since(begin)
		b.StopTimer()
		w.Reset()
		begin = time.Now()
		appendJSONText(b, &w, entries)
		theirs += time.Since(begin)
		b.StartTimer()
	}
	b.SetBytes(size)
	b.ReportMetric(float64(theirs)/float64(ours), "x-jsontext")
}

// BenchmarkAppend appends as the collector does, some lines at a time.
func BenchmarkAppend(b *testing.B) {
	for name, writers := range map[string]int{"1-goroutine": 1, "2-goroutines": 2} {
		b.Run(name, func(b *testing.B) {
			f := create(b, Options{})
			entries, size := mix(1000)
			b.SetBytes(size * int64(writers))
			b.ReportAllocs()
			for b.Loop() {
				var wg sync.WaitGroup
				for range writers {
					wg.Go(func() {
						for i := 0; i < len(entries); i += 100 {
							own := entries[i : i+100]
							if writers > 1 {
								own = append([]session.Entry(nil), own...) // Append numbers them
							}
							if err := f.Append(own); err != nil {
								panic(err)
							}
						}
					})
				}
				wg.Wait()
			}
		})
	}
}

// BenchmarkAppendOne measures appending a single message.
func BenchmarkAppendOne(b *testing.B) {
	f := create(b, Options{})
	entries, _ := mix(1000)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if err := f.Append(entries[i%1000 : i%1000+1]); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

// BenchmarkOpen opens 100 MB.
func BenchmarkOpen(b *testing.B) {
	f := create(b, Options{})
	entries, size := mix(10_000)
	for total := int64(0); total < 100<<20; total += size {
		require.NoError(b, f.Append(entries))
	}
	require.NoError(b, f.Close())
	b.SetBytes(f.Stats().Size)
	b.ReportAllocs()
	for b.Loop() {
		r, err := Open(f.Path())
		require.NoError(b, err)
		require.NoError(b, r.Close())
	}
}

// BenchmarkReadOnly reads the same 100 MB and does nothing with them.
func BenchmarkReadOnly(b *testing.B) {
	f := create(b, Options{})
	entries, size := mix(10_000)
	for total := int64(0); total < 100<<20; total += size {
		require.NoError(b, f.Append(entries))
	}
	b.SetBytes(f.Stats().Size)
	buf := make([]byte, firstBuffer)
	for b.Loop() {
		_, err := io.CopyBuffer(io.Discard, struct{ io.Reader }{io.NewSectionReader(&f.files, 0, 1<<40)}, buf)
		require.NoError(b, err)
	}
}
