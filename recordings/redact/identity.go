package redact

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"mcpdbg/recordings"
	"mcpdbg/session"
)

// tooCommon are names that say nothing about anybody, and are words of other
// meanings.
var tooCommon = []string{"root", "user", "admin", "localhost", "home", "node", "test"}

// folder finds the user in a path.
var folder = regexp.MustCompile(`(?:/home/|/Users/|[A-Za-z]:\\+Users\\+)([^/\\\s"'<>:;,)]+)`)

// identities are the names of users and hosts that a recording tells of in its
// header, and in what it says of processes and links; and further names.
func identities(s *recordings.Scanner, names []string) ([]string, error) {
	h := s.Header()
	names = append(slices.Clone(names), hostNames(h.Host)...)
	for _, m := range folder.FindAllSubmatch(s.HeaderLine(), -1) {
		names = append(names, string(m[1]))
	}
	for s.Next() {
		if s.Torn() || !bytes.Contains(s.Line()[:min(160, len(s.Line()))], []byte(`"k":"link"`)) && !bytes.Contains(s.Line()[:min(160, len(s.Line()))], []byte(`"k":"start"`)) {
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
		names = append(names, hostNames(b.Host)...)
		for _, hop := range b.Hops {
			names = append(names, hostNames(hop)...)
		}
		if len(names) > 10_000 {
			slices.Sort(names)
			names = slices.Compact(names)
		}
	}
	if s.Err() != nil {
		return nil, s.Err()
	}
	slices.Sort(names)
	names = slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		return len(name) < shortestAnchor || slices.Contains(tooCommon, strings.ToLower(name))
	})
	s.Rewind()
	return names, nil
}

// hostNames are the parts of [user@]host[:port].
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
