package hosts

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/report"
)

// ErrNoFailures reports a limit by a report without failures: there is nothing to do.
var ErrNoFailures = errors.New("nothing to do: the report has no failures")

// A Member is a target that a limit or a shard may select.
type Member struct {
	ID   string // SERVER@HOST
	Host *Host
}

// A Limit selects targets by patterns, as --limit of Ansible does.
type Limit struct {
	text  string
	terms []term
}

type term struct {
	op   byte // 0: union, '&': only these, '!': not these
	text string
	ids  map[string]bool // of a report; nil for a pattern
}

// ParseLimit parses patterns separated by commas, or else by colons: a group, a host, an
// id, each with wildcards, or @FILE: a list of names, or a report, of which the targets
// count that failed, were stopped or cancelled. The error may be ErrNoFailures.
func ParseLimit(text string, read func(file string) ([]byte, error)) (*Limit, error) {
	l := &Limit{text: text}
	for _, part := range split(text) {
		t := term{text: part}
		if part[0] == '!' || part[0] == '&' {
			t.op, t.text = part[0], part[1:]
		}
		file, isFile := strings.CutPrefix(t.text, "@")
		switch {
		case t.text == "" || isFile && file == "":
			return nil, fmt.Errorf("%q: missing pattern after %q", text, part)
		case !isFile:
			if err := t.check(); err != nil {
				return nil, err
			}
			l.terms = append(l.terms, t)
			continue
		}
		data, err := read(file)
		if err != nil {
			return nil, err
		}
		if err := l.file(t.op, file, data); err != nil {
			return nil, err
		}
	}
	if len(l.terms) == 0 {
		return nil, errors.New("empty; must be a pattern, such as a group or a host")
	}
	return l, nil
}

// split separates at commas if there are any, or if a file comes first, else at colons
// outside of brackets. An address with a port is one pattern.
func split(text string) []string {
	comma := strings.Contains(text, ",") || strings.HasPrefix(text, "@")
	if !comma && isAddress(text) {
		return []string{text}
	}
	brackets := 0
	parts := strings.FieldsFunc(text, func(c rune) bool {
		switch c {
		case '[':
			brackets++
		case ']':
			brackets--
		}
		return comma && c == ',' || !comma && c == ':' && brackets <= 0
	})
	var words []string
	for _, part := range parts {
		if part = strings.TrimSpace(part); part != "" {
			words = append(words, part)
		}
	}
	return words
}

// isAddress reports whether text is an IPv6 address, or a host with a port.
func isAddress(text string) bool {
	colon := strings.LastIndexByte(text, ':')
	if colon < 1 || isIPv6(text) {
		return colon > 0
	}
	host, port := text[:colon], text[colon+1:]
	bracketed := host[0] == '[' && strings.IndexByte(host, ']') == len(host)-1
	return port != "" && strings.Trim(port, "0123456789") == "" && (bracketed || !strings.Contains(host, ":"))
}

func (t *term) check() error {
	_, err := path.Match(t.glob(), "")
	if t.text[0] == '~' || err != nil {
		return fmt.Errorf("%q: invalid pattern: must be a name with *, ? or [abc]; regular expressions are not supported", t.text)
	}
	return nil
}

func (t *term) glob() string { return strings.ReplaceAll(t.text, "[!", "[^") }

func (t *term) pattern() bool {
	return strings.ContainsAny(t.text, "*?[") && !strings.Contains(t.text, ":") // an address has brackets, too
}

// file adds the names of a list, or the ids of a report. Its names are one term.
func (l *Limit) file(op byte, name string, data []byte) error {
	ids, err := failed(data)
	if err != nil {
		return fmt.Errorf("@%s: %w", name, err)
	}
	if ids != nil {
		l.terms = append(l.terms, term{op: op, text: "@" + name, ids: ids})
		return nil
	}
	found := false
	for line := range strings.Lines(strings.TrimPrefix(string(data), "\ufeff")) {
		t := term{op: op, text: strings.TrimSpace(uncommented(line))}
		if t.text == "" {
			continue
		}
		if err := errors.Join(checkLine(t.text), t.check()); err != nil {
			return fmt.Errorf("@%s: %w", name, err)
		}
		if op == '&' {
			return fmt.Errorf("&@%s: a list of names cannot follow &: use a report, or a group", name)
		}
		l.terms, found = append(l.terms, t), true
	}
	if !found {
		return fmt.Errorf("@%s: no names", name)
	}
	return nil
}

