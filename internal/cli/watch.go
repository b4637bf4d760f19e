package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	filewatch "mcpdbg/internal/watch"
	"mcpdbg/recordings"
	"mcpdbg/recordings/rerun"
)

// watchFlags are those of commands that start their server again when files
// change.
type watchFlags struct {
	globs  []string
	calls  int
	all    bool
	tools  []string
	poll   bool
	before string
}

func (w *watchFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&w.globs, "watch", nil, "start the server again when a file changes that matches `GLOB`, and say what changed in its answers; !GLOB leaves files out; may be repeated")
	f.StringVar(&w.before, "watch-run", "", "with --watch: run this `COMMAND` by the shell first; while it fails the server is left alone")
	f.IntVar(&w.calls, "watch-calls", rerun.DefaultCalls, "with --watch: send the last `N` different requests again")
	f.BoolVar(&w.all, "watch-all", false, "with --watch: send again what may change things, too: calls of tools not known to be read-only, and requests not known to only read")
	f.StringArrayVar(&w.tools, "watch-tool", nil, "with --watch: send again calls of the tool `NAME`, whatever it may change; may be repeated")
	f.BoolVar(&w.poll, "watch-poll", false, "with --watch: look at the files each second, where the system does not tell of changes")
}

// check says what is wrong with the flags of a command.
func (w *watchFlags) check(cmd *cobra.Command) error {
	if len(w.globs) == 0 {
		for _, name := range []string{"watch-run", "watch-calls", "watch-all", "watch-tool", "watch-poll"} {
			if cmd.Flags().Changed(name) {
				return usagef("--%s is for --watch", name)
			}
		}
	}
	if w.calls < 0 {
		return usagef("--watch-calls %d: must not be below 0", w.calls)
	}
	return nil
}

// alone says what of run has no meaning with files that are watched.
func (w *watchFlags) alone(r runFlags) error {
	switch {
	case len(w.globs) == 0:
	case r.raw:
		return withHint(usagef("--watch and --raw can't be mixed: what a server is asked again comes after a handshake"),
			"leave --raw out: --in FILE sends lines as they are after it")
	case r.scenario.file != "":
		return withHint(usagef("--watch and --scenario can't be mixed: a scenario ends with its steps"),
			"--in FILE with requests, which are sent again at each change; or a program that watches files and runs the scenario, as in: ls *.go | entr mcpdbg run --scenario FILE -- COMMAND")
	}
	return nil
}

// expandedHint says what may be wrong with words before the first -- if files
// are to be watched.
func expandedHint(cmd *cobra.Command) string {
	if f := cmd.Flags().Lookup("watch"); f == nil || !f.Changed {
		return ""
	}
	return "the shell made file names of a glob: quote it, as in --watch '*.go'"
}

// A watching is the watch over the files of a session's server.
type watching struct {
	*rerun.Series
	files *filewatch.Watcher
	live  *live
	dir   string
	first string // command that is run before the server is started again
	globs []string
	aside func(text string) // tells besides the log; nil for nobody

	saying sync.Mutex
	haste  haste
	build  build
}

