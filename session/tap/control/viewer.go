package control

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"sync"
	"time"
)

// A Viewer watches a live tap, and may steer it. Any goroutine may use it.
type Viewer struct {
	conn    net.Conn
	changed chan struct{}
	done    chan struct{}
	running sync.WaitGroup

	out sync.Mutex // held while a line is written

	mu      sync.Mutex
	state   State
	lines   map[int][]byte // of the held messages
	steers  bool
	pending map[int]chan<- reply
	seq     int
	ended   bool
}

// Watch begins to watch. It returns ErrVersion for a tap that can only be restarted and
// stopped.
func (t *Tap) Watch(ctx context.Context) (*Viewer, error) {
	conn, in, err := t.dial(ctx)
	if err != nil {
		return nil, err
	}
	v, err := t.view(conn, in)
	if err != nil {
		_ = conn.Close()
	}
	return v, err
}

// view makes a connection that has greeted that of a viewer.
func (t *Tap) view(conn net.Conn, in *bufio.Reader) (*Viewer, error) {
	switch {
	case t.Version < version:
		return nil, ErrVersion
	case t.Version > version:
		return nil, fmt.Errorf("it speaks version %d of the control lines, and this is version %d", t.Version, version)
	}
	v := &Viewer{
		conn: conn, changed: make(chan struct{}, 1), done: make(chan struct{}),
		lines: map[int][]byte{}, pending: map[int]chan<- reply{},
	}
	if err := writeLine(conn, order{Do: "watch", N: os.Getpid()}); err != nil {
		return nil, err
	}
	var first reply
	if err := readLine(in, upTo(maxReply), &first); err != nil {
		return nil, fmt.Errorf("no answer: %w", err)
	}
	if err := first.err(); err != nil {
		return nil, err
	}
	v.take(&first)
	_ = conn.SetDeadline(time.Time{})
	v.running.Go(func() { v.read(in) })
	v.running.Go(v.beat)
	return v, nil
}

// read takes the lines of the tap.
func (v *Viewer) read(in *bufio.Reader) {
	for {
		var r reply
		if readLine(in, upTo(maxReply), &r) != nil {
			break
		}
		v.take(&r)
	}
	_ = v.conn.Close()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.ended, v.steers = true, false
	clear(v.pending)
	close(v.done)
}

func (v *Viewer) take(r *reply) {
	v.mu.Lock()
	defer v.mu.Unlock()
	changed := r.State != nil || v.steers != r.Steers
	v.steers = r.Steers
	if r.State != nil {
		v.state = *r.State
		had := v.lines
		v.lines = make(map[int][]byte, len(v.state.Held))
		for i := range v.state.Held {
			h := &v.state.Held[i]
			if h.Line == nil {
				h.Line = had[h.N]
			}
			v.lines[h.N] = h.Line
		}
	}
	if waits := v.pending[r.Seq]; waits != nil {
		delete(v.pending, r.Seq)
		waits <- *r
	}
	if changed {
		select {
		case v.changed <- struct{}{}:
		default:
		}
	}
}

// beat tells the tap that this program is alive, whatever the rest of it does.
func (v *Viewer) beat() {
	ticker := time.NewTicker(beatEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			if v.write(order{Do: "beat"}) != nil {
				return
			}
		case <-v.done:
			return
		}
	}
}

// write writes a line. After a failure, which may be in the middle of one, the connection
// is of no use.
func (v *Viewer) write(o order) error {
	v.out.Lock()
	defer v.out.Unlock()
	_ = v.conn.SetWriteDeadline(time.Now().Add(beatLimit))
	err := writeLine(v.conn, o)
	if err != nil {
		_ = v.conn.Close()
	}
	return err
}

// call gives an order and waits for the reply.
func (v *Viewer) call(ctx context.Context, o order) (reply, error) {
	if len(o.Body) > maxEdit*3/4-maxOrder {
		return reply{}, fmt.Errorf("a message of %d bytes is too long to be sent", len(o.Body))
	}
	answer := make(chan reply, 1)
	v.mu.Lock()
	if v.ended {
		v.mu.Unlock()
		return reply{}, ErrEnded
	}
	v.seq++
	o.Seq = v.seq
	v.pending[o.Seq] = answer
	v.mu.Unlock()
	if v.write(o) != nil {
		return reply{}, ErrEnded
	}
	select {
	case r := <-answer:
		return r, r.err()
	case <-v.done:
		select {
		case r := <-answer: // the last line of the tap
			return r, r.err()
		default:
			return reply{}, ErrEnded
		}
	case <-ctx.Done():
		v.mu.Lock()
		delete(v.pending, o.Seq)
		v.mu.Unlock()
		return reply{}, context.Cause(ctx)
	}
}

