package watch

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Options define what is watched. Without globs, everything in Dir is watched.
type Options struct {
	Dir   string // base of relative globs; "" is the working directory
	Globs []string
	// Ignore reports files that never count, such as those that the program
	// itself writes; nil ignores none.
	Ignore func(path string) bool
	// Quiet is the time without events after which a change is reported, and
	// Most the maximum delay if events continue; 0 means 100 ms and 2 s.
	Quiet, MaxDelay time.Duration
	// Poll polls the files instead of using the notifications of the system.
	Poll bool
	// MaxFolders is the maximum number of watched folders; 0 means 8,192.
	MaxFolders int

	interval time.Duration // between polls; 0 means pollInterval
}

const (
	defaultQuiet   = 100 * time.Millisecond
	defaultMost    = 2 * time.Second
	defaultFolders = 8192
)

// About describes what a Watcher watches.
type About struct {
	Folders, Files int
	Excluded       []string // folders that are excluded because of their names
	OverLimit      int      // minimum number of folders beyond MaxFolders
	Unmatched      []string // globs that match no file now
	// Polling is the reason why the files are polled; nil if they are not.
	Polling *Polling
}

// A Watcher reports changes. Close must be called.
type Watcher struct {
	opts        Options
	globs       globs
	fs          *fsnotify.Watcher // nil if it could not be created
	addToSystem func(fs *fsnotify.Watcher, folder string) error
	changes     chan Change
	stop        chan struct{}
	ending      sync.Once
	running     sync.WaitGroup

	// The fields below belong to New, and then to the goroutine that gathers.
	folders  map[string]string   // the real folders by the names under which they are watched
	names    map[string][]string // the names by real folder
	files    map[string]state
	links    map[string][]string // links by their target
	touched  map[string]bool
	excluded map[string]bool
	beyond   int
	budget   int64 // bytes that may still be hashed during the start
	polling  *Polling
	warning  Warning // not yet reported
	about    About
}

// New watches existing and future files. The error is a *GlobError or an error
// of the file system.
func New(opts Options) (*Watcher, error) { return newWatcher(opts, (*fsnotify.Watcher).Add) }

func newWatcher(opts Options, addToSystem func(fs *fsnotify.Watcher, folder string) error) (*Watcher, error) {
	if opts.Quiet == 0 {
		opts.Quiet = defaultQuiet
	}
	if opts.MaxDelay == 0 {
		opts.MaxDelay = defaultMost
	}
	if opts.interval == 0 {
		opts.interval = pollInterval
	}
	if opts.MaxFolders == 0 {
		opts.MaxFolders = defaultFolders
	}
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return nil, err
	}
	w := &Watcher{
		opts: opts, addToSystem: addToSystem, changes: make(chan Change), stop: make(chan struct{}), budget: maxInitialHash,
		folders: map[string]string{}, names: map[string][]string{}, files: map[string]state{}, links: map[string][]string{}, touched: map[string]bool{}, excluded: map[string]bool{},
	}
	if w.globs, err = parseGlobs(dir, opts.Globs); err != nil {
		return nil, err
	}
	g := &gatherer{
		stop: w.stop, out: w.changes, quiet: opts.Quiet, maxDelay: opts.MaxDelay, interval: opts.interval,
		dirty: w.dirty, lost: w.lost, scan: w.scan, settle: w.settle,
	}
	if opts.Poll {
		w.poll(Polling{Reason: "as requested"})
	} else if w.fs, err = fsnotify.NewBufferedWatcher(4096); err != nil {
		w.poll(limitReached("", err))
	} else {
		g.events, g.errors = w.fs.Events, w.fs.Errors
	}
	for _, top := range w.globs.tops() {
		if where := remoteFS(top); where != "" {
			w.poll(Polling{Reason: top + " is on " + where + ": the system does not report all changes there"})
		}
		w.walk(top, w.first)
	}
	w.describe()
	w.running.Go(g.run)
	return w, nil
}

// Changes returns the channel for changes. A change that has not been received
// is merged with the next. The channel is never closed.
func (w *Watcher) Changes() <-chan Change { return w.changes }

// About returns what was watched when the Watcher was created.
func (w *Watcher) About() About { return w.about }

