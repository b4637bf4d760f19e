package tap

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/executor"
)

const (
	// maxUnwritten is how many bytes the server may leave unread before the client is
	// not read.
	maxUnwritten = 8 << 20
	// roomLook is how often such a server is checked.
	roomLook = 5 * time.Millisecond
)

// Codes of notes of live mode.
const (
	NoteLive      = "tap.live"      // a remark of the relay
	NoteRestarted = "tap.restarted" // a restart has ended: the data have its outcome
)

// A Restarted is the outcome of a restart, as NoteRestarted has it.
type Restarted struct {
	Reason string `json:"reason"`
	Took   int64  `json:"took_us"`
	Failed int    `json:"failed"` // requests that got an error
	Resent int    `json:"resent"`
}

// RestartOf returns the outcome of a restart if the row is the note that has it.
func RestartOf(src session.Source, row session.Row) (r Restarted, ok bool) {
	var note session.NoteBody
	e, err := src.Entry(row, 0)
	ok = err == nil && row.Kind == session.KindNote && e.DecodeBody(&note) == nil && note.Code == NoteRestarted && json.Unmarshal(note.Data, &r) == nil
	return r, ok
}

// A live tap restarts its server under the client. Its goroutine owns the relay.
type live struct {
	c     Config
	o     LiveOptions
	rec   *recorder
	relay *relay
	out   *outlet
	err   *outlet // what it does not take is recorded all the same

	chunks  chan []byte       // what the client sends; closed at its end
	started chan startResult  // of the pending start
	events  chan processEvent // of all processes
	over    chan struct{}     // closed when Run returns
	running sync.WaitGroup    // goroutines of processes

	in      framing.Splitter // of the client
	now     numbers          // of the line that is being handled
	proc    *process         // nil without one
	pending bool             // a start is running
	cancel  context.CancelCauseFunc
	exit    executor.Exit // of the latest process that the tap did not end
	before  int           // pid of the process before
	starts  int           // begun so far
	leaving bool          // the client is gone, or wants the server to end
	waiting []waiter
	shown   *face // what Publish got
}

// A waiter is a command that waits for the end of a start.
type waiter struct {
	answer chan<- string
	start  int
}

// numbers are those of the reads of a line.
type numbers struct {
	first, last uint64
	cuts        []framing.Cut
	dropped     uint64
}

func numbersOf(line *framing.Line) numbers {
	return numbers{line.First, line.Seq, slices.Clone(line.Cuts), line.CutsDropped}
}

type startResult struct {
	proc executor.Process
	err  error
}

type processEvent struct {
	proc *process
	executor.Event
}

func runLive(ctx context.Context, c Config) (executor.Exit, error) {
	o := *c.Live
	l := &live{
		c: c, o: o, rec: newRecorder(c.Log), out: newOutlet(c.Out), err: newOutlet(c.Err),
		relay: newRelay(relayConfig{
			name: o.Name, hex: executor.NewMark()[:8], startup: o.Startup, watched: o.Watched,
			passBuilding: o.PassBuilding, noCache: o.NoCache, noStderr: o.NoStderr,
		}),
		exit:   executor.Exit{Kind: executor.ExitCode},
		chunks: make(chan []byte), started: make(chan startResult, 1), events: make(chan processEvent), over: make(chan struct{}),
	}
	l.in.Limit = lineLimit
	defer l.rec.close()
	go l.readClient() // a Read of the client's pipe cannot be ended: this does not wait for it
	l.start(ctx)
	l.loop(ctx)
	l.clientEnded() // the number of an open line is logged
	close(l.over)
	l.running.Wait()
	l.out.close(l.leaving)
	l.err.close(true)
	l.starts++
	l.answer("the tap has ended")
	return l.exit, nil
}

