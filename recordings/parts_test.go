package recordings

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/tools/corpus"
	"mcpdbg/session"
)

// recordParts records n entries of all representations in files of at most most bytes.
func recordParts(t testing.TB, most int64, n int) *File {
	t.Helper()
	f := create(t, Options{MaxPart: most})
	require.NoError(t, f.Append([]session.Entry{session.NewEntry(session.KindStart, 0, session.StartBody{Process: "mcp-stdio-1"})}))
	appendLines(t, f, 0, n)
	return f
}

func appendLines(t testing.TB, f *File, from, n int) {
	t.Helper()
	messages := corpus.MIX(n)
	for i := from; i < from+n; i += 3 {
		seq := uint64(i/3 + 1)
		require.NoError(t, f.Append([]session.Entry{
			stdout(seq, string(messages[i-from])), stdout(seq, "quoted \"line\"\t"), stdout(seq, "\xff\x00"),
		}))
	}
}

// partPaths returns the files of a recording.
func partPaths(t testing.TB, first string) []string {
	t.Helper()
	p, err := openFile(first)
	require.NoError(t, err)
	defer p.Close()
	return p.paths()
}

// requireEntries fails if two sources differ in a row, or in the bytes of one.
func requireEntries(t testing.TB, want, have session.Source) {
	t.Helper()
	all := rows(t, want)
	require.Equal(t, all, rows(t, have))
	for _, row := range all {
		a, err := want.Entry(row, 0)
		require.NoError(t, err)
		b, err := have.Entry(row, 0)
		require.NoError(t, err)
		require.Equal(t, a, b)
	}
}

func TestPartNames(t *testing.T) {
	for _, c := range []struct {
		first, part string
		n           int
	}{
		{"a.jsonl", "a.part2.jsonl", 2}, {"dir.d/a", "dir.d/a.part10", 10}, {"a.b.rec", "a.b.part3.rec", 3},
		{"a.part2.jsonl", "a.part2.part2.jsonl", 2},
	} {
		require.Equal(t, c.part, PartPath(c.first, c.n))
		first, n := partOf(c.part)
		require.Equal(t, c.first, first)
		require.Equal(t, c.n, n)
	}
	require.Equal(t, "a.jsonl", PartPath("a.jsonl", 1))
	for _, name := range []string{"a.jsonl", "a.part1.jsonl", "a.part02.jsonl", ".part2.jsonl", "a.part.jsonl", "a.part9999999999.jsonl", "part2.jsonl"} {
		_, n := partOf(name)
		require.Zero(t, n, name)
	}
}

