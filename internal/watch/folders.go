package watch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// walk watches a folder and those below it that may hold files to watch, the
// upper ones first, and calls found for each file that counts. What is no folder
// is nothing. Folders that can't be read, or went in the meantime, are left out.
func (w *Watcher) walk(top string, found func(file string)) {
	queue, links := []string{top}, []string(nil) // those last: they may lead to much
	for len(queue) > 0 || len(links) > 0 {
		if len(queue) == 0 {
			queue, links = links, nil
		}
		folder := queue[0]
		queue = queue[1:]
		if !w.enters(folder) {
			continue
		}
		entries, err := os.ReadDir(folder) // watched before: what comes while it is read is an event
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

// isFolder tells whether a path is a folder, or a link to one.
func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// enters tells whether a path is a folder that is watched, which it is from now
// on. What is left out it notes.
func (w *Watcher) enters(folder string) bool {
	switch {
	case !isFolder(folder) || !w.globs.wants(folder):
		return false
	case w.globs.neverWanted(folder):
		w.leftOut[filepath.Base(folder)] = true
		return false
	}
	real, linked := w.realOf(folder)
	switch was, known := w.folders[folder]; {
	case linked && !w.leadsOn(folder, real):
		return false
	case known && was == real:
		w.grant(real) // it may be another one of that name
		return true
	case known:
		w.forget(folder) // a link that leads elsewhere now
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

// realOf is the folder that a name stands for, and whether the name itself is a
// link.
func (w *Watcher) realOf(folder string) (real string, linked bool) {
	info, err := os.Lstat(folder)
	linked = err == nil && info.Mode()&fs.ModeSymlink != 0
	if above, known := w.folders[filepath.Dir(folder)]; known && !linked {
		return filepath.Join(above, filepath.Base(folder)), false
	}
	if real, err = filepath.EvalSymlinks(folder); err != nil {
		real = folder // it went
	}
	return real, linked
}

// leadsOn tells whether a link to a folder is followed. One that a glob goes
// through by name is. One that leads to what is watched by its own name is not,
// nor one that leads in a circle.
func (w *Watcher) leadsOn(link, real string) bool {
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

// add watches a folder, whose real one may have other names besides.
func (w *Watcher) add(folder, real string) {
	if w.grant(real) {
		w.folders[folder] = real
		w.names[real] = append(w.names[real], folder)
	}
}

// grant asks the system to tell of a folder. If it gives no more, all is looked
// at again and again. What it refuses otherwise went, or is not ours to read.
func (w *Watcher) grant(real string) bool {
	if w.fs == nil {
		return true
	}
	err := w.ask(w.fs, real)
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) {
		w.poll(limited(real, err))
		return true
	}
	return err == nil
}

// forget watches a name no more, and its folder if that has no other.
func (w *Watcher) forget(folder string) {
	real := w.folders[folder]
	delete(w.folders, folder)
	w.names[real] = slices.DeleteFunc(w.names[real], func(name string) bool { return name == folder })
	if len(w.names[real]) > 0 {
		return
	}
	delete(w.names, real)
	if w.fs != nil {
		_ = w.fs.Remove(real) // which may have done it itself
	}
}

// follow watches what a link leads to, too: a file, or that a folder comes back.
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
		w.add(folder, folder) // without it the link itself is watched all the same
	}
}
