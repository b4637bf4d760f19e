package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	filewatch "mcpdbg/internal/watch"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
	"mcpdbg/recordings/replay"
)

// A Watch is for the files of a session's server.
type Watch struct {
	*replay.Series
	files *filewatch.Watcher
	Live  *Session
	dir   string
	Globs []string
	Print func(text string) // called in addition to the log; may be nil

	printing sync.Mutex
	backoff  filewatch.Backoff
	build    filewatch.Build
}

// WatchFiles starts watching, or returns nil without --watch. It ignores the program's
// own files.
func WatchFiles(w *flags.Watch, t *flags.Target, early bool) (*filewatch.Watcher, error) {
	if len(w.Globs) == 0 {
		return nil, nil
	}
	own := map[string]bool{}
	if t.Record != "" {
		own[absolute(t.Record)] = true
	}
	state, _ := recordings.StateDir() // "" if there is none
	taps, _ := recordings.TapState()
	within := func(path, folder string) bool {
		return folder != "" && strings.HasPrefix(path, folder+string(filepath.Separator))
	}
	files, err := filewatch.New(filewatch.Options{Globs: w.Globs, Poll: w.Poll, Early: early, Ignore: func(path string) bool {
		first, _ := recordings.FirstPart(path)
		return own[path] || own[first] || within(path, state) || within(path, taps)
	}})
	var bad *filewatch.GlobError
	switch {
	case errors.As(err, &bad):
		return nil, console.Usagef("--watch %v", bad)
	case err != nil:
		return nil, console.Usagef("--watch: %v", err)
	}
	return files, nil
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// NewWatch returns a session's watch over files already watched.
func NewWatch(w *flags.Watch, l *Session, files *filewatch.Watcher, person bool) *Watch {
	dir, _ := os.Getwd() // if unknown, paths are shown in full
	made := &Watch{
		Series: replay.NewSeries(l.Session, replay.SeriesOptions{Calls: w.Calls, All: w.All, Tools: w.Tools, Interactive: person}),
		files:  files, Live: l, dir: dir, Globs: w.Globs,
	}
	made.build.Command = w.Before
	made.build.Note = func(text string) { l.Note(text, "") }
	made.build.Report = func(text string) { made.Notify(text, "") }
	return made
}

// Notify logs and prints text and hint.
func (w *Watch) Notify(text, hint string) {
	w.Live.Note(text, hint)
	w.Info(text)
	if hint != "" {
		w.Info("  try: " + hint)
	}
}

// Info prints text. Several goroutines call it.
func (w *Watch) Info(text string) {
	w.printing.Lock()
	defer w.printing.Unlock()
	if w.Print != nil {
		w.Print(text)
	}
}

// Introduce reports what is watched.
func (w *Watch) Introduce() {
	about := w.files.About()
	text := fmt.Sprintf("watching %s: %s in %s", strings.Join(w.Globs, " "), wording.Plural(about.Files, "file"), wording.Plural(about.Folders, "folder"))
	if len(about.Excluded) > 0 {
		text += "; excluded: " + strings.Join(about.Excluded, ", ")
	}
	w.Notify(text, "")
	if about.Polling != nil {
		w.Notify(about.Polling.String(), about.Polling.Hint)
	}
	for _, glob := range about.Unmatched {
		w.Notify(fmt.Sprintf("--watch %s: no file matches yet", wording.Quote(glob)), "check the glob; files created later are watched, too")
	}
	if about.OverLimit > 0 {
		w.Notify(fmt.Sprintf("%s and their contents are not watched: too many folders", wording.Plural(about.OverLimit, "folder")), "a narrower glob, or !GLOB to exclude files")
	}
}

// Open starts the server and lists what it offers, to compare with later.
func (w *Watch) Open(ctx context.Context) error {
	w.Introduce()
	if err := w.Live.Open(ctx); err != nil {
		return err
	}
	_ = w.Begin(ctx) // failures are in the log
	return nil
}

// Next waits for a change and describes it.
func (w *Watch) Next(ctx context.Context) (cause string, err error) {
	for {
		select {
		case c := <-w.files.Changes():
			if cause := w.due(c); cause != "" {
				return cause, nil
			}
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// due returns "" for a change that requires no round, or that only restarts the running
// command of --watch-run.
func (w *Watch) due(c filewatch.Change) (cause string) {
	if cause = w.take(c); cause != "" && w.build.Stale(cause) {
		return ""
	}
	return cause
}

// take reports a warning, and describes the change; "" for nothing.
func (w *Watch) take(c filewatch.Change) (cause string) {
	if c.Warning.Text != "" {
		w.Notify(c.Warning.Text, c.Warning.Hint)
	}
	if len(c.Paths) == 0 {
		return ""
	}
	return Changed(w.dir, c)
}

// Changed describes a change that has paths, relative to dir if they are below it.
func Changed(dir string, c filewatch.Change) string {
	name := c.Paths[0]
	if rest, err := filepath.Rel(dir, name); err == nil && !strings.HasPrefix(rest, "..") {
		name = rest
	}
	if more := len(c.Paths) - 1 + c.More; more > 0 {
		return fmt.Sprintf("%s and %s changed", name, wording.Plural(more, "other file"))
	}
	return name + " changed"
}

// Again runs a round, after the command of --watch-run.
func (w *Watch) Again(ctx context.Context, cause string) (*replay.Round, error) {
	if err := w.delayRound(ctx, cause); err != nil {
		return nil, err
	}
	defer w.backoff.Over()
	if w.build.Command != "" {
		var err error
		if cause, err = w.build.Run(ctx, cause); err != nil {
			return nil, err
		}
	}
	return w.Rerun(ctx, cause)
}

// Close ends the watch.
func (w *Watch) Close() {
	_ = CloseWatch(w.files) // errors do not matter any more
}

// CloseWatch closes files, which may be nil.
func CloseWatch(files *filewatch.Watcher) error {
	if files == nil {
		return nil
	}
	return files.Close()
}

func (w *Watch) delayRound(ctx context.Context, cause string) error {
	return w.backoff.Delay(ctx, func(longest time.Duration) {
		w.Notify(fmt.Sprintf("%s, as after each restart: does the server write it? Restarts are now delayed, by up to %v", cause, longest),
			"exclude it, as in --watch '!*.log'")
	})
}

// Doing describes the running command before a restart.
func (w *Watch) Doing() string { return w.build.Doing() }

// Causes sends the changes, of those during a round only the last, so that one round
// follows. stop ends it.
func (w *Watch) Causes(ctx context.Context) (causes <-chan string, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	out := make(chan string)
	var over sync.WaitGroup
	over.Go(func() {
		cause := ""
		for {
			var to chan<- string
			if cause != "" {
				to = out
			}
			select {
			case c := <-w.files.Changes():
				cause = cmp.Or(w.due(c), cause)
			case to <- cause:
				cause = ""
			case <-ctx.Done():
				return
			}
		}
	})
	return out, func() {
		cancel()
		over.Wait()
	}
}

// Report prints the result of a round.
func (w *Watch) Report(round *replay.Round) {
	w.Info(fmt.Sprintf("%s (%s)", round.Summary(), round.Times()))
	for _, line := range round.Changes() {
		w.Info("  " + line)
	}
}