func TestPartsAreOneRecording(t *testing.T) {
	const most = 16 << 10
	f := recordParts(t, most, 600)
	paths := partPaths(t, f.Path())
	require.Greater(t, len(paths), 5)

	// Closed, and while it is being written.
	live := open(t, f.Path())
	require.True(t, live.Live())
	requireEntries(t, f, live)
	require.NoError(t, f.Close())
	r := open(t, f.Path())
	requireEntries(t, f, r)
	require.Zero(t, r.Warnings())
	require.Equal(t, session.RecordingDone, r.Stats().Recording)
	require.Equal(t, f.Stats(), r.Stats())
	require.Zero(t, r.Header().Part)

	report, err := Verify(f.Path())
	require.NoError(t, err)
	require.Empty(t, report.Problems)
	require.True(t, report.Finished)
	s, err := Peek(f.Path())
	require.NoError(t, err)
	require.Equal(t, session.RecordingDone, s.State)
	require.EqualValues(t, f.Len(), s.Entries)
	require.Equal(t, r.Stats().Size, s.Size)

	// Each is a valid file; together they equal the recording in one file.
	var whole bytes.Buffer
	for i, path := range partPaths(t, f.Path()) {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.LessOrEqual(t, len(data), most)
		require.True(t, i == len(paths)-1 || len(data) > most/2, "%s has %d bytes", path, len(data))
		header, err := headerOf(path)
		require.NoError(t, err)
		require.Equal(t, f.Header().ID, header.ID)
		_, lines, _ := bytes.Cut(data, []byte("\n"))
		if i == 0 {
			lines = data
		} else {
			require.Equal(t, i+1, header.Part)
			first, err := Decode(lines[:bytes.IndexByte(lines, '\n')+1])
			require.NoError(t, err)
			require.Equal(t, first.N, header.First)
		}
		whole.Write(lines)
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	one := filepath.Join(t.TempDir(), "one.jsonl")
	require.NoError(t, os.WriteFile(one, whole.Bytes(), 0o600))
	requireEntries(t, r, open(t, one))

	scanner, err := NewScanner(f.Path())
	require.NoError(t, err)
	defer scanner.Close()
	lines := 0
	for scanner.Next() {
		_, err := scanner.Decode()
		require.NoError(t, err)
		lines++
	}
	require.NoError(t, scanner.Err())
	require.Equal(t, f.Len(), lines)
}

// TestNoPartIsTooLong uses sizes that put every offset of a line at the end of a part.
func TestNoPartIsTooLong(t *testing.T) {
	for most := int64(1200); most < 1500; most += 7 {
		f := recordParts(t, most, 30)
		for _, path := range partPaths(t, f.Path()) {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			if int64(len(data)) > most {
				require.Equal(t, 3, bytes.Count(data, []byte("\n")), "a long line alone: header, line and part entry")
			}
		}
		requireEntries(t, f, open(t, f.Path()))
	}
}

func TestLongEntryHasItsOwnPart(t *testing.T) {
	f := create(t, Options{MaxPart: 4 << 10})
	long := strings.Repeat("long \"quoted\" ", 100_000)
	require.NoError(t, f.Append([]session.Entry{stdout(1, "a"), stdout(2, long), stdout(3, `{"id":1,"method":"`+long[:5]+strings.Repeat("x", 80_000)+`"}`), stdout(4, "b")}))
	require.NoError(t, f.Close())
	require.Len(t, partPaths(t, f.Path()), 4)
	requireEntries(t, f, open(t, f.Path()))
}

func TestStdinStaysAfterItsAct(t *testing.T) {
	for most := int64(2000); most < 2300; most += 30 {
		stdinStaysAfterAct(t, most)
	}
}

func stdinStaysAfterAct(t *testing.T, most int64) {
	t.Helper()
	f := create(t, Options{MaxPart: most})
	for range 50 {
		require.NoError(t, f.Append([]session.Entry{
			session.NewEntry(session.KindAct, 0, session.ActBody{Act: session.ActAnswer, By: "policy"}),
			{Kind: session.KindStdin, Payload: []byte(strings.Repeat("x", 100))},
		}))
	}
	require.NoError(t, f.Close())
	require.Greater(t, len(partPaths(t, f.Path())), 3)
	report, err := Verify(f.Path())
	require.NoError(t, err)
	require.Empty(t, report.Problems)
}

func TestPartAlone(t *testing.T) {
	f := recordParts(t, 16<<10, 300)
	require.NoError(t, f.Append([]session.Entry{stdout(101, `{"id":1,"result":{}}`),
		session.NewEntry(session.KindExited, 102, session.ExitedBody{}),
		session.NewEntry(session.KindClosed, 103, session.ClosedBody{})}))
	require.NoError(t, f.Close())
	paths, total := partPaths(t, f.Path()), 0
	for i, path := range paths {
		alone := filepath.Join(t.TempDir(), filepath.Base(path)) // with no other part next to it
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(alone, data, 0o600))
		for _, path := range []string{alone, path}[:min(2, i+1)] {
			r := open(t, path)
			require.Zero(t, r.Warnings())
			want := session.RecordingParted
			if i == len(paths)-1 {
				want = session.RecordingDone
			}
			require.Equal(t, want, r.Stats().Recording)
			if path == alone {
				total += r.Len()
			}
			s, err := Peek(path)
			require.NoError(t, err)
			require.Equal(t, want, s.State)
		}
		report, err := Verify(alone)
		require.NoError(t, err)
		if i < len(paths)-1 {
			require.Empty(t, report.Problems)
			require.Equal(t, 1, report.Warnings.MissingParts)
		}
	}
	require.Equal(t, f.Len(), total)
}

func TestMissingParts(t *testing.T) {
	f := recordParts(t, 8<<10, 600)
	require.NoError(t, f.Close())
	paths := partPaths(t, f.Path())
	require.Greater(t, len(paths), 8)
	gone := open(t, paths[2]).Len() + open(t, paths[3]).Len() + open(t, paths[5]).Len()
	for _, i := range []int{2, 3, 5} {
		require.NoError(t, os.Remove(paths[i]))
	}
	r := open(t, f.Path())
	require.Equal(t, Warnings{MissingParts: 3}, r.Warnings())
	require.Equal(t, "3 missing parts", r.Warnings().String())
	require.Equal(t, session.RecordingParted, r.Stats().Recording, "not done, although its end is there")
	summary, err := Peek(f.Path())
	require.NoError(t, err)
	require.Equal(t, session.RecordingParted, summary.State)
	require.Equal(t, f.Len()-gone, r.Len())
	for _, row := range rows(t, r) {
		_, err := r.Entry(row, 0)
		require.NoError(t, err)
	}
	report, err := Verify(f.Path())
	require.NoError(t, err)
	require.Contains(t, fmt.Sprint(report.Problems), "3 parts are missing")

	require.NoError(t, os.Remove(paths[len(paths)-1]))
	require.Equal(t, session.RecordingParted, open(t, f.Path()).Stats().Recording)
}

