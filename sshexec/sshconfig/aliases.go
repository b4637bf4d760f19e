package sshconfig

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

const maxAliases = 100_000

// Aliases returns the names without patterns in the Host lines of the
// configuration and of included files, in order and each once. Names after a
// Match are included: whether a block applies depends on the host. Names that
// are not valid destinations are skipped, and so are invalid lines: ssh reports
// those when the host is resolved.
//
// The error is a *ConfigError: an existing or required file cannot be read, or
// only ssh can evaluate an Include.
func (r *Resolver) Aliases() ([]string, error) {
	m, err := r.machine()
	if err != nil {
		return nil, err
	}
	names := aliasNames{seen: map[string]bool{}}
	if err := r.eachHostLine(m, names.add); err != nil {
		return nil, err
	}
	return names.list, nil
}

type aliasNames struct {
	list []string
	seen map[string]bool
}

func (n *aliasNames) add(_ position, words []string) error {
	for _, word := range words {
		if strings.ContainsAny(word, "*?!") || n.seen[word] {
			continue
		}
		d, err := ParseDestination(word)
		if err != nil || d.Host != word { // a word such as user@host is not an alias
			continue
		}
		if len(n.list) == maxAliases {
			return fmt.Errorf("more than %d hosts", maxAliases)
		}
		n.seen[word] = true
		n.list = append(n.list, word)
	}
	return nil
}

// aliasAt ignores patterns that match every name.
func (r *Resolver) aliasAt(m machine, name string) (at position, found bool) {
	// Without a readable configuration there are no aliases.
	_ = r.eachHostLine(m, func(here position, words []string) error {
		found = found || slices.ContainsFunc(words, func(word string) bool {
			return strings.Trim(word, "*?") != "" && matchPattern(name, word)
		})
		if found && at.line == 0 {
			at = here
		}
		return nil
	})
	return at, found
}

func (r *Resolver) eachHostLine(m machine, do func(position, []string) error) error {
	l := lister{m: m, host: do}
	for _, f := range r.files(m) {
		err := l.file(f.path, f.user, 0)
		if err != nil && (f.required || !errors.Is(err, fs.ErrNotExist)) {
			return err
		}
	}
	return nil
}

type position struct {
	file string
	line int
}

type lister struct {
	m      machine
	host   func(position, []string) error
	opened int
}

// The errors are *ConfigError.
func (l *lister) file(path string, user bool, depth int) error {
	if l.opened++; l.opened > maxConfigFiles {
		return &ConfigError{File: path, Err: fmt.Errorf("more than %d files", maxConfigFiles)}
	}
	text, err := readConfig(path)
	if err != nil {
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			err = e.Err // without naming the file twice
		}
		return &ConfigError{File: path, Err: err}
	}
	return l.text(position{file: path}, user, depth, text)
}

func (l *lister) text(at position, user bool, depth int, text string) error {
	for line := range strings.Lines(text) {
		at.line++
		keyword, rest, err := splitLine(line)
		if err != nil || keyword != "host" && keyword != "include" {
			continue
		}
		words, err := splitWords(rest)
		if err != nil {
			continue
		}
		if keyword == "include" {
			err = l.include(words, user, depth)
		} else {
			err = l.host(at, words)
		}
		if err != nil {
			if _, ok := errors.AsType[*ConfigError](err); ok {
				return err // of an included file
			}
			return &ConfigError{File: at.file, Line: at.line, Err: err}
		}
	}
	return nil
}

func (l *lister) include(words []string, user bool, depth int) error {
	if depth >= maxIncludeDepth {
		return fmt.Errorf("files include each other more than %d deep", maxIncludeDepth)
	}
	for _, word := range words {
		paths, err := includePaths(word, user, l.m)
		if err != nil {
			return err
		}
		for _, path := range paths {
			if err := l.file(path, user, depth+1); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// MatchAlias reports whether a pattern of a Host line, with the wildcards "*"
// (any text) and "?" (any byte), matches all of name. As in ssh, it is
// case-sensitive.
func MatchAlias(name, pattern string) bool { return matchPattern(name, pattern) }
