package sshconfig

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ErrNeedsSSH is the error for a setting that cannot be read without the ssh
// program.
var ErrNeedsSSH = errors.New("reading ssh_config requires the ssh program")

// sourceNone is the source of a host for which no configuration was read.
const sourceNone = "no ssh program"

// withoutSSH returns d as it is, with ssh's own defaults: no configuration is
// read. It returns an error if the configuration is needed.
func (r *Resolver) withoutSSH(m machine, d Destination, identities []string) (*Host, error) {
	if r.Config != "" && r.Config != "none" {
		return nil, &ConfigError{File: r.Config, Err: ErrNeedsSSH}
	}
	if plainName(d) {
		if at, ok := r.aliasAt(m, d.Host); ok {
			return nil, &ConfigError{File: at.file, Line: at.line, Err: fmt.Errorf("%s is an alias: %w", printable(d.Host), ErrNeedsSSH)}
		}
	}
	s := settings{}
	s.add("hostname", lowerASCII(d.Host))
	s.add("user", m.user)
	if d.User != "" {
		s["user"] = []string{d.User}
	}
	if d.Port != 0 {
		s.add("port", strconv.Itoa(d.Port))
	}
	for _, file := range identities {
		s.add("identityfile", strings.ReplaceAll(file, "%", "%%"))
	}
	h, err := s.host(d, m, sourceNone, settings{})
	if err != nil {
		return nil, &ConfigError{Err: err}
	}
	h.Identities = identities
	h.NoConfig = true
	for _, f := range r.files(m) {
		if _, err := os.Stat(f.path); err == nil {
			h.Unread = append(h.Unread, f.path)
		}
	}
	return h, nil
}

// plainName reports whether d could be an alias: a name alone, without a domain.
func plainName(d Destination) bool {
	return d.User == "" && d.Port == 0 && !strings.ContainsAny(d.Host, ".:")
}
