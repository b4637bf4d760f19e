package link

import (
	"context"
	"sync"
)

// maxHandshakes is how many connections to one server may be in their handshake
// or login at once: sshd drops some of those beyond 10 by default (MaxStartups
// 10:30:100), and where it does not, more at once take longer in all.
const maxHandshakes = 8

// turns hands out the right to shake hands with a server. The zero value is
// ready.
type turns struct {
	mu    sync.Mutex
	slots map[string]*turn // by address; only those in use
}

type turn struct {
	slots chan struct{}
	users int // that have a slot, or wait for one
}

// take waits for a turn with the server at addr. The caller gives it back.
func (t *turns) take(ctx context.Context, addr string) (giveBack func(), err error) {
	s := t.join(addr)
	select {
	case s.slots <- struct{}{}:
		return func() { <-s.slots; t.leave(addr, s) }, nil
	case <-ctx.Done():
		t.leave(addr, s)
		return nil, ctx.Err()
	}
}

func (t *turns) join(addr string) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.slots[addr]
	if s == nil {
		s = &turn{slots: make(chan struct{}, maxHandshakes)}
		if t.slots == nil {
			t.slots = make(map[string]*turn)
		}
		t.slots[addr] = s
	}
	s.users++
	return s
}

func (t *turns) leave(addr string, s *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.users--; s.users == 0 {
		delete(t.slots, addr)
	}
}
