package executor

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"
)

// JournalOptions configures a Journal. The zero value means the defaults of
// this package.
type JournalOptions struct {
	Retain    int // bytes of taken output; 0 means DefaultRetain
	MaxChunks int // chunks of taken output; 0 means MaxChunks
	// Pinned retains everything until there is a pinned subscriber: see
	// Command.Pinned.
	Pinned bool
	// OneWindow says that both streams share one flow-control window, as over
	// SSH: while one is held the other is blocked too.
	OneWindow bool
	// OnClosing, if set, is called once, when the exit is known and both
	// streams have ended, before Closed gets its number: the last moment at
	// which Emit has an effect. It must call no other method of the journal.
	OnClosing func()
}

// A Journal records what happens to one process: it numbers output and
// lifecycle events, retains output for readers, and delivers events to
// subscribers. All executors share it. All methods may be called from any
// goroutine.
type Journal struct {
	onClosing func()
	oneWindow bool
	began     time.Time // base of the clock that times handlers

	mu          sync.Mutex
	next        uint64 // the next number
	total       traffic
	kept        retained
	life        []milestone // Exited, then Closed or Failed
	exit        *Exit
	failure     error
	eof         [2]bool
	cut         bool
	closing     bool // OnClosing was called
	over        bool // Closed or Failed was recorded
	endings     int  // running Terminate calls; Closed waits for them
	done        chan struct{}
	subs        []*Subscription
	pinned      *Subscription
	placeholder *Subscription // for the pinned subscriber to come; nil if there is none
	wake        chan struct{} // closed to wake readers; nil if none waits
	hold        hold
}

// A milestone is a lifecycle event and its position in the output.
type milestone struct {
	event  Event
	at     uint64 // its number; for Failed the next number, which it does not take
	before traffic
}

// NewJournal returns an empty journal of a running process.
func NewJournal(o JournalOptions) *Journal {
	if o.Retain == 0 {
		o.Retain = DefaultRetain
	}
	if o.MaxChunks == 0 {
		o.MaxChunks = MaxChunks
	}
	j := &Journal{
		onClosing: o.OnClosing,
		oneWindow: o.OneWindow,
		began:     time.Now(),
		next:      1,
		kept:      retained{maxBytes: o.Retain, maxChunks: o.MaxChunks},
		done:      make(chan struct{}),
	}
	j.hold.released.L = &j.mu
	if o.Pinned {
		j.placeholder = &Subscription{opts: SubscribeOptions{Pin: true, PinLimit: DefaultPinLimit}}
		j.pinned = j.placeholder
	}
	return j
}

// Output numbers one chunk and delivers it, to idle handlers on this goroutine.
// The journal retains data, which must not be changed afterwards; empty data is
// ignored. Output blocks while a pinned subscriber is too far behind, and does
// nothing for a stream that has ended.
func (j *Journal) Output(stream Stream, data []byte) {
	if len(data) == 0 {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.over || j.eof[stream] {
		return
	}
	rec := record{seq: j.next, stream: stream, data: data, before: j.total}
	j.next++
	j.total = rec.after()
	j.kept.push(rec)
	for _, s := range j.subs {
		s.offer(rec)
		s.notify()
	}
	j.settleRetention()
	j.wakeReaders()
	j.deliverInline()
	j.waitForRoom(stream)
}

// Exited records how the leader ended. Only the first call counts.
func (j *Journal) Exited(e Exit) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.over || j.exit != nil {
		return
	}
	j.exit = &e
	j.addMilestone(Event{Kind: Exited, Seq: j.next, Exit: e})
	j.closeIfEnded()
	j.deliverInline()
}

// EOF records the end of one stream.
func (j *Journal) EOF(stream Stream) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.eof[stream] = true
	j.wakeReaders()
	j.closeIfEnded()
	j.deliverInline()
}

// Fail ends delivery because the process is lost and its exit status unknown.
// It takes no number, and does nothing after Closed or an earlier Fail.
func (j *Journal) Fail(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.over || j.closing {
		return
	}
	j.failure = err
	j.addMilestone(Event{Kind: Failed, Err: err})
	j.finish()
	j.deliverAsync()
}

