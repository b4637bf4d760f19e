package sshconfig

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpdbg/internal/wording"
)

// A DNS name has at most 255 bytes, a user name fits in the rest.
const maxDestination = 1024

// maxHops limits a chain of jump hosts.
const maxHops = 16

// A Destination is a host as typed.
type Destination struct {
	Host string // alias, name or address, without brackets
	User string // empty: not given
	Port int    // 0: not given
}

// ParseDestination parses a destination in one of these forms:
//
//	alias    user@host    user@host:port    host:port
//	2001:db8::1    [2001:db8::1]:port
//	ssh://[user@]host[:port]
//
// The last "@" ends the user. Text that could be taken for an option or for a
// command is rejected, and so is a password: the error never repeats it.
func ParseDestination(s string) (Destination, error) {
	d, err := parseDestination(s)
	if err != nil {
		return Destination{}, fmt.Errorf("destination %s: %w", printable(s), err)
	}
	return d, nil
}

// In the form of -J and ProxyJump: destinations separated by commas, the first hop first,
// at most 16.
func parseDestinations(s string) ([]Destination, error) {
	parts := strings.Split(s, ",")
	if len(parts) > maxHops {
		return nil, fmt.Errorf("too many jump hosts: %d (maximum %d)", len(parts), maxHops)
	}
	list := make([]Destination, 0, len(parts))
	for i, part := range parts {
		d, err := ParseDestination(part)
		if err != nil {
			return nil, fmt.Errorf("jump host %d: %w", i+1, err)
		}
		list = append(list, d)
	}
	return list, nil
}

// String returns d in the form [user@]host[:port], which ParseDestination
// parses back to d.
func (d Destination) String() string {
	s := d.Host
	if d.Port != 0 {
		if strings.Contains(s, ":") {
			s = "[" + s + "]"
		}
		s += ":" + strconv.Itoa(d.Port)
	}
	if d.User != "" {
		s = d.User + "@" + s
	}
	return s
}

func parseDestination(s string) (Destination, error) {
	switch {
	case s == "":
		return Destination{}, errors.New("is empty; write a host, or user@host:port")
	case len(s) > maxDestination:
		return Destination{}, fmt.Errorf("is longer than %d bytes", maxDestination)
	case strings.HasPrefix(s, "-"):
		return Destination{}, errors.New("begins with '-' like an option; write a host name")
	}
	if err := checkText(s); err != nil {
		return Destination{}, err
	}
	if scheme, rest, ok := strings.Cut(s, "://"); ok {
		if !strings.EqualFold(scheme, "ssh") {
			return Destination{}, errors.New("is not an ssh:// URL; write ssh://user@host:port, or user@host:port")
		}
		return parseURL(rest)
	}
	return parsePlain(s)
}

func parsePlain(s string) (Destination, error) {
	var d Destination
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		if i == 0 {
			return d, errors.New("has no user before '@'; remove '@', or write user@host")
		}
		d.User, s = s[:i], s[i+1:]
	}
	if strings.ContainsAny(s, "/?#") {
		return d, errors.New("has a path, a query or a fragment after the host; write only user@host:port")
	}
	var err error
	if d.Host, d.Port, err = splitHostPort(s); err != nil {
		return d, err
	}
	return d, d.check()
}

// A single "/" at the end of the text after ssh:// is ignored.
func parseURL(s string) (Destination, error) {
	s = strings.TrimSuffix(s, "/")
	user, host := "", s
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		user, host = s[:i], s[i+1:]
		if user == "" {
			return Destination{}, errors.New("has no user before '@'; write ssh://host, or ssh://user@host")
		}
		if strings.Contains(user, ":") {
			return Destination{}, errPassword
		}
	}
	switch {
	case strings.Contains(s, "?"):
		return Destination{}, errors.New("has a query; write ssh://user@host:port")
	case strings.Contains(s, "#"):
		return Destination{}, errors.New("has a fragment; write ssh://user@host:port")
	case strings.Contains(s, "/"):
		return Destination{}, errors.New("has a path; write ssh://user@host:port")
	}
	var d Destination
	var err error
	if d.User, err = url.PathUnescape(user); err != nil {
		return d, errors.New("has an invalid '%' escape in its user")
	}
	if host, err = url.PathUnescape(host); err != nil {
		return d, errors.New("has an invalid '%' escape in its host")
	}
	if d.Host, d.Port, err = splitHostPort(host); err != nil {
		return d, err
	}
	return d, d.check()
}

