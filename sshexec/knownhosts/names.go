package knownhosts

import (
	"crypto/sha1" // used by OpenSSH to hash names
	"errors"
	"strconv"
	"strings"
)

const (
	// A hashed name is "|1|" salt "|" sum, both in base64.
	hashMagic = "|1|"
	// In OpenSSH a line with a longer pattern matches nothing.
	maxPattern = 1022
)

// names is the first field of a line: patterns or one hashed name.
type names struct {
	patterns  string // lower case, with commas; empty if the name is hashed
	salt, sum [sha1.Size]byte
}

func parseNames(s string) (names, error) {
	if s == "" {
		return names{}, errors.New("no host name")
	}
	if s[0] != '|' {
		return names{patterns: lower(s)}, nil
	}
	var n names
	salt, sum, ok := strings.Cut(strings.TrimPrefix(s, hashMagic), "|")
	if !ok || !strings.HasPrefix(s, hashMagic) || !decodeHash(&n.salt, salt) || !decodeHash(&n.sum, sum) {
		return names{}, errors.New("bad hashed host name")
	}
	return n, nil
}

// decodeHash decodes base64 of exactly the size of to.
func decodeHash(to *[sha1.Size]byte, s string) bool {
	if len(s) != strict.EncodedLen(sha1.Size) {
		return false
	}
	var buf [sha1.Size + 1]byte // base64 decodes three bytes at a time
	n, err := strict.Decode(buf[:], []byte(s))
	copy(to[:], buf[:])
	return err == nil && n == sha1.Size
}

// A query is a host to look up.
type query struct {
	name string // "host", or "[host]:port" if the port is not 22
	bare string // the host alone if the port is not 22, else empty
}

// newQuery returns the names of host on port; 0 is 22.
func newQuery(host string, port int) query {
	host = lower(host)
	if port == 0 || port == 22 {
		return query{name: host}
	}
	return query{name: "[" + host + "]:" + strconv.Itoa(port), bare: host}
}

// A match is how a line matches a host.
type match byte

const (
	matchNone match = iota
	matchBare       // it matches the host, but not on this port
	matchName
)

// match reports how the names of a line match q.
func (n *names) match(q query) match {
	if n.patterns == "" {
		switch {
		case n.hashed(q.name):
			return matchName
		case q.bare != "" && n.hashed(q.bare):
			return matchBare
		}
		return matchNone
	}
	found := matchNone
	for rest := n.patterns; rest != ""; {
		var pattern string
		pattern, rest, _ = strings.Cut(rest, ",")
		pattern, negated := strings.CutPrefix(pattern, "!")
		if len(pattern) > maxPattern {
			return matchNone
		}
		var m match
		switch {
		case glob(pattern, q.name):
			m = matchName
		case q.bare != "" && glob(pattern, q.bare):
			m = matchBare
		}
		if negated && m != matchNone {
			return matchNone
		}
		found = max(found, m)
	}
	return found
}

// hashed reports whether name is the hashed one.
func (n *names) hashed(name string) bool {
	return hashName(&n.salt, name) == n.sum
}

// hashName returns HMAC-SHA1 of name with salt as the key. It does not use
// crypto/hmac, which allocates for each key, and each line has its own.
func hashName(salt *[sha1.Size]byte, name string) [sha1.Size]byte {
	var buf [sha1.BlockSize + 256]byte // names are usually at most 255 bytes
	for i := range sha1.BlockSize {
		buf[i] = 0x36
	}
	for i, b := range salt {
		buf[i] ^= b
	}
	inner := sha1.Sum(append(buf[:sha1.BlockSize], name...))
	for i := range sha1.BlockSize {
		buf[i] = 0x5c
	}
	for i, b := range salt {
		buf[i] ^= b
	}
	return sha1.Sum(append(buf[:sha1.BlockSize], inner[:]...))
}

// glob reports whether pattern, with the wildcards "*" (any run of bytes) and
// "?" (any single byte), matches all of s. It takes at most len(pattern)*len(s)
// steps.
func glob(pattern, s string) bool {
	p, i := 0, 0
	star, from := -1, 0 // the last "*", and where in s its run was last tried to end
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, i
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == s[i]):
			p++
			i++
		case star >= 0:
			from++
			p, i = star+1, from
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// lower returns s with ASCII letters in lower case.
func lower(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if 'A' <= b[i] && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}
