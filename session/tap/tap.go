package tap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"mcpdbg/session"
	"mcpdbg/session/executor"
)

// leaveTime is how long a server has to end after each step when its client is gone.
const leaveTime = time.Second

// A Config describes a tap.
type Config struct {
	Executor executor.Executor
	Command  executor.Command
	Log      session.Log // nil: nothing is recorded
	// In is what the client sends, Out and Err what it reads.
	In       io.Reader
	Out, Err io.Writer
	// Signals are passed on to the process group of the server.
	Signals <-chan executor.Step
	// Gone is closed when Out has no reader any more; nil if that cannot be known before
	// a write fails.
	Gone <-chan struct{}
	// Conceal replaces secrets in the command lines of processes that are logged.
	Conceal func(string) string
	// Live switches live mode on. Without it nothing is held or changed.
	Live *LiveOptions
}

// Run starts the server, forwards until it has ended, and returns how it ended. An error
// is that of a start, or of a server that is lost. The log is written when it returns. A
// Read of In may still be waiting then. In live mode it returns when the client has closed
// its side and no process is left, with the exit of the latest process that the tap did
// not end, and without an error.
func Run(ctx context.Context, c Config) (executor.Exit, error) {
	if c.Live != nil {
		return runLive(ctx, c)
	}
	t := &tap{
		c: c, rec: newRecorder(c.Log), ready: make(chan struct{}),
		exited: make(chan struct{}), closed: make(chan struct{}), unread: make(chan struct{}),
	}
	t.err = newOutlet(client{t, executor.Stderr, c.Err})
	defer t.rec.close()
	defer t.endStderr()
	t.rec.state(session.Starting, "")
	if err := t.start(ctx); err != nil {
		t.rec.entry(session.StartFailedEntry(err), false)
		return executor.Exit{}, err
	}
	t.rec.begin(session.StartEntries(t.proc.Info(), nil))
	sub, err := t.proc.Subscribe(executor.SubscribeOptions{Pin: true, Handler: t.handle})
	if err != nil {
		_, _ = t.proc.Terminate(ctx)
		return executor.Exit{}, fmt.Errorf("read the server: %w", err)
	}
	t.sub = sub
	close(t.ready)
	go t.forwardInput() // a Read of the client's pipe cannot be ended: Run does not wait for it
	t.supervise(ctx)
	return t.exit, t.failure
}

// endStderr waits until the client has read stderr, unless it has ended the server by a
// signal or sends one now.
func (t *tap) endStderr() {
	if t.givenUp {
		t.err.close(true)
		return
	}
	t.err.end()
	select {
	case <-t.err.done:
	case <-t.c.Signals:
	}
}

// A tap forwards between a client and one process.
type tap struct {
	c    Config
	rec  *recorder
	proc executor.Process
	sub  *executor.Subscription
	err  *outlet // the client's stderr

	ready  chan struct{} // closed when sub is set
	exited chan struct{}
	closed chan struct{} // the last event came
	unread chan struct{} // closed when a write to Out failed

	// Of the goroutine that handles events, and of Run when closed is closed.
	exit    executor.Exit
	failure error
	lost    bool // the client takes no more of stdout

	givenUp bool // a signal came, or the client is gone

	early executor.Step // a signal that came during the start; 0 for none

	mu       sync.Mutex
	attempts []*session.Attempt // of the client, to end the server
}

// start starts the process. A signal cancels the start.
func (t *tap) start(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	cmd := t.c.Command
	cmd.Pinned = true
	started := make(chan error, 1)
	go func() {
		var err error
		t.proc, err = t.c.Executor.Start(ctx, cmd)
		started <- err
	}()
	for {
		select {
		case err := <-started:
			return err
		case step := <-t.c.Signals:
			t.early = step
			cancel(fmt.Errorf("%w by %s", errStopped, step))
		}
	}
}

var errStopped = errors.New("stopped")

// supervise passes signals on, and ends the server when its client is gone, until the
// last event.
func (t *tap) supervise(ctx context.Context) {
	var leaving <-chan time.Time
	gone, unread, exited := t.c.Gone, t.unread, t.exited
	steps := []executor.Step{executor.StepCloseStdin, executor.StepTerm}
	var ending sync.WaitGroup
	defer ending.Wait() // what it finds is logged
	if t.early != 0 {   // the start succeeded all the same
		t.stop(ctx, t.early)
	}
	for {
		select {
		case step := <-t.c.Signals:
			t.stop(ctx, step)
		case <-gone:
			gone, unread, leaving = nil, nil, time.After(0)
			t.clientGone()
		case <-unread:
			gone, unread, leaving = nil, nil, time.After(0)
			t.clientGone()
		case <-leaving:
			if leaving = nil; len(steps) == 0 {
				t.kill(ctx)
				continue
			}
			t.stop(ctx, steps[0])
			steps, leaving = steps[1:], time.After(leaveTime)
		case <-exited:
			exited, leaving = nil, nil
			ending.Go(func() { t.terminate(ctx) })
		case <-ctx.Done():
			t.kill(context.WithoutCancel(ctx))
			<-t.closed
			return
		case <-t.closed:
			return
		}
	}
}

func (t *tap) clientGone() {
	t.note(session.NoteBody{Code: NoteGone, Text: "the client is gone: what the server writes has no reader", Hint: "the server is ended"})
}

// NoteGone is the code of the note that the client does not read any more.
const NoteGone = "tap.gone"

