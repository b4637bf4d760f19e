//go:build unix

package recordings

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
)

// accidents are what other programs do to a recording while it is open.
var accidents = map[string]struct {
	do    func(path string) error
	error string // after the path; "" for a recording that is complete
	moved string // %s is replaced by the folder
}{
	"nothing": {do: func(string) error { return nil }},
	"deleted": {do: os.Remove, error: "was deleted while it was open"},
	"deleted with its folder": {
		do: func(path string) error { return os.RemoveAll(filepath.Dir(path)) }, error: "was deleted while it was open",
	},
	"replaced by a rename": {
		do: func(path string) error {
			if err := os.WriteFile(path+".other", []byte("{}\n"), 0o600); err != nil {
				return err
			}
			return os.Rename(path+".other", path)
		},
		error: "was replaced while it was open",
	},
	"deleted and created again": {
		do: func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.WriteFile(path, []byte("{}\n"), 0o600)
		},
		error: "was replaced while it was open",
	},
	"truncated": {do: func(path string) error { return os.Truncate(path, 0) }, error: "was truncated while it was open"},
	"truncated in the middle": {
		do: func(path string) error {
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			return os.Truncate(path, info.Size()-10)
		},
		error: "was truncated while it was open",
	},
	"overwritten": {
		do:    func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("x", 10_000)), 0o600) },
		error: "was changed by another program while it was open",
	},
	"appended to": {
		do: func(path string) error {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString(strings.Repeat("x", 10_000))
			return err
		},
		error: "was changed by another program while it was open",
	},
	"renamed": {do: func(path string) error { return os.Rename(path, path+".kept") }, moved: "moved to %s/rec.jsonl.kept"},
	"renamed, and its name taken": {
		do: func(path string) error {
			if err := os.Rename(path, path+".kept"); err != nil {
				return err
			}
			return os.WriteFile(path, []byte("{}\n"), 0o600)
		},
		moved: "moved to %s/rec.jsonl.kept",
	},
	"moved with its folder": {
		do: func(path string) error {
			dir := filepath.Dir(path)
			return os.Rename(dir, dir+".kept")
		},
		moved: "moved to %s.kept/rec.jsonl",
	},
	"linked twice, and one name removed": {
		do: func(path string) error {
			if err := os.Link(path, path+".second"); err != nil {
				return err
			}
			return os.Remove(path + ".second")
		},
	},
	"moved, with a link in its place": {
		do: func(path string) error {
			if err := os.Rename(path, path+".kept"); err != nil {
				return err
			}
			return os.Symlink(path+".kept", path)
		},
	},
}

// moveIs returns the text for a move: only systems with /proc know the target.
func moveIs(text, dir string) string {
	if text != "" && runtime.GOOS != "linux" {
		return "moved"
	}
	return strings.ReplaceAll(text, "%s", dir)
}

// folder returns a test folder without symbolic links in its path.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	dir = filepath.Join(dir, "d")
	require.NoError(t, os.Mkdir(dir, 0o700))
	return dir
}

func TestCloseReportsFileErrors(t *testing.T) {
	for name, m := range accidents {
		for _, written := range []bool{false, true} { // whether more is written afterwards
			t.Run(name, func(t *testing.T) {
				dir := folder(t)
				f := create(t, Options{Path: filepath.Join(dir, "rec.jsonl")})
				require.NoError(t, f.Append([]session.Entry{stdout(1, "one"), stdout(2, strings.Repeat("two", 100))}))
				if name == "appended to" {
					release(f.part.f, f.end, &f.part.reserve) // with reserved space the end of the file is restored
				}
				require.NoError(t, m.do(f.Path()))
				if written {
					require.NoError(t, f.Append([]session.Entry{stdout(3, strings.Repeat("three", 100))}))
				}
				err := f.Close()
				stats := f.Stats()
				require.Equal(t, moveIs(m.moved, dir), stats.RecordingMoved)
				if m.error == "" {
					require.NoError(t, err)
					require.Equal(t, session.RecordingDone, stats.Recording)
					return
				}
				require.EqualError(t, err, f.Path()+" "+m.error)
				require.ErrorAs(t, err, new(*FileError))
				require.Equal(t, session.RecordingIncomplete, stats.Recording)
				require.Equal(t, err.Error(), stats.RecordingError)
			})
		}
	}
}

