package smoke

import (
	"fmt"
	"strings"
)

// hostNames provides the possible hosts; all members are required.
type hostNames struct {
	// Canonical returns the canonical form of a destination, or an error if it
	// is invalid.
	Canonical func(destination string) (string, error)
	// Known returns the names that patterns match. It is called once, and only for a
	// pattern.
	Known func() ([]string, error)
	// Match reports whether a pattern without "!" matches a whole name.
	Match func(name, pattern string) bool
}

// A hostRepeat is a host that is named more than once.
type hostRepeat struct {
	Host  string
	Line  hostLine
	First hostLine // where it was named first
}

// Choose returns the hosts of lines, in order and without duplicates: a pattern is
// replaced by its known matches. A line with "!" excludes its matches from all lines of
// its file. A host named by two lines, neither a pattern, is among repeats. The error is
// that of Known or an *Error: an invalid destination, or a pattern, with or without "!",
// that matches nothing.
func (n hostNames) Choose(lines []hostLine) (hosts []string, repeats []hostRepeat, err error) {
	named, err := n.expand(lines)
	if err != nil {
		return nil, nil, err
	}
	if named, err = n.exclude(named, lines); err != nil {
		return nil, nil, err
	}
	first := map[string]hostLine{}
	for _, one := range named {
		before, again := first[one.canonical]
		switch {
		case !again && len(hosts) == maxHosts:
			return nil, nil, &lineError{one.line, fmt.Errorf("more than %d hosts", maxHosts)}
		case !again:
			first[one.canonical] = one.line
			hosts = append(hosts, one.name)
		case !one.line.Pattern() && !before.Pattern():
			repeats = append(repeats, hostRepeat{one.name, one.line, before})
		}
	}
	return hosts, repeats, nil
}

type host struct {
	name, canonical string
	line            hostLine
}

// maxNamed limits the hosts named by all lines, including repeats.
const maxNamed = 10 * maxHosts

func (n hostNames) expand(lines []hostLine) ([]host, error) {
	var named []host
	var known []string
	asked := false
	for _, line := range lines {
		if line.excludes() {
			continue
		}
		names := []string{line.Text}
		if line.Pattern() {
			if !asked {
				var err error
				if known, err = n.Known(); err != nil {
					return nil, err
				}
				asked = true
			}
			if names = n.matching(known, line.Text); names == nil {
				return nil, &lineError{line, fmt.Errorf("%s matches none of the %d hosts in the ssh configuration", line.Text, len(known))}
			}
		}
		for _, name := range names {
			canonical, err := n.Canonical(name)
			if err != nil {
				return nil, &lineError{line, err}
			}
			named = append(named, host{name, canonical, line})
		}
		if len(named) > maxNamed {
			return nil, &lineError{line, fmt.Errorf("more than %d hosts, including repeated ones", maxNamed)}
		}
	}
	return named, nil
}

func (n hostNames) matching(known []string, pattern string) []string {
	var names []string
	for _, name := range known {
		if n.Match(name, pattern) {
			names = append(names, name)
		}
	}
	return names
}

// A line that matches nothing is an error: its host would be visited.
func (n hostNames) exclude(named []host, lines []hostLine) ([]host, error) {
	for _, line := range lines {
		if !line.excludes() {
			continue
		}
		pattern := strings.TrimLeft(line.Text, "!")
		found := false
		for i, one := range named {
			if one.line.File == line.File && n.Match(one.name, pattern) {
				named[i].canonical, found = "", true
			}
		}
		if !found {
			return nil, &lineError{line, fmt.Errorf("%s excludes none of the hosts in this list", line.Text)}
		}
	}
	var left []host
	for _, one := range named {
		if one.canonical != "" {
			left = append(left, one)
		}
	}
	if left == nil && len(lines) > 0 {
		return nil, &lineError{hostLine{File: lines[0].File}, errNoHosts}
	}
	return left, nil
}
