package knownhosts

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

const fuzzKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINjBHgx1srMpFXiAEc4s2Eqxq5MD/+iioV/0GYFIm3n0"

// A line is parsed or rejected, and a parsed one has a valid key.
func FuzzLine(f *testing.F) {
	for _, line := range []string{
		"", "# comment", "host " + fuzzKey, "@revoked * " + fuzzKey + " comment\r", "@cert-authority !a,*b?\t" + fuzzKey,
		"|1|+b8YDCbOllD0jpGlYipNTbte5go=|DQVCg2wYBUPROete7b7pMjDFKe4= " + fuzzKey, "|1||", "@ ", "host", "host ssh-rsa AAAA",
		"[host]:2222,[::1]:22 rsa-sha2-512 AAAAB3NzaC1yc2EAAAADAQABAAAAAQE=",
	} {
		f.Add(line, "host")
	}
	f.Fuzz(func(t *testing.T, line, host string) {
		e, err := parseLine(line)
		if e == nil || err != nil {
			if e != nil {
				t.Fatal("an entry and an error")
			}
			return
		}
		key, err := ssh.ParsePublicKey([]byte(e.blob))
		if err != nil || key.Type() != e.typ {
			t.Fatalf("%q is not a key of type %q: %v", e.blob, e.typ, err)
		}
		for _, port := range []int{22, 2222} {
			e.names.match(newQuery(host, port))
		}
	})
}

// With any file contents all functions return, and a line of Line after them is
// read.
func FuzzLoad(f *testing.F) {
	f.Add("host "+fuzzKey+"\n@revoked b "+fuzzKey+"\nbad\n", "host", 22)
	f.Add("*,![host]:2222 "+fuzzKey, "host", 2222)
	f.Add("\x00\n\r\n\xff", "HOST", -1)
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(fuzzKey))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text, host string, port int) {
		db := newDB()
		for _, w := range db.parse("file", text) {
			if w.Line < 1 && !strings.Contains(w.Text, "more lines") || w.Line > strings.Count(text, "\n")+1 {
				t.Fatalf("warning about line %d", w.Line)
			}
		}
		before := db.Check(host, port, key)
		if before != nil && before.Error() == "" {
			t.Fatal("no text")
		}
		if a := db.Algorithms(host, port, nil); len(a) != len(algorithms) || len(slices.Compact(slices.Sorted(slices.Values(a)))) != len(a) {
			t.Fatalf("algorithms %v", a)
		}
		line := Line(host, port, key, len(text)%2 == 0)
		if line == "" {
			return
		}
		db.parse("file", line+"\n")
		if _, revoked := before.(*RevokedError); !revoked && db.Check(host, port, key) != nil { //nolint:errorlint // it is not wrapped
			t.Fatalf("%q is not read back", line)
		}
	})
}

// FuzzGlob compares glob with the definition of the two wildcards.
func FuzzGlob(f *testing.F) {
	f.Add("a*b?c*", "aXbYcZ")
	f.Add("**", "")
	f.Add("*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")
	f.Fuzz(func(t *testing.T, pattern, s string) {
		if len(pattern) > 30 || len(s) > 100 {
			t.Skip("the definition takes long")
		}
		if glob(pattern, s) != globByDefinition(pattern, s, map[[2]int]bool{}) {
			t.Fatalf("glob(%q, %q) = %v", pattern, s, glob(pattern, s))
		}
	})
}

// globByDefinition tries all; seen are those that failed, by the lengths left.
func globByDefinition(pattern, s string, seen map[[2]int]bool) bool {
	id := [2]int{len(pattern), len(s)}
	if seen[id] {
		return false
	}
	ok := false
	switch {
	case pattern == "":
		ok = s == ""
	case pattern[0] == '*':
		ok = globByDefinition(pattern[1:], s, seen) || s != "" && globByDefinition(pattern, s[1:], seen)
	case s != "" && (pattern[0] == '?' || pattern[0] == s[0]):
		ok = globByDefinition(pattern[1:], s[1:], seen)
	}
	seen[id] = !ok
	return ok
}
