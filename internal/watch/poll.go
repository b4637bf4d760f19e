package watch

import (
	"fmt"
	"os"
	"time"
)

const (
	// where the system does not report changes
	pollInterval = time.Second
	// pollShare is the maximum share of time for polling: 1/10.
	pollShare = 10
)

// Polling is why a Watcher polls the files, every second or less often if that takes
// long. Changes reported by the system are still seen immediately.
type Polling struct {
	Reason string
	Hint   string // how to avoid it; may be empty
}

// The limit is on watched folders, or with "" on watchers.
func limitReached(folder string, err error) Polling {
	if folder == "" {
		return Polling{
			Reason: fmt.Sprintf("this user cannot create more file watchers: %v", err),
			Hint:   "stop other programs that watch files, or run: sudo sysctl fs.inotify.max_user_instances=1024",
		}
	}
	return Polling{
		Reason: fmt.Sprintf("this user cannot watch more folders: %s: %v", folder, err),
		Hint:   "use a narrower glob, exclude files with a ! glob, or run: sudo sysctl fs.inotify.max_user_watches=524288",
	}
}

// String describes the polling and its reason.
func (p *Polling) String() string { return fmt.Sprintf("polling files every second: %s", p.Reason) }

// The first reason is kept.
func (w *Watcher) poll(why Polling) {
	if w.polling == nil {
		w.polling = &why
		w.warning = Warning{why.String(), why.Hint}
	}
}

func (w *Watcher) scan() bool {
	if w.polling == nil {
		return false
	}
	for folder := range w.folders {
		if !isFolder(folder) {
			w.removed(folder)
		}
	}
	for file := range w.files {
		w.check(file)
	}
	for _, top := range w.globs.tops() {
		w.enter(top, w.check)
	}
	return len(w.touched) > 0 || w.warning.Text != ""
}

func (w *Watcher) check(file string) {
	info, err := os.Stat(file)
	now := state{exists: err == nil && info.Mode().IsRegular()}
	if now.exists {
		now.size, now.mod = info.Size(), info.ModTime()
	}
	if was := w.files[file]; was.exists != now.exists || was.size != now.size || !was.mod.Equal(now.mod) {
		w.touch(file)
	}
}
