package watch

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/stretchr/testify/require"
)

// waitLimit is how long a test waits for anything before it gives up, however busy
// the machine is.
const waitLimit = 5 * time.Minute

// A tree is a folder that is watched.
type tree struct {
	t   *testing.T
	dir string
	w   *Watcher
}

// newTree creates and watches a folder of files. Each file contains its name.
func newTree(t *testing.T, globs []string, files ...string) *tree {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	tr := &tree{t: t, dir: dir}
	for _, name := range files {
		tr.write(name, name)
	}
	tr.watch(Options{Globs: globs})
	return tr
}

func (tr *tree) watch(opts Options) {
	tr.t.Helper()
	opts.Dir, opts.Quiet = tr.dir, cmp.Or(opts.Quiet, 20*time.Millisecond)
	w, err := New(opts)
	require.NoError(tr.t, err)
	tr.t.Cleanup(func() { require.NoError(tr.t, w.Close()) })
	tr.w = w
}

func (tr *tree) path(name string) string { return filepath.Join(tr.dir, filepath.FromSlash(name)) }

// write replaces a file atomically, so that it is one change even on a slow
// machine.
func (tr *tree) write(name, text string) {
	tr.t.Helper()
	require.NoError(tr.t, os.MkdirAll(filepath.Dir(tr.path(name)), 0o755))
	require.NoError(tr.t, os.WriteFile(tr.path(name)+"~", []byte(text), 0o644))
	require.NoError(tr.t, os.Rename(tr.path(name)+"~", tr.path(name)))
}

// changes waits until a file has changed, and returns all changes up to then.
func (tr *tree) changes(last string) (all []string) {
	tr.t.Helper()
	limit := time.After(waitLimit)
	for {
		select {
		case c := <-tr.w.Changes():
			for _, path := range c.Paths {
				name, ok := below(tr.dir, path)
				require.True(tr.t, ok)
				if !slices.Contains(all, name) { // a file written in steps may cause several changes
					all = append(all, name)
				}
				if name == last {
					return all
				}
			}
		case <-limit:
			require.Fail(tr.t, "no change of "+last, "%v", all)
		}
	}
}

// only requires that only certain files change. It checks by making one more
// change and waiting for it.
func (tr *tree) only(names ...string) {
	tr.t.Helper()
	tr.write("zzz.go", time.Now().String())
	require.ElementsMatch(tr.t, append(names, "zzz.go"), tr.changes("zzz.go"))
}

var goFiles = []string{"**/*.go"}

