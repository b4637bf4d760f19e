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

// See TOKENS in ssh_config(5).
const (
	tokensHostName = "h"
	tokensProxy    = "hnpr"
	tokensFile     = "CdhijkLlnpru"
)

const maxExpanded = 64 << 10

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
			return "", fmt.Errorf("%s ends in '%%'", printable(s))
		case s[i] == '%':
			b.WriteByte('%')
		case strings.IndexByte(allowed, s[i]) >= 0:
			b.WriteString(values[s[i]])
		default:
			return "", fmt.Errorf("%s has the token %q, which is not supported there", printable(s), "%"+s[i:i+1])
		}
		if b.Len() > maxExpanded {
			return "", errors.New("the expanded value is too long")
		}
	}
	return b.String(), nil
}

type expander struct {
	machine
	values  map[byte]string
	lenient bool
}

// file expands ~, then ${NAME} and tokens together, as ssh does: the value of a
// variable is not expanded again.
//
// A lenient expander returns a name that cannot be expanded unchanged: current
// versions of ssh -G have expanded it already, and "%" in it is text.
func (x expander) file(s string) (string, error) {
	s, err := x.tilde(s)
	if err != nil {
		return "", err
	}
	path, err := x.variables(s)
	if err != nil && x.lenient {
		return s, nil
	}
	return path, err
}

func (x expander) variables(s string) (string, error) {
	var b strings.Builder
	for {
		head, rest, found := strings.Cut(s, "${")
		text, err := expandTokens(head, tokensFile, x.values)
		if err != nil {
			return "", err
		}
		if b.WriteString(text); b.Len() > maxExpanded {
			return "", errors.New("the expanded value is too long")
		}
		if !found {
			return b.String(), nil
		}
		name, rest, ok := strings.Cut(rest, "}")
		if !ok {
			return "", fmt.Errorf("%s has no '}' after \"${\"", printable(s))
		}
		value, ok := x.getenv(name)
		if !ok {
			return "", fmt.Errorf("the environment variable %s is not set", printable(name))
		}
		b.WriteString(value)
		s = rest
	}
}

// "" without an agent
func (x expander) agent(s string) (string, error) {
	name := "SSH_AUTH_SOCK"
	switch {
	case strings.EqualFold(s, "none"):
		return "", nil
	case strings.HasPrefix(s, "$") && !strings.HasPrefix(s, "${"):
		name = s[1:]
	case s != "" && s != name:
		return x.file(s)
	}
	path, _ := x.getenv(name)
	return path, nil
}

func (x expander) tilde(s string) (string, error) { return expandTilde(s, x.machine) }

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
			return "", fmt.Errorf("%s: %w", printable(s), err)
		}
		home = u.HomeDir
	}
	if rest == "" {
		return home, nil
	}
	return strings.TrimSuffix(home, string(filepath.Separator)) + "/" + rest, nil
}

// localName removes the domain from a Windows name.
func localName(s string) string { return s[strings.LastIndexByte(s, '\\')+1:] }
