package executor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

var errDuplicate = errors.New("process id is in use")

// IDs counts the processes of one program run. The zero value is ready; the
// executors of a program share one, so that their ids never collide.
type IDs struct{ last atomic.Uint64 }

// Next returns mcp-stdio-1, mcp-stdio-2 and so on.
func (c *IDs) Next() string { return fmt.Sprintf("mcp-stdio-%d", c.last.Add(1)) }

// TableOptions configures a Table.
type TableOptions struct {
	IDs       *IDs           // nil means a new counter
	Retention time.Duration  // how long processes stay after Closed; 0 means Retention
	Placement string         // of all processes, for Info
	Journal   JournalOptions // the limits of each process's output; Pinned and OnClosing are ignored
	// Validate returns why the executor cannot run a command.
	Validate func(Command) error
}

// A Table holds the processes of one executor by id, from before their spawn
// until their retention is over. All methods may be called from any goroutine.
type Table struct {
	opts    TableOptions
	running sync.WaitGroup // the goroutines of all processes

	mu      sync.RWMutex
	entries map[string]*Base
	closed  bool
}

// NewTable returns an empty table.
func NewTable(o TableOptions) *Table {
	if o.IDs == nil {
		o.IDs = new(IDs)
	}
	o.Retention = cmp.Or(o.Retention, Retention)
	return &Table{opts: o, entries: make(map[string]*Base)}
}

// Start implements Executor.Start for the process with the backend that build
// returns. It is never retried.
func (t *Table) Start(ctx context.Context, cmd Command, build func(*Base) Backend) (Process, error) {
	begin := time.Now()
	b, err := t.start(ctx, cmd, build)
	if err != nil {
		if err.Elapsed == 0 {
			err.Elapsed = time.Since(begin)
		}
		return nil, err
	}
	return &handle{table: t, id: b.ID, only: b}, nil
}

func (t *Table) start(ctx context.Context, cmd Command, build func(*Base) Backend) (*Base, *StartError) {
	if err := t.opts.Validate(cmd); err != nil {
		return nil, &StartError{Code: StartInvalid, Phase: "resolve", Err: err}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	b, err := t.reserve(cmd, cancel, build)
	switch {
	case errors.Is(err, errDuplicate):
		return nil, &StartError{Code: StartDuplicate, Phase: "resolve", Err: err,
			Hint: "end that process first, or start this one under another id"}
	case err != nil:
		return nil, &StartError{Code: StartFailed, Phase: "resolve", Err: err}
	}
	defer close(b.settled)
	failed := b.own.Launch(ctx)
	if failed == nil && ctx.Err() != nil {
		// The process runs, but must not: end it like any other.
		_, endErr := b.end(context.Background())
		failed = StartCancelledBy(ctx, b.phase)
		failed.Err = errors.Join(failed.Err, endErr)
	}
	if failed != nil {
		t.remove(b)
		return nil, failed
	}
	b.Cmd.OnPhase, b.Cmd.OnBegin = nil, nil // b is retained for a while: do not retain the callbacks
	return b, nil
}

// reserve reserves cmd.ID, or the next free id. The error is errDuplicate or ErrClosed.
func (t *Table) reserve(cmd Command, cancel context.CancelCauseFunc, build func(*Base) Backend) (*Base, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil, ErrClosed
	}
	id := cmd.ID
	for next := id == ""; next; _, next = t.entries[id] {
		id = t.opts.IDs.Next()
	}
	if _, taken := t.entries[id]; taken {
		return nil, fmt.Errorf("%w: %s", errDuplicate, id)
	}
	b := newBase(t, id, cmd, cancel)
	b.own = build(b)
	t.entries[id] = b
	return b, nil
}

func (t *Table) remove(b *Base) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.entries[b.ID] == b {
		delete(t.entries, b.ID)
	}
}

// retire removes b when its retention is over, and then calls expired on its own
// goroutine. In a closed table nothing expires.
func (t *Table) retire(b *Base, expired func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		b.retired = time.AfterFunc(t.opts.Retention, func() {
			t.remove(b)
			expired()
		})
	}
}

