package link

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mcpdbg/sshexec/sshconfig"
)

// maxHops is how many hosts a way may have; more is a configuration that leads
// in circles.
const maxHops = 16

var errLoop = errors.New("ProxyJump leads in circles")

// A way is the hosts from here to the destination, in their order. Only the
// first may have a ProxyCommand.
type way struct {
	dest  sshconfig.Destination
	hosts []*sshconfig.Host
	// names are the destinations as they were typed: they decide about every
	// setting, so that two ways share a hop if these are the same up to it.
	names []string
	why   string // there is a second connection to the last host
}

// findWay resolves dest and its jump hosts. As with ssh, the first jump host may
// itself have jump hosts before it; those of the others do not count, for they
// are reached through the one before them.
func (d *Dialer) findWay(ctx context.Context, dest sshconfig.Destination) (*way, error) {
	w := &way{dest: dest}
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

func (w *way) prepend(d sshconfig.Destination, h *sshconfig.Host) {
	w.hosts = slices.Insert(w.hosts, 0, h)
	w.names = slices.Insert(w.names, 0, d.String())
}

// last is the host that the way leads to.
func (w *way) last() *sshconfig.Host { return w.hosts[len(w.hosts)-1] }

// hops names the first n hosts.
func (w *way) hops(n int) []string {
	names := make([]string, n)
	for i, h := range w.hosts[:n] {
		names[i] = hopName(h)
	}
	return names
}

// String tells the way to a person.
func (w *way) String() string {
	text := w.names[len(w.names)-1] + " -> " + hopName(w.last())
	if n := len(w.hosts) - 1; n > 0 {
		text += " through " + strings.Join(w.hops(n), ", ")
	}
	if w.last().Source != "" {
		text += " (" + w.last().Source + ")"
	}
	return text
}
