package recordings

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/index"
)

// storeIndex stores the index of the recording at path, however small, and
// returns its path.
func storeIndex(t testing.TB, path string) string {
	t.Helper()
	r := openRecording(t, path, allRows, "")
	<-r.Indexed()
	r.over.Wait()
	info, err := r.f.Stat()
	require.NoError(t, err)
	stored := filepath.Join(t.TempDir(), "index", "stored"+storedSuffix)
	require.NoError(t, storeAt(stored, func(w io.Writer) error {
		return writeStored(w, r.indexer.index, r.header.ID, r.f, info, r.indexer.position)
	}))
	require.NoError(t, r.Close())
	return stored
}

// openStored opens a recording with its stored index.
func openStored(t testing.TB, path, stored string) *Recording {
	t.Helper()
	r := openRecording(t, path, allRows, stored)
	<-r.Indexed()
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

// requireSame requires two recordings to be indistinguishable.
func requireSame(t testing.TB, want, got *Recording) {
	t.Helper()
	require.Equal(t, want.Stats(), got.Stats())
	require.Equal(t, want.Warnings(), got.Warnings())
	a, b := rows(t, want), rows(t, got)
	require.Len(t, b, len(a))
	for i := range a {
		if a[i] != b[i] || want.Method(a[i].Method) != got.Method(b[i].Method) {
			require.Equal(t, a[i], b[i], "row %d", i)
			require.Equal(t, want.Method(a[i].Method), got.Method(b[i].Method))
		}
	}
	require.Equal(t, stateOf(t, want), stateOf(t, got))
	for k := 0; k < len(a); k += 1 + len(a)/7 {
		require.Equal(t, want.StatsAsOf(k), got.StatsAsOf(k))
		require.Equal(t, want.RowsAsOf(k, 0, a), got.RowsAsOf(k, 0, b))
		require.True(t, slices.Equal(a, b))
	}
}

// stateOf returns the state of an index apart from its rows.
func stateOf(t testing.TB, r *Recording) (state []byte) {
	require.NoError(t, r.index.Load().State(func(piece []byte) error {
		state = append(state, piece...)
		return nil
	}))
	return state
}

func TestStoredIndexEqualsIndex(t *testing.T) {
	path := write(t, header+string(pairs(0, 5000))+`{"n":5001,"t":5000,"k":"std`)
	stored := storeIndex(t, path)
	whole := open(t, path)
	r := openStored(t, path, stored)
	require.NotNil(t, r.restored, "it was used")
	require.Equal(t, int64(len(header)+len(pairs(0, 5000))), r.storedEnd)
	requireSame(t, whole, r)

	info, err := os.Stat(stored)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
	info, err = os.Stat(filepath.Dir(stored))
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o700), info.Mode().Perm())
}

func TestStoredIndexIsExtended(t *testing.T) {
	lines := slicesConcat([]byte(`{"n":1,"t":0,"k":"stdin","m":{"id":"slow","method":"wait"}}`+"\n"), pairs(2, 9001))
	path := write(t, header+string(lines))
	stored := storeIndex(t, path)
	before, err := os.ReadFile(stored)
	require.NoError(t, err)

	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.Write(slicesConcat(pairs(9003, 6000), []byte(`{"n":20000,"t":20000,"k":"stdout","seq":1,"m":{"id":"slow","result":1}}`+"\n")))
	require.NoError(t, err)
	require.NoError(t, f.Close())

	whole := open(t, path)
	r := openStored(t, path, stored)
	require.Equal(t, int64(len(header)+len(lines)), r.storedEnd)
	requireSame(t, whole, r)
	require.Equal(t, map[int64]bool{0: true}, r.restored.moved, "the pending request got its response")
	after, err := os.ReadFile(stored)
	require.NoError(t, err)
	require.True(t, bytes.Equal(before, after), "the stored file never changes")
}

