package session

import "sync"

const maxQueuedBatches = 4

// A commitQueue commits batches in order on its own goroutine, so that the next chunk of
// a flood can be read and split meanwhile. The goroutine runs from the first batch until
// end.
type commitQueue struct {
	do      func(batch []Entry)
	pending sync.WaitGroup // batches
	work    chan []Entry   // nil before the first batch
	free    chan []Entry
	over    sync.WaitGroup // the goroutine
}

// commit queues a batch, blocking while maxQueuedBatches are queued. It returns an empty
// slice for the next batch.
func (a *commitQueue) commit(batch []Entry) []Entry {
	if len(batch) == 0 {
		return batch
	}
	if a.work == nil {
		a.work, a.free = make(chan []Entry, maxQueuedBatches), make(chan []Entry, maxQueuedBatches)
		a.over.Go(a.run)
	}
	a.pending.Add(1)
	a.work <- batch
	select {
	case next := <-a.free:
		return next[:0]
	default:
		return make([]Entry, 0, cap(batch))
	}
}

func (a *commitQueue) run() {
	for batch := range a.work {
		a.do(batch)
		a.pending.Done()
		select {
		case a.free <- batch:
		default:
		}
	}
}

// settle waits until all queued batches are committed: later log entries must
// follow them.
func (a *commitQueue) settle() { a.pending.Wait() }

// end waits for the goroutine. commit must not be called afterwards.
func (a *commitQueue) end() {
	if a.work != nil {
		close(a.work)
		a.over.Wait()
	}
}
