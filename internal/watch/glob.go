package watch

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// A GlobError is about a glob that can't be one.
type GlobError struct {
	Glob string
	Why  string
}

func (e *GlobError) Error() string { return fmt.Sprintf("%q: %s", e.Glob, e.Why) }

// A glob is the folder that it is about and what has to match below it.
type glob struct {
	text  string // as it was given
	root  string // absolute, without meta characters
	parts []string
	rest  string // the same as one text, with slashes
	top   string // the folder where to begin: root, or one above it that is there
}

// globs decide which files are watched.
type globs struct {
	in, out []glob
}

// parseGlobs reads globs that are relative to a folder. Without one that is not
// for leaving out, all below the folder is meant.
func parseGlobs(dir string, texts []string) (globs, error) {
	var g globs
	for _, text := range texts {
		bare, out := strings.CutPrefix(text, "!")
		one, err := parseGlob(dir, bare)
		if err != nil {
			return g, err
		}
		one.text = text
		if out {
			g.out = append(g.out, one)
		} else {
			g.in = append(g.in, one)
		}
	}
	if len(g.in) == 0 {
		all, err := parseGlob(dir, "**")
		if err != nil {
			return g, err
		}
		g.in = append(g.in, all)
	}
	return g, nil
}

func parseGlob(dir, text string) (glob, error) {
	slashed := filepath.ToSlash(text)
	switch {
	case strings.TrimSpace(text) == "":
		return glob{}, &GlobError{text, "is empty"}
	case !doublestar.ValidatePattern(slashed):
		return glob{}, &GlobError{text, "is no glob: a bracket or a brace is not closed, or a backslash stands at the end"}
	}
	if info, err := os.Stat(within(dir, text)); err == nil && info.IsDir() {
		slashed = strings.TrimSuffix(slashed, "/") + "/**" // a folder is all that is in it
	}
	base, rest := doublestar.SplitPattern(slashed)
	g := glob{text: text, root: within(dir, filepath.FromSlash(base)), rest: rest, parts: strings.Split(rest, "/")}
	g.top = existing(g.root)
	if isWithin(dir, g.root) {
		g.top = dir
	}
	return g, nil
}

// within is a path as seen from a folder.
func within(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

// existing is the nearest folder above a path, or the path itself, that is there.
func existing(name string) string {
	for {
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			return name
		}
		parent := filepath.Dir(name)
		if parent == name {
			return name
		}
		name = parent
	}
}

// isWithin tells whether a path is a folder or below it.
func isWithin(dir, name string) bool {
	_, ok := below(dir, name)
	return ok
}

// below is a path as seen from a folder that it is below, with slashes; "" for
// the folder itself.
func below(dir, name string) (string, bool) {
	if name == dir {
		return "", true
	}
	if !strings.HasSuffix(dir, string(filepath.Separator)) {
		dir += string(filepath.Separator)
	}
	rest, ok := strings.CutPrefix(name, dir)
	return filepath.ToSlash(rest), ok
}

// never are folders that only a glob with their name is about.
var never = []string{".git", ".hg", ".svn", "node_modules"}

// tops are the folders where to begin.
func (g *globs) tops() []string {
	var tops []string
	for i := range g.in {
		if !slices.Contains(tops, g.in[i].top) {
			tops = append(tops, g.in[i].top)
		}
	}
	return tops
}

// matches tells whether a file is watched.
func (g *globs) matches(file string) bool {
	if leftByEditor(filepath.Base(file)) || !slices.ContainsFunc(g.in, func(in glob) bool { return in.matches(file) }) {
		return false
	}
	return !g.leavesOut(file)
}

// wants tells whether there may be files to watch in a folder or below it.
func (g *globs) wants(folder string) bool {
	return slices.ContainsFunc(g.in, func(in glob) bool { return in.mayHold(folder) }) && !g.leavesOut(folder)
}

// leavesOut tells whether a path, or a folder above it, is one of those that are
// not to be watched.
func (g *globs) leavesOut(name string) bool {
	for i := range g.out {
		rest, ok := below(g.out[i].root, name)
		for ; ok && rest != "" && rest != "."; rest = path.Dir(rest) {
			if match(g.out[i].rest, rest) {
				return true
			}
		}
	}
	return false
}

// neverWanted tells whether a folder is left out only because of its name.
func (g *globs) neverWanted(folder string) bool {
	name := filepath.Base(folder)
	if !slices.Contains(never, name) {
		return false
	}
	return !slices.ContainsFunc(g.in, func(in glob) bool {
		return isWithin(folder, in.root) || slices.Contains(in.parts, name)
	})
}

func (g *glob) matches(file string) bool {
	rest, ok := below(g.root, file)
	return ok && match(g.rest, rest)
}

// mayHold tells whether a folder is on the way to files that match, or has some.
func (g *glob) mayHold(folder string) bool {
	if isWithin(folder, g.root) {
		return isWithin(g.top, folder)
	}
	rest, ok := below(g.root, folder)
	if !ok {
		return false
	}
	parts := strings.Split(rest, "/")
	for i, part := range parts {
		switch {
		case i < len(g.parts) && (g.parts[i] == "**" || strings.ContainsAny(g.parts[i], "{}")):
			return true // a brace may hold slashes
		case i >= len(g.parts)-1 || !match(g.parts[i], part):
			return false // the last part is a file's name
		}
	}
	return true
}

// match tells whether a glob that was checked matches.
func match(glob, name string) bool {
	ok, err := doublestar.Match(glob, name)
	return err == nil && ok
}

// leftByEditor tells whether a file is one that editors keep beside what is
// edited.
func leftByEditor(name string) bool {
	switch ext := path.Ext(name); {
	case name == "4913", strings.HasSuffix(name, "~"), strings.HasPrefix(name, ".#"), strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#"):
		return true
	default:
		return strings.HasPrefix(name, ".") && (ext == ".swp" || ext == ".swx" || ext == ".swo")
	}
}
