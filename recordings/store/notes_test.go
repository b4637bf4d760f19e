package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

const id = "01JD0000000000000000000001"

// open opens the notes of a recording.
func open(t testing.TB, recording string) *Notes {
	t.Helper()
	x, err := OpenNotes(recording, id)
	require.NoError(t, err)
	return x
}

// with returns a recording whose notes file has the given content.
func with(t testing.TB, content string) (recording string) {
	t.Helper()
	recording = filepath.Join(t.TempDir(), "rec.jsonl")
	require.NoError(t, os.WriteFile(NotesPath(recording), []byte(content), 0o600))
	return recording
}

const head = `{"mcpdbg_notes":1,"recording":"` + id + `"}` + "\n"

func TestNotesAreKept(t *testing.T) {
	recording := filepath.Join(t.TempDir(), "rec.jsonl")
	x := open(t, recording)
	require.Empty(t, x.All())
	require.NoFileExists(t, NotesPath(recording), "nothing is written before there is a note")

	require.NoError(t, x.Set(40, Note{Mark: true}))
	require.NoError(t, x.Set(7, Note{Text: "why does it take so long?\n\"<here>\""}))
	require.NoError(t, x.Set(40, Note{Mark: true, Text: "first"}))
	require.NoError(t, x.Set(9, Note{Mark: true}))
	require.NoError(t, x.Set(9, Note{}))
	require.NoError(t, x.Set(9, Note{}), "removing a missing note is not a change")

	want := []NotedEntry{{7, Note{Text: "why does it take so long?\n\"<here>\""}}, {40, Note{Mark: true, Text: "first"}}}
	require.Equal(t, want, x.All())
	again := open(t, recording)
	require.Equal(t, want, again.All())
	require.Equal(t, want[1].Note, again.At(40))
	require.Zero(t, again.At(9))
	require.Zero(t, again.Skipped())

	info, err := os.Stat(NotesPath(recording))
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
	written, err := os.ReadFile(NotesPath(recording))
	require.NoError(t, err)
	golden, err := os.ReadFile("testdata/v1.notes")
	require.NoError(t, err)
	require.Equal(t, string(golden), string(written))
}

func TestMarks(t *testing.T) {
	x := open(t, filepath.Join(t.TempDir(), "rec.jsonl"))
	for n, note := range map[uint64]Note{3: {Mark: true}, 5: {Text: "no mark"}, 9: {Mark: true, Text: "x"}, 20: {Mark: true}} {
		require.NoError(t, x.Set(n, note))
	}
	for n, want := range map[uint64][2]uint64{0: {3, 0}, 3: {9, 0}, 4: {9, 3}, 5: {9, 3}, 9: {20, 3}, 19: {20, 9}, 20: {0, 9}, 99: {0, 20}} {
		next, ok := x.Next(n)
		require.Equal(t, want[0], next, "after %d", n)
		require.Equal(t, next != 0, ok)
		previous, ok := x.Previous(n)
		require.Equal(t, want[1], previous, "before %d", n)
		require.Equal(t, previous != 0, ok)
	}
}

