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

// tooCommon are names that say nothing about anybody, and are words of other
// meanings.
var tooCommon = []string{"root", "user", "admin", "localhost", "home", "node", "test"}

// folder finds the user in a path.
var folder = expression(`(?:/home/|/Users/|[A-Za-z]:\\+Users\\+)([^/\\\s"'<>:;,)]+)`)

const (
	// maxNames is how many names a recording can tell of: each takes a part of
	// what is looked for at every place.
	maxNames = 1000
	// longestIdentity is how long one can be. No host has a longer name.
	longestIdentity = 255
)

// identities are the names of users and hosts that a recording tells of in its
// header, and in what it says of processes and links; and further names.
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
		return nil, &RuleError{"identity", fmt.Sprintf("the recording tells of more than %d names of users and hosts", maxNames)}
	}
	s.Rewind()
	return slices.Sorted(maps.Keys(names)), nil
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
