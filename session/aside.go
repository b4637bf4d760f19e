package session

import "sync"

// asideBatches is how many batches may wait to be logged aside.
const asideBatches = 4

// An aside commits batches on a goroutine of its own, in order, so that the
// next chunk of a flood is read and split meanwhile. The goroutine is there
// from the first batch until end.
type aside struct {
	do      func(batch []Entry)
	pending sync.WaitGroup // batches
	work    chan []Entry   // nil before the first batch
	free    chan []Entry   // slices to use again
	over    sync.WaitGroup // the goroutine
}

// commit hands a batch over, and waits only while asideBatches are before it.
// It returns an empty slice for the next one.
func (a *aside) commit(batch []Entry) []Entry {
	if len(batch) == 0 {
		return batch
	}
	if a.work == nil {
		a.work, a.free = make(chan []Entry, asideBatches), make(chan []Entry, asideBatches)
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

func (a *aside) run() {
	for batch := range a.work {
		a.do(batch)
		a.pending.Done()
		select {
		case a.free <- batch:
		default:
		}
	}
}

// settle waits until all that was handed over is done: whatever comes next in
// the log has to come behind it.
func (a *aside) settle() { a.pending.Wait() }

// end waits for the goroutine. Nothing is handed over afterwards.
func (a *aside) end() {
	if a.work != nil {
		close(a.work)
		a.over.Wait()
	}
}