func TestTornAndInvalidLines(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		want    []NotedEntry
		skipped int
	}{
		"empty":              {"", []NotedEntry{}, 0},
		"header":             {head, []NotedEntry{}, 0},
		"torn header":        {head[:20], []NotedEntry{}, 0},
		"header, no end":     {head[:len(head)-1], []NotedEntry{}, 0},
		"torn change":        {head + `{"n":1,"mark":true}` + "\n" + `{"n":1,"te`, []NotedEntry{{1, Note{Mark: true}}}, 0},
		"no change":          {head + "hello\n" + `{"n":2,"mark":true}` + "\n\n" + `{"n":0,"mark":true}` + "\n", []NotedEntry{{2, Note{Mark: true}}}, 3},
		"begun twice":        {head + head + `{"n":2,"mark":true}` + "\n", []NotedEntry{{2, Note{Mark: true}}}, 0},
		"unknown members":    {head + `{"n":2,"mark":true,"color":"red"}` + "\n", []NotedEntry{{2, Note{Mark: true}}}, 0},
		"too long a text":    {head + `{"n":2,"text":"` + strings.Repeat("x", maxText+1) + `"}` + "\n", []NotedEntry{}, 1},
		"the largest number": {head + `{"n":18446744073709551615,"mark":true}` + "\n", []NotedEntry{{1<<64 - 1, Note{Mark: true}}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			recording := with(t, c.content)
			x := open(t, recording)
			require.Equal(t, c.want, x.All())
			require.Equal(t, c.skipped, x.Skipped())

			// New changes are appended.
			require.NoError(t, x.Set(1, Note{Text: "more"}))
			require.Equal(t, x.All(), open(t, recording).All())
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	for name, c := range map[string]struct{ content, want string }{
		"a recording":     {`{"mcpdbg":1,"id":"x"}` + "\n", "not a notes file"},
		"text":            {"hello", "not a notes file"},
		"a later version": {`{"mcpdbg_notes":2,"recording":"` + id + `"}` + "\n", "unknown format version 2"},
		"too large":       {head + strings.Repeat("\n", maxFile), "larger than 16 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			recording := with(t, c.content)
			_, err := OpenNotes(recording, id)
			require.ErrorAs(t, err, new(*NotesFormatError))
			require.EqualError(t, err, "notes "+NotesPath(recording)+": "+c.want)
		})
	}
	t.Run("of another recording", func(t *testing.T) {
		recording := with(t, strings.ReplaceAll(head, id, "another"))
		_, err := OpenNotes(recording, id)
		other := new(OtherNotesError)
		require.ErrorAs(t, err, &other)
		require.Equal(t, OtherNotesError{Path: NotesPath(recording), ID: "another", Want: id}, *other)
	})
	t.Run("no file", func(t *testing.T) {
		recording := filepath.Join(t.TempDir(), "rec.jsonl")
		require.NoError(t, os.Mkdir(NotesPath(recording), 0o700))
		_, err := OpenNotes(recording, id)
		require.ErrorContains(t, err, "not a regular file")
	})
	t.Run("a text", func(t *testing.T) {
		x := open(t, filepath.Join(t.TempDir(), "rec.jsonl"))
		require.ErrorContains(t, x.Set(1, Note{Text: strings.Repeat("x", maxText+1)}), "too long: the limit is 65536")
		require.Empty(t, x.All())
		require.NoError(t, x.Set(1, Note{Text: "\xff"}))
		require.Equal(t, "\ufffd", x.At(1).Text)
	})
}

func TestUnwritableNotesAreKeptInMemory(t *testing.T) {
	recording := filepath.Join(t.TempDir(), "gone", "rec.jsonl")
	x := open(t, recording)
	err := x.Set(1, Note{Mark: true})
	require.ErrorAs(t, err, new(*SaveNotesError))
	require.ErrorIs(t, err, syscall.ENOENT)
	require.ErrorContains(t, err, "notes are not saved and will be lost on exit: ")
	require.True(t, x.Unsaved())
	require.NoError(t, x.Set(2, Note{Mark: true}), "reported once")
	require.Len(t, x.All(), 2)
}

func TestFullFile(t *testing.T) {
	recording := with(t, head+strings.Repeat("\n", maxFile-len(head)-10))
	x := open(t, recording)
	err := x.Set(1, Note{Mark: true})
	require.ErrorIs(t, err, errFull)
	require.True(t, x.At(1).Mark)
	info, err := os.Stat(NotesPath(recording))
	require.NoError(t, err)
	require.EqualValues(t, maxFile-10, info.Size())
}

func TestTwoProgramsLoseNothing(t *testing.T) {
	recording := filepath.Join(t.TempDir(), "rec.jsonl")
	one, other := open(t, recording), open(t, recording)
	require.NoError(t, one.Set(1, Note{Mark: true}))
	require.NoError(t, other.Set(2, Note{Mark: true}))
	require.Len(t, open(t, recording).All(), 2)
}

func FuzzParse(f *testing.F) {
	golden, err := os.ReadFile("testdata/v1.notes")
	require.NoError(f, err)
	f.Add(golden)
	f.Add([]byte(head + `{"n":1,"mark":true}` + "\n" + `{"n":1}` + "\n" + `{"n":2,"text":"x`))
	f.Fuzz(func(t *testing.T, content []byte) {
		x := &Notes{id: id, notes: make(map[uint64]Note)}
		if _, err := parse(content, x); err != nil {
			return
		}
		all := x.All()
		require.Len(t, x.notes, len(all))
		for i, e := range all {
			require.NotZero(t, e.Note)
			require.NotZero(t, e.N)
			require.LessOrEqual(t, len(e.Text), maxText)
			require.True(t, i == 0 || all[i-1].N < e.N)
		}
	})
}