// stop takes a step of the client.
func (t *tap) stop(ctx context.Context, step executor.Step) {
	if step != executor.StepCloseStdin {
		t.giveUp()
	}
	t.attempt(step)
	begin := time.Now()
	var err error
	if step == executor.StepCloseStdin {
		t.proc.CloseStdin()
	} else {
		_, err = t.proc.Stop(ctx, step, executor.ScopeGroup)
	}
	t.phase(step, begin, err)
}

func (t *tap) attempt(step executor.Step) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.attempts = append(t.attempts, &session.Attempt{Step: step, By: executor.EndedByClient, At: time.Now()})
}

func (t *tap) phase(step executor.Step, begin time.Time, err error) {
	t.rec.entry(phaseEntry(step, executor.EndedByClient, begin, err), false)
}

func (t *tap) giveUp() {
	t.givenUp = true
	t.err.giveUp()
}

// kill kills the server and all that it started.
func (t *tap) kill(ctx context.Context) {
	t.giveUp()
	t.attempt(executor.StepKill)
	t.terminate(ctx)
}

// terminate ends what the server has left. Its failure is an event.
func (t *tap) terminate(ctx context.Context) {
	report, err := t.proc.Terminate(context.WithoutCancel(ctx))
	if err != nil {
		t.note(session.NoteBody{Text: err.Error()})
	}
	t.rec.remains(report, t.c.Conceal)
}

func (t *tap) note(body session.NoteBody) { t.rec.note(body) }

// forwardInput passes on what the client sends.
func (t *tap) forwardInput() {
	var slab executor.Slab
	for {
		n, err := t.c.In.Read(slab.Space())
		if n > 0 {
			data := slab.Take(n)
			t.rec.read(session.KindStdin, data)
			if !t.write(data) {
				return
			}
		}
		if err != nil {
			t.stop(context.Background(), executor.StepCloseStdin)
			return
		}
	}
}

// write reports whether the server takes input. Once it does not, the client's pipe is
// closed, as it would be without a tap.
func (t *tap) write(data []byte) bool {
	res, err := t.proc.Write(context.Background(), "", data)
	if err == nil && res.Status == executor.Accepted {
		return true
	}
	if res.Status == executor.StdinClosed {
		t.note(session.NoteBody{Code: NoteUnwritten, Text: fmt.Sprintf("the server does not take input any more: %d bytes did not reach it", len(data)-res.Bytes)})
	}
	if in, ok := t.c.In.(io.Closer); ok {
		_ = in.Close() // nothing is lost
	}
	return false
}

// NoteUnwritten is the code of the note that the server has closed its input.
const NoteUnwritten = "tap.unwritten"

// handle handles one event of the process. Calls do not overlap.
func (t *tap) handle(ev executor.Event) {
	switch ev.Kind {
	case executor.Output:
		t.output(ev.Stream, ev.Data)
	case executor.Lagged:
		t.recover()
	case executor.Held:
		t.held(ev.Hold)
	case executor.Exited:
		t.mu.Lock()
		if ev.Exit.By == executor.EndedUnknown {
			ev.Exit.By = session.EndedBy(ev.Exit, time.Now(), t.attempts)
		}
		t.mu.Unlock()
		t.exit = ev.Exit
		t.rec.event(ev, t.c.Conceal)
		close(t.exited)
	case executor.WriteFailed:
		t.note(session.NoteBody{Code: NoteUnwritten, Text: "the server does not take input any more: a part of it did not reach it"})
	case executor.Closed, executor.Failed:
		t.failure = ev.Err
		t.rec.end(ev.Err)
		close(t.closed)
	default:
		t.rec.event(ev, t.c.Conceal)
	}
}

// recover forwards output that was read ahead of the client.
func (t *tap) recover() {
	<-t.ready
	for {
		res, err := t.sub.Read(context.Background(), executor.DefaultRetain)
		if err != nil || len(res.Chunks) == 0 {
			return // an error is that of the end, which follows
		}
		for _, chunk := range res.Chunks {
			t.output(chunk.Stream, chunk.Data)
		}
	}
}

func (t *tap) output(stream executor.Stream, data []byte) {
	if stream == executor.Stderr {
		t.rec.read(session.KindStderr, data)
		t.err.offer(data) // a client that does not read it must get stdout all the same
		return
	}
	t.rec.read(session.KindStdout, data)
	if t.lost {
		return
	}
	if _, err := (client{t, executor.Stdout, t.c.Out}).Write(data); err != nil {
		t.lost = true
		close(t.unread)
	}
}

// A client is a stream of the client. Its error is noted.
type client struct {
	t      *tap
	stream executor.Stream
	w      io.Writer
}

func (c client) Write(data []byte) (int, error) {
	n, err := c.w.Write(data)
	if err != nil {
		c.t.note(session.NoteBody{Code: NoteUnread, Text: fmt.Sprintf("the client does not take %s any more: %v", c.stream, err)})
	}
	return n, err
}

// NoteUnread is the code of the note that the client has closed one of its streams.
const NoteUnread = "tap.unread"

func (t *tap) held(h *executor.HoldInfo) {
	if h.End.IsZero() {
		return // its end is logged
	}
	body := session.HeldBody{By: session.HeldByClient}
	now := time.Now()
	at := func(when time.Time) int64 { return t.rec.now() - now.Sub(when).Microseconds() }
	body.Begin, body.End = at(h.Begin), at(h.End)
	for stream, held := range [2]bool{h.Stdout, h.Stderr} {
		if held {
			body.Streams = append(body.Streams, executor.Stream(stream).String())
		}
	}
	t.rec.entry(session.NewEntry(session.KindHeld, 0, body), false)
}
