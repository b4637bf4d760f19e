package redact

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcpdbg/recordings"
	"mcpdbg/session"
)

// tooCommon identify no one and have other meanings.
var tooCommon = []string{"root", "user", "admin", "localhost", "home", "node", "test"}

var folder = expression(`(?:/home/|/Users/|[A-Za-z]:\\+Users\\+)([^/\\\s"'<>:;,)]+)`)

const (
	// Each name is searched for everywhere.
	maxNames = 1000
	// longestIdentity is the limit of host names, in bytes.
	longestIdentity = 255
)

// identities returns the names of users and hosts in the header and in the entries of
// processes and links, and the further names.
func identities(ctx context.Context, s *recordings.Scanner, further []string) ([]string, error) {
	h := s.Header()
	names := map[string]bool{}
	add := func(some ...string) {
		for _, name := range some {
			if len(name) >= shortestAnchor && len(name) <= longestIdentity && !slices.Contains(tooCommon, strings.ToLower(name)) {
				names[name] = true
			}
		}
	}
	add(further...)
	add(hostNames(h.Host)...)
	for _, m := range folder().FindAllSubmatch(s.HeaderLine(), -1) {
		add(string(m[1]))
	}
	for n := 0; s.Next() && len(names) <= maxNames; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		head := s.Line()[:min(160, len(s.Line()))]
		if s.Torn() || !bytes.Contains(head, []byte(`"k":"link"`)) && !bytes.Contains(head, []byte(`"k":"start"`)) {
			continue
		}
		e, err := s.Decode()
		if err != nil {
			continue
		}
		var b struct {
			Host string   `json:"host"`
			Hops []string `json:"hops"`
		}
		if e.DecodeBody(&b) != nil || e.Kind != session.KindLink && e.Kind != session.KindStart {
			continue
		}
		for _, dest := range append(b.Hops, b.Host) {
			add(hostNames(dest)...)
		}
	}
	if s.Err() != nil {
		return nil, s.Err()
	}
	if len(names) > maxNames {
		return nil, &RuleError{"identity", fmt.Sprintf("the recording has more than %d names of users and hosts", maxNames)}
	}
	s.Rewind()
	return slices.Sorted(maps.Keys(names)), nil
}

// hostNames returns the user and host of [user@]host[:port].
func hostNames(dest string) []string {
	user, host, ok := strings.Cut(dest, "@")
	if !ok {
		user, host = "", dest
	}
	if i := strings.LastIndexByte(host, ':'); i > 0 {
		host = host[:i]
	}
	return []string{user, strings.Trim(host, "[]")}
}

// A value given to the recorder is counted under this rule.
func givenRule(name string) string { return "given " + name }

// givenIn finds values given to the recorder: the whole text, or a part of it with no
// letter, digit or _ on either side.
func (f *finder) givenIn(text []byte, place string) (edits []edit) {
	for from := 0; from+f.lengths[0] <= len(text); from++ {
		if from > 0 && inWord(text[from-1]) {
			continue
		}
		for _, n := range slices.Backward(f.lengths) {
			to := from + n
			if to > len(text) || to < len(text) && inWord(text[to]) {
				continue
			}
			if name := f.given.Find(text[from:to]); name != "" {
				edits = append(edits, edit{from: from, to: to, text: f.mark(text[from:to], markLetters), rule: givenRule(name), place: place})
				from = to - 1
				break
			}
		}
	}
	return edits
}

func inWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80
}
