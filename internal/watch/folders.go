package watch

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/cespare/xxhash/v2"
)

// walk watches a folder and those below it that may contain matching files, parents
// first, and calls found for each match. Other paths, and folders that are unreadable or
// disappear meanwhile, are skipped.
func (w *Watcher) walk(top string, found func(file string)) {
	queue, links := []string{top}, []string(nil) // links last: they may lead to large trees
	for len(queue) > 0 || len(links) > 0 {
		if len(queue) == 0 {
			queue, links = links, nil
		}
		folder := queue[0]
		queue = queue[1:]
		if !w.addFolder(folder) {
			continue
		}
		entries, err := os.ReadDir(folder) // files created meanwhile cause events: the folder is watched
		if err != nil {
			continue
		}
		for _, e := range entries {
			name := filepath.Join(folder, e.Name())
			switch {
			case e.IsDir():
				queue = append(queue, name)
			case e.Type()&fs.ModeSymlink != 0 && isFolder(name):
				links = append(links, name)
			case w.watches(name):
				found(name)
			}
		}
	}
}

// isFolder follows links.
func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// addFolder reports whether a path is a folder to watch. It records the excluded ones.
func (w *Watcher) addFolder(folder string) bool {
	switch {
	case !isFolder(folder) || !w.globs.wants(folder):
		return false
	case w.globs.excludedByName(folder):
		w.excluded[filepath.Base(folder)] = true
		return false
	}
	real, linked := w.realOf(folder)
	switch was, known := w.folders[folder]; {
	case linked && !w.followsLink(folder, real):
		return false
	case known && was == real:
		w.addWatch(real) // it may be another folder of that name
		return true
	case known:
		w.forget(folder) // the link leads elsewhere now
	case len(w.folders) >= w.opts.MaxFolders:
		w.beyond++
		return false
	}
	w.add(folder, real)
	if linked {
		w.follow(folder)
	}
	return true
}

// realOf also reports whether the name itself is a link.
func (w *Watcher) realOf(folder string) (real string, linked bool) {
	info, err := os.Lstat(folder)
	linked = err == nil && info.Mode()&fs.ModeSymlink != 0
	if above, known := w.folders[filepath.Dir(folder)]; known && !linked {
		return filepath.Join(above, filepath.Base(folder)), false
	}
	if real, err = filepath.EvalSymlinks(folder); err != nil {
		real = folder // it has disappeared
	}
	return real, linked
}

// A link is followed if a glob names it, and not if its target is already watched under
// its own name or it leads in a circle.
func (w *Watcher) followsLink(link, real string) bool {
	if slices.ContainsFunc(w.globs.in, func(g glob) bool { return isWithin(link, g.root) }) {
		return true
	}
	if slices.ContainsFunc(w.globs.in, func(g glob) bool { return isWithin(g.root, real) && g.mayHold(real) }) {
		return false
	}
	for above := filepath.Dir(link); ; above = filepath.Dir(above) {
		at, watched := w.folders[above]
		if !watched {
			return true
		}
		if isWithin(real, at) {
			return false
		}
	}
}

// The real folder may have other names as well.
func (w *Watcher) add(folder, real string) {
	if w.addWatch(real) {
		w.folders[folder] = real
		w.names[real] = append(w.names[real], folder)
	}
}

// At the system's limit, the files are polled from then on. Other errors mean that the
// folder has disappeared or is not readable.
func (w *Watcher) addWatch(real string) bool {
	if w.fs == nil {
		return true
	}
	err := w.addToSystem(w.fs, real)
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) {
		w.poll(limitReached(real, err))
		return true
	}
	return err == nil
}

// The real folder is forgotten with its last name.
func (w *Watcher) forget(folder string) {
	real := w.folders[folder]
	delete(w.folders, folder)
	w.names[real] = slices.DeleteFunc(w.names[real], func(name string) bool { return name == folder })
	if len(w.names[real]) > 0 {
		return
	}
	delete(w.names, real)
	if w.fs != nil {
		_ = w.fs.Remove(real) // the system may have removed it already
	}
}

// follow also watches a link's target: for a change of the file, or for the return of a
// folder.
func (w *Watcher) follow(link string) {
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return
	}
	target, err := filepath.EvalSymlinks(link)
	if err != nil || slices.Contains(w.links[target], link) {
		return
	}
	w.links[target] = append(w.links[target], link)
	if folder := filepath.Dir(target); w.names[folder] == nil && len(w.folders) < w.opts.MaxFolders {
		w.add(folder, folder) // the link itself is watched anyway
	}
}

const (
	// maxHashed is the size in bytes up to which a file's content decides whether it
	// changed; beyond, the modification time.
	maxHashed = 1 << 20
	// maxInitialHash is how many bytes of all files are hashed at the start.
	maxInitialHash = 64 << 20
)

type state struct {
	exists bool
	size   int64
	mod    time.Time
	sum    uint64
	hashed bool
}

// stateOf has a hash unless the content is larger than limit. Anything but a readable
// regular file counts as missing.
func stateOf(file string, limit int64) state {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return state{}
	}
	s := state{exists: true, size: info.Size(), mod: info.ModTime()}
	if s.size > limit {
		return s
	}
	f, err := os.Open(file)
	if err != nil {
		return s
	}
	defer f.Close()
	h := xxhash.New()
	if n, err := io.Copy(h, io.LimitReader(f, limit)); err == nil {
		s.size, s.sum, s.hashed = n, h.Sum64(), true
	}
	return s
}

func (s state) differs(now state) bool {
	switch {
	case s.exists != now.exists:
		return true
	case !s.exists:
		return false
	case s.size != now.size:
		return true
	case s.hashed && now.hashed:
		return s.sum != now.sum
	}
	return !s.mod.Equal(now.mod)
}
