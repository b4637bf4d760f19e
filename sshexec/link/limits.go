package link

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"time"

	"mcpdbg/session/executor"
)

// Limits bound what a Dialer does concurrently.
type Limits struct {
	// PerHost is how many connections to one host may be open, from their dial
	// to their end, whatever the port; further dials wait. Hosts are identified
	// by the name or address that is connected to, and their jump hosts; the
	// connections to jump hosts themselves do not count. 0 means no limit.
	PerHost int
	// PerServer is how many handshakes or logins with one host and port, behind
	// one jump host, run at once; further ones wait. 0 means DefaultPerServer.
	PerServer int
	// PerBastion is how many dials and connections share one connection to a
	// jump host; after that another one is made. 0 means DefaultPerBastion.
	PerBastion int
}

const (
	// DefaultPerServer is below the number at which sshd begins to drop
	// connections (MaxStartups 10:30:100); servers without that limit are not
	// faster with more at once.
	DefaultPerServer = 8
	// DefaultPerBastion is this low because a server handles all channels of
	// one connection in turn.
	DefaultPerBastion = 128
)

// FanOut returns the limits for a run over many hosts.
func FanOut() Limits { return Limits{PerHost: 4, PerServer: DefaultPerServer, PerBastion: 64} }

func (l Limits) perServer() int {
	if l.PerServer == 0 {
		return DefaultPerServer
	}
	return l.PerServer
}

func (l Limits) perBastion() int {
	if l.PerBastion == 0 {
		return DefaultPerBastion
	}
	return l.PerBastion
}

// awaitHost waits until one more connection to the host of the route may be open.
func (d *Dialer) awaitHost(ctx context.Context, w *route, r Reporter) (leave func(), failure *executor.StartError) {
	begin := time.Now()
	host := w.last().HostName
	key := strings.ToLower(strings.Join(append(w.hops(len(w.hosts)-1), host), " "))
	leave, err := d.hosts.enter(ctx, key, func(inside int) func(error) {
		phase := executor.Phase{Name: phaseWait, Begin: begin, Detail: fmt.Sprintf("for its turn with %s (%d are connected)", host, inside)}
		r.begin(phase)
		resume := executor.Pause(ctx)
		return func(err error) {
			resume()
			phase.End, phase.Err = time.Now(), err
			r.end(phase)
		}
	})
	if err != nil {
		return nil, classify(err, place{hop: hopName(w.last()), alias: w.last().Alias, phase: phaseWait, begin: begin, ctx: ctx})
	}
	return leave, nil
}

// awaitServer waits until one more handshake with the server of h may start.
func (h *hop) awaitServer(ctx context.Context) (leave func(), failure *executor.StartError) {
	begin := time.Now()
	leave, err := h.dialer.servers.enter(ctx, h.server(), func(inside int) func(error) {
		step := h.trace.begin(phaseWait, fmt.Sprintf("for its turn with %s (%d are logging in)", h.address(), inside))
		resume := h.trace.pause()
		return func(err error) {
			resume()
			step.end("", err)
		}
	})
	if err != nil {
		return nil, classify(err, place{hop: h.name, alias: h.host.Alias, phase: phaseWait, begin: begin, ctx: ctx})
	}
	return leave, nil
}

func (h *hop) address() string { return net.JoinHostPort(h.host.HostName, fmt.Sprint(h.host.Port)) }

// The same name behind another jump host is a different server.
func (h *hop) server() string {
	if h.via == nil {
		return h.address()
	}
	return h.via.hop + " " + h.address()
}

// A jitter may be used from any goroutine.
type jitter struct {
	seed uint64

	mu    sync.Mutex
	byKey map[string]*rand.Rand
}

// A seed of 0 means a random one.
func newJitter(seed uint64) *jitter {
	if seed == 0 {
		seed = rand.Uint64()
	}
	return &jitter{seed: seed, byKey: make(map[string]*rand.Rand)}
}

// between returns a duration in [least, most). For each key the sequence of durations is
// the same, regardless of calls for other keys.
func (j *jitter) between(key string, least, most time.Duration) time.Duration {
	j.mu.Lock()
	defer j.mu.Unlock()
	random := j.byKey[key]
	if random == nil {
		hash := fnv.New64a()
		_, _ = hash.Write([]byte(key)) // never fails
		random = rand.New(rand.NewPCG(j.seed, hash.Sum64()))
		j.byKey[key] = random
	}
	return least + time.Duration(random.Int64N(int64(most-least)))
}
