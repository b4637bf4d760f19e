package session

import (
	"sync"
	"time"
)

// repeatsWithin is how long repeated events are gathered into one entry.
const repeatsWithin = time.Second

// repeats writes the first event of a kind at once, and those that follow within a second
// as one, with counts. Its methods are called with the lock held that was passed to init.
type repeats struct {
	mu    *sync.Mutex
	timer *time.Timer
	open  bool // within a second of the last entry
	n     uint64
	times int
	total time.Duration
	write func(n uint64, times int, total time.Duration)
}

func (r *repeats) init(mu *sync.Mutex) {
	r.mu = mu
	r.timer = stoppedTimer(r.onTimer)
}

// add adds one event that counts n and lasted took. write writes an entry for
// the given number of events; that of the last event is used.
func (r *repeats) add(n uint64, took time.Duration, write func(n uint64, times int, total time.Duration)) {
	if !r.open {
		write(n, 1, took)
		r.open = true
		r.timer.Reset(repeatsWithin)
		return
	}
	r.n += n
	r.times++
	r.total += took
	r.write = write
}

func (r *repeats) onTimer() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open = r.flush(); r.open {
		r.timer.Reset(repeatsWithin)
	}
}

func (r *repeats) end() {
	r.timer.Stop()
	r.flush()
}

func (r *repeats) flush() bool {
	if r.times == 0 {
		return false
	}
	r.write(r.n, r.times, r.total)
	r.n, r.times, r.total = 0, 0, 0
	return true
}

// A noteKind is a kind of note that a flood may cause many times.
type noteKind int

const (
	noteUnsent  noteKind = iota // a message that was not sent, since the server does not read
	noteClosed                  // one that stdin cannot take any more
	noteTooMany                 // a server request beyond the limits
	noteUnread                  // a line that can't be read, and settles no request
	noteKinds
)

// repeatedNotes writes the repeating notes about one process. Its methods may
// be called from any goroutine.
type repeatedNotes struct {
	log   Log
	mu    sync.Mutex
	kinds [noteKinds]struct {
		repeats
		begin int64 // of the gathered notes
	}
	ended bool
}

func (x *repeatedNotes) init(log Log) {
	x.log = log
	for i := range x.kinds {
		x.kinds[i].init(&x.mu)
	}
}

// add writes a note, or gathers it with others of its kind.
func (x *repeatedNotes) add(kind noteKind, text, hint string) {
	now := x.log.Now()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ended {
		return // nothing more is written about the process
	}
	k := &x.kinds[kind]
	if k.times == 0 {
		k.begin = now
	}
	k.add(1, 0, func(_ uint64, times int, _ time.Duration) {
		body := NoteBody{Text: text, Hint: hint}
		if times > 1 {
			body.Times, body.Begin, body.End = times, k.begin, now
		}
		_ = x.log.Append([]Entry{NewEntry(KindNote, 0, body)}) // fails only when the log is closed
	})
}

func (x *repeatedNotes) end() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ended = true
	for i := range x.kinds {
		x.kinds[i].end()
	}
}