// watchFiles begins to watch; nil without --watch. What the program writes
// itself does not count.
func (w *watchFlags) watchFiles(t *targetFlags) (*filewatch.Watcher, error) {
	if len(w.globs) == 0 {
		return nil, nil
	}
	own := map[string]bool{}
	if t.record != "" {
		own[absolute(t.record)] = true
	}
	state, _ := recordings.StateDir() // without one nothing is written there
	files, err := filewatch.New(filewatch.Options{Globs: w.globs, Poll: w.poll, Ignore: func(path string) bool {
		first, _ := recordings.FirstPart(path)
		return own[path] || own[first] || state != "" && strings.HasPrefix(path, state+string(filepath.Separator))
	}})
	var bad *filewatch.GlobError
	switch {
	case errors.As(err, &bad):
		return nil, usagef("--watch %v", bad)
	case err != nil:
		return nil, usagef("--watch: %v", err)
	}
	return files, nil
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// over is the watch over a session, with files that are watched already.
func (w *watchFlags) over(l *live, files *filewatch.Watcher, person bool) *watching {
	dir, _ := os.Getwd() // where it is not known paths are told whole
	return &watching{
		Series: rerun.New(l.Session, rerun.Options{Calls: w.calls, All: w.all, Tools: w.tools, Person: person}),
		files:  files, live: l, dir: dir, first: w.before, globs: w.globs,
	}
}

// tell tells the log of something, and who else wants to know.
func (w *watching) tell(text, hint string) {
	w.live.Note(text, hint)
	w.say(text)
	if hint != "" {
		w.say("  try: " + hint)
	}
}

// say tells who wants to know besides; what changes and what is done about it is
// told from goroutines of their own.
func (w *watching) say(text string) {
	w.saying.Lock()
	defer w.saying.Unlock()
	if w.aside != nil {
		w.aside(text)
	}
}

// introduce tells what is watched.
func (w *watching) introduce() {
	about := w.files.About()
	text := fmt.Sprintf("watches %s: %s in %s", strings.Join(w.globs, " "), plural(uint64(about.Files), "file"), plural(uint64(about.Folders), "folder"))
	if len(about.LeftOut) > 0 {
		text += "; left out: " + strings.Join(about.LeftOut, ", ")
	}
	w.tell(text, "")
	if about.Polling != nil {
		w.tell(about.Polling.String(), about.Polling.Hint)
	}
	for _, glob := range about.Unmatched {
		w.tell(fmt.Sprintf("--watch %s: no file matches now", word(glob)), "one that is made later is seen")
	}
	if about.Beyond > 0 {
		w.tell(fmt.Sprintf("%s and what is in them are not watched: there are too many", plural(uint64(about.Beyond), "folder")), "a narrower glob, or one with ! for what is not needed")
	}
}

// open starts the server and asks it for what it offers, so that there is
// something to compare with.
func (w *watching) open(ctx context.Context) error {
	w.introduce()
	if err := w.live.Open(ctx); err != nil {
		return err
	}
	_ = w.Begin(ctx) // what is not answered is in the log
	return nil
}

// Next waits for a change, and says what it was.
func (w *watching) Next(ctx context.Context) (cause string, err error) {
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

// due is what has changed, "" for nothing that a round is due for: the command
// that is run before one may be begun anew for it.
func (w *watching) due(c filewatch.Change) (cause string) {
	if cause = w.take(c); cause != "" && w.build.stale(cause) {
		return ""
	}
	return cause
}

// take tells of a warning, and returns what has changed; "" for nothing.
func (w *watching) take(c filewatch.Change) (cause string) {
	if c.Warning.Text != "" {
		w.tell(c.Warning.Text, c.Warning.Hint)
	}
	if len(c.Paths) == 0 {
		return ""
	}
	return w.cause(c)
}

// cause says what has changed.
func (w *watching) cause(c filewatch.Change) string {
	name := c.Paths[0]
	if rest, err := filepath.Rel(w.dir, name); err == nil && !strings.HasPrefix(rest, "..") {
		name = rest
	}
	if more := len(c.Paths) - 1 + c.More; more > 0 {
		return fmt.Sprintf("%s and %s changed", name, plural(uint64(more), "other file"))
	}
	return name + " changed"
}

// Again is a round for a cause, with the command before it.
func (w *watching) Again(ctx context.Context, cause string) (*rerun.Round, error) {
	if err := w.unhurried(ctx, cause); err != nil {
		return nil, err
	}
	defer w.haste.over()
	if w.first != "" {
		var err error
		if cause, err = w.runFirst(ctx, cause); err != nil {
			return nil, err
		}
	}
	return w.Series.Again(ctx, cause)
}

// close ends the watch.
func (w *watching) close() {
	_ = closeFiles(w.files) // nothing is lost by it
}

// closeFiles ends the watch over files, if there is one.
func closeFiles(files *filewatch.Watcher) error {
	if files == nil {
		return nil
	}
	return files.Close()
}