func TestUnreliableStoredIndexIsRejected(t *testing.T) {
	content := header + string(pairs(0, 5000))
	replace := func(file string, change func([]byte) []byte) func(*testing.T, string, string) {
		return func(t *testing.T, path, stored string) {
			target := map[string]string{"recording": path, "index": stored}[file]
			data, err := os.ReadFile(target)
			require.NoError(t, err)
			info, err := os.Stat(target)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(target, change(data), 0o600))
			if file == "recording" {
				require.NoError(t, os.Chtimes(target, info.ModTime(), info.ModTime()))
			}
		}
	}
	at := func(i int) func([]byte) []byte {
		return func(b []byte) []byte {
			if i < 0 {
				i += len(b)
			}
			b[i] ^= 1
			return b
		}
	}
	for name, change := range map[string]func(t *testing.T, path, stored string){
		"the file has another time": func(t *testing.T, path, _ string) {
			require.NoError(t, os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)))
		},
		"another recording of the same size": replace("recording", at(bytes.IndexByte([]byte(header), 'J'))),
		"another head":                       replace("recording", at(len(header)+15)),
		"another end":                        replace("recording", at(-5)),
		"a longer middle": replace("recording", func(b []byte) []byte {
			i := len(b) / 2
			i += bytes.IndexByte(b[i:], '\n') + 1
			return append(append(bytes.Clone(b[:i]), "\n"...), b[i:]...)
		}),
		"the index is empty":       replace("index", func([]byte) []byte { return nil }),
		"it was cut off":           replace("index", func(b []byte) []byte { return b[:len(b)-1] }),
		"it lost a page":           replace("index", func(b []byte) []byte { return b[index.PageSize:] }),
		"another version":          replace("index", at(-2)),
		"its hash is wrong":        replace("index", at(-len(storedMagic)-1)),
		"a length is absurd":       replace("index", at(-len(storedMagic)-24+7)),
		"its state is wrong":       replace("index", at(-storedTrailer-1)),
		"its description is wrong": replace("index", at(3*index.PageSize+12)),
		"a page that was open":     replace("index", at(2*index.PageSize+40)),
		"another version of index": replace("index", reseal(func(doc []byte) []byte { return bytes.Replace(doc, []byte(`{"Index":`), []byte(`{"Index":1`), 1) })),
		"more than the file has":   replace("index", reseal(func(doc []byte) []byte { return bytes.Replace(doc, []byte(`"End":`), []byte(`"End":9`), 1) })),
		"another number of rows":   replace("index", reseal(func(doc []byte) []byte { return bytes.Replace(doc, []byte(`"Entries":5`), []byte(`"Entries":4`), 1) })),
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, content)
			stored := storeIndex(t, path)
			change(t, path, stored)
			whole := openRecording(t, path, allRows, "")
			<-whole.Indexed()
			r := openStored(t, path, stored)
			require.Nil(t, r.restored, "it was not used")
			require.NoFileExists(t, stored)
			requireSame(t, whole, r)
			require.NoError(t, whole.Close())
		})
	}
}

// reseal changes the description in a stored index, and makes its hash match
// again.
func reseal(change func([]byte) []byte) func([]byte) []byte {
	return func(b []byte) []byte {
		trailer := b[len(b)-storedTrailer:]
		length, state := int(binary.LittleEndian.Uint64(trailer)), int(binary.LittleEndian.Uint64(trailer[8:]))
		begin := len(b) - storedTrailer - state - length
		doc := change(bytes.Clone(b[begin : begin+length]))
		body := append(doc, b[begin+length:len(b)-storedTrailer]...)
		out := append(bytes.Clone(b[:begin]), body...)
		out = binary.LittleEndian.AppendUint64(out, uint64(len(doc)))
		out = binary.LittleEndian.AppendUint64(out, uint64(state))
		out = binary.LittleEndian.AppendUint64(out, xxhash.Sum64(body))
		return append(out, storedMagic...)
	}
}

