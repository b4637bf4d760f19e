package session

import (
	"context"
	"encoding/json"
	"sync"
)

// maxReports is how many reports of progress may wait; of more, the oldest are skipped.
const maxReports = 1000

// reports call CallOptions.Progress of one call, in the order of the log, on a goroutine
// of their own: a function of a user runs under no lock of ours, and a slow one does not
// keep output from being read.
type reports struct {
	progress func(json.RawMessage)
	begun    sync.WaitGroup // calls of begin whose report is not delivered or skipped

	mu      sync.Mutex
	queue   []json.RawMessage
	running bool
}

// begin returns x, which may be nil, for one call of add. The lock of calls is held: no
// report begins after the call has ended.
func (x *reports) begin() *reports {
	if x != nil {
		x.begun.Add(1)
	}
	return x
}

func (x *reports) add(params json.RawMessage) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.queue) == maxReports {
		x.queue = x.queue[1:]
		x.begun.Done()
	}
	x.queue = append(x.queue, params)
	if !x.running {
		x.running = true
		go x.run() // until the queue is empty, for which wait waits
	}
}

func (x *reports) run() {
	for {
		x.mu.Lock()
		if len(x.queue) == 0 {
			x.running = false
			x.mu.Unlock()
			return
		}
		params := x.queue[0]
		x.queue = x.queue[1:]
		x.mu.Unlock()
		x.progress(params)
		x.begun.Done()
	}
}

// wait waits for the reports of a call that has ended. When ctx ends, it waits only for
// the one that is being delivered.
func (x *reports) wait(ctx context.Context) {
	defer context.AfterFunc(ctx, x.drop)()
	x.begun.Wait()
}

func (x *reports) drop() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.begun.Add(-len(x.queue))
	x.queue = nil
}
