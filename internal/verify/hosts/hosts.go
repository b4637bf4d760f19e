// Package hosts reads the hosts of a run, with their groups and variables, and selects
// from them. It reads a list with one host per line, which may be an inventory of Ansible
// in INI format, and the JSON of ansible-inventory --list. It connects to nothing and runs
// nothing.
package hosts

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
)

const (
	// MaxFile is the maximum size of a file in bytes.
	MaxFile = 4 << 20

	maxHosts  = 10_000
	maxNamed  = 10 * maxHosts // including repeats
	maxGroups = 1_000
	maxDepth  = 20
)

// Names provides the possible hosts; all members are required.
type Names struct {
	// Canonical returns the canonical form of a destination, or an error if it
	// is invalid, which does not repeat a password.
	Canonical func(destination string) (string, error)
	// Known returns the names that patterns match. It is called once, and only for a
	// pattern.
	Known func() ([]string, error)
	// Match reports whether a pattern without "!" matches a whole name.
	Match func(name, pattern string) bool
}

// A Host is a host of the inventory.
type Host struct {
	Name string // as written
	At   string // file:line of its first line
	own  map[string]Var
	in   []*group // direct ones
}

// An Inventory has hosts in order, each once.
type Inventory struct {
	Hosts  []*Host
	Notes  []string // about ignored and repeated lines
	groups map[string]*group
}

type group struct {
	name    string
	vars    map[string]Var
	parents []edge
	defined bool
	depth   int // 0: unknown; groups without parents have 1
}

type edge struct {
	parent *group
	at     string
}

// A naming is a host or pattern as one line names it, for one group.
type naming struct {
	text, file, at string
	literal        bool // not a pattern
	group          *group
	vars           map[string]Var
	canonical      string // "" once it is excluded
}

func (n *naming) pattern() bool { return !n.literal && strings.ContainsAny(n.text, "*?") }

// A Reader collects the hosts of several files.
type Reader struct {
	names    Names
	named    []naming
	excluded []naming
	used     []edge // groups that must be defined in the end
	groups   map[string]*group
	notes    []string
	become   bool // noted
}

// NewReader returns a Reader without hosts.
func NewReader(names Names) *Reader {
	return &Reader{names: names, groups: map[string]*group{}}
}

// Add adds a destination or pattern; from is its origin, such as a flag.
func (r *Reader) Add(from, text string) error {
	return r.name(naming{text: text, file: from, at: from})
}

func (r *Reader) name(n naming) error {
	if r.named = append(r.named, n); len(r.named) > maxNamed {
		return tooManyNamed(n.at)
	}
	return nil
}

func tooManyNamed(at string) error {
	return fmt.Errorf("%s: more than %d hosts, including repeated ones", at, maxNamed)
}

// group returns a group, which it makes if necessary.
func (r *Reader) group(name, at string) (*group, error) {
	if g := r.groups[name]; g != nil {
		return g, nil
	}
	switch {
	case name == "" || len(name) > 255:
		return nil, fmt.Errorf("%s: invalid group name: must have 1 to 255 bytes", at)
	case len(r.groups) == maxGroups:
		return nil, fmt.Errorf("%s: more than %d groups", at, maxGroups)
	}
	g := &group{name: name, vars: map[string]Var{}, defined: name == all || name == ungrouped}
	r.groups[name] = g
	return g, nil
}

// child puts the group of a name into parent. All groups are in all.
func (r *Reader) child(parent *group, name, at string) error {
	g, err := r.group(name, at)
	switch {
	case err != nil:
		return err
	case name == all:
		return fmt.Errorf("%s: group %q cannot be in another group", at, name)
	}
	r.used = append(r.used, edge{g, at})
	if parent.name != all {
		g.parents = append(g.parents, edge{parent, at})
	}
	return nil
}

const (
	all       = "all"
	ungrouped = "ungrouped"
)

var errNoHosts = errors.New("no hosts")

// Inventory returns what was read: a pattern is replaced by its known matches, and a host
// that several lines name has the groups and variables of all of them.
func (r *Reader) Inventory() (*Inventory, error) {
	for _, use := range r.used {
		if !use.parent.defined {
			return nil, fmt.Errorf("%s: unknown group %q: no section defines it", use.at, use.parent.name)
		}
	}
	for _, name := range sortedKeys(r.groups) {
		if err := r.groups[name].measure(nil); err != nil {
			return nil, err
		}
	}
	named, err := r.expand()
	if err != nil {
		return nil, err
	}
	if named, err = r.exclude(named); err != nil {
		return nil, err
	}
	inv := &Inventory{Notes: r.notes, groups: r.groups}
	return inv, inv.unite(named)
}

