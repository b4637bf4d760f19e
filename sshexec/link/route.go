package link

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mcpdbg/sshexec/sshconfig"
)

// maxHops is the maximum number of hosts on a route; a longer one is a loop in
// the configuration.
const maxHops = 16

var errLoop = errors.New("ProxyJump forms a loop")

// A route is the list of hosts from here to the destination, in order. Only the
// first may have a ProxyCommand.
type route struct {
	dest  sshconfig.Destination
	hosts []*sshconfig.Host
	// names are the destinations as typed: they determine every setting, so two
	// routes share a hop if their names are the same up to it.
	names []string
	why   string // reason for a second connection to the last host
}

// findRoute resolves dest and its jump hosts. As with ssh, the first jump host
// may itself have jump hosts; those of the others are ignored, because they are
// reached through the previous one.
func (d *Dialer) findRoute(ctx context.Context, dest sshconfig.Destination) (*route, error) {
	w := &route{dest: dest}
	identities := d.options.Identities
	for next := dest; ; {
		h, err := d.resolver.Resolve(ctx, next, identities...)
		if err != nil {
			return nil, err
		}
		jumps := h.ProxyJump
		w.prepend(next, h)
		for i := len(jumps) - 1; i > 0; i-- {
			h, err := d.resolver.Resolve(ctx, jumps[i])
			if err != nil {
				return nil, fmt.Errorf("jump host %s: %w", jumps[i], err)
			}
			w.prepend(jumps[i], h)
		}
		if len(w.hosts) > maxHops || len(jumps) > 0 && slices.Contains(w.names, jumps[0].String()) {
			return nil, &sshconfig.ConfigError{Err: fmt.Errorf("%w: %s", errLoop, strings.Join(w.names, " -> "))}
		}
		if len(jumps) == 0 {
			return w, nil
		}
		next, identities = jumps[0], nil
	}
}

func (w *route) prepend(d sshconfig.Destination, h *sshconfig.Host) {
	w.hosts = slices.Insert(w.hosts, 0, h)
	w.names = slices.Insert(w.names, 0, d.String())
}

// last returns the destination host.
func (w *route) last() *sshconfig.Host { return w.hosts[len(w.hosts)-1] }

// hops names the first n hosts.
func (w *route) hops(n int) []string {
	names := make([]string, n)
	for i, h := range w.hosts[:n] {
		names[i] = hopName(h)
	}
	return names
}

// String describes the route for people.
func (w *route) String() string {
	text := w.names[len(w.names)-1] + " -> " + hopName(w.last())
	if n := len(w.hosts) - 1; n > 0 {
		text += " through " + strings.Join(w.hops(n), ", ")
	}
	if w.last().Source != "" {
		text += " (" + w.last().Source + ")"
	}
	return text
}
