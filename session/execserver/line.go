package execserver

import (
	"context"
	"sync"

	"mcpdbg/session/execserver/wire"
)

// maxDirect is how many bytes the caller of a write sends itself: they have room in the buffer of
// a connection on which all calls before have been answered.
const maxDirect = 16 << 10

// A line is one connection. Messages are queued, and written together if the connection allows
// it. Their number is limited: each is a call, or the start of a session.
type line struct {
	conn   wire.Conn
	batch  wire.BatchWriter // nil if each message is written on its own
	ctx    context.Context
	cancel context.CancelFunc
	ended  chan struct{} // closed when it is neither read nor written any more
	dead   bool          // what waited for it has failed; guarded by the lock of the session

	mu      sync.Mutex
	out     []byte // messages that each end with a newline
	ends    []int  // of each message in out
	spare   []byte
	writing bool
	wake    chan struct{}
	cause   error // why it was given up
}

func newLine(conn wire.Conn) *line {
	ctx, cancel := context.WithCancel(context.Background())
	batch, _ := conn.(wire.BatchWriter)
	return &line{conn: conn, batch: batch, ctx: ctx, cancel: cancel, ended: make(chan struct{}), wake: make(chan struct{}, 1)}
}

// run reads and writes until the connection ends, and returns why. It gives each message to
// take.
func (l *line) run(take func([]byte)) error {
	var writing sync.WaitGroup
	writing.Go(l.write)
	for {
		message, err := l.conn.Read(l.ctx)
		if err != nil {
			l.giveUp(err)
			break
		}
		take(message)
	}
	writing.Wait()
	close(l.ended)
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cause
}

// giveUp ends the connection; the first cause counts.
func (l *line) giveUp(cause error) {
	l.mu.Lock()
	if l.cause == nil {
		l.cause = cause
	}
	l.mu.Unlock()
	l.cancel()
	_ = l.conn.Close() // it is of no use any more
}

// post queues the message that build appends to a buffer.
func (l *line) post(build func(dst []byte) []byte) {
	l.add(build)
	l.ring()
}

// add is post for a caller that writes, or rings, and returns how many bytes wait.
func (l *line) add(build func(dst []byte) []byte) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out = append(build(l.out), '\n')
	l.ends = append(l.ends, len(l.out))
	return len(l.out)
}

// ring makes the writer write.
func (l *line) ring() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *line) write() {
	for {
		select {
		case <-l.wake:
			l.flush()
		case <-l.ctx.Done():
			return
		}
	}
}

// flush writes what waits, unless another goroutine writes: what comes meanwhile is left to the
// writer.
func (l *line) flush() {
	l.mu.Lock()
	if l.writing || len(l.ends) == 0 {
		l.mu.Unlock()
		return
	}
	l.writing = true
	out, ends := l.out, l.ends
	l.out, l.ends = l.spare[:0], nil
	l.mu.Unlock()
	var err error
	if l.batch != nil {
		err = l.batch.WriteBatch(l.ctx, out)
	}
	for from, i := 0, 0; l.batch == nil && err == nil && i < len(ends); from, i = ends[i], i+1 {
		err = l.conn.Write(l.ctx, out[from:ends[i]-1])
	}
	l.mu.Lock()
	l.writing = false
	if l.spare = out; cap(out) > 2*wire.MaxWrite {
		l.spare = nil
	}
	more := len(l.ends) > 0
	l.mu.Unlock()
	switch {
	case err != nil:
		l.giveUp(err)
	case more:
		l.ring()
	}
}
