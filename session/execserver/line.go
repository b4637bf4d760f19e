package execserver

import (
	"context"
	"sync"

	"mcpdbg/session/execserver/wire"
)

// A line is one connection. Messages are queued, and written together if the connection allows
// it. Their number is limited: each is a call, or the start of a session.
type line struct {
	conn   wire.Conn
	ctx    context.Context
	cancel context.CancelFunc
	ended  chan struct{} // closed when it is neither read nor written any more
	dead   bool          // what waited for it has failed; guarded by the lock of the session

	mu    sync.Mutex
	out   []byte // messages that each end with a newline
	ends  []int  // of each message in out
	wake  chan struct{}
	cause error // why it was given up
}

func newLine(conn wire.Conn) *line {
	ctx, cancel := context.WithCancel(context.Background())
	return &line{conn: conn, ctx: ctx, cancel: cancel, ended: make(chan struct{}), wake: make(chan struct{}, 1)}
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
	l.mu.Lock()
	l.out = append(build(l.out), '\n')
	l.ends = append(l.ends, len(l.out))
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *line) write() {
	batch, _ := l.conn.(wire.BatchWriter)
	var out, spare []byte
	var ends []int
	for {
		select {
		case <-l.wake:
		case <-l.ctx.Done():
			return
		}
		l.mu.Lock()
		out, l.out = l.out, spare[:0]
		ends, l.ends = l.ends, ends[:0]
		l.mu.Unlock()
		var err error
		if batch != nil && len(out) > 0 {
			err = batch.WriteBatch(l.ctx, out)
		}
		for from := 0; batch == nil && err == nil && len(ends) > 0; from, ends = ends[0], ends[1:] {
			err = l.conn.Write(l.ctx, out[from:ends[0]-1])
		}
		if err != nil {
			l.giveUp(err)
			return
		}
		if spare = out; cap(spare) > 2*wire.MaxWrite {
			spare = nil
		}
	}
}