func sortedKeys[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

// measure sets the depth of g, below the groups on path.
func (g *group) measure(path []*group) error {
	if g.depth > 0 {
		return nil
	}
	depth := 1
	for _, up := range g.parents {
		switch {
		case up.parent == g || slices.Contains(path, up.parent):
			return fmt.Errorf("%s: group %q contains itself", up.at, g.name)
		case len(path) == maxDepth:
			return fmt.Errorf("%s: groups are nested more than %d deep", up.at, maxDepth)
		}
		if err := up.parent.measure(append(path, g)); err != nil {
			return err
		}
		if depth = max(depth, up.parent.depth+1); depth > maxDepth {
			return fmt.Errorf("%s: groups are nested more than %d deep", up.at, maxDepth)
		}
	}
	g.depth = depth
	return nil
}

func (r *Reader) expand() ([]naming, error) {
	var named []naming
	var known []string
	asked := false
	for _, n := range r.named {
		names := []string{n.text}
		if n.pattern() {
			if !asked {
				var err error
				if known, err = r.names.Known(); err != nil {
					return nil, err
				}
				asked = true
			}
			if names = r.matching(known, n.text); names == nil {
				return nil, fmt.Errorf("%s: %s matches none of the %d hosts in the ssh configuration", n.at, n.text, len(known))
			}
		}
		for _, name := range names {
			one := n
			var err error
			if one.canonical, err = r.names.Canonical(name); err != nil {
				return nil, fmt.Errorf("%s: %w", n.at, err)
			}
			one.text, one.literal = name, !n.pattern()
			named = append(named, one)
		}
		if len(named) > maxNamed {
			return nil, tooManyNamed(n.at)
		}
	}
	return named, nil
}

func (r *Reader) matching(known []string, pattern string) []string {
	var names []string
	for _, name := range known {
		if r.names.Match(name, pattern) {
			names = append(names, name)
		}
	}
	return names
}

// exclude applies lines with "!" to all lines of their file. One that matches nothing is
// an error: its host would be visited.
func (r *Reader) exclude(named []naming) ([]naming, error) {
	for _, x := range r.excluded {
		found := false
		for i := range named {
			if one := &named[i]; one.file == x.file && r.names.Match(one.text, x.text) {
				one.canonical, found = "", true
			}
		}
		if !found {
			return nil, fmt.Errorf("%s: !%s excludes none of the hosts in this list", x.at, x.text)
		}
	}
	left := slices.DeleteFunc(slices.Clone(named), func(n naming) bool { return n.canonical == "" })
	if len(left) == 0 && len(named) > 0 {
		return nil, fmt.Errorf("%s: %w", named[0].file, errNoHosts)
	}
	return left, nil
}

// shownRepeats limits the notes about hosts that are listed again.
const shownRepeats = 5

func (inv *Inventory) unite(named []naming) error {
	type first struct {
		*Host
		by *naming
	}
	seen := make(map[string]first, len(named))
	repeats := 0
	for i := range named {
		n := &named[i]
		before, again := seen[n.canonical]
		if !again {
			if len(inv.Hosts) == maxHosts {
				return fmt.Errorf("%s: more than %d hosts", n.at, maxHosts)
			}
			before = first{&Host{Name: n.text, At: n.at}, n}
			seen[n.canonical] = before
			inv.Hosts = append(inv.Hosts, before.Host)
		} else if n.literal && before.by.literal && n.group == before.by.group {
			if repeats++; repeats <= shownRepeats {
				inv.Notes = append(inv.Notes, fmt.Sprintf("%s: %s is listed again (first in %s), and tested once", n.at, n.text, before.At))
			}
		}
		before.add(n)
	}
	if repeats > shownRepeats {
		inv.Notes = append(inv.Notes, fmt.Sprintf("%d more hosts are listed again", repeats-shownRepeats))
	}
	return nil
}

func (h *Host) add(n *naming) {
	if n.group != nil && n.group.name != all && n.group.name != ungrouped && !slices.Contains(h.in, n.group) {
		h.in = append(h.in, n.group)
	}
	if h.own == nil {
		h.own = n.vars
		return
	}
	merged := make(map[string]Var, len(h.own)+len(n.vars)) // lines may share theirs
	for _, vars := range []map[string]Var{h.own, n.vars} {
		for name, v := range vars {
			merged[name] = v
		}
	}
	h.own = merged
}

// groups returns the groups of h and those above them, by depth, then by name.
func (h *Host) groups() []*group {
	list := slices.Clone(h.in)
	for i := 0; i < len(list); i++ {
		for _, up := range list[i].parents {
			if !slices.Contains(list, up.parent) {
				list = append(list, up.parent)
			}
		}
	}
	sort.Slice(list, func(i, j int) bool {
		a, b := list[i], list[j]
		return a.depth < b.depth || a.depth == b.depth && a.name < b.name
	})
	return list
}

// Groups returns the names of the groups of h, sorted, without all and ungrouped.
func (h *Host) Groups() []string {
	var names []string
	for _, g := range h.groups() {
		names = append(names, g.name)
	}
	sort.Strings(names)
	return names
}
