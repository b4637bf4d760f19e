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
	// Poll looks at the files again and again, and asks the system for nothing.
	Poll bool
	// MaxFolders is how many folders are watched; 0 means 8,192.
	MaxFolders int

	each time.Duration // between looks; 0 means pollEach
}

const (
	defaultQuiet   = 100 * time.Millisecond
	defaultMost    = 2 * time.Second
	defaultFolders = 8192
)

// About is what a Watcher watches.
type About struct {
	Folders, Files int
	LeftOut        []string // folders that are not watched because of their names
	Beyond         int      // folders that are not because there are too many, at least
	Unmatched      []string // globs that match no file now
	// Polling is why the files are looked at again and again; nil if they are not.
	Polling *Polling
}

// A Watcher tells of changes. Close must be called.
type Watcher struct {
	opts    Options
	globs   globs
	fs      *fsnotify.Watcher // nil where there is none
	ask     func(fs *fsnotify.Watcher, folder string) error
	changes chan Change
	stop    chan struct{}
	ending  sync.Once
	running sync.WaitGroup

	// What follows belongs to New, and then to the goroutine that gathers.
	folders map[string]string   // the real folders by the names under which they are watched
	names   map[string][]string // and the other way round
	files   map[string]state
	links   map[string][]string // links by what they lead to
	touched map[string]bool
	leftOut map[string]bool
	beyond  int
	budget  int64 // bytes that may be hashed while the files are first looked at
	polling *Polling
	warning Warning // not told of yet
	about   About
}

// New watches what is there, and what will be. The error is a *GlobError, or
// about the file system.
func New(opts Options) (*Watcher, error) { return newWatcher(opts, (*fsnotify.Watcher).Add) }

func newWatcher(opts Options, ask func(fs *fsnotify.Watcher, folder string) error) (*Watcher, error) {
	if opts.Quiet == 0 {
		opts.Quiet = defaultQuiet
	}
	if opts.Most == 0 {
		opts.Most = defaultMost
	}
	if opts.each == 0 {
		opts.each = pollEach
	}
	if opts.MaxFolders == 0 {
		opts.MaxFolders = defaultFolders
	}
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return nil, err
	}
	w := &Watcher{
		opts: opts, ask: ask, changes: make(chan Change), stop: make(chan struct{}), budget: hashedAtOnce,
		folders: map[string]string{}, names: map[string][]string{}, files: map[string]state{}, links: map[string][]string{}, touched: map[string]bool{}, leftOut: map[string]bool{},
	}
	if w.globs, err = parseGlobs(dir, opts.Globs); err != nil {
		return nil, err
	}
	g := &gatherer{
		stop: w.stop, out: w.changes, quiet: opts.Quiet, most: opts.Most, each: opts.each,
		dirty: w.dirty, lost: w.lost, look: w.look, settle: w.settle,
	}
	if opts.Poll {
		w.poll(Polling{Why: "as asked for"})
	} else if w.fs, err = fsnotify.NewBufferedWatcher(4096); err != nil {
		w.poll(limited("", err))
	} else {
		g.events, g.errors = w.fs.Events, w.fs.Errors
	}
	for _, top := range w.globs.tops() {
		if where := elsewhere(top); where != "" {
			w.poll(Polling{Why: top + " is on " + where + ": the system does not tell of all that happens there"})
		}
		w.walk(top, w.first)
	}
	w.describe()
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
		if w.fs != nil {
			err = w.fs.Close()
		}
	})
	return err
}

func (w *Watcher) describe() {
	w.about = About{Folders: len(w.folders), Files: len(w.files), LeftOut: slices.Sorted(maps.Keys(w.leftOut)), Beyond: w.beyond, Polling: w.polling}
	w.warning = Warning{}
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

// dirty notes what an event may have changed. It comes with the real name.
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
		anything = w.happened(name, e.Op) || anything
	}
	return anything || len(w.touched) > before || w.warning.Text != ""
}

// happened notes what may have changed with a name.
func (w *Watcher) happened(name string, op fsnotify.Op) bool {
	if _, watched := w.folders[name]; op.Has(fsnotify.Remove) || op.Has(fsnotify.Rename) || op.Has(fsnotify.Create) && watched {
		w.gone(name)
	}
	if op.Has(fsnotify.Create) {
		w.come(name)
	}
	if op == fsnotify.Chmod || !w.watches(name) {
		return false // touched, or another mode: the content is the same
	}
	w.touch(name)
	return true
}

// watches tells whether a file counts.
func (w *Watcher) watches(file string) bool {
	return w.globs.matches(file) && (w.opts.Ignore == nil || !w.opts.Ignore(file))
}

// gone takes a path that is not there any more: with a folder goes what is in
// it. What is there again by now is watched anew; where a glob begins in it, so
// is the nearest folder above, which sees it come back.
func (w *Watcher) gone(name string) {
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
func (w *Watcher) come(folder string) { w.enter(folder, w.touch) }

// enter walks through a folder later than at the start, and warns if it is one
// too many.
func (w *Watcher) enter(folder string, found func(file string)) {
	before := w.beyond
	w.walk(folder, found)
	if before == 0 && w.beyond > 0 {
		w.warning = Warning{Text: fmt.Sprintf("more than %d folders: %s and what comes later is not watched", w.opts.MaxFolders, folder)}
	}
}

// settle looks at what may have changed.
func (w *Watcher) settle() Change {
	c := Change{Warning: w.warning}
	w.warning = Warning{}
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
