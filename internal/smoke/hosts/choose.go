package hosts

import (
	"fmt"
	"strings"
)

// Names say which hosts there can be. All members are required.
type Names struct {
	// Canonical is a destination in the one way of writing it; the error says why
	// it is none.
	Canonical func(destination string) (string, error)
	// Known lists the names that patterns are matched with. It is called once, and
	// only if there is a pattern.
	Known func() ([]string, error)
	// Match tells whether a pattern without "!" is the whole of a name.
	Match func(name, pattern string) bool
}

// A Repeat is a host that is named again.
type Repeat struct {
	Host  string
	Line  Line
	First Line // where it was named before
}

// Choose makes hosts of lines, in their order, each once: a pattern stands for
// the known names that it matches. A line with "!" takes out what it matches of
// all lines of its file, wherever it stands there. A host that two lines name
// is among repeats, unless one of them is a pattern.
//
// The error is an *Error, or that of Known: a line is no destination, or it is
// a pattern, with or without "!", that matches nothing.
func (n Names) Choose(lines []Line) (hosts []string, repeats []Repeat, err error) {
	named, err := n.expand(lines)
	if err != nil {
		return nil, nil, err
	}
	if named, err = n.exclude(named, lines); err != nil {
		return nil, nil, err
	}
	first := map[string]Line{}
	for _, one := range named {
		before, again := first[one.canonical]
		switch {
		case !again && len(hosts) == MaxHosts:
			return nil, nil, &Error{one.line, fmt.Errorf("more than %d hosts", MaxHosts)}
		case !again:
			first[one.canonical] = one.line
			hosts = append(hosts, one.name)
		case !one.line.Pattern() && !before.Pattern():
			repeats = append(repeats, Repeat{one.name, one.line, before})
		}
	}
	return hosts, repeats, nil
}

// A host is one that a line names.
type host struct {
	name, canonical string
	line            Line
}

// maxNamed bounds what the lines name together, with repeats.
const maxNamed = 10 * MaxHosts

// expand is what the lines name, without regard to those with "!".
func (n Names) expand(lines []Line) ([]host, error) {
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
				return nil, &Error{line, fmt.Errorf("%s matches none of the %d hosts that the ssh configuration names", line.Text, len(known))}
			}
		}
		for _, name := range names {
			canonical, err := n.Canonical(name)
			if err != nil {
				return nil, &Error{line, err}
			}
			named = append(named, host{name, canonical, line})
		}
		if len(named) > maxNamed {
			return nil, &Error{line, fmt.Errorf("more than %d hosts, with those that are named again", maxNamed)}
		}
	}
	return named, nil
}

func (n Names) matching(known []string, pattern string) []string {
	var names []string
	for _, name := range known {
		if n.Match(name, pattern) {
			names = append(names, name)
		}
	}
	return names
}

// exclude takes out what the lines with "!" match. One that takes out nothing is
// an error: it was written for a host that would be visited now.
func (n Names) exclude(named []host, lines []Line) ([]host, error) {
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
			return nil, &Error{line, fmt.Errorf("%s takes out none of the hosts of this list", line.Text)}
		}
	}
	var left []host
	for _, one := range named {
		if one.canonical != "" {
			left = append(left, one)
		}
	}
	if left == nil && len(lines) > 0 {
		return nil, &Error{Line{File: lines[0].File}, ErrNone}
	}
	return left, nil
}
