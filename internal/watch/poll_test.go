package watch

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/stretchr/testify/require"
)

// often is the polling interval in tests.
const often = 20 * time.Millisecond

// TestPolling checks that polling finds the same changes as the system reports.
func TestPolling(t *testing.T) {
	tr := newTree(t, nil, "a.go", "sub/b.go", "readme.md")
	outside := filepath.Join(t.TempDir(), "plugin")
	require.NoError(t, os.MkdirAll(outside, 0o755))
	require.NoError(t, os.Symlink(outside, tr.path("plugin")))
	tr.watch(Options{Globs: goFiles, Poll: true, interval: often})
	require.Equal(t, "polling files every second: as requested", tr.w.About().Polling.String())

	tr.write("readme.md", "does not count")
	tr.write("a.go", "other")
	require.Equal(t, []string{"a.go"}, tr.changes("a.go"))
	tr.write("new/deep/c.go", "new")
	require.Equal(t, []string{"new/deep/c.go"}, tr.changes("new/deep/c.go"))
	for _, text := range []string{"once", "twice"} {
		require.NoError(t, os.RemoveAll(tr.path("sub")))
		require.Equal(t, []string{"sub/b.go"}, tr.changes("sub/b.go"))
		tr.write("sub/b.go", text)
		require.Equal(t, []string{"sub/b.go"}, tr.changes("sub/b.go"))
	}
	require.NoError(t, os.WriteFile(filepath.Join(outside, "p.go"), []byte("x"), 0o644))
	require.Equal(t, []string{"plugin/p.go"}, tr.changes("plugin/p.go"))
	fresh := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(fresh, "q.go"), []byte("x"), 0o644))
	require.NoError(t, os.Symlink(fresh, tr.path("fresh.link")))
	tr.changes("fresh.link/q.go")
	require.NoError(t, os.Rename(tr.path("fresh.link"), tr.path("plugin")))
	tr.changes("plugin/q.go")
	require.NoError(t, os.RemoveAll(tr.path("sub")))
	tr.changes("sub/b.go")
	later := time.Now().Add(time.Minute)
	require.NoError(t, os.Chtimes(tr.path("a.go"), later, later)) // a new time, but the same content
	tr.only()
	require.ElementsMatch(t, []string{tr.dir, tr.path("new"), tr.path("new/deep"), tr.path("plugin")}, tr.watched())
	require.NotContains(t, tr.w.names, outside, "no link leads there now")
}

// granting returns an add function of a system that can only watch a number of
// folders.
func granting(folders int) func(*fsnotify.Watcher, string) error {
	given := map[string]bool{}
	return func(fs *fsnotify.Watcher, folder string) error {
		if !given[folder] && len(given) == folders {
			return syscall.ENOSPC
		}
		given[folder] = true
		return fs.Add(folder)
	}
}

// limit creates a watcher on a system that can only watch a number of folders.
func (tr *tree) limit(folders int) {
	tr.t.Helper()
	w, err := newWatcher(Options{Dir: tr.dir, Globs: goFiles, Quiet: often, interval: often}, granting(folders))
	require.NoError(tr.t, err)
	tr.t.Cleanup(func() { require.NoError(tr.t, w.Close()) })
	tr.w = w
}

// TestLimit checks that the files are polled when the system cannot watch more
// folders, with a hint.
func TestLimit(t *testing.T) {
	tr := newTree(t, nil, "a.go", "sub/b.go")
	tr.limit(1)
	polling := tr.w.About().Polling
	require.Equal(t, "this user cannot watch more folders: "+tr.path("sub")+": no space left on device", polling.Reason)
	require.Contains(t, polling.Hint, "sudo sysctl fs.inotify.max_user_watches=")
	require.Equal(t, 2, tr.w.About().Folders)
	for _, name := range []string{"a.go", "sub/b.go", "sub/new/c.go"} {
		tr.write(name, "other")
		require.Equal(t, []string{name}, tr.changes(name))
	}
}

// TestLimitLater checks the same for a folder that is created later.
func TestLimitLater(t *testing.T) {
	tr := newTree(t, nil, "a.go")
	tr.limit(1)
	require.Nil(t, tr.w.About().Polling)
	require.NoError(t, os.Mkdir(tr.path("sub"), 0o755))
	select {
	case c := <-tr.w.Changes():
		require.Contains(t, c.Warning.Text, "polling files every second: this user cannot watch more folders")
		require.Contains(t, c.Warning.Hint, "sysctl")
	case <-time.After(waitLimit):
		require.Fail(t, "no warning")
	}
	tr.write("sub/b.go", "new")
	require.Equal(t, []string{"sub/b.go"}, tr.changes("sub/b.go"))
}

// TestNoWatcherAvailable checks the hint when the system cannot create a
// watcher.
func TestNoWatcherAvailable(t *testing.T) {
	polling := limitReached("", syscall.EMFILE)
	require.Equal(t, "polling files every second: this user cannot create more file watchers: too many open files", polling.String())
	require.Contains(t, polling.Hint, "max_user_instances")
}

// TestPollingTimeIsLimited checks that polling is less frequent if it takes long.
func TestPollingTimeIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		var at []time.Duration
		stop := make(chan struct{})
		g := gatherer{interval: time.Second, quiet: time.Second, stop: stop, scan: func() bool {
			at = append(at, time.Since(begin).Round(time.Second/2))
			if len(at) > 1 {
				time.Sleep(500 * time.Millisecond)
			}
			return false
		}}
		go g.run()
		time.Sleep(12 * time.Second)
		close(stop)
		synctest.Wait()
		require.Equal(t, []time.Duration{time.Second, 2 * time.Second, 7500 * time.Millisecond}, at)
	})
}