func TestSyncReportsFileErrors(t *testing.T) {
	for name, m := range accidents {
		if name == "appended to" { // only the last check can tell: the recorder may be about to write
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := folder(t)
			synctest.Test(t, func(t *testing.T) {
				f := createSynced(t, Options{Path: filepath.Join(dir, "rec.jsonl")})
				require.NoError(t, f.Append([]session.Entry{stdout(1, strings.Repeat("one", 100))}))
				<-time.After(2 * syncEvery)
				synctest.Wait()
				require.Empty(t, f.Stats().RecordingError)
				require.NoError(t, m.do(f.Path()))
				changed := f.Changed()
				<-time.After(lookEvery + syncEvery) // nothing is written
				synctest.Wait()
				require.Equal(t, moveIs(m.moved, dir), f.Stats().RecordingMoved)
				if m.error == "" && m.moved == "" {
					require.Empty(t, f.Stats().RecordingError)
					return
				}
				<-changed
				if m.error != "" {
					require.Equal(t, f.Path()+" "+m.error, f.Stats().RecordingError)
				}
			})
		})
	}
}

func TestEveryPartIsWatched(t *testing.T) {
	for part := 1; part <= 3; part++ {
		dir := folder(t)
		f := create(t, Options{Path: filepath.Join(dir, "rec.jsonl"), MaxPart: 2000})
		for i := range uint64(10) {
			require.NoError(t, f.Append([]session.Entry{stdout(i+1, strings.Repeat("x", 500))}))
		}
		require.NoError(t, os.Remove(PartPath(f.Path(), part)))
		require.EqualError(t, f.Close(), PartPath(f.Path(), part)+" was deleted while it was open")

		g := create(t, Options{Path: filepath.Join(folder(t), "rec.jsonl"), MaxPart: 2000})
		for i := range uint64(10) {
			require.NoError(t, g.Append([]session.Entry{stdout(i+1, strings.Repeat("x", 500))}))
		}
		require.NoError(t, os.Rename(PartPath(g.Path(), 2), g.Path()+".kept"))
		require.NoError(t, g.Close())
		require.Contains(t, g.Stats().RecordingMoved, "rec.part2.jsonl moved")
	}
}

// A session whose recording was cut distinguishes lost entries from those that
// remain.
func TestEntriesOfCutFileReturnErrShrunk(t *testing.T) {
	f := create(t, Options{})
	require.NoError(t, f.Append([]session.Entry{stdout(1, "one"), stdout(2, "two")}))
	require.NoError(t, os.Truncate(f.Path(), 0))
	require.NoError(t, f.Append([]session.Entry{stdout(3, "three")}))
	f.watch.look(false)
	all := rows(t, f)
	_, err := f.Entry(all[0], 0)
	require.ErrorIs(t, err, ErrShrunk)
	e, err := f.Entry(all[2], 0)
	require.NoError(t, err)
	require.Equal(t, "three", string(e.Payload))
}

// The temporary file of an unrecorded session has no name on purpose.
func TestUnrecordedLogIsNotWatched(t *testing.T) {
	f := create(t, Options{NoRecord: true})
	require.NoError(t, f.Append([]session.Entry{stdout(1, "one")}))
	require.NoError(t, f.Close())
	require.Equal(t, session.RecordingNone, f.Stats().Recording)
	require.Empty(t, f.Stats().RecordingError)
}

// A cut by the recorder itself is not an error.
func TestCutByRecorderIsNotAnError(t *testing.T) {
	f := create(t, Options{})
	full(f, 100)
	require.NoError(t, f.Append([]session.Entry{stdout(1, strings.Repeat("x", 300))}))
	f.watch.look(false)
	require.NoError(t, f.watch.failure())
	require.ErrorContains(t, f.Close(), "no space left on device; not recorded from entry 1 on")
}