func TestDamagedPageRebuildsIndex(t *testing.T) {
	path := write(t, header+string(pairs(0, 9000)))
	for name, use := range map[string]func(r *Recording){
		"rows":       func(r *Recording) { r.Rows(3000, make([]session.Row, 1)) },
		"as of then": func(r *Recording) { r.RowsAsOf(8000, 100, make([]session.Row, 5000)) },
	} {
		t.Run(name, func(t *testing.T) {
			stored := storeIndex(t, path)
			data, err := os.ReadFile(stored)
			require.NoError(t, err)
			data[index.PageSize+100] ^= 8
			require.NoError(t, os.WriteFile(stored, data, 0o600))
			whole := open(t, path)
			r := openStored(t, path, stored)
			require.NotNil(t, r.restored)
			require.Equal(t, 9000, r.Len())
			use(r)
			require.NoFileExists(t, stored)
			requireSame(t, whole, r)
		})
	}
}

func TestLargeRecordingsAreStored(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir, err := indexDir()
	require.NoError(t, err)
	for want, size := range []int{minStored / 2, minStored + 1<<20} {
		path := filepath.Join(t.TempDir(), "r.jsonl")
		n := writeREC(t, path, int64(size))
		whole := open(t, path)
		whole.over.Wait()
		stored, err := filepath.Glob(filepath.Join(dir, "*"+storedSuffix))
		require.NoError(t, err)
		require.Len(t, stored, want)
		if want == 0 {
			continue
		}
		r, err := OpenProgressive(path)
		require.NoError(t, err)
		require.NotNil(t, r.restored)
		require.Nil(t, r.Tail())
		require.Equal(t, n, r.Len())
		requireSame(t, whole, r)
		require.NoError(t, r.Close())

		r, err = OpenTail(path)
		require.NoError(t, err)
		require.NotNil(t, r.Tail(), "before the stored index is loaded")
		<-r.Indexed()
		require.NotNil(t, r.restored)
		requireSame(t, whole, r)
		require.NoError(t, r.Close())
	}
}

func TestCloseDoesNotWaitForStoringIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	writeREC(t, path, minStored+1<<20)
	for _, atOnce := range []bool{true, false} {
		stored := filepath.Join(t.TempDir(), "stored")
		r := openRecording(t, path, allRows, "") // which does not store the index by itself
		<-r.Indexed()
		require.NoError(t, r.Close())
		r.atOnce, r.storedAt, r.f = atOnce, stored, reopened(t, path)
		r.store()
		if atOnce {
			require.NoFileExists(t, stored)
		} else {
			require.FileExists(t, stored)
		}
		left, err := os.ReadDir(filepath.Dir(stored))
		require.NoError(t, err)
		require.Len(t, left, map[bool]int{true: 0, false: 1}[atOnce], "no file remains")
	}
}

func reopened(t *testing.T, path string) file {
	f, err := openFile(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f
}

func TestLogStoresItsIndex(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	f := create(t, Options{})
	request := stdout(0, `{"id":"slow","method":"wait"}`)
	request.Kind = session.KindStdin
	require.NoError(t, f.Append([]session.Entry{request}))
	entries, _ := mix(5000)
	for f.end < minStored {
		require.NoError(t, f.Append(entries))
	}
	require.NoError(t, f.Append([]session.Entry{stdout(9, `{"id":"slow","result":1}`)}))
	require.NoError(t, f.Close())
	r, err := OpenProgressive(f.Path())
	require.NoError(t, err)
	require.NotNil(t, r.restored)
	fresh := openRecording(t, f.Path(), allRows, "")
	<-fresh.Indexed()
	requireSame(t, fresh, r)
	require.NoError(t, fresh.Close())
	require.NoError(t, r.Close())
}

func TestOldIndexesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	put := func(name string, age time.Duration) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, make([]byte, 100), 0o600))
		require.NoError(t, os.Chtimes(path, now.Add(-age), now.Add(-age)))
	}
	for i := range 5 {
		put(fmt.Sprint(i, storedSuffix), time.Duration(i)*time.Hour)
	}
	put("half"+unfinished, 2*time.Hour)
	put("new"+unfinished, time.Minute)
	put("somebody else's", 1000*time.Hour)
	pruneStored(dir, 250, now)
	var left []string
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	require.Equal(t, []string{"0.index", "1.index", "new.tmp", "somebody else's"}, left)
}