// steer gives an order that only the viewer that steers may give: others may not send
// long lines.
func (v *Viewer) steer(ctx context.Context, o order) error {
	if !v.Steers() {
		return ErrNotSteering
	}
	_, err := v.call(ctx, o)
	return err
}

// State returns the latest state. Its slices must not be changed.
func (v *Viewer) State() State {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.state
}

// Changed returns a channel with one slot, which has a value after changes of the state.
func (v *Viewer) Changed() <-chan struct{} { return v.changed }

// Done is closed when the tap has ended or the connection to it is lost.
func (v *Viewer) Done() <-chan struct{} { return v.done }

// Steers reports whether this viewer steers.
func (v *Viewer) Steers() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.steers
}

// Steer makes this viewer the one that steers. Unless it takes the steering over, it gets
// a *SteeredError if another one does.
func (v *Viewer) Steer(ctx context.Context, take bool) error {
	_, err := v.call(ctx, order{Do: "steer", Force: take})
	return err
}

// Release ends steering: everything held is let go in order.
func (v *Viewer) Release(ctx context.Context) error {
	return v.steer(ctx, order{Do: "release"})
}

// Hold holds the messages that match a filter from now on. An empty one lets all go, and
// holds no more. The error is that of the syntax of the filter.
func (v *Viewer) Hold(ctx context.Context, filter string) error {
	return v.steer(ctx, order{Do: "hold", Text: filter})
}

// Line returns the whole of a held message.
func (v *Viewer) Line(ctx context.Context, n int) ([]byte, error) {
	r, err := v.call(ctx, order{Do: "line", N: n})
	return r.Line, err
}

// LetGo lets a held message go on, with other bytes if line is not nil. An edit that cuts
// it off from its request or response (ErrCutsPair), and letting it overtake another one
// (ErrOvertakes), need force.
func (v *Viewer) LetGo(ctx context.Context, n int, line []byte, force bool) error {
	return v.steer(ctx, order{Do: "let-go", N: n, Body: line, Edited: line != nil, Force: force})
}

// Drop ends a held message: the other side never gets it.
func (v *Viewer) Drop(ctx context.Context, n int) error {
	return v.steer(ctx, order{Do: "drop", N: n})
}

// Answer answers a held request in place of the other side. body is a member, "result":{}
// or "error":{}; without it, the request is cancelled.
func (v *Viewer) Answer(ctx context.Context, n int, body []byte) error {
	return v.steer(ctx, order{Do: "answer", N: n, Body: body})
}

// Drive sends a request of the person to the server, and returns its id as JSON. The
// response is in the recording, and never reaches the client.
func (v *Viewer) Drive(ctx context.Context, method string, params json.RawMessage) (id string, err error) {
	if !v.Steers() {
		return "", ErrNotSteering
	}
	r, err := v.call(ctx, order{Do: "drive", Text: method, Body: params})
	return r.Text, err
}

// TakeOver answers a request of the server that the client has. body is that of Answer.
func (v *Viewer) TakeOver(ctx context.Context, id, body []byte) error {
	return v.steer(ctx, order{Do: "take-over", ID: id, Body: body})
}

// Cancel cancels a request of the client, or one of Drive: the server gets the
// cancellation, and the client an error.
func (v *Viewer) Cancel(ctx context.Context, id []byte) error {
	return v.steer(ctx, order{Do: "cancel", ID: id})
}

// Restart restarts the server, and returns the outcome.
func (v *Viewer) Restart(ctx context.Context) (string, error) {
	r, err := v.call(ctx, order{Do: "restart"})
	return r.Text, err
}

// Stop ends the server and the tap.
func (v *Viewer) Stop(ctx context.Context) error {
	_, err := v.call(ctx, order{Do: "stop"})
	return err
}

// Close ends watching, and with it steering. It ends nothing else.
func (v *Viewer) Close() error {
	err := v.conn.Close()
	v.running.Wait()
	return err
}