func TestChanges(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *testing.T, tr *tree)
		want   []string
	}{
		{"written", func(t *testing.T, tr *tree) {
			require.NoError(t, os.WriteFile(tr.path("a.go"), []byte("other"), 0o644))
		}, []string{"a.go"}},
		{"saved by vim", func(t *testing.T, tr *tree) {
			require.NoError(t, os.WriteFile(tr.path("4913"), nil, 0o644))
			require.NoError(t, os.Remove(tr.path("4913")))
			require.NoError(t, os.Rename(tr.path("a.go"), tr.path("a.go~")))
			require.NoError(t, os.WriteFile(tr.path("a.go"), []byte("other"), 0o644))
			require.NoError(t, os.Remove(tr.path("a.go~")))
		}, []string{"a.go"}},
		{"replaced, as editors do", func(t *testing.T, tr *tree) { tr.write("a.go", "other") }, []string{"a.go"}},
		{"replaced by the same", func(t *testing.T, tr *tree) { tr.write("a.go", "a.go") }, nil},
		{"moved away and written again", func(t *testing.T, tr *tree) {
			require.NoError(t, os.Rename(tr.path("a.go"), tr.path("a.go~")))
			tr.write("a.go", "other")
		}, []string{"a.go"}},
		{"removed", func(t *testing.T, tr *tree) { require.NoError(t, os.Remove(tr.path("sub/b.go"))) }, []string{"sub/b.go"}},
		{"touched", func(t *testing.T, tr *tree) {
			now := time.Now().Add(time.Hour)
			require.NoError(t, os.Chtimes(tr.path("a.go"), now, now))
		}, nil},
		{"another mode", func(t *testing.T, tr *tree) { require.NoError(t, os.Chmod(tr.path("a.go"), 0o600)) }, nil},
		{"another file", func(t *testing.T, tr *tree) { tr.write("notes.txt", "x") }, nil},
		{"in a new folder", func(t *testing.T, tr *tree) { tr.write("new/deep/c.go", "x") }, []string{"new/deep/c.go"}},
		{"in a folder that is moved in", func(t *testing.T, tr *tree) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "d.go"), nil, 0o644))
			require.NoError(t, os.Rename(dir, tr.path("moved")))
		}, []string{"moved/d.go"}},
		{"a folder is removed", func(t *testing.T, tr *tree) { require.NoError(t, os.RemoveAll(tr.path("sub"))) }, []string{"sub/b.go"}},
		{"a folder is moved away", func(t *testing.T, tr *tree) { require.NoError(t, os.Rename(tr.path("sub"), tr.path("sub.old"))) }, []string{"sub.old/b.go", "sub/b.go"}},
		{"a new link", func(t *testing.T, tr *tree) { require.NoError(t, os.Symlink("a.go", tr.path("l.go"))) }, []string{"l.go"}},
		{"the target of a link", func(t *testing.T, tr *tree) {
			require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(tr.dir), "outside"), []byte("other"), 0o644))
		}, []string{"out.go"}},
		{"in .git", func(t *testing.T, tr *tree) { tr.write(".git/x.go", "x") }, nil},
		{"in a new node_modules", func(t *testing.T, tr *tree) { tr.write("node_modules/x.go", "x") }, nil},
		{"left by an editor", func(t *testing.T, tr *tree) { tr.write(".#a.go", "x"); tr.write("4913", "x") }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			tr := &tree{t: t, dir: filepath.Join(dir, "work")}
			tr.write("a.go", "a.go")
			tr.write("sub/b.go", "b")
			tr.write(".git/x.go", "x")
			require.NoError(t, os.WriteFile(filepath.Join(dir, "outside"), []byte("x"), 0o644))
			require.NoError(t, os.Symlink(filepath.Join(dir, "outside"), tr.path("out.go")))
			tr.watch(Options{Globs: goFiles})
			c.change(t, tr)
			tr.only(c.want...)
		})
	}
}

// TestRestoredContent checks that a file restored to the same content within a
// short time has not changed.
func TestRestoredContent(t *testing.T) {
	t.Parallel()
	tr := newTree(t, nil, "cut.go", "removed.go")
	tr.watch(Options{Globs: goFiles, Quiet: time.Second}) // a busy machine may take long for a few lines
	tr.write("cut.go", "")
	tr.write("cut.go", "cut.go")
	require.NoError(t, os.Remove(tr.path("removed.go")))
	tr.write("removed.go", "removed.go")
	tr.only()
}

// TestSecondChange checks that the second change of a file is seen like the
// first, whatever happens to its folder.
func TestSecondChange(t *testing.T) {
	tr := newTree(t, goFiles, "sub/a.go")
	for i := range 3 {
		tr.write("sub/a.go", fmt.Sprint(i))
		tr.changes("sub/a.go")
		require.NoError(t, os.RemoveAll(tr.path("sub")))
		tr.changes("sub/a.go")
	}
}