func (l *live) readClient() {
	defer close(l.chunks)
	var slab executor.Slab
	for {
		n, err := l.c.In.Read(slab.Space())
		if n > 0 {
			select {
			case l.chunks <- slab.Take(n):
			case <-l.over:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// loop handles one input after the other, until the client has closed its side and no
// process is left.
func (l *live) loop(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	chunks, gone, ended := l.chunks, l.c.Gone, ctx.Done()
	for !l.relay.closed || l.proc != nil || l.pending {
		l.publish()
		l.arm(timer)
		from, events := chunks, l.events
		unread := l.out.waiting()
		if unread > 2*outletLimit || l.proc != nil && l.proc.full() {
			from = nil
		}
		if unread > outletLimit && !l.leaving {
			events = nil
		}
		select {
		case chunk, open := <-from:
			if !open {
				chunks = nil
				l.clientEnded()
				continue
			}
			l.fromClient(chunk)
		case ev := <-events:
			l.event(ctx, ev)
		case <-l.out.room:
		case r := <-l.started:
			l.begun(r)
		case cmd := <-l.o.Commands:
			l.command(cmd)
		case step := <-l.c.Signals:
			l.signal(ctx, step)
		case <-gone:
			gone = nil
			l.leave("the client is gone: what the server writes has no reader")
		case <-l.out.failed:
			l.out.failed = nil
			l.leave("the client does not take output any more")
		case <-ended:
			ended = nil
			l.leave("the tap has to end")
		case now := <-timer.C:
			l.perform(l.relay.tick(now))
		}
	}
}

func (l *live) arm(timer *time.Timer) {
	wait := time.Hour
	if due := l.relay.next(); !due.IsZero() {
		wait = max(0, time.Until(due))
	}
	if l.proc != nil && l.proc.full() {
		wait = min(wait, roomLook)
	}
	timer.Reset(wait)
}

func (l *live) fromClient(chunk []byte) {
	seq := l.rec.number()
	if (l.relay.state == up || l.relay.state == down) && !l.relay.building && l.changed() {
		l.perform(l.relay.changeNoticed(time.Now()))
	}
	for line := range l.in.Push(seq, chunk) {
		l.clientLine(&line)
	}
}

func (l *live) clientLine(line *framing.Line) {
	l.now = numbersOf(line)
	data := append(bytes.Clone(line.Data), line.EOL.String()...)
	if line.Whole() {
		l.perform(l.relay.fromClient(data, time.Now()))
		return
	}
	l.perform(l.relay.fromClientPart(data, !line.More, time.Now()))
}

func (l *live) serverLine(line *framing.Line) {
	l.now = numbersOf(line)
	data := append(bytes.Clone(line.Data), line.EOL.String()...)
	if line.Whole() {
		l.perform(l.relay.fromServer(data, time.Now()))
		return
	}
	l.perform(l.relay.fromServerPart(data, !line.More, time.Now()))
}

func (l *live) clientEnded() {
	if line, ok := l.in.Flush(false); ok {
		l.clientLine(&line)
	}
	if l.cancel != nil && l.pending && l.relay.process > 0 {
		l.cancel(errStopped)
	}
	l.perform(l.relay.clientClosed(time.Now()))
}

// signal takes a signal of the client, which ends its session: the server is not started
// again.
func (l *live) signal(ctx context.Context, step executor.Step) {
	if l.cancel != nil && l.pending {
		l.cancel(fmt.Errorf("%w by %s", errStopped, step))
	}
	l.leaving = true
	l.err.giveUp()
	proc := l.proc
	l.perform(l.relay.clientClosed(time.Now()))
	if proc == nil {
		return
	}
	proc.attempt(step, executor.EndedByClient)
	begin := time.Now()
	_, err := proc.Stop(ctx, step, executor.ScopeGroup)
	l.rec.entry(phaseEntry(step, executor.EndedByClient, begin, err), false)
}

// leave ends the server because its client is gone.
func (l *live) leave(why string) {
	l.note(session.NoteBody{Code: NoteGone, Text: why, Hint: "the server is ended"})
	if l.cancel != nil && l.pending {
		l.cancel(errStopped)
	}
	l.leaving = true
	l.err.giveUp()
	l.perform(l.relay.clientClosed(time.Now()))
	if l.proc != nil {
		l.stop(l.proc, executor.EndedByClient)
	}
}

// start starts a process, which begun takes.
func (l *live) start(ctx context.Context) {
	l.rec.state(session.Starting, "")
	cmd := l.c.Command
	cmd.Pinned = true
	ctx, l.cancel = context.WithCancelCause(ctx)
	l.pending = true
	l.starts++
	cancel := l.cancel
	l.running.Go(func() {
		defer cancel(nil)
		proc, err := l.c.Executor.Start(ctx, cmd)
		l.started <- startResult{proc, err}
	})
}

func (l *live) begun(r startResult) {
	l.pending = false
	if r.err != nil {
		l.rec.entry(session.StartFailedEntry(r.err), false)
		l.answer("not started: " + r.err.Error())
		l.perform(l.relay.ended(l.conceal(r.err.Error()), "", time.Now()))
		return
	}
	p := &process{Process: r.proc, pid: r.proc.Info().PID, ready: make(chan struct{}), closed: make(chan struct{}), hurry: make(chan struct{})}
	p.lines.Limit = lineLimit
	l.proc = p
	l.rec.begin(session.StartEntries(p.Info(), nil))
	sub, err := p.Subscribe(executor.SubscribeOptions{Pin: true, Handler: func(ev executor.Event) { l.handle(p, ev) }})
	if err != nil { // it has ended, and was forgotten
		l.ended(p, err)
		return
	}
	p.sub = sub
	close(p.ready)
	l.perform(l.relay.started(time.Now()))
}

// handle passes an event on to the goroutine of the tap. It forwards stderr itself.
func (l *live) handle(p *process, ev executor.Event) {
	switch {
	case ev.Kind == executor.Lagged:
		<-p.ready
		for {
			res, err := p.sub.Read(context.Background(), executor.DefaultRetain)
			if err != nil || len(res.Chunks) == 0 {
				return // an error is that of the end, which follows
			}
			for _, c := range res.Chunks {
				l.handle(p, executor.Event{Kind: executor.Output, Stream: c.Stream, Seq: c.Seq, Data: c.Data})
			}
		}
	case ev.Kind == executor.Output && ev.Stream == executor.Stderr:
		l.rec.read(session.KindStderr, ev.Data)
		p.lastWords(ev.Data)
		l.err.offer(ev.Data)
		return
	}
	select {
	case l.events <- processEvent{p, ev}:
	case <-l.over:
	}
	if ev.Kind == executor.Closed || ev.Kind == executor.Failed {
		close(p.closed)
	}
}

func (l *live) event(ctx context.Context, ev processEvent) {
	p := ev.proc
	switch ev.Kind {
	case executor.Output:
		seq := l.rec.number()
		for line := range p.lines.Push(seq, ev.Data) {
			l.serverLine(&line)
		}
	case executor.Exited:
		p.mu.Lock()
		if ev.Exit.By == executor.EndedUnknown {
			ev.Exit.By = session.EndedBy(ev.Exit, time.Now(), p.attempts)
		}
		p.mu.Unlock()
		p.exit = ev.Exit
		l.rec.event(ev.Event, l.c.Conceal)
		l.running.Go(func() { l.terminate(context.WithoutCancel(ctx), p) })
	case executor.Held:
	case executor.WriteFailed:
		p.refuses(l.rec)
	case executor.Closed, executor.Failed:
		l.ended(p, ev.Err)
	default:
		l.rec.event(ev.Event, l.c.Conceal)
	}
}

// ended takes the last event of a process.
func (l *live) ended(p *process, failure error) {
	if line, ok := p.lines.Flush(false); ok {
		l.serverLine(&line)
	}
	p.lines.Close()
	if p.input != nil {
		p.input.end()
	}
	l.rec.end(failure)
	l.proc, l.before = nil, p.Info().PID
	how := session.DescribeExit(p.exit)
	if failure != nil {
		how = l.conceal(failure.Error())
	}
	if p.exit.By != executor.EndedByShutdown {
		l.exit = p.exit
	}
	stderr := l.conceal(p.said())
	if l.relay.state == replaying {
		l.answer("not started: it ended (" + how + ")" + wording.IfAny(": ", stderr))
	}
	l.perform(l.relay.ended(how, stderr, time.Now()))
}

// changed reports whether files have changed that no command was about.
func (l *live) changed() bool { return l.o.Look != nil && l.o.Look() }

// conceal replaces secrets in a text that the client, or a model behind it, gets.
func (l *live) conceal(text string) string {
	if l.c.Conceal == nil {
		return text
	}
	return l.c.Conceal(text)
}

func (l *live) note(body session.NoteBody) {
	l.rec.note(body)
}

// command takes a command of a person, a file change or another program.
func (l *live) command(c Command) {
	now := time.Now()
	switch c.Do {
	case Changed:
		l.perform(l.relay.changeNoticed(now))
	case Unchanged:
		l.perform(l.relay.changeDropped(now))
	case BuildFailed:
		l.perform(l.relay.buildFailed(l.conceal(c.Text), now))
	case Restart:
		if c.Answer != nil {
			l.waiting = append(l.waiting, waiter{c.Answer, l.starts + 1})
		}
		building := l.relay.building && c.Answer != nil // its end is still to come
		l.perform(l.relay.restart(c.Text, c.Drain, now))
		if building || l.changed() { // since the change that this restart is for
			l.perform(l.relay.changeNoticed(now))
		}
	case Stop:
		l.leave(c.Text)
		if c.Answer != nil {
			c.Answer <- "stopped"
		}
	case Remark:
		l.note(session.NoteBody{Code: NoteLive, Text: c.Text})
	case Tell:
		c.Answer <- l.status()
	default:
		l.decide(c)
	}
}

// answer answers the commands that wait for the latest start.
func (l *live) answer(text string) {
	l.waiting = slices.DeleteFunc(l.waiting, func(w waiter) bool {
		if w.start > l.starts {
			return false
		}
		w.answer <- text
		return true
	})
}

var stateWords = map[relayState]string{starting: "starting", replaying: "starting", up: "running", draining: "restarting", ending: "restarting", down: "not running"}

func (l *live) status() string {
	parts := []string{stateWords[l.relay.state]}
	if l.relay.building {
		parts = append(parts, "building")
	}
	if l.proc != nil {
		parts = append(parts, "pid "+strconv.Itoa(l.proc.Info().PID))
	}
	if n := l.relay.process - 1; n > 0 {
		parts = append(parts, wording.Plural(n, "restart"))
	}
	return strings.Join(parts, ", ")
}

// restarted logs the outcome of a restart.
func (l *live) restarted(o *outcome) {
	pids := strconv.Itoa(l.before)
	if l.proc != nil {
		pids += " → " + strconv.Itoa(l.proc.Info().PID)
	}
	text := fmt.Sprintf("%s, %s · pid %s", o.reason, wording.Took(o.took.Microseconds()), pids)
	if o.failed > 0 {
		text += " · " + wording.Plural(uint64(o.failed), "call") + " failed"
	}
	data, _ := json.Marshal(Restarted{o.reason, o.took.Microseconds(), o.failed, o.resent})
	l.note(session.NoteBody{Code: NoteRestarted, Text: "restarted under the client: " + text, Data: data})
	l.answer("restarted: " + text)
}