// randomRecording generates a file with all kinds of oddities.
func randomRecording(rng *rand.Rand) []byte {
	b := []byte(header)
	n, t := uint64(0), int64(0)
	add := func(e session.Entry) {
		n, t = n+1, t+rng.Int64N(3)
		e.N, e.T = n, t
		if e.Kind == session.KindStdin || e.Kind == session.KindStdout {
			e.Msg = framing.Scan(e.Payload)
		}
		b = AppendEntry(b, &e)
	}
	kinds := []session.Kind{session.KindStdin, session.KindStdout}
	for range rng.IntN(400) {
		id, kind := rng.IntN(20), kinds[rng.IntN(2)]
		switch rng.IntN(20) {
		case 0:
			add(session.NewEntry(session.KindStart, 0, session.StartBody{Process: "p"}))
		case 1:
			add(session.NewEntry(session.KindClosed, 0, session.ClosedBody{}))
		case 2:
			add(session.Entry{Kind: kind, Payload: fmt.Appendf(nil, `{"method":"notifications/cancelled","params":{"requestId":%d}}`, id)})
		case 3:
			add(session.NewEntry(session.KindGap, 0, session.GapBody{From: 1, To: 2, Bytes: 3}))
		case 4:
			b = append(b, []string{"garbage\n", "\n", `{"n":1,"t":0,"k":"oracle"}` + "\n", `{"n":1,"k":"stdout","odd":1,"raw":""}` + "\n"}[rng.IntN(4)]...)
		case 5:
			add(session.Entry{Kind: session.KindStdout, More: rng.IntN(2) == 0, EOL: framing.NoEOL, Payload: []byte("part")})
		case 6:
			add(session.Entry{Kind: session.KindStdin, EOL: framing.NoEOL, Payload: []byte(`{"id":1,`)})
		case 7:
			add(session.Entry{Kind: session.KindStderr, Payload: bytes.Repeat([]byte("\xff"), rng.IntN(100))})
		case 8:
			if rng.IntN(8) == 0 {
				add(session.Entry{Kind: session.KindStderr, Payload: bytes.Repeat([]byte("long "), rng.IntN(300_000))})
			}
		case 9, 10, 11, 12, 13:
			add(session.Entry{Kind: kind, Payload: fmt.Appendf(nil, `{"id":%d,"method":"%s"}`, id, []string{"a", "b", "server/discover", "initialize"}[rng.IntN(4)])})
		default:
			add(session.Entry{Kind: kind, Payload: fmt.Appendf(nil, `{"id":%d,"%s":{"isError":true}}`, id, []string{"result", "error"}[rng.IntN(2)])})
		}
	}
	if rng.IntN(3) == 0 {
		add(session.Entry{Kind: session.KindEnd})
	}
	if rng.IntN(3) == 0 {
		b = b[:max(len(header), len(b)-rng.IntN(30))]
	}
	return b
}

// seeds is how many random recordings a test makes; the long tests set more.
var seeds = uint64(8)

// TestAllWaysToOpenAgree checks that a recording is the same however it was
// opened.
func TestAllWaysToOpenAgree(t *testing.T) {
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 7))
		content := randomRecording(rng)
		path := write(t, string(content))
		whole := openRecording(t, path, allRows, "")
		<-whole.Indexed()

		atOnce := openRecording(t, path, lastRows, "")
		<-atOnce.Indexed()
		requireSame(t, whole, atOnce)
		if tail := atOnce.Tail(); tail != nil {
			all, last := rows(t, whole), rows(t, tail)
			for i, row := range last {
				of := all[len(all)-len(last)+i]
				require.Equal(t, []any{of.Off, of.Len, of.T, of.Kind}, []any{row.Off, row.Len, row.T, row.Kind})
			}
		}
		require.NoError(t, atOnce.Close())

		// Store the index of the first lines, then append more.
		cut := len(header) + rng.IntN(len(content)-len(header)+1)
		require.NoError(t, os.Truncate(path, int64(cut)))
		stored := storeIndex(t, path)
		require.NoError(t, os.WriteFile(path, content, 0o600))
		require.NoError(t, os.Chtimes(path, time.Time{}, time.Now().Add(time.Second)))
		extended := openStored(t, path, stored)
		requireSame(t, whole, extended)
		require.NoError(t, whole.Close())
	}
}