// Close implements Executor.Close. It waits for the goroutines of all processes
// and therefore for running handlers: no Handler may call it.
func (t *Table) Close() error {
	var ending sync.WaitGroup
	var mu sync.Mutex
	var failures []error
	for _, b := range t.close() {
		ending.Go(func() {
			if _, err := b.terminate(context.Background()); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failures = append(failures, err)
			}
			b.release(false)
		})
	}
	ending.Wait()
	if len(failures) == 0 {
		t.running.Wait()
	}
	return errors.Join(failures...)
}

// close refuses further starts and returns all processes. They stay in the table, and
// none expires.
func (t *Table) close() []*Base {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	for _, b := range t.entries {
		if b.retired != nil {
			b.retired.Stop()
		}
	}
	return slices.Collect(maps.Values(t.entries))
}

// Process implements Executor.Process.
func (t *Table) Process(id string) Process { return &handle{table: t, id: id} }

// A handle refers to the process that has this id when it is used, which may not exist.
type handle struct {
	table *Table
	id    string
	only  *Base // unless nil, the handle refers to no other process that gets the id
}

func (h *handle) find() *Base {
	h.table.mu.RLock()
	defer h.table.mu.RUnlock()
	if b := h.table.entries[h.id]; h.only == nil || h.only == b {
		return b
	}
	return nil
}

// launched fails with ErrUnknownProcess or ErrStarting.
func (h *handle) launched() (*Base, error) {
	b := h.find()
	switch {
	case b == nil:
		return nil, ErrUnknownProcess
	case !b.launched():
		return nil, ErrStarting
	}
	return b, nil
}

func refused(err error) WriteStatus {
	if errors.Is(err, ErrStarting) {
		return Starting
	}
	return UnknownProcess
}

func (h *handle) ID() string { return h.id }

func (h *handle) Info() Info {
	if b := h.find(); b != nil {
		return b.info()
	}
	return Info{ID: h.id}
}

func (h *handle) Subscribe(o SubscribeOptions) (*Subscription, error) {
	b, err := h.launched()
	if err != nil {
		return nil, err
	}
	return b.Journal.Subscribe(o)
}

func (h *handle) Read(ctx context.Context, after uint64, max int, wait time.Duration) (ReadResult, error) {
	b, err := h.launched()
	if err != nil {
		return ReadResult{}, err
	}
	return b.Journal.Read(ctx, after, max, wait)
}

func (h *handle) Write(ctx context.Context, writeID string, data []byte) (WriteResult, error) {
	b, err := h.launched()
	if err != nil {
		return WriteResult{Status: refused(err)}, nil
	}
	return b.Stdin.Write(ctx, writeID, data)
}

func (h *handle) CloseStdin() WriteStatus {
	b, err := h.launched()
	if err != nil {
		return refused(err)
	}
	return b.Stdin.Close()
}

func (h *handle) Stop(ctx context.Context, step Step, scope Scope) (StopReport, error) {
	b, err := h.launched()
	switch {
	case err == nil:
		return b.own.Stop(ctx, step, scope)
	case errors.Is(err, ErrStarting):
		return StopReport{}, err
	}
	return StopReport{}, nil
}

func (h *handle) Terminate(ctx context.Context) (StopReport, error) {
	if b := h.find(); b != nil {
		return b.terminate(ctx)
	}
	return StopReport{}, nil
}

func (h *handle) Tree(ctx context.Context) ([]Descendant, error) {
	b, err := h.launched()
	if err != nil {
		return nil, nil
	}
	found, spared, err := b.own.Tree(ctx)
	return append(found, spared...), err
}

// KillOne implements TreeKiller for backends that do.
func (h *handle) KillOne(ctx context.Context, pid int) (Descendant, error) {
	b, err := h.launched()
	switch {
	case errors.Is(err, ErrStarting):
		return Descendant{}, err
	case err != nil:
		return Descendant{}, ErrNotInTree
	}
	killer, ok := b.own.(TreeKiller)
	if !ok {
		return Descendant{}, fmt.Errorf("kill one process of a tree: %w", errors.ErrUnsupported)
	}
	return killer.KillOne(ctx, pid)
}
