package tap

import (
	"cmp"
	"sync"
	"time"

	"mcpdbg/session"
	"mcpdbg/session/executor"
)

const (
	// queueLimit is how many bytes may wait for the log.
	queueLimit = 64 << 20
	// roomWait is how long a read waits for a full queue before it is not logged.
	roomWait = 50 * time.Millisecond
	// gather is how long the first read after a pause waits for more, so that a request
	// and its response wake the writer once.
	gather = 2 * time.Millisecond
	// gathered is the number of bytes that do not wait for more.
	gathered = 1 << 20
	// pieceCost is what a read costs besides its bytes, in bytes.
	pieceCost = 128
	// maxSpare is how many pieces a queue that was written has room for when it is used
	// again.
	maxSpare = 1 << 14
)

// A recorder numbers what is read and keeps it until the writer has logged it. Its
// methods may be called from any goroutine. A nil recorder records nothing.
type recorder struct {
	log     session.Log
	limit   int           // queueLimit; less in tests
	bell    chan struct{} // one slot: the queue was empty
	full    chan struct{} // one slot: there is enough to write
	written chan struct{} // closed when the writer has ended

	mu     sync.Mutex
	seq    uint64
	queue  []piece
	bytes  int           // in the queue, or being written
	room   chan struct{} // closed when bytes become fewer; nil if no read waits
	gap    *gap          // the reads since the queue was full; nil if none was lost
	ended  bool          // the process has ended: what the client sends is lost
	closed bool
}

// A piece is one read of a stream, an entry, or a gap.
type piece struct {
	t     int64
	seq   uint64
	kind  session.Kind
	data  []byte
	entry *session.Entry
	// failure is the reason of KindFailed.
	failure error
	gap     *gap
}

// cost is how much a piece counts for the limit of the queue.
func (p *piece) cost() int {
	size := len(p.data) + pieceCost
	if p.entry != nil {
		size += len(p.entry.Payload) + len(p.entry.Body)
	}
	return size
}

// A gap is a range of reads that were not logged.
type gap struct {
	from, to uint64
	bytes    uint64
	lost     [session.KindCount]bool
}

// newRecorder returns a recorder whose writer runs until close; nil without a log.
func newRecorder(log session.Log) *recorder {
	if log == nil {
		return nil
	}
	r := &recorder{
		log: log, limit: queueLimit,
		bell: make(chan struct{}, 1), full: make(chan struct{}, 1), written: make(chan struct{}),
	}
	go func() {
		defer close(r.written)
		newWriter(r).run()
	}()
	return r
}

// read takes in one read of a stream before it is forwarded. The bytes must not be
// changed afterwards. It waits at most roomWait.
func (r *recorder) read(kind session.Kind, data []byte) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	fits := r.waitForRoom(len(data))
	if r.ended {
		return
	}
	r.seq++
	if !fits {
		r.lose(kind, r.seq, r.seq, len(data))
		return
	}
	r.push(piece{seq: r.seq, kind: kind, data: data})
}

// entry takes in an entry. With numbered it gets the next number.
func (r *recorder) entry(e session.Entry, numbered bool) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if numbered {
		r.seq++
		e.Seq = r.seq
	}
	r.push(piece{entry: &e})
}

// begin takes in the first entries of a process.
func (r *recorder) begin(entries []session.Entry) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = false
	for i := range entries {
		r.push(piece{entry: &entries[i]})
	}
}

// number returns the number of a read whose lines follow.
func (r *recorder) number() uint64 {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seq++
	return r.seq
}

// line takes in an entry with bytes that were read or sent. Like a read it waits for
// room, and is lost without.
func (r *recorder) line(e session.Entry) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := piece{entry: &e}
	if r.waitForRoom(p.cost()) {
		r.push(p)
		return
	}
	r.lose(e.Kind, cmp.Or(e.First, e.Seq, r.seq), cmp.Or(e.Seq, r.seq), p.cost()-pieceCost)
}

// event takes in an event of a process. conceal, if not nil, replaces secrets in command
// lines.
func (r *recorder) event(ev executor.Event, conceal func(string) string) {
	if conceal != nil {
		for i := range ev.Procs {
			ev.Procs[i].Command = conceal(ev.Procs[i].Command)
		}
	}
	if e, ok := session.EventEntry(ev); ok {
		r.entry(e, ev.Seq != 0)
	}
	if ev.Kind == executor.Exited {
		r.state(session.Exited, session.DescribeEnd(ev.Exit))
	}
}

