package watch

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// A GlobError reports an invalid glob.
type GlobError struct {
	Glob   string
	Reason string
}

func (e *GlobError) Error() string { return fmt.Sprintf("%q: %s", e.Glob, e.Reason) }

type glob struct {
	text  string // as given
	root  string // absolute path without meta characters
	parts []string
	rest  string // parts as one text, with slashes
	top   string // where the watch begins: root, or its nearest existing parent
}

type globs struct {
	in, out []glob
}

// Globs are relative to dir. If all are exclusions, everything in dir is included.
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

// CheckGlobs returns a *GlobError if one of them is invalid.
func CheckGlobs(dir string, texts []string) error {
	_, err := parseGlobs(dir, texts)
	return err
}

// EscapeFolder returns a path as the beginning of a glob. On Windows a name with a bracket
// or a brace cannot be written.
func EscapeFolder(name string) string {
	if filepath.Separator == '\\' {
		return name
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`, "}", `\}`).Replace(name)
}

func parseGlob(dir, text string) (glob, error) {
	slashed := filepath.ToSlash(text)
	switch {
	case strings.TrimSpace(text) == "":
		return glob{}, &GlobError{text, "empty glob"}
	case !doublestar.ValidatePattern(slashed):
		return glob{}, &GlobError{text, "invalid glob: unclosed bracket or brace, or trailing backslash"}
	}
	if info, err := os.Stat(within(dir, unescaped(text))); err == nil && info.IsDir() {
		slashed = strings.TrimSuffix(slashed, "/") + "/**" // a folder means everything in it
	}
	base, rest := doublestar.SplitPattern(slashed)
	g := glob{text: text, root: within(dir, filepath.FromSlash(base)), rest: rest, parts: strings.Split(rest, "/")}
	g.top = nearestExisting(g.root)
	if isWithin(dir, g.root) {
		g.top = dir
	}
	return g, nil
}

var escape = regexp.MustCompile(`\\(.)`)

// unescaped returns a glob without escapes as a path.
func unescaped(glob string) string {
	if filepath.Separator == '\\' {
		return glob
	}
	return escape.ReplaceAllString(glob, "$1")
}

func within(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

// The path itself counts.
func nearestExisting(name string) string {
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

func isWithin(dir, name string) bool {
	_, ok := below(dir, name)
	return ok
}

// below returns a path with slashes, "" for dir itself, and whether name is dir or below
// it.
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

// Only watched if a glob names them.
var defaultExcludes = []string{".git", ".hg", ".svn", "node_modules"}

func (g *globs) tops() []string {
	var tops []string
	for i := range g.in {
		if !slices.Contains(tops, g.in[i].top) {
			tops = append(tops, g.in[i].top)
		}
	}
	return tops
}

func (g *globs) matches(file string) bool {
	if isEditorFile(filepath.Base(file)) || !slices.ContainsFunc(g.in, func(in glob) bool { return in.matches(file) }) {
		return false
	}
	return !g.excludes(file)
}

func (g *globs) wants(folder string) bool {
	return slices.ContainsFunc(g.in, func(in glob) bool { return in.mayHold(folder) }) && !g.excludes(folder)
}

func (g *globs) excludes(name string) bool {
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

// excludedByName reports whether only the name excludes a folder.
func (g *globs) excludedByName(folder string) bool {
	name := filepath.Base(folder)
	if !slices.Contains(defaultExcludes, name) {
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

// mayHold includes folders that lead to matching files.
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
			return true // a brace may contain slashes
		case i >= len(g.parts)-1 || !match(g.parts[i], part):
			return false // the last part is a file name
		}
	}
	return true
}

func match(glob, name string) bool {
	ok, err := doublestar.Match(glob, name)
	return err == nil && ok
}

func isEditorFile(name string) bool {
	switch ext := path.Ext(name); {
	case name == "4913", strings.HasSuffix(name, "~"), strings.HasPrefix(name, ".#"), strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#"):
		return true
	default:
		return strings.HasPrefix(name, ".") && (ext == ".swp" || ext == ".swx" || ext == ".swo")
	}
}