func TestGlobs(t *testing.T) {
	files := []string{"a.go", "a_test.go", "readme.md", "src/b.go", "src/deep/c.go", "vendor/v.go", "vendor/deep/w.go", "node_modules/n.go"}
	for _, c := range []struct {
		globs []string
		yes   []string
		no    []string
	}{
		{[]string{"*.go"}, []string{"a.go"}, []string{"src/b.go", "readme.md"}},
		{[]string{"**/*.go"}, []string{"a.go", "src/deep/c.go"}, []string{"node_modules/n.go"}},
		{[]string{"**/*.go", "!**/*_test.go"}, []string{"a.go"}, []string{"a_test.go"}},
		{[]string{"**/*.go", "!vendor/**"}, []string{"a.go"}, []string{"vendor/v.go", "vendor/deep/w.go"}},
		{[]string{"**/*.go", "!vendor"}, []string{"a.go"}, []string{"vendor/v.go", "vendor/deep/w.go"}},
		{[]string{"!vendor/"}, []string{"readme.md"}, []string{"vendor/v.go"}},
		{[]string{"src"}, []string{"src/b.go", "src/deep/c.go"}, []string{"a.go"}},
		{[]string{"./src/*.go"}, []string{"src/b.go"}, []string{"src/deep/c.go"}},
		{[]string{"src/**/c.go", "readme.md"}, []string{"src/deep/c.go", "readme.md"}, []string{"src/b.go", "a.go"}},
		{[]string{"{src,vendor}/*.go"}, []string{"src/b.go", "vendor/v.go"}, []string{"vendor/deep/w.go", "a.go"}},
		{[]string{"{src/deep,vendor}/*.go"}, []string{"src/deep/c.go"}, []string{"src/b.go"}},
		{[]string{"[s]rc/?.go"}, []string{"src/b.go"}, []string{"a.go"}},
		{[]string{"node_modules/*.go"}, []string{"node_modules/n.go"}, []string{"a.go"}},
		{[]string{"later/**/*.go"}, []string{"later/on/x.go"}, []string{"a.go"}},
	} {
		t.Run(fmt.Sprint(c.globs), func(t *testing.T) {
			t.Parallel()
			tr := newTree(t, c.globs, files...)
			for _, name := range c.no {
				tr.write(name, "other")
			}
			for _, name := range c.yes {
				tr.write(name, "other")
				require.Equal(t, []string{name}, tr.changes(name))
			}
		})
	}
	tr := newTree(t, nil, files...)
	absolute, outside := newTree(t, []string{tr.dir + "/src/*.go"}), newTree(t, []string{"*.go"})
	outside.watch(Options{Globs: []string{"../" + filepath.Base(tr.dir) + "/*.md"}})
	absolute.dir = tr.dir
	tr.write("src/b.go", "other")
	require.Equal(t, []string{"src/b.go"}, absolute.changes("src/b.go"))
}

// TestEscapedFolder: a folder may have a name that looks like a glob.
func TestEscapedFolder(t *testing.T) {
	if filepath.Separator == '\\' {
		t.Skip("Windows has no escapes in globs")
	}
	dir := filepath.Join(t.TempDir(), "[a] {b,c}?* d")
	require.NoError(t, os.Mkdir(dir, 0o700))
	globs, err := parseGlobs("/", []string{EscapeFolder(dir) + "/*.go"})
	require.NoError(t, err)
	require.Equal(t, dir, globs.in[0].root)
	require.Equal(t, "*.go", globs.in[0].rest)
}

func TestBadGlobs(t *testing.T) {
	for _, glob := range []string{"[a", "{a", "a\\", "", "!", "![x"} {
		_, err := New(Options{Dir: t.TempDir(), Globs: []string{glob}})
		var bad *GlobError
		require.ErrorAs(t, err, &bad, glob)
	}
}

func TestAbout(t *testing.T) {
	tr := newTree(t, []string{"**/*.go", "web/*.ts"}, "a.go", "sub/b.go", ".git/config", "x/node_modules/y.go", "deep/er/z.txt")
	about := tr.w.About()
	require.Equal(t, 2, about.Files)
	require.Equal(t, 5, about.Folders, "this one, sub, x, deep and er")
	require.Equal(t, []string{".git", "node_modules"}, about.Excluded)
	require.Equal(t, []string{"web/*.ts"}, about.Unmatched)
	require.Zero(t, about.OverLimit)

	tr.watch(Options{Globs: goFiles, MaxFolders: 2})
	require.Equal(t, 2, tr.w.About().Folders)
	require.Positive(t, tr.w.About().OverLimit)
}

// TestTooMany checks the warning about folders beyond the limit that are
// created later.
func TestTooMany(t *testing.T) {
	tr := newTree(t, nil)
	tr.watch(Options{Globs: goFiles, MaxFolders: 1})
	require.NoError(t, os.Mkdir(tr.path("sub"), 0o755))
	select {
	case c := <-tr.w.Changes():
		require.Contains(t, c.Warning.Text, "more than 1 folders: ")
		require.Empty(t, c.Paths)
	case <-time.After(waitLimit):
		require.Fail(t, "no warning")
	}
}

