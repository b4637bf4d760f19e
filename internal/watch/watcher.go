// Package watch reports changes of files whose names match globs. A [Watcher] watches
// folders, not files, because editors replace files. New folders are watched as they
// appear, and links to folders elsewhere are followed, never in a circle. If the system
// does not report all changes, because the files are on another machine or a limit is
// reached, the files are polled every second: About and Change report that, with a hint.
// Changes within a short time are one [Change]. Only a different content counts. Globs
// are those of github.com/bmatcuk/doublestar: * and ? within a name, ** across folders,
// [abc] and {a,b}; a leading ! excludes. The folders .git, .hg, .svn and node_modules and
// the temporary files of editors are only watched if a glob names them. A [Build] runs a
// command before each restart, and a [Backoff] delays restarts that follow each other at
// once.
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
	// Ignore reports files that never count, such as the program's own output; may be
	// nil.
	Ignore func(path string) bool
	// Quiet is the time without events before a change is reported, and MaxDelay its
	// maximum delay; 0 means 100 ms and 2 s.
	Quiet, MaxDelay time.Duration
	// Early reports events at once, too, before their changes are gathered.
	Early bool
	// Poll replaces the system's notifications.
	Poll bool
	// MaxFolders limits the watched folders; 0 means 8,192.
	MaxFolders int

	interval time.Duration // between polls; 0 means pollInterval
}

const (
	defaultQuiet   = 100 * time.Millisecond
	defaultMost    = 2 * time.Second
	defaultFolders = 8192
	maxRetreats    = 100
)

// About describes what a Watcher watches.
type About struct {
	Folders, Files int
	Excluded       []string // folders that are excluded because of their names
	OverLimit      int      // minimum number of folders beyond MaxFolders
	Unmatched      []string // globs that match no file now
	// Polling is why the files are polled; nil if not.
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
	looks       chan chan<- bool
	ending      sync.Once
	running     sync.WaitGroup

	// The fields below belong to New, then to the gathering goroutine.
	folders  map[string]string   // real folders by their watched names
	names    map[string][]string // the names by real folder
	files    map[string]state
	links    map[string][]string // links by their target
	touched  map[string]bool
	excluded map[string]bool
	beyond   int
	budget   int64 // bytes still to be hashed at the start
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
		opts: opts, addToSystem: addToSystem, changes: make(chan Change), stop: make(chan struct{}), looks: make(chan chan<- bool), budget: maxInitialHash,
		folders: map[string]string{}, names: map[string][]string{}, files: map[string]state{}, links: map[string][]string{}, touched: map[string]bool{}, excluded: map[string]bool{},
	}
	if w.globs, err = parseGlobs(dir, opts.Globs); err != nil {
		return nil, err
	}
	g := &gatherer{
		stop: w.stop, out: w.changes, quiet: opts.Quiet, maxDelay: opts.MaxDelay, interval: opts.interval,
		dirty: w.dirty, lost: w.lost, scan: w.scan, settle: w.settle, early: opts.Early, looks: w.looks, look: w.lookAtAll,
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

// Changes never closes. A change that was not received is merged with the next.
func (w *Watcher) Changes() <-chan Change { return w.changes }

// maxLook is the highest number of files that Look checks.
const maxLook = 500

// Look reports whether a file may have changed that no Change has listed. It asks the file
// system, whose events may still be pending.
func (w *Watcher) Look() bool {
	answer := make(chan bool, 1)
	select {
	case w.looks <- answer:
		return <-answer
	case <-w.stop:
		return false
	}
}

func (w *Watcher) lookAtAll() bool {
	if len(w.files) > maxLook {
		return false
	}
	for file := range w.files {
		w.check(file)
	}
	return len(w.touched) > 0
}

// About returns what was watched at the start.
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

// Events carry the real name.
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

// For one name of the path.
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

// removed handles a disappeared path, with everything in a folder. If it exists again, it
// is watched again. If a glob begins in it, the nearest existing parent is watched too,
// to see it return.
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
			w.retreat(g)
		}
	}
}

// retreat watches the nearest existing parent of a glob's root. While a tree is being
// removed, the parent may go before it is watched, and its end is then no event. A folder
// that cannot be watched at all ends the tries.
func (w *Watcher) retreat(g *glob) {
	for range maxRetreats {
		g.top = nearestExisting(g.root)
		w.created(g.top)
		if _, watched := w.folders[g.top]; watched {
			return
		}
	}
}

// Events may be lost, so all files are checked.
func (w *Watcher) lost(error) bool {
	for file := range w.files {
		w.touch(file)
	}
	for _, top := range w.globs.tops() {
		w.created(top)
	}
	return true
}

// Other paths than folders are ignored.
func (w *Watcher) created(folder string) { w.enter(folder, w.touch) }

// enter walks a later folder, and warns if there are too many.
func (w *Watcher) enter(folder string, found func(file string)) {
	before := w.beyond
	w.walk(folder, found)
	if before == 0 && w.beyond > 0 {
		w.warning = Warning{Text: fmt.Sprintf("more than %d folders: %s and later ones are not watched", w.opts.MaxFolders, folder)}
	}
}

// settle returns those touched files that have changed.
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
