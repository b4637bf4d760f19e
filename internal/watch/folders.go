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
func (w *Watcher) walk(top string, found func(file string)) error {
	queue := []string{top}
	for len(queue) > 0 {
		folder := queue[0]
		queue = queue[1:]
		if !w.enters(folder) {
			continue
		}
		if err := w.add(folder); err != nil {
			return err
		}
		entries, err := os.ReadDir(folder) // watched before: what comes while it is read is an event
		if err != nil {
			continue
		}
		for _, e := range entries {
			name := filepath.Join(folder, e.Name())
			switch {
			case e.IsDir(), e.Type()&fs.ModeSymlink != 0 && w.leadsOn(name):
				queue = append(queue, name)
			case w.watches(name):
				found(name)
			}
		}
	}
	return nil
}

// enters tells whether a path is a folder to be watched. What is left out it
// notes.
func (w *Watcher) enters(folder string) bool {
	info, err := os.Lstat(folder)
	isFolder := err == nil && (info.IsDir() || info.Mode()&fs.ModeSymlink != 0 && w.leadsOn(folder))
	switch {
	case !isFolder || !w.globs.wants(folder):
		return false
	case w.globs.neverWanted(folder):
		w.leftOut[filepath.Base(folder)] = true
		return false
	case !w.folders[folder] && len(w.folders) >= w.opts.MaxFolders:
		w.beyond++
		return false
	}
	return true
}

// leadsOn tells whether a link to a folder is one that a glob goes through by
// name. Other links to folders are not followed: they may lead in circles.
func (w *Watcher) leadsOn(link string) bool {
	info, err := os.Stat(link)
	return err == nil && info.IsDir() && slices.ContainsFunc(w.globs.in, func(g glob) bool { return isWithin(link, g.root) })
}

// add watches a folder.
func (w *Watcher) add(folder string) error {
	err := w.fs.Add(folder)
	switch {
	case err == nil:
		w.folders[folder] = true
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EMFILE):
		return &LimitError{Folder: folder, Err: err}
	}
	return nil // it went, or is not ours to read
}

// follow watches the file that a link leads to, too.
func (w *Watcher) follow(file string) {
	info, err := os.Lstat(file)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return
	}
	target, err := filepath.EvalSymlinks(file)
	if err != nil || slices.Contains(w.links[target], file) {
		return
	}
	w.links[target] = append(w.links[target], file)
	if folder := filepath.Dir(target); !w.folders[folder] && len(w.folders) < w.opts.MaxFolders {
		_ = w.add(folder) // without it the link itself is watched all the same
	}
}