// state takes in a state, as a session has it.
func (r *recorder) state(state session.State, detail string) {
	r.entry(session.NewEntry(session.KindState, 0, session.StateBody{State: string(state), Detail: detail}), false)
}

// remains takes in what a server had left running when it ended.
func (r *recorder) remains(report executor.StopReport, conceal func(string) string) {
	if len(report.Signalled) > 0 && !report.Running {
		r.event(executor.Event{Kind: executor.Survivors, Procs: report.Signalled}, conceal)
	}
	for _, reason := range report.CannotTell {
		r.note(session.NoteBody{Code: session.NoteCannotTell, Text: "leaked processes: cannot tell (" + reason + ")"})
	}
}

func (r *recorder) note(body session.NoteBody) {
	r.entry(session.NewEntry(session.KindNote, 0, body), false)
}

// now returns the time of the log.
func (r *recorder) now() int64 {
	if r == nil {
		return 0
	}
	return r.log.Now()
}

// end takes in the end of the process: its entry has the sums of the streams.
func (r *recorder) end(failure error) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := piece{kind: session.KindFailed, failure: failure, entry: new(session.Entry)}
	if failure == nil {
		r.seq++
		p.kind, p.seq = session.KindClosed, r.seq
	}
	r.push(p)
	r.ended = true
	if failure == nil {
		closed := session.NewEntry(session.KindState, 0, session.StateBody{State: string(session.Closed)})
		r.push(piece{entry: &closed})
		return
	}
	failed := session.NewEntry(session.KindState, 0, session.StateBody{State: string(session.Failed), Detail: failure.Error()})
	r.push(piece{entry: &failed})
}

// close waits until everything is logged. Nothing is taken in afterwards.
func (r *recorder) close() {
	if r == nil {
		return
	}
	r.mu.Lock()
	r.flushGap()
	r.closed = true
	r.mu.Unlock()
	signal(r.bell)
	signal(r.full)
	<-r.written
}

// waitForRoom reports whether n bytes fit into the queue. After a gap has begun, it does
// not wait: the gap ends when half of the queue is free.
func (r *recorder) waitForRoom(n int) bool {
	if r.gap != nil {
		return r.bytes+n <= r.limit/2
	}
	if r.bytes+n <= r.limit || r.bytes == 0 {
		return true
	}
	timer := time.NewTimer(roomWait)
	defer timer.Stop()
	for r.bytes+n > r.limit {
		if r.room == nil {
			r.room = make(chan struct{})
		}
		room := r.room
		r.mu.Unlock()
		select {
		case <-room:
			r.mu.Lock()
		case <-timer.C:
			r.mu.Lock()
			return r.bytes+n <= r.limit
		}
	}
	return true
}

func (r *recorder) lose(kind session.Kind, from, to uint64, n int) {
	if r.gap == nil {
		r.gap = &gap{from: from}
	}
	r.gap.from, r.gap.to = min(r.gap.from, from), max(r.gap.to, to)
	r.gap.bytes += uint64(n)
	r.gap.lost[kind] = true
}

func (r *recorder) flushGap() {
	if lost := r.gap; lost != nil {
		r.gap = nil
		r.push(piece{gap: lost})
	}
}

func (r *recorder) push(p piece) {
	if r.closed {
		return
	}
	r.flushGap()
	p.t = r.log.Now()
	if len(r.queue) == 0 {
		signal(r.bell)
	}
	r.queue = append(r.queue, p)
	if r.bytes += p.cost(); r.bytes >= gathered {
		signal(r.full)
	}
}

// take returns the queue; more is false if nothing will follow.
func (r *recorder) take(spare []piece) (pieces []piece, more bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cap(spare) > maxSpare {
		spare = nil
	}
	pieces, r.queue = r.queue, spare[:0]
	return pieces, !r.closed
}

// wrote makes room for n bytes.
func (r *recorder) wrote(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bytes -= n
	if r.room != nil {
		close(r.room)
		r.room = nil
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
