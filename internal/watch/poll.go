package watch

import (
	"fmt"
	"os"
	"time"
)

const (
	// pollEach is how often files are looked at where the system does not tell.
	pollEach = time.Second
	// pollShare bounds the time that it takes: one part of so many.
	pollShare = 10
)

// A Polling is why a Watcher looks at the files again and again, each second or,
// where there are so many that it takes long, less often. Who is told of a change
// by the system is told as before.
type Polling struct {
	Why  string
	Hint string // what to try to do without, "" for nothing
}

// limited is the polling where the system does not give as much as it takes to
// watch: a folder, or with "" anything.
func limited(folder string, err error) Polling {
	if folder == "" {
		return Polling{
			Why:  fmt.Sprintf("the system watches nothing more for this user: %v", err),
			Hint: "end other programs that watch files, or: sudo sysctl fs.inotify.max_user_instances=1024",
		}
	}
	return Polling{
		Why:  fmt.Sprintf("the system watches no more folders for this user: %s: %v", folder, err),
		Hint: "a narrower glob, or one with ! for what is not needed, or: sudo sysctl fs.inotify.max_user_watches=524288",
	}
}

// String says what is done, and why.
func (p *Polling) String() string { return fmt.Sprintf("looks at the files each second: %s", p.Why) }

// poll looks at the files again and again from now on. The first reason counts.
func (w *Watcher) poll(why Polling) {
	if w.polling == nil {
		w.polling = &why
		w.warning = Warning{why.String(), why.Hint}
	}
}

// look looks for what has changed since the last time, if that is the way to
// learn of it.
func (w *Watcher) look() bool {
	if w.polling == nil {
		return false
	}
	for folder := range w.folders {
		if !isFolder(folder) {
			w.gone(folder)
		}
	}
	for file := range w.files {
		w.peek(file)
	}
	for _, top := range w.globs.tops() {
		w.enter(top, w.peek)
	}
	return len(w.touched) > 0 || w.warning.Text != ""
}

// peek touches a file that does not look as it did.
func (w *Watcher) peek(file string) {
	info, err := os.Stat(file)
	now := state{there: err == nil && info.Mode().IsRegular()}
	if now.there {
		now.size, now.mod = info.Size(), info.ModTime()
	}
	if was := w.files[file]; was.there != now.there || was.size != now.size || !was.mod.Equal(now.mod) {
		w.touch(file)
	}
}
