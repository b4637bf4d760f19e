package tap

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/live"
	filewatch "mcpdbg/internal/watch"
	"mcpdbg/recordings"
	"mcpdbg/session/tap"
	"mcpdbg/session/tap/control"
)

// drainTime is how long a server may finish its calls when a file has changed.
const drainTime = 5 * time.Second

// A watcher restarts the server of a live tap when files change. From the first event on
// requests wait for the outcome.
type watcher struct {
	files    *filewatch.Watcher
	build    filewatch.Build
	backoff  filewatch.Backoff
	commands chan<- tap.Command
	folder   string
	bell     chan struct{} // one slot: there is a cause

	mu     sync.Mutex // held while a command is sent that the fields are about
	latest time.Time  // when the latest changed file was written
	dirty  bool       // there are events whose changes are not known yet
	cause  string     // of the next round; "" for none
	active bool       // a round is running
}

// watch watches files until the returned function is called. It does nothing without
// --watch. look is that of tap.LiveOptions.
func watch(ctx context.Context, w *flags.Watch, t *flags.Target, commands chan<- tap.Command) (look func() bool, stop func(), err error) {
	files, err := live.WatchFiles(w, t, true)
	if files == nil {
		return nil, func() {}, err
	}
	x := &watcher{files: files, commands: commands, bell: make(chan struct{}, 1), latest: time.Now()}
	x.folder, _ = os.Getwd() // if unknown, paths are shown in full
	x.build.Command = w.Before
	x.build.Note = func(text string) { x.send(ctx, tap.Command{Do: tap.Remark, Text: text}) }
	x.build.Report = x.build.Note
	if file := outcomeFile(w.Before, x.folder); file != "" && w.Before != "" {
		x.build.Shared = filewatch.NewShared(file, x.written)
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { x.look(ctx) })
	running.Go(func() { x.rounds(ctx) })
	return files.Look, func() {
		cancel()
		running.Wait()
		_ = files.Close() // errors do not matter any more
	}, nil
}

// outcomeFile returns the file by which the taps of one entry build once; "" if there is
// none.
func outcomeFile(command, folder string) string {
	dir, err := recordings.TapDir()
	if err != nil {
		return ""
	}
	if dir, err = control.Folder(dir); err != nil {
		return ""
	}
	if strings.HasPrefix(command, "cd ") { // as wrap writes it: the folder is in the command
		folder = ""
	}
	sum := sha256.Sum256([]byte(folder + "\x00" + os.Getenv("PATH") + "\x00" + command))
	return filepath.Join(dir, hex.EncodeToString(sum[:8])+".build")
}

func (x *watcher) written() time.Time {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.latest
}

// send gives up when the tap has ended.
func (x *watcher) send(ctx context.Context, c tap.Command) {
	select {
	case x.commands <- c:
	case <-ctx.Done():
	}
}

// look takes changes.
func (x *watcher) look(ctx context.Context) {
	for {
		select {
		case c := <-x.files.Changes():
			if c.Warning.Text != "" {
				x.send(ctx, tap.Command{Do: tap.Remark, Text: c.Warning.Text})
			}
			x.changed(ctx, c)
		case <-ctx.Done():
			return
		}
	}
}

// changed takes a change. One during a build starts it over.
func (x *watcher) changed(ctx context.Context, c filewatch.Change) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.dirty = c.Begun
	if c.Begun || len(c.Paths) > 0 {
		x.send(ctx, tap.Command{Do: tap.Changed})
	}
	if len(c.Paths) == 0 {
		if c.Nothing && !c.Begun && x.cause == "" && !x.active {
			x.send(ctx, tap.Command{Do: tap.Unchanged})
		}
		return
	}
	for _, path := range c.Paths {
		info, err := os.Lstat(path)
		if err != nil || !info.ModTime().After(x.latest) { // it was renamed or removed
			info, err = os.Lstat(filepath.Dir(path))
		}
		if err == nil && info.ModTime().After(x.latest) {
			x.latest = info.ModTime()
		}
	}
	cause := live.Changed(x.folder, c)
	if x.build.Stale(cause) {
		return
	}
	x.cause = cause // a round that has not begun is for this change, too
	select {
	case x.bell <- struct{}{}:
	default:
	}
}

func (x *watcher) rounds(ctx context.Context) {
	for {
		select {
		case <-x.bell:
			x.mu.Lock()
			cause := x.cause
			x.cause, x.active = "", cause != ""
			x.mu.Unlock()
			if cause != "" {
				x.end(ctx, x.round(ctx, cause))
			}
		case <-ctx.Done():
			return
		}
	}
}

// end ends a round with a command. If files have changed since, requests wait on.
func (x *watcher) end(ctx context.Context, c tap.Command) {
	x.mu.Lock()
	defer x.mu.Unlock()
	defer x.backoff.Over()
	x.active = false
	newer := x.dirty || x.cause != ""
	if !newer || c.Do == tap.Restart {
		x.send(ctx, c)
	}
	if newer {
		x.send(ctx, tap.Command{Do: tap.Changed})
	}
}

// round waits and builds, and returns the command that ends it.
func (x *watcher) round(ctx context.Context, cause string) tap.Command {
	err := x.backoff.Delay(ctx, func(time.Duration) {
		x.send(ctx, tap.Command{Do: tap.Remark, Text: cause + ", as after each restart: does the server write it? Restarts are now delayed"})
	})
	if err == nil && x.build.Command != "" {
		cause, err = x.build.Run(ctx, cause)
	}
	var failed *filewatch.BuildError
	switch {
	case errors.As(err, &failed):
		text := failed.Error()
		if len(failed.Output) > 0 {
			text = failed.Output[0]
		}
		return tap.Command{Do: tap.BuildFailed, Text: text}
	case err != nil:
		return tap.Command{Do: tap.Unchanged}
	}
	return tap.Command{Do: tap.Restart, Text: cause, Drain: drainTime}
}