// Emit delivers an event without a number (WriteFailed, Survivors) to every
// subscriber, ahead of queued output. It never calls a handler on this
// goroutine, so a caller may hold locks. After Closed and Failed it does
// nothing.
func (j *Journal) Emit(e Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.emit(e)
}

// BeginEnding is called before all processes are killed: it releases held pumps
// and postpones Closed until EndEnding, so that Survivors can be emitted before
// it.
func (j *Journal) BeginEnding() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.endings++
	j.release()
}

// DrainLimit is the longest time that AwaitEOF waits for streams that bring
// output without an end.
const DrainLimit = 5 * time.Second

// AwaitEOF waits until both streams have ended, and reports whether they have.
// It gives up when no output has come for the time quiet, or at the DrainLimit.
func (j *Journal) AwaitEOF(quiet time.Duration) bool {
	limit := time.NewTimer(DrainLimit)
	defer limit.Stop()
	silence := time.NewTimer(quiet)
	defer silence.Stop()
	for {
		j.mu.Lock()
		ended := j.over || j.eof == [2]bool{true, true}
		woken := j.waker()
		j.mu.Unlock()
		if ended {
			return true
		}
		select {
		case <-woken:
			silence.Reset(quiet)
		case <-silence.C:
			return false
		case <-limit.C:
			return false
		}
	}
}

// EndEnding pairs with BeginEnding. If cut is set, open streams are treated as
// ended.
func (j *Journal) EndEnding(cut bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.endings--
	if open := !j.eof[Stdout] || !j.eof[Stderr]; cut && open {
		j.cut = true
		j.eof = [2]bool{true, true}
	}
	j.closeIfEnded()
	j.deliverAsync()
}

// Done is closed once Closed or Failed has been recorded.
func (j *Journal) Done() <-chan struct{} { return j.done }

// Fill sets the fields of info known to the journal: State (from StateRunning
// on), Exit, Failure, NextSeq and HeldSince.
func (j *Journal) Fill(info *Info) {
	j.mu.Lock()
	defer j.mu.Unlock()
	info.State = j.state()
	info.Exit = j.exitCopy()
	info.Failure = j.failure
	info.NextSeq = j.next
	info.HeldSince = j.hold.since
}

func (j *Journal) state() State {
	switch {
	case j.failure != nil:
		return StateFailed
	case j.over:
		return StateClosed
	case j.exit != nil:
		return StateExited
	default:
		return StateRunning
	}
}

func (j *Journal) exitCopy() *Exit {
	if j.exit == nil {
		return nil
	}
	e := *j.exit
	return &e
}

func (j *Journal) addMilestone(e Event) {
	j.life = append(j.life, milestone{event: e, at: j.next, before: j.total})
	if e.Seq != 0 {
		j.next++
	}
	for _, s := range j.subs {
		s.notify()
	}
	j.wakeReaders()
}

// closeIfEnded records Closed when no more events can come. OnClosing runs without the
// lock; the first caller completes the closing.
func (j *Journal) closeIfEnded() {
	if j.over || j.closing || j.exit == nil || !j.eof[Stdout] || !j.eof[Stderr] || j.endings > 0 {
		return
	}
	j.closing = true
	if j.onClosing != nil {
		j.mu.Unlock()
		j.onClosing()
		j.mu.Lock()
	}
	j.addMilestone(Event{Kind: Closed, Seq: j.next, Cut: j.cut})
	j.finish()
}

func (j *Journal) finish() {
	j.release()
	j.over = true
	close(j.done)
}

func (j *Journal) emit(e Event) {
	if j.over {
		return
	}
	for _, s := range j.subs {
		s.queueEvent(e)
		s.notify()
	}
	j.deliverAsync()
}

func (j *Journal) settleRetention() {
	if j.pinned == nil {
		j.kept.markTaken(math.MaxUint64)
		return
	}
	j.kept.markTaken(j.pinned.taken)
	j.dropOverrun()
	j.releaseIfRoom()
}