// TestIgnore checks that ignored files do not count.
func TestIgnore(t *testing.T) {
	tr := newTree(t, nil)
	tr.watch(Options{Ignore: func(path string) bool { return filepath.Base(path) == "session.jsonl" }})
	tr.write("session.jsonl", "x")
	tr.only()
}

func TestLarge(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x")
	require.NoError(t, os.WriteFile(file, []byte("12345"), 0o644))
	small, large := stateOf(file, 5), stateOf(file, 4)
	require.True(t, small.hashed)
	require.False(t, large.hashed)
	later := time.Now().Add(time.Minute)
	require.NoError(t, os.Chtimes(file, later, later))
	require.False(t, small.differs(stateOf(file, 5)))
	require.True(t, large.differs(stateOf(file, 4)), "its time decides")
	require.True(t, small.differs(state{}))
	require.False(t, state{}.differs(stateOf(filepath.Dir(file), 5)), "a folder is not a file")
}

// TestElsewhere checks that a folder outside the working directory is seen to
// disappear and return, as build folders do.
func TestElsewhere(t *testing.T) {
	other := newTree(t, nil, "target/debug/server")
	tr := &tree{t: t, dir: t.TempDir()}
	tr.watch(Options{Globs: []string{other.path("target/debug/*")}})
	tr.dir = other.dir
	for i := range 3 {
		require.NoError(t, os.RemoveAll(other.path("target")))
		tr.changes("target/debug/server")
		tr.write("target/debug/server", fmt.Sprint(i))
		tr.changes("target/debug/server")
	}
}

// TestParentDisappearsBeforeItIsWatched checks that a tree is seen to return whose last
// folder goes just before it would be watched.
func TestParentDisappearsBeforeItIsWatched(t *testing.T) {
	other := newTree(t, nil, "target/debug/server")
	tr := &tree{t: t, dir: t.TempDir()}
	gone := make(chan struct{})
	add := func(fs *fsnotify.Watcher, folder string) error {
		if folder == other.path("target") {
			select {
			case <-gone:
			default:
				defer close(gone)
				if err := os.RemoveAll(folder); err != nil {
					return err
				}
			}
		}
		return fs.Add(folder)
	}
	w, err := newWatcher(Options{Dir: tr.dir, Globs: []string{other.path("target/debug/*")}, Quiet: often}, add)
	require.NoError(t, err)
	tr.w, tr.dir = w, other.dir
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	require.NoError(t, os.RemoveAll(other.path("target/debug")))
	tr.changes("target/debug/server")
	<-gone
	tr.write("target/debug/server", "again")
	tr.changes("target/debug/server")
}

// TestCircle checks that links to folders are not followed, unless a glob goes
// through one.
func TestCircle(t *testing.T) {
	tr := newTree(t, nil, "sub/a.go")
	require.NoError(t, os.Symlink("..", tr.path("sub/up")))
	tr.watch(Options{Globs: goFiles})
	require.Equal(t, 2, tr.w.About().Folders)
	require.NoError(t, os.Symlink("sub", tr.path("by-name")))
	tr.watch(Options{Globs: []string{"by-name/*.go"}})
	tr.write("sub/a.go", "other")
	require.Equal(t, []string{"by-name/a.go"}, tr.changes("by-name/a.go"))
}

// TestLost checks that all files are checked after the system has lost events.
func TestLost(t *testing.T) {
	tr := newTree(t, goFiles, "a.go", "b.go", "sub/c.go")
	require.NoError(t, tr.w.Close()) // so that the watcher sees none of this
	tr.write("b.go", "other")
	tr.write("new/d.go", "new")
	require.NoError(t, os.Remove(tr.path("sub/c.go")))
	require.True(t, tr.w.lost(nil))
	require.Equal(t, Change{Paths: []string{tr.path("b.go"), tr.path("new/d.go"), tr.path("sub/c.go")}}, tr.w.settle())
}
