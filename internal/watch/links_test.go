package watch

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// linkTo creates a link in a tree.
func (tr *tree) linkTo(target, name string) {
	tr.t.Helper()
	require.NoError(tr.t, os.Symlink(target, tr.path(name)))
}

// TestLinkedFolder checks that changes are seen in a folder that only a link
// leads to, even if the folder is created later or comes back.
func TestLinkedFolder(t *testing.T) {
	other := newTree(t, nil, "plugin/a.go", "plugin/deep/b.go")
	tr := newTree(t, nil, "main.go")
	tr.linkTo(other.path("plugin"), "first")
	tr.watch(Options{Globs: goFiles})
	other.write("plugin/a.go", "other")
	require.Equal(t, []string{"first/a.go"}, tr.changes("first/a.go"))

	require.NoError(t, os.RemoveAll(other.path("plugin")))
	tr.changes("first/deep/b.go")
	for _, text := range []string{"again", "and again"} {
		other.write("plugin/deep/b.go", text)
		tr.changes("first/deep/b.go")
	}

	tr.linkTo(other.path("plugin"), "later")
	require.Equal(t, []string{"later/deep/b.go"}, tr.changes("later/deep/b.go"))
	other.write("plugin/deep/b.go", "under both names")
	require.Equal(t, []string{"first/deep/b.go", "later/deep/b.go"}, tr.changes("later/deep/b.go"))
	require.NoError(t, os.Remove(tr.path("first")))
	require.Equal(t, []string{"first/deep/b.go"}, tr.changes("first/deep/b.go"))
	other.write("plugin/deep/b.go", "under one name")
	tr.only("later/deep/b.go")
}

// TestLinkLeadsElsewhere checks that a changed link target is seen, as when
// switching to a new release, and so are changes in the new target.
func TestLinkLeadsElsewhere(t *testing.T) {
	other := newTree(t, nil, "1/a.go", "1/old.go", "2/a.go", "2/new.go")
	other.write("1/a.go", "same")
	other.write("2/a.go", "same")
	tr := newTree(t, nil, "main.go")
	tr.linkTo(other.path("1"), "current")
	tr.watch(Options{Globs: goFiles})
	tr.linkTo(other.path("2"), "fresh.link")
	require.NoError(t, os.Rename(tr.path("fresh.link"), tr.path("current")))
	require.Subset(t, tr.changes("current/old.go"), []string{"current/new.go", "current/old.go"})
	other.write("1/a.go", "does not count any more")
	other.write("2/a.go", "other")
	require.Contains(t, tr.changes("current/a.go"), "current/a.go")
}

// TestLinksInCircles checks that links to parents and to each other are not
// followed forever.
func TestLinksInCircles(t *testing.T) {
	other := newTree(t, nil, "one/a.go", "two/b.go")
	other.linkTo(other.path("two"), "one/to-two")
	other.linkTo(other.path("one"), "two/to-one")
	other.linkTo(other.dir, "two/up")
	tr := newTree(t, nil, "main.go", "sub/c.go")
	tr.linkTo(other.path("one"), "sub/one")
	tr.linkTo(tr.dir, "sub/self")
	tr.watch(Options{Globs: goFiles})
	other.write("two/b.go", "other")
	require.Equal(t, []string{"sub/one/to-two/b.go"}, tr.changes("sub/one/to-two/b.go"))
	require.ElementsMatch(t, []string{
		tr.dir, tr.path("sub"), tr.path("sub/one"), tr.path("sub/one/to-two"),
	}, tr.watched(), "each once")
}

// watched returns the watched folders of a tree under all their names.
func (tr *tree) watched() (folders []string) {
	require.NoError(tr.t, tr.w.Close()) // stops the goroutine that uses the folders
	for folder := range tr.w.folders {
		if isWithin(tr.dir, folder) {
			folders = append(folders, folder)
		}
	}
	return folders
}

// TestLinkedTop watches a folder whose name is itself a link.
func TestLinkedTop(t *testing.T) {
	other := newTree(t, nil, "a.go", "sub/b.go")
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(other.dir, link))
	tr := &tree{t: t, dir: link}
	tr.watch(Options{Globs: goFiles})
	for _, name := range []string{"a.go", "sub/b.go"} {
		other.write(name, "other")
		require.Equal(t, []string{name}, tr.changes(name))
	}
}
