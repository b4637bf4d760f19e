package verify

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode"

	"mcpdbg/session/diagnosis"
	"mcpdbg/ui/widget/termsafe"
)

// An AcceptedFile lists accepted problems. Its file is made to be read in a diff: one
// block for each problem, in a stable order.
//
//	TOL05 tools/list echo /inputSchema
//	  reason: fixed in the next release
//	  expires: 2027-01-31
//
// The first line is the fingerprint, quoted as in Go if it has characters that do not
// show. Lines that begin with # are comments. A target is accepted by its id, and needs
// an owner, a reason and a date:
//
//	target notes@web-7
//	  cause: connect auth
//	  owner: ana
//	  reason: disk is being replaced
//	  expires: 2026-12-01
type AcceptedFile struct {
	Accepted []Accepted
	Targets  []AcceptedTarget
}

// An Accepted is an accepted problem.
type Accepted struct {
	Fingerprint string
	Server      string    // "" for every server
	Reason      string    // why
	Expires     time.Time // last valid day; zero for no limit
}

// Limits of the file.
const (
	MaxAcceptedFile = 1 << 20 // bytes
	maxAccepted     = 10_000
	maxFingerprint  = 4096 // bytes
)

const dateFormat = "2006-01-02"

// ParseAccepted reads the file.
func ParseAccepted(data []byte) (*AcceptedFile, error) {
	if len(data) > MaxAcceptedFile {
		return nil, fmt.Errorf("larger than %d bytes", MaxAcceptedFile)
	}
	b := new(AcceptedFile)
	p := acceptedParser{file: b}
	number := 0
	for line := range strings.SplitSeq(string(data), "\n") {
		number++
		line = strings.TrimSuffix(line, "\r")
		if err := p.line(line, number); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if err := p.endTarget(); err != nil {
		return nil, err
	}
	return b, b.checkDuplicates()
}

// An acceptedParser is in the block of a target, of a problem, or of neither.
type acceptedParser struct {
	file   *AcceptedFile
	target *AcceptedTarget
	began  int // line of the target
}

func (p *acceptedParser) line(line string, number int) error {
	text := strings.TrimSpace(line)
	switch {
	case text == "" || strings.HasPrefix(text, "#"):
		return nil
	case line[0] == ' ' || line[0] == '\t':
		return p.member(text)
	}
	if err := p.endTarget(); err != nil {
		return err
	}
	if len(p.file.Accepted)+len(p.file.Targets) == maxAccepted {
		return fmt.Errorf("more than %d problems and targets", maxAccepted)
	}
	if id, ok := strings.CutPrefix(text, targetWord); ok {
		id, err := parseFingerprint(strings.TrimSpace(id))
		p.file.Targets = append(p.file.Targets, AcceptedTarget{ID: id})
		p.target, p.began = &p.file.Targets[len(p.file.Targets)-1], number
		return err
	}
	fingerprint, err := parseFingerprint(strings.TrimRight(line, " \t"))
	p.file.Accepted = append(p.file.Accepted, Accepted{Fingerprint: fingerprint})
	return err
}

// endTarget checks that nothing is missing.
func (p *acceptedParser) endTarget() error {
	t := p.target
	p.target = nil
	if t != nil && (t.Owner == "" || t.Reason == "" || t.Expires.IsZero()) {
		return fmt.Errorf("target %s (line %d) needs owner, reason and expires", written(t.ID), p.began)
	}
	return nil
}

func (p *acceptedParser) member(text string) error {
	name, value, found := strings.Cut(text, ":")
	value = strings.TrimSpace(value)
	switch {
	case !found:
		return fmt.Errorf("%.40q: must be a member with a colon, such as reason: fixed soon", text)
	case p.target != nil:
		return p.target.member(name, value)
	case len(p.file.Accepted) == 0:
		return fmt.Errorf("%.40q: there is no fingerprint above it", text)
	}
	return p.file.Accepted[len(p.file.Accepted)-1].member(name, value)
}

func (a *Accepted) member(name, value string) (err error) {
	switch name {
	case "reason":
		a.Reason, err = once(name, a.Reason, value)
	case "server":
		if value, err = unquoted(value); err == nil {
			a.Server, err = once(name, a.Server, value)
		}
	case "expires":
		a.Expires, err = parseExpiry(a.Expires, value)
	default:
		return fmt.Errorf("%.40q: must be reason, server or expires", name)
	}
	return err
}

func parseExpiry(before time.Time, value string) (time.Time, error) {
	if !before.IsZero() {
		return before, fmt.Errorf("expires is given twice")
	}
	date, err := time.Parse(dateFormat, value)
	if err != nil || date.IsZero() {
		return date, fmt.Errorf("expires: %.40q is not a date such as 2027-01-31", value)
	}
	return date, nil
}

func once(name, before, value string) (string, error) {
	if before != "" {
		return "", fmt.Errorf("%s is given twice", name)
	}
	return value, nil
}

func parseFingerprint(text string) (string, error) {
	fingerprint, err := unquoted(text)
	switch {
	case err != nil:
		return "", err
	case strings.TrimSpace(fingerprint) == "":
		return "", fmt.Errorf("the fingerprint is empty")
	case len(fingerprint) > maxFingerprint:
		return "", fmt.Errorf("the fingerprint is longer than %d bytes", maxFingerprint)
	}
	return fingerprint, nil
}

func unquoted(text string) (string, error) {
	if !strings.HasPrefix(text, `"`) {
		return text, nil
	}
	value, err := strconv.Unquote(text)
	if err != nil {
		return "", fmt.Errorf("%.40s: not a quoted text", text)
	}
	return value, nil
}

func (b *AcceptedFile) checkDuplicates() error {
	type key struct{ server, fingerprint string }
	seen := map[key]bool{}
	for _, a := range b.Accepted {
		k := key{a.Server, a.Fingerprint}
		if seen[k] {
			return fmt.Errorf("%s is listed twice", written(a.Fingerprint))
		}
		seen[k] = true
	}
	ids := map[string]bool{}
	for _, t := range b.Targets {
		if ids[t.ID] {
			return fmt.Errorf("target %s is listed twice", written(t.ID))
		}
		ids[t.ID] = true
	}
	return nil
}

func written(text string) string {
	plain := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
	if plain && text == strings.TrimSpace(text) && !strings.HasPrefix(text, `"`) && !strings.HasPrefix(text, "#") {
		return text
	}
	return strconv.Quote(text)
}

const acceptedHead = `# Problems that mcpdbg check and smoke accept (--accepted FILE), one block each:
# what (rule, method, name, place), then why, and optionally "expires: YYYY-MM-DD"
# or "server: NAME". --update renews the list and keeps the rest, and all targets.
`

// Write writes the file.
func (b *AcceptedFile) Write(w io.Writer) error {
	all := slices.Clone(b.Accepted)
	sort.Slice(all, func(i, j int) bool {
		x, y := &all[i], &all[j]
		return cmp.Or(cmp.Compare(x.Fingerprint, y.Fingerprint), cmp.Compare(x.Server, y.Server)) < 0
	})
	var out strings.Builder
	out.WriteString(acceptedHead)
	for _, a := range all {
		fmt.Fprintf(&out, "\n%s\n", written(a.Fingerprint))
		if a.Server != "" {
			fmt.Fprintf(&out, "  server: %s\n", written(a.Server))
		}
		fmt.Fprintf(&out, "%s\n", strings.TrimRight("  reason: "+termsafe.Line(a.Reason), " "))
		if !a.Expires.IsZero() {
			fmt.Fprintf(&out, "  expires: %s\n", a.Expires.Format(dateFormat))
		}
	}
	for i := range b.Targets {
		b.Targets[i].write(&out)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// find returns an index, -1 without one, preferring an entry that names the server.
func (b *AcceptedFile) find(server, fingerprint string) int {
	general := -1
	for i := range b.Accepted {
		switch a := &b.Accepted[i]; {
		case a.Fingerprint != fingerprint:
		case a.Server == server:
			return i
		case a.Server == "":
			general = i
		}
	}
	return general
}

// Accepts reports whether a problem is accepted. A nil file accepts none.
func (b *AcceptedFile) Accepts(server, fingerprint string, now time.Time) bool {
	if b == nil {
		return false
	}
	at := b.find(server, fingerprint)
	return at >= 0 && !expired(b.Accepted[at].Expires, now)
}

func expired(day, now time.Time) bool {
	return !day.IsZero() && now.Format(dateFormat) > day.Format(dateFormat)
}

// A Match compares problems with a baseline.
type Match struct {
	Stale   []Accepted // no longer found
	Expired []Accepted // found, but no longer accepted
}

type accepting struct {
	server string
	entry  int
}

// Apply marks accepted problems of these servers. A nil baseline accepts none. Entries of
// other servers are not stale.
func (b *AcceptedFile) Apply(all []Reported, servers []string, now time.Time) Match {
	var m Match
	if b == nil {
		return m
	}
	found := map[int]bool{}
	texts := map[accepting]int{}
	for i := range all {
		p := &all[i]
		at := b.find(p.Server, p.Fingerprint)
		if at < 0 {
			continue
		}
		a := &b.Accepted[at]
		if !expired(a.Expires, now) {
			p.Acceptance = Acceptance{Accepted: true, Reason: a.Reason}
			texts[accepting{p.Server, at}]++
		} else if !found[at] {
			m.Expired = append(m.Expired, *a)
		}
		found[at] = true
	}
	for i := range all {
		p := &all[i]
		if n := texts[accepting{p.Server, b.find(p.Server, p.Fingerprint)}]; p.Accepted && n > 1 {
			p.Texts = n
		}
	}
	for i, a := range b.Accepted {
		if !found[i] && (a.Server == "" || slices.Contains(servers, a.Server)) {
			m.Stale = append(m.Stale, a)
		}
	}
	return m
}

// Update returns a baseline of all errors and warnings of these servers, keeping present
// reasons, server names and dates, and all targets, without entries that are no longer found. A past date
// stays: only a person accepts a problem for longer.
func (b *AcceptedFile) Update(all []Reported, servers []string) *AcceptedFile {
	next, known := new(AcceptedFile), map[Accepted]bool{}
	if b != nil {
		next.Targets = b.Targets
		for _, a := range b.Accepted {
			if a.Server != "" && !slices.Contains(servers, a.Server) {
				next.Accepted = append(next.Accepted, a)
			}
		}
	}
	for i := range all {
		p := &all[i]
		if p.Severity == diagnosis.Info.String() {
			continue
		}
		a := Accepted{Fingerprint: p.Fingerprint}
		if len(servers) > 1 {
			a.Server = p.Server
		}
		if b != nil {
			if at := b.find(p.Server, p.Fingerprint); at >= 0 {
				a = b.Accepted[at]
			}
		}
		if !known[a] {
			known[a] = true
			next.Accepted = append(next.Accepted, a)
		}
	}
	return next
}