// failed returns the ids of the targets of a report that failed or did not run; nil if
// data is not a report.
func failed(data []byte) (map[string]bool, error) {
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return nil, nil
	}
	r, err := report.Read(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	ids := map[string]bool{}
	for i := range r.Targets {
		switch t := &r.Targets[i]; t.Outcome {
		case verify.OutcomeFailed, verify.OutcomeStopped, verify.OutcomeCancelled:
			ids[t.ID] = true
		}
	}
	if len(ids) == 0 {
		return nil, ErrNoFailures
	}
	return ids, nil
}

// Select returns the members that match, in their order. A pattern that matches nothing
// is an error, as it may be misspelled.
func (l *Limit) Select(members []Member) ([]Member, error) {
	x := newIndex(members)
	var sets [3][]bool // of no operator, & and !
	only := make([]bool, len(members))
	for i := range only {
		only[i] = true
	}
	for _, t := range l.terms {
		set := x.matches(&t)
		if set == nil {
			return nil, fmt.Errorf("%s matches no group, host or target", t.text)
		}
		k := strings.IndexByte("\x00&!", t.op)
		if sets[k] == nil {
			sets[k] = make([]bool, len(members))
		}
		for _, i := range set {
			sets[k][i] = true
		}
		if t.op == '&' {
			both(only, sets[k])
			sets[k] = nil
		}
	}
	var left []Member
	for i, m := range members {
		if only[i] && (sets[0] == nil || sets[0][i]) && (sets[2] == nil || !sets[2][i]) {
			left = append(left, m)
		}
	}
	if left == nil {
		return nil, fmt.Errorf("%s selects none of the %d targets", l.text, len(members))
	}
	return left, nil
}

func both(a, b []bool) {
	for i := range a {
		a[i] = a[i] && b[i]
	}
}

// An index finds members by group, host or id.
type index struct {
	members               []Member
	byGroup, byHost, byID map[string][]int
}

func newIndex(members []Member) *index {
	x := &index{members, map[string][]int{}, map[string][]int{}, map[string][]int{}}
	var last *Host
	var groups []string
	for i, m := range members {
		if m.Host != last {
			last, groups = m.Host, append(m.Host.Groups(), all)
			if len(m.Host.in) == 0 {
				groups = append(groups, ungrouped)
			}
		}
		for _, g := range groups {
			x.byGroup[g] = append(x.byGroup[g], i)
		}
		x.byHost[m.Host.Name] = append(x.byHost[m.Host.Name], i)
		x.byID[m.ID] = append(x.byID[m.ID], i)
	}
	return x
}

// matches returns nil if nothing has the name. Wildcards are for groups and hosts, and for
// ids if neither matches.
func (x *index) matches(t *term) []int {
	if t.ids != nil {
		found := []int{} // its targets may be gone
		for i, m := range x.members {
			if t.ids[m.ID] {
				found = append(found, i)
			}
		}
		return found
	}
	if !t.pattern() {
		for _, by := range []map[string][]int{x.byGroup, x.byHost, x.byID} {
			if found := by[t.text]; found != nil {
				return found
			}
		}
		return nil
	}
	if found := append(globbed(t, x.byGroup), globbed(t, x.byHost)...); found != nil {
		return found
	}
	return globbed(t, x.byID)
}

func globbed(t *term, by map[string][]int) (found []int) {
	glob := t.glob()
	for name, members := range by {
		if ok, _ := path.Match(glob, name); ok { // the pattern is valid
			found = append(found, members...)
		}
	}
	return found
}
