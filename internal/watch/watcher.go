package watch

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Options say what is watched. Globs may be empty: all below Dir then.
type Options struct {
	Dir   string // that relative globs are about; "" is the working directory
	Globs []string
	// Ignore tells of files that never count, such as what the program writes
	// itself; nil means none.
	Ignore func(path string) bool
	// Quiet is how long nothing may happen before a change is told of, and Most
	// how long that may take; 0 means 100 ms and 2 s.
	Quiet, Most time.Duration
	// MaxFolders is how many folders are watched; 0 means 8,192.
	MaxFolders int
}

const (
	defaultQuiet   = 100 * time.Millisecond
	defaultMost    = 2 * time.Second
	defaultFolders = 8192
)

// A LimitError says that the system does not give as much as it takes to watch.
type LimitError struct {
	Folder string // that could not be watched; "" if nothing could
	Err    error
}

func (e *LimitError) Error() string {
	if e.Folder == "" {
		return fmt.Sprintf("the system watches nothing more for this user: %v", e.Err)
	}
	return fmt.Sprintf("the system watches no more folders for this user: %s: %v", e.Folder, e.Err)
}

func (e *LimitError) Unwrap() error { return e.Err }

// Hint says what to try.
func (e *LimitError) Hint() string {
	if e.Folder == "" {
		return "end other programs that watch files, or: sudo sysctl fs.inotify.max_user_instances=1024"
	}
	return "a narrower glob, or one with ! for what is not needed, or: sudo sysctl fs.inotify.max_user_watches=524288"
}

// About is what a Watcher watches.
type About struct {
	Folders, Files int
	LeftOut        []string // folders that are not watched because of their names
	Beyond         int      // folders that are not because there are too many, at least
	Unmatched      []string // globs that match no file now
}

// A Watcher tells of changes. Close must be called.
type Watcher struct {
	opts    Options
	globs   globs
	fs      *fsnotify.Watcher
	changes chan Change
	stop    chan struct{}
	ending  sync.Once
	running sync.WaitGroup

	// What follows belongs to New, and then to the goroutine that gathers.
	folders map[string]bool // that are watched
	files   map[string]state
	links   map[string][]string // links by the file that they lead to
	touched map[string]bool
	leftOut map[string]bool
	beyond  int
	budget  int64 // bytes that may be hashed while the files are first looked at
	warning string
	about   About
}

// New watches what is there, and what will be. The error is a *GlobError, a
// *LimitError, or about the file system.
func New(opts Options) (*Watcher, error) {
	if opts.Quiet == 0 {
		opts.Quiet = defaultQuiet
	}
	if opts.Most == 0 {
		opts.Most = defaultMost
	}
	if opts.MaxFolders == 0 {
		opts.MaxFolders = defaultFolders
	}
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return nil, err
	}
	w := &Watcher{
		opts: opts, changes: make(chan Change), stop: make(chan struct{}), budget: hashedAtOnce,
		folders: map[string]bool{}, files: map[string]state{}, links: map[string][]string{}, touched: map[string]bool{}, leftOut: map[string]bool{},
	}
	if w.globs, err = parseGlobs(dir, opts.Globs); err != nil {
		return nil, err
	}
	if w.fs, err = fsnotify.NewBufferedWatcher(4096); err != nil {
		if errors.Is(err, syscall.EMFILE) {
			return nil, &LimitError{Err: err}
		}
		return nil, err
	}
	for _, top := range w.globs.tops() {
		if err := w.walk(top, w.first); err != nil {
			_ = w.fs.Close()
			return nil, err
		}
	}
	w.describe()
	g := &gatherer{
		events: w.fs.Events, errors: w.fs.Errors, stop: w.stop, out: w.changes, quiet: opts.Quiet, most: opts.Most,
		dirty: w.dirty, lost: w.lost, settle: w.settle,
	}
	w.running.Go(g.run)
	return w, nil
}

// Changes is where changes come. What happens while nobody takes one is added to
// the next. It is never closed.
func (w *Watcher) Changes() <-chan Change { return w.changes }