// TestFilesNamedLikeParts checks that a file named like a part is not taken for one.
func TestFilesNamedLikeParts(t *testing.T) {
	stranger := recordParts(t, 0, 9)
	require.NoError(t, stranger.Close())
	text, err := os.ReadFile(stranger.Path())
	require.NoError(t, err)
	header, _, _ := bytes.Cut(text, []byte("\n"))
	foreign := bytes.Replace(header, []byte(`"argv":[]`), []byte(`"argv":[],"part":2,"first":11`), 1)
	own := bytes.Replace(header, []byte(`"argv":[]`), []byte(`"argv":[],"part":3,"first":9`), 1)
	for name, data := range map[string][]byte{
		"another": text, "empty": nil, "text": []byte("hello\n"), "torn": []byte(`{"mcpdbg":1`), "another number": append(own, '\n'), "another id": append(foreign, '\n'),
	} {
		t.Run(name, func(t *testing.T) {
			f := recordParts(t, 0, 9)
			require.NoError(t, f.Close())
			require.NoError(t, os.WriteFile(PartPath(f.Path(), 2), bytes.ReplaceAll(data, []byte(stranger.Header().ID), []byte(id(name, f))), 0o600))
			require.NoError(t, os.Mkdir(PartPath(f.Path(), 3), 0o700))
			requireEntries(t, f, open(t, f.Path()))
			require.NoError(t, Remove(f.Path(), false))
			require.FileExists(t, PartPath(f.Path(), 2))
		})
	}
}

// id returns the id of the recording, or a different one for the file "another id".
func id(name string, f *File) string {
	if name == "another id" {
		return f.Header().ID[:20] + "000000"
	}
	return f.Header().ID
}

// TestPartEndsEarly: a crash may lose the end of a part, but not the next part.
func TestPartEndsEarly(t *testing.T) {
	f := recordParts(t, 8<<10, 300)
	require.NoError(t, f.Close())
	paths := partPaths(t, f.Path())
	info, err := os.Stat(paths[1])
	require.NoError(t, err)
	require.NoError(t, os.Truncate(paths[1], info.Size()-150))
	r := open(t, f.Path())
	require.Zero(t, r.Warnings())
	all := rows(t, f)
	have := map[uint64]bool{}
	for _, row := range rows(t, r) {
		e, err := r.Entry(row, 0)
		require.NoError(t, err)
		have[e.N] = true
	}
	require.Less(t, len(have), len(all))
	header, err := headerOf(paths[2])
	require.NoError(t, err)
	for n := header.First; n <= uint64(len(all)); n++ {
		require.True(t, have[n], n)
	}
}

func TestLiveRecordingIsFollowedIntoNextParts(t *testing.T) {
	f := recordParts(t, 64<<10, 30)
	r, err := OpenProgressive(f.Path())
	require.NoError(t, err)
	t.Cleanup(func() { _ = r.Close() })
	require.Len(t, partPaths(t, f.Path()), 1)
	until := func(done func() bool) {
		for !done() {
			changed := r.Changed()
			if !done() {
				<-changed
			}
		}
	}
	for i := range 4 {
		appendLines(t, f, 30+600*i, 600)
		until(func() bool { return r.Len() == f.Len() })
		require.Equal(t, session.RecordingOn, r.Stats().Recording)
	}
	require.Greater(t, len(partPaths(t, f.Path())), 5)
	require.NoError(t, f.Close())
	until(func() bool { return r.Stats().Recording.Complete() })
	require.Equal(t, session.RecordingDone, r.Stats().Recording)
	requireEntries(t, f, r)
}