// Close stops the watcher.
func (w *Watcher) Close() error {
	var err error
	w.ending.Do(func() {
		close(w.stop)
		w.running.Wait()
		if w.fs != nil {
			err = w.fs.Close()
		}
	})
	return err
}

func (w *Watcher) describe() {
	w.about = About{Folders: len(w.folders), Files: len(w.files), Excluded: slices.Sorted(maps.Keys(w.excluded)), OverLimit: w.beyond, Polling: w.polling}
	w.warning = Warning{}
	for i := range w.globs.in {
		one := &w.globs.in[i]
		if !slices.ContainsFunc(slices.Collect(maps.Keys(w.files)), one.matches) {
			w.about.Unmatched = append(w.about.Unmatched, one.text)
		}
	}
}

func (w *Watcher) first(file string) {
	s := stateOf(file, min(maxHashed, w.budget))
	if s.hashed {
		w.budget -= s.size
	}
	w.files[file] = s
	w.follow(file)
}

func (w *Watcher) touch(file string) { w.touched[file] = true }

// dirty marks the paths that an event may have changed. Events carry the real
// name.
func (w *Watcher) dirty(e fsnotify.Event) bool {
	before := len(w.touched)
	names := slices.Clone(w.names[e.Name])
	folder, base := filepath.Split(e.Name)
	for _, name := range w.names[filepath.Clean(folder)] {
		if name = filepath.Join(name, base); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, link := range w.links[e.Name] {
		if !slices.Contains(names, link) {
			names = append(names, link)
		}
	}
	anything := false
	for _, name := range names {
		anything = w.record(name, e.Op) || anything
	}
	return anything || len(w.touched) > before || w.warning.Text != ""
}

// record marks what an event may have changed, for one name of the path.
func (w *Watcher) record(name string, op fsnotify.Op) bool {
	if _, watched := w.folders[name]; op.Has(fsnotify.Remove) || op.Has(fsnotify.Rename) || op.Has(fsnotify.Create) && watched {
		w.removed(name)
	}
	if op.Has(fsnotify.Create) {
		w.created(name)
	}
	if op == fsnotify.Chmod || !w.watches(name) {
		return false // only times or permissions changed
	}
	w.touch(name)
	return true
}

func (w *Watcher) watches(file string) bool {
	return w.globs.matches(file) && (w.opts.Ignore == nil || !w.opts.Ignore(file))
}

// removed handles a path that has disappeared, including everything in it if it
// was a folder. If it exists again by now, it is watched again. If a glob
// begins in it, the nearest existing parent is watched too, to see it return.
func (w *Watcher) removed(name string) {
	if _, watched := w.folders[name]; !watched {
		return
	}
	inside := name + string(filepath.Separator)
	for folder := range w.folders {
		if folder == name || strings.HasPrefix(folder, inside) {
			w.forget(folder)
		}
	}
	for file := range w.files {
		if strings.HasPrefix(file, inside) {
			w.touch(file)
		}
	}
	w.created(name)
	for i := range w.globs.in {
		if g := &w.globs.in[i]; isWithin(name, g.top) {
			g.top = nearestExisting(g.root)
			w.created(g.top)
		}
	}
}

// lost handles an error of the system. Events may be lost, so all files are
// checked.
func (w *Watcher) lost(error) bool {
	for file := range w.files {
		w.touch(file)
	}
	for _, top := range w.globs.tops() {
		w.created(top)
	}
	return true
}

// created handles a new folder; other paths are ignored.
func (w *Watcher) created(folder string) { w.enter(folder, w.touch) }

// enter walks a folder that was added after the start, and warns if there are
// now too many.
func (w *Watcher) enter(folder string, found func(file string)) {
	before := w.beyond
	w.walk(folder, found)
	if before == 0 && w.beyond > 0 {
		w.warning = Warning{Text: fmt.Sprintf("more than %d folders: %s and later ones are not watched", w.opts.MaxFolders, folder)}
	}
}

// settle checks the touched files and returns those that have changed.
func (w *Watcher) settle() Change {
	c := Change{Warning: w.warning}
	w.warning = Warning{}
	for file := range w.touched {
		now := stateOf(file, maxHashed)
		if w.files[file].differs(now) {
			c.Paths = append(c.Paths, file)
		}
		if now.exists {
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