// About is what was watched when the Watcher was made.
func (w *Watcher) About() About { return w.about }

// Close ends the watching.
func (w *Watcher) Close() error {
	var err error
	w.ending.Do(func() {
		close(w.stop)
		w.running.Wait()
		err = w.fs.Close()
	})
	return err
}

func (w *Watcher) describe() {
	w.about = About{Folders: len(w.folders), Files: len(w.files), LeftOut: slices.Sorted(maps.Keys(w.leftOut)), Beyond: w.beyond}
	for i := range w.globs.in {
		one := &w.globs.in[i]
		if !slices.ContainsFunc(slices.Collect(maps.Keys(w.files)), one.matches) {
			w.about.Unmatched = append(w.about.Unmatched, one.text)
		}
	}
}

// first takes a file that is there from the start.
func (w *Watcher) first(file string) {
	s := stateOf(file, min(maxHashed, w.budget))
	if s.hashed {
		w.budget -= s.size
	}
	w.files[file] = s
	w.follow(file)
}

// touch notes that a file may have changed.
func (w *Watcher) touch(file string) { w.touched[file] = true }

// dirty notes what an event may have changed.
func (w *Watcher) dirty(e fsnotify.Event) bool {
	before := len(w.touched)
	if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
		w.gone(e.Name)
	}
	if e.Has(fsnotify.Create) {
		w.come(e.Name)
	}
	if e.Has(fsnotify.Chmod) && e.Op == fsnotify.Chmod {
		return false // touched, or another mode: the content is the same
	}
	if w.watches(e.Name) {
		w.touch(e.Name)
	}
	for _, link := range w.links[e.Name] {
		w.touch(link)
	}
	return len(w.touched) > before || w.touched[e.Name] || len(w.links[e.Name]) > 0 || w.warning != ""
}

// watches tells whether a file counts.
func (w *Watcher) watches(file string) bool {
	return w.globs.matches(file) && (w.opts.Ignore == nil || !w.opts.Ignore(file))
}

// gone takes a path that is not there any more: with a folder goes what is in
// it. What is there again by now is watched anew; where a glob begins in it, so
// is the nearest folder above, which sees it come back.
func (w *Watcher) gone(name string) {
	if !w.folders[name] {
		return
	}
	inside := name + string(filepath.Separator)
	for folder := range w.folders {
		if folder == name || strings.HasPrefix(folder, inside) {
			delete(w.folders, folder)
			_ = w.fs.Remove(folder) // which may have done it itself
		}
	}
	for file := range w.files {
		if strings.HasPrefix(file, inside) {
			w.touch(file)
		}
	}
	w.come(name)
	for i := range w.globs.in {
		if g := &w.globs.in[i]; isWithin(name, g.top) {
			g.top = existing(g.root)
			w.come(g.top)
		}
	}
}

// lost takes an error of the system: events may be lost, so all is looked at.
func (w *Watcher) lost(error) bool {
	for file := range w.files {
		w.touch(file)
	}
	for _, top := range w.globs.tops() {
		w.come(top)
	}
	return true
}

// come takes a folder that is new, or what is no folder and means nothing.
func (w *Watcher) come(folder string) {
	before := w.beyond
	err := w.walk(folder, w.touch)
	switch {
	case err != nil:
		w.warning = err.Error()
	case before == 0 && w.beyond > 0:
		w.warning = fmt.Sprintf("more than %d folders: %s and what comes later is not watched", w.opts.MaxFolders, folder)
	}
}

// settle looks at what may have changed.
func (w *Watcher) settle() Change {
	c := Change{Warning: w.warning}
	w.warning = ""
	for file := range w.touched {
		now := stateOf(file, maxHashed)
		if w.files[file].differs(now) {
			c.Paths = append(c.Paths, file)
		}
		if now.there {
			w.files[file] = now
			w.follow(file)
		} else {
			delete(w.files, file)
		}
	}
	clear(w.touched)
	slices.Sort(c.Paths)
	return c
}