func TestFullDiskBetweenParts(t *testing.T) {
	const most = 1 << 10
	for room := 0; room < 2*most; room += 7 { // the disk is full at many offsets
		f := create(t, Options{MaxPart: most})
		full(f, room)
		appendLines(t, f, 0, 36)
		require.Equal(t, session.RecordingStopped, f.Stats().Recording, room)
		require.ErrorIs(t, f.Close(), syscall.ENOSPC)

		r := open(t, f.Path())
		require.Zero(t, r.Warnings())
		require.Equal(t, session.RecordingTorn, r.Stats().Recording, room)
		require.Equal(t, rows(t, f)[:r.Len()], rows(t, r))
		requireReadable(t, f)
		for _, path := range partPaths(t, f.Path()) {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			require.True(t, bytes.HasSuffix(data, []byte("\n")), "torn lines are cut off")
		}
	}
}

// requireReadable fails if an entry can't be read, or the numbers have a gap.
func requireReadable(t testing.TB, src session.Source) {
	t.Helper()
	for i, row := range rows(t, src) {
		e, err := src.Entry(row, 0)
		require.NoError(t, err)
		require.EqualValues(t, i+1, e.N)
	}
}

func TestRecordingContinuesInSameFileWithoutNextPart(t *testing.T) {
	f := create(t, Options{MaxPart: 4 << 10})
	require.NoError(t, os.WriteFile(PartPath(f.Path(), 2), []byte("somebody's\n"), 0o600))
	appendLines(t, f, 0, 90)
	require.NoError(t, f.Close())
	requireReadable(t, f)
	r := open(t, f.Path())
	requireEntries(t, f, r)
	notes := 0
	for _, row := range rows(t, r) {
		if row.Kind == session.KindNote {
			e, err := r.Entry(row, 0)
			require.NoError(t, err)
			require.Contains(t, string(e.Body), "create part 2: file exists")
			notes++
		}
	}
	require.InDelta(t, float64(r.Stats().Size)/(4<<10), notes, 2, "one each time that a part would be full")
	data, err := os.ReadFile(PartPath(f.Path(), 2))
	require.NoError(t, err)
	require.Equal(t, "somebody's\n", string(data))

	_, err = Create(Options{Path: filepath.Join(filepath.Dir(f.Path()), "rec.jsonl"), MaxPart: 1 << 20})
	require.ErrorIs(t, err, os.ErrExist)
}

func TestPartsAreRemovedTogether(t *testing.T) {
	f := recordParts(t, 8<<10, 300)
	paths := partPaths(t, f.Path())
	require.ErrorIs(t, Remove(f.Path(), false), ErrLive)
	require.NoError(t, f.Close())
	require.ErrorIs(t, Remove(paths[1], true), ErrPart)
	first, ok := FirstPart(paths[1])
	require.True(t, ok)
	require.Equal(t, f.Path(), first)
	require.NoError(t, Remove(f.Path(), false))
	left, err := os.ReadDir(filepath.Dir(f.Path()))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestStoredIndexCoversAllParts(t *testing.T) {
	f := create(t, Options{MaxPart: 1 << 20})
	line := []session.Entry{stdout(1, `{"jsonrpc":"2.0","id":1,"method":"`+strings.Repeat("x", 1000)+`"}`)}
	for range 10_000 {
		line[0].Seq++
		require.NoError(t, f.Append(line))
	}
	require.NoError(t, f.Close())
	r := open(t, f.Path())
	require.NotNil(t, r.restored, "Close stores it")
	require.Equal(t, f.Len(), r.Len())
	requireReadable(t, r)

	paths := partPaths(t, f.Path())
	require.Greater(t, len(paths), 8)
	require.NoError(t, os.Remove(paths[3]))
	r = open(t, f.Path())
	require.Nil(t, r.restored, "it does not match the current files")
	require.Equal(t, 1, r.Warnings().MissingParts)
}

// TestReadingAChain checks that reads across files equal reads of one file.
func TestReadingAChain(t *testing.T) {
	var c chain
	var want []byte
	for i := range 5 {
		f, err := os.Create(filepath.Join(t.TempDir(), "f"))
		require.NoError(t, err)
		data := bytes.Repeat([]byte{byte('a' + i)}, 10*i+1)
		_, err = f.Write(append([]byte("header"), data...))
		require.NoError(t, err)
		c.add(f, int64(len(want)), int64(len("header")))
		want = append(want, data...)
	}
	defer c.Close()
	for from := range len(want) + 2 {
		for n := range len(want) + 3 {
			p := make([]byte, n)
			got, err := c.ReadAt(p, int64(from))
			expect := want[min(from, len(want)):min(from+n, len(want))]
			require.Equal(t, string(expect), string(p[:got]))
			if got < n {
				require.ErrorIs(t, err, io.EOF)
			}
		}
	}
	info, err := c.Stat()
	require.NoError(t, err)
	require.EqualValues(t, len(want), info.Size())
}
