package via

import (
	"errors"
	"path"
	"strings"

	"mcpdbg/session/executor"
)

// A prefix is the command before the server's, and what is known of it.
type prefix struct {
	words []string
	name  string // of its program, such as docker
	place string // for people, such as "docker web"
	// stays reports that what it starts stays a descendant of it, so that the executor
	// below ends it.
	stays bool
}

var errNoPrefix = errors.New("no command to start the server through")

func parse(words []string) (prefix, error) {
	if len(words) == 0 || words[0] == "" {
		return prefix{}, errNoPrefix
	}
	name := path.Base(words[0])
	return prefix{words: words, name: name, place: name, stays: descendant(name)}, nil
}

func descendant(name string) bool {
	return strings.Contains(" chroot unshare bwrap nsenter nice ionice setsid stdbuf timeout setpriv chrt taskset numactl env ", " "+name+" ")
}

func (p prefix) refuses(executor.Command) error { return nil }

func (p prefix) engine() bool {
	return strings.Contains(" docker podman nerdctl kubectl ", " "+p.name+" ")
}