// dropOverrun evicts the oldest output that a pinned subscriber with OverrunDrop has not
// taken; it gets a Gap.
func (j *Journal) dropOverrun() {
	s := j.pinned
	if s.opts.Overrun != OverrunDrop || j.kept.untaken() < s.opts.PinLimit {
		return
	}
	for j.kept.untaken() > s.opts.PinLimit/2 {
		j.kept.evict()
	}
	s.forget(j.kept.gone)
}

func (j *Journal) wakeReaders() {
	if j.wake != nil {
		close(j.wake)
		j.wake = nil
	}
}

func (j *Journal) waker() <-chan struct{} {
	if j.wake == nil {
		j.wake = make(chan struct{})
	}
	return j.wake
}

// Subscribe implements Process.Subscribe.
func (j *Journal) Subscribe(o SubscribeOptions) (*Subscription, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if o.Pin && j.pinned != j.placeholder {
		return nil, ErrPinned
	}
	if o.PinLimit == 0 {
		o.PinLimit = DefaultPinLimit
	}
	s := newSubscription(j, o)
	j.subs = append(j.subs, s)
	if o.Pin {
		j.pin(s)
	}
	s.notify()
	j.deliverAsync()
	return s, nil
}

func (j *Journal) pin(s *Subscription) {
	j.pinned, j.placeholder = s, nil
	j.kept.taken, j.kept.takenBytes = 0, 0
	j.settleRetention()
}

// unsubscribe removes s; output that only s pinned may be evicted.
func (j *Journal) unsubscribe(s *Subscription) {
	j.subs = slices.DeleteFunc(j.subs, func(other *Subscription) bool { return other == s })
	if j.pinned == s {
		j.pinned = nil
		j.settleRetention()
		j.release()
	}
}

// Read implements Process.Read.
func (j *Journal) Read(ctx context.Context, after uint64, max int, wait time.Duration) (ReadResult, error) {
	var deadline <-chan time.Time
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		deadline = timer.C
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for {
		r := j.collect(after, max)
		hasEvents := len(r.Chunks) > 0 || r.Missing != nil || j.over || j.exit != nil && after < j.next-1
		if hasEvents || wait <= 0 {
			return r, nil
		}
		changed := j.waker()
		j.mu.Unlock()
		var err error
		select {
		case <-changed:
		case <-deadline:
			wait = 0
		case <-ctx.Done():
			err = ctx.Err()
		}
		j.mu.Lock()
		if err != nil {
			return ReadResult{}, err
		}
	}
}

func (j *Journal) collect(after uint64, max int) ReadResult {
	r := j.result()
	size := 0
	for i := j.kept.after(after); i < j.kept.count; i++ {
		rec := j.kept.at(i)
		if max > 0 && len(r.Chunks) > 0 && size+len(rec.data) > max {
			break
		}
		size += len(rec.data)
		r.Chunks = append(r.Chunks, Chunk{Seq: rec.seq, Stream: rec.stream, Data: rec.data})
	}
	if max > 0 && len(r.Chunks) > 0 {
		r.NextSeq = r.Chunks[len(r.Chunks)-1].Seq + 1
	}
	r.Missing = j.missing(after)
	return r
}

func (j *Journal) result() ReadResult {
	r := ReadResult{NextSeq: j.next, Exit: j.exitCopy(), Closed: j.over, Cut: j.cut, Failure: j.failure}
	if j.exit != nil {
		r.ExitSeq = j.life[0].event.Seq
	}
	if j.failure != nil && r.Exit == nil {
		r.Exit = &Exit{Kind: ExitUnknown}
	}
	return r
}

// missing returns the evicted output after number after, or nil. Its size is known only
// if after is 0.
func (j *Journal) missing(after uint64) *GapInfo {
	if j.kept.gone <= after {
		return nil
	}
	g := &GapInfo{From: after + 1, To: j.kept.gone, Stdout: true, Stderr: true}
	if after == 0 {
		upTo := j.total
		if j.kept.count > 0 {
			upTo = j.kept.at(0).before
		}
		g.count(traffic{}, upTo)
	}
	return g
}

func (g *GapInfo) count(from, to traffic) {
	out, err := to[Stdout]-from[Stdout], to[Stderr]-from[Stderr]
	g.Bytes, g.Stdout, g.Stderr = out+err, out > 0, err > 0
}