func splitHostPort(s string) (string, int, error) {
	if strings.HasPrefix(s, "[") {
		host, rest, ok := strings.Cut(s[1:], "]")
		if !ok {
			return "", 0, errors.New("has no ']'; write [address]:port")
		}
		if strings.Contains(host, ":") && !isIPv6(host) {
			return "", 0, errors.New("has no IPv6 address in its brackets")
		}
		if rest == "" {
			return host, 0, nil
		}
		text, ok := strings.CutPrefix(rest, ":")
		if !ok {
			return "", 0, errors.New("has text after ']'; write [address]:port")
		}
		port, err := parsePort(text)
		return host, port, err
	}
	switch strings.Count(s, ":") {
	case 0:
		return s, 0, nil
	case 1:
		host, text, _ := strings.Cut(s, ":")
		port, err := parsePort(text)
		return host, port, err
	}
	if !isIPv6(s) {
		return "", 0, errors.New("has more than one ':' and is not an IPv6 address; write host:port, or [address]:port")
	}
	return s, 0, nil
}

func parsePort(s string) (int, error) {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil || n == 0 || s[0] == '0' {
		return 0, fmt.Errorf("has the invalid port %s; write a number from 1 to 65535", printable(s))
	}
	return int(n), nil
}

func isIPv6(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is6()
}

var errPassword = errors.New("contains a password; remove it: mcpdbg prompts for it when it is needed")

// check rejects parts that a shell, a program or a terminal could misinterpret: the
// user's ProxyCommand may use %h and %r unquoted. Accepted destinations survive String
// and ParseDestination.
func (d Destination) check() error {
	switch {
	case d.Host == "":
		return errors.New("has no host; write user@host:port")
	case strings.HasPrefix(d.Host, "-"):
		return errors.New("has a host that begins with '-'")
	case strings.HasPrefix(d.User, "-"):
		return errors.New("has a user that begins with '-'")
	case strings.Contains(d.Host, ","):
		return errors.New("contains a ','; write one host")
	case strings.ContainsAny(d.Host, "'`\"$\\;&<>|(){}*!@/?#[]"):
		return errors.New("has an invalid character in its host")
	case strings.Contains(d.Host, ":") && !isIPv6(d.Host):
		return errors.New("has a ':' in its host")
	case strings.Contains(d.User, ":"):
		return errPassword
	case strings.ContainsAny(d.User, "'`\";&<>|(){},") || strings.HasSuffix(d.User, `\`):
		return errors.New("has an invalid character in its user")
	case d.Port < 0 || d.Port > 65535:
		return fmt.Errorf("has the invalid port %d; write a number from 1 to 65535", d.Port)
	}
	if err := checkText(d.User); err != nil {
		return err
	}
	return checkText(d.Host)
}

func checkText(s string) error {
	if !utf8.ValidString(s) {
		return errors.New("is not valid UTF-8")
	}
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			return errors.New("contains whitespace; write one user@host:port")
		case !unicode.IsPrint(r):
			return fmt.Errorf("contains the unprintable character %U", r)
		}
	}
	return nil
}

// printable quotes s for an error, short and without what may be a password.
func printable(s string) string {
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		head := s[:i]
		scheme := ""
		if j := strings.Index(head, "://"); j >= 0 {
			scheme, head = head[:j+3], head[j+3:]
		}
		if j := strings.Index(strings.ReplaceAll(lowerASCII(head), "%3a", ":"), ":"); j >= 0 {
			s = scheme + head[:j] + ":***" + s[i:]
		}
	}
	return strconv.Quote(wording.ClipValid(s, 80, wording.Dots))
}
