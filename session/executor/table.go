package executor

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// ErrDuplicate is what Reserve answers when an id is in use.
var ErrDuplicate = errors.New("process id is in use")

// IDs counts the processes of one program run. The zero value is ready; the
// executors of a program share one, so that their ids never collide.
type IDs struct{ last atomic.Uint64 }

// Next returns mcp-stdio-1, mcp-stdio-2 and so on.
func (c *IDs) Next() string { return fmt.Sprintf("mcp-stdio-%d", c.last.Add(1)) }

// tabled is what a Table holds.
type tabled interface {
	comparable
	Process
}

// A Table holds the processes of one executor by id, from before their spawn
// until their retention is over. All methods may be called from any goroutine.
type Table[P tabled] struct {
	ids       *IDs
	retention time.Duration

	mu      sync.RWMutex
	entries map[string]P
	timers  map[P]*time.Timer // of those that are retired
	closed  bool
}

// NewTable returns an empty table. Entries stay for retention after Retire;
// zero means Retention.
func NewTable[P tabled](ids *IDs, retention time.Duration) *Table[P] {
	if retention == 0 {
		retention = Retention
	}
	return &Table[P]{ids: ids, retention: retention, entries: make(map[string]P), timers: make(map[P]*time.Timer)}
}

// Reserve takes an id, the next free one of the program if id is empty, for
// the process that build returns. The error is ErrDuplicate or ErrClosed.
func (t *Table[P]) Reserve(id string, build func(id string) P) (P, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var none P
	if t.closed {
		return none, ErrClosed
	}
	for next := id == ""; next; _, next = t.entries[id] {
		id = t.ids.Next()
	}
	if _, taken := t.entries[id]; taken {
		return none, fmt.Errorf("%w: %s", ErrDuplicate, id)
	}
	p := build(id)
	t.entries[id] = p
	return p, nil
}

// Remove forgets p at once: its start failed, or its retention is over.
func (t *Table[P]) Remove(p P) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if id := p.ID(); t.entries[id] == p {
		delete(t.entries, id)
	}
	delete(t.timers, p)
}

// Retire removes p when its retention is over, and then calls expired on a
// goroutine of its own. It is called at Closed or Failed. In a closed table
// nothing expires.
func (t *Table[P]) Retire(p P, expired func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	t.timers[p] = time.AfterFunc(t.retention, func() {
		t.Remove(p)
		expired()
	})
}

// Close refuses further reservations and returns the processes there are, which
// are the caller's to end. They stay for as long as anybody has the table: no
// timer holds on to what they are made of.
func (t *Table[P]) Close() []P {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	for _, timer := range t.timers {
		timer.Stop()
	}
	clear(t.timers)
	all := make([]P, 0, len(t.entries))
	for _, p := range t.entries {
		all = append(all, p)
	}
	return all
}

// Handle returns a Process that means whatever has this id when it is used.
func (t *Table[P]) Handle(id string) Process { return &handle[P]{table: t, id: id} }

// Bind returns a Process that means p for as long as the table holds it, and
// nothing afterwards, even if another process takes the id.
func (t *Table[P]) Bind(p P) Process { return &handle[P]{table: t, id: p.ID(), only: p} }

// A handle answers for a process of a table, and for one that is not there.
type handle[P tabled] struct {
	table *Table[P]
	id    string
	only  P // the zero value means any
}

func (h *handle[P]) process() (P, bool) {
	h.table.mu.RLock()
	defer h.table.mu.RUnlock()
	var none P
	p, ok := h.table.entries[h.id]
	return p, ok && (h.only == none || h.only == p)
}

func (h *handle[P]) ID() string { return h.id }

func (h *handle[P]) Info() Info {
	if p, ok := h.process(); ok {
		return p.Info()
	}
	return Info{ID: h.id}
}

func (h *handle[P]) Subscribe(o SubscribeOptions) (*Subscription, error) {
	if p, ok := h.process(); ok {
		return p.Subscribe(o)
	}
	return nil, ErrUnknownProcess
}

func (h *handle[P]) Read(ctx context.Context, after uint64, max int, wait time.Duration) (ReadResult, error) {
	if p, ok := h.process(); ok {
		return p.Read(ctx, after, max, wait)
	}
	return ReadResult{}, ErrUnknownProcess
}

func (h *handle[P]) Write(ctx context.Context, writeID string, data []byte) (WriteResult, error) {
	if p, ok := h.process(); ok {
		return p.Write(ctx, writeID, data)
	}
	return WriteResult{Status: UnknownProcess}, nil
}

func (h *handle[P]) CloseStdin() WriteStatus {
	if p, ok := h.process(); ok {
		return p.CloseStdin()
	}
	return UnknownProcess
}

func (h *handle[P]) Stop(ctx context.Context, step Step, scope Scope) (StopReport, error) {
	if p, ok := h.process(); ok {
		return p.Stop(ctx, step, scope)
	}
	return StopReport{}, nil
}

func (h *handle[P]) Terminate(ctx context.Context) (StopReport, error) {
	if p, ok := h.process(); ok {
		return p.Terminate(ctx)
	}
	return StopReport{}, nil
}

func (h *handle[P]) Tree(ctx context.Context) ([]Descendant, error) {
	if p, ok := h.process(); ok {
		return p.Tree(ctx)
	}
	return nil, nil
}

// KillOne implements TreeKiller for processes that do.
func (h *handle[P]) KillOne(ctx context.Context, pid int) (Descendant, error) {
	p, ok := h.process()
	if !ok {
		return Descendant{}, ErrNotInTree
	}
	killer, ok := any(p).(TreeKiller)
	if !ok {
		return Descendant{}, fmt.Errorf("end one process of a tree: %w", errors.ErrUnsupported)
	}
	return killer.KillOne(ctx, pid)
}
