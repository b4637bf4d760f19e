package sshconfig

import (
	"crypto/sha1" //nolint:gosec // ssh names its sockets by it
	"encoding/hex"
	"errors"
	"fmt"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
)

// The tokens that the keywords accept, as TOKENS in ssh_config(5) has them.
const (
	tokensHostName = "h"
	tokensProxy    = "hnpr"
	tokensFile     = "CdhijkLlnpru"
)

// maxExpanded bounds what one value may grow to.
const maxExpanded = 64 << 10

// tokenValues returns the value of each token for one host.
func tokenValues(h *Host, m machine, jump string) map[byte]string {
	short, _, _ := strings.Cut(m.hostname, ".")
	port := strconv.Itoa(h.Port)
	keyAlias := h.HostKeyAlias
	if keyAlias == "" {
		keyAlias = h.Alias
	}
	sum := sha1.Sum([]byte(m.hostname + h.HostName + port + h.User + jump))
	return map[byte]string{
		'C': hex.EncodeToString(sum[:]),
		'd': m.home,
		'h': h.HostName,
		'i': m.uid,
		'j': jump,
		'k': keyAlias,
		'L': short,
		'l': m.hostname,
		'n': h.Alias,
		'p': port,
		'r': h.User,
		'u': m.user,
	}
}

// expandTokens replaces %x in s for each x in allowed, and %% always.
func expandTokens(s, allowed string, values map[byte]string) (string, error) {
	if !strings.Contains(s, "%") {
		return s, nil
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch {
		case i == len(s):
			return "", fmt.Errorf("%q ends in '%%'", s)
		case s[i] == '%':
			b.WriteByte('%')
		case strings.IndexByte(allowed, s[i]) >= 0:
			b.WriteString(values[s[i]])
		default:
			return "", fmt.Errorf("%q holds the token %q, which has no meaning there", s, "%"+string(rune(s[i])))
		}
		if b.Len() > maxExpanded {
			return "", errors.New("a value grows too long")
		}
	}
	return b.String(), nil
}

// expandFile expands ~, then ${NAME} and tokens together, as ssh does: what a
// variable holds is not expanded again.
func expandFile(s string, m machine, values map[byte]string) (string, error) {
	s, err := expandTilde(s, m)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for {
		i := strings.Index(s, "${")
		if i < 0 {
			break
		}
		name, rest, ok := strings.Cut(s[i+2:], "}")
		if !ok {
			return "", fmt.Errorf("%q has no '}' behind \"${\"", s)
		}
		text, err := expandTokens(s[:i], tokensFile, values)
		if err != nil {
			return "", err
		}
		value, ok := m.getenv(name)
		if !ok {
			return "", fmt.Errorf("the environment variable %q is not set", name)
		}
		if b.WriteString(text + value); b.Len() > maxExpanded {
			return "", errors.New("a value grows too long")
		}
		s = rest
	}
	text, err := expandTokens(s, tokensFile, values)
	return b.String() + text, err
}

// expandTilde expands ~ and ~user at the beginning of a file name.
func expandTilde(s string, m machine) (string, error) {
	if !strings.HasPrefix(s, "~") {
		return s, nil
	}
	name, rest := s[1:], ""
	if i := strings.IndexByte(name, '/'); i >= 0 {
		name, rest = name[:i], name[i+1:]
	}
	home := m.home
	if name != "" {
		u, err := user.Lookup(name)
		if err != nil {
			return "", fmt.Errorf("%q: %w", s, err)
		}
		home = u.HomeDir
	}
	if rest == "" {
		return home, nil
	}
	return strings.TrimSuffix(home, string(filepath.Separator)) + "/" + rest, nil
}

// localName cuts the domain off a name of Windows.
func localName(s string) string { return s[strings.LastIndexByte(s, '\\')+1:] }
