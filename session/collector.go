package session

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"mcpdbg/framing"
	"mcpdbg/session/executor"
	"mcpdbg/session/spool"
)

const (
	// waitingAfter is how long stdout bytes stay without a newline before a waiting entry
	// with the first waitingHead of them is logged.
	waitingAfter = time.Second
	waitingHead  = 256
	// stderrAfter is how long stderr bytes stay without a newline before they are logged.
	stderrAfter = 100 * time.Millisecond
	stderrPart  = 1 << 20 // the longest part of a line
	// recoverBytes is how much output is read at once after a lag.
	recoverBytes = 1 << 20
	// asyncBytes is the size from which a chunk is logged on another goroutine. For a
	// small batch the hop would cost more.
	asyncBytes = 16 << 10
	// maxCopied is the longest line that is copied; longer ones are logged at
	// once.
	maxCopied = 64 << 10
)

// A collector turns the events of one process into entries of the log. The subscription
// calls handle with one event at a time; timers run concurrently, hence the lock.
type collector struct {
	r   *run
	s   *Session
	sub *executor.Subscription

	ready chan struct{} // closed when sub is set

	mu          sync.Mutex
	splitter    [2]framing.Splitter
	sums        [2]Checksum
	idle        [2]*time.Timer
	lagged      repeats
	held        repeats
	cut         [2]bool            // the open line may lack lost bytes
	partial     framing.Partial    // the line of stdout that can't be read as a whole
	beginning   []byte             // of that line
	link        executor.LinkState // last logged state; "" on this machine
	notices     int                // how many of the executor's notices are logged
	batch       []Entry
	commitQueue commitQueue
	ended       bool
	long        *spool.Line // the open line of stdout if it is spooled
	looked      bool        // the open line of stdout was considered for that

	stderrOpen bool // the last stderr entry is continued
}

func newCollector(r *run) *collector {
	c := &collector{r: r, s: r.s, ready: make(chan struct{})}
	c.splitter[executor.Stdout].Limit = r.s.cfg.LineLimit
	c.splitter[executor.Stderr].Limit = stderrPart
	c.sums = [2]Checksum{NewChecksum(), NewChecksum()}
	c.r.stdin = NewChecksum()
	c.idle[executor.Stdout] = stoppedTimer(func() { c.onWaiting() })
	c.idle[executor.Stderr] = stoppedTimer(func() { c.onQuiet() })
	c.commitQueue.do = func(batch []Entry) { c.commit(batch, true) }
	c.lagged.init(&c.mu)
	c.held.init(&c.mu)
	return c
}

func stoppedTimer(f func()) *time.Timer {
	t := time.AfterFunc(time.Hour, f)
	t.Stop()
	return t
}

// subscribed sets the subscription, which a recovery needs; handle may have been called
// before.
func (c *collector) subscribed(sub *executor.Subscription) {
	c.sub = sub
	close(c.ready)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.noticed() // one may have come before the subscription
}

func (c *collector) handle(ev executor.Event) {
	c.delay()
	c.mu.Lock()
	defer c.mu.Unlock()
	switch ev.Kind {
	case executor.Output:
		c.output(ev.Stream, ev.Seq, ev.Data)
	case executor.Lagged:
		c.lagged.add(ev.N, 0, c.writeLagged)
		c.recover()
	case executor.Gap:
		c.gap(*ev.Gap)
	case executor.Held:
		c.hold(*ev.Hold)
	case executor.Exited:
		ev.Exit = c.r.resolve(ev.Exit)
		c.event(ev)
		c.r.onExit(ev.Exit)
	case executor.Closed:
		c.end(ev.Seq, nil)
	case executor.Failed:
		c.end(0, ev.Err)
	case executor.WriteFailed:
		c.writeFailed(ev)
	case executor.Survivors:
		ev.Procs = c.s.conceal(ev.Procs)
		c.event(ev)
	case executor.Link:
		c.linked(ev.Link)
	case executor.Noticed:
		c.noticed()
	}
}

func (c *collector) delay() {
	if d := c.s.cfg.CollectorDelay; d > 0 {
		time.Sleep(d)
	}
}

func (c *collector) output(stream executor.Stream, seq uint64, data []byte) {
	c.sums[stream].Add(data)
	for line := range c.splitter[stream].Push(seq, data) {
		c.line(stream, &line)
	}
	if len(data) >= asyncBytes {
		c.batch = c.commitQueue.commit(c.batch)
	} else {
		c.flush(true)
	}
	if stream == executor.Stdout {
		c.openLong()
	}
	c.watchOpen(stream)
}

// line makes an entry of a line. Unstable bytes are copied or, if there are many, logged
// at once.
func (c *collector) line(stream executor.Stream, line *framing.Line) {
	var long *spool.Line
	if stream == executor.Stdout {
		long, c.long, c.looked = c.long, nil, false
	}
	digest, msg, isDigest := []byte(nil), framing.Message{}, false
	if long != nil {
		if digest, msg, isDigest = long.Digest(line); !isDigest {
			c.restore(long, line)
		}
	}
	c.batch = append(c.batch, Entry{Kind: kindOf(stream)})
	e := &c.batch[len(c.batch)-1]
	e.SetLine(line)
	if isDigest {
		e.Long, e.Payload, e.Msg = long, digest, msg
	}
	var unread *UnreadError
	if stream == executor.Stdout && (!line.Whole() || e.Msg.Problems&framing.ProblemTooDeep != 0) {
		unread = c.unread(line)
	}
	if stream == executor.Stdout && !c.cut[stream] {
		c.noteStray(line, e, unread)
	}
	c.cut[stream] = c.cut[stream] && line.More
	switch {
	case long != nil:
		long.End(e.Msg, e.Payload, isDigest)
		c.flush(false)
		long.Release()
	case line.Stable && len(line.Cuts) == 0:
	case len(line.Data) <= maxCopied:
		e.Payload, e.Cuts = bytes.Clone(e.Payload), slices.Clone(e.Cuts)
	default:
		c.flush(line.Stable)
	}
	if unread != nil {
		c.flush(false)
		c.settleUnread(unread)
	}
}

func kindOf(stream executor.Stream) Kind {
	if stream == executor.Stderr {
		return KindStderr
	}
	return KindStdout
}

// noteStray keeps a line of stdout that is not a message, as evidence. The parts of a
// line over the limit may be a response: its beginning is kept once the line has ended
// without showing one.
func (c *collector) noteStray(line *framing.Line, e *Entry, unread *UnreadError) {
	first := !line.Part
	switch {
	case first && line.Whole():
		if unread == nil && (e.Msg.Kind == framing.NotJSON || e.Msg.Kind == framing.Other) {
			c.r.lines.addStray(e.Payload)
		}
		return
	case first:
		c.beginning = append(c.beginning[:0], e.Payload[:min(len(e.Payload), quotedLength+1)]...)
	}
	if unread != nil && unread.ID == "" {
		c.r.lines.addStray(c.beginning)
	}
}

// flush logs the batch and only then delivers its messages.
func (c *collector) flush(stable bool) {
	c.commitQueue.settle()
	c.commit(c.batch, stable)
	c.batch = c.batch[:0]
}

func (c *collector) commit(batch []Entry, stable bool) {
	if len(batch) == 0 {
		return
	}
	_ = c.s.log.Append(batch) // fails only when the log is closed
	for i := range batch {
		e := &batch[i]
		if e.Kind == KindStdout {
			c.r.dispatch(e, stable)
			continue
		}
		onlyEnd := c.stderrOpen && len(e.Payload) == 0
		c.stderrOpen = e.More
		if !onlyEnd && i >= len(batch)-tailLines {
			c.r.lines.addStderr(e.Payload)
		}
	}
	clear(batch) // do not retain the bytes
}

// append logs an entry after all output so far.
func (c *collector) append(e Entry) {
	c.commitQueue.settle()
	c.s.append(e)
}

// watchOpen restarts the timer for bytes without a newline. When it fires there may be
// none left.
func (c *collector) watchOpen(stream executor.Stream) {
	switch {
	case c.splitter[stream].Pending() == 0:
	case stream == executor.Stdout:
		c.idle[stream].Reset(waitingAfter)
	default:
		c.idle[stream].Reset(stderrAfter)
	}
}

func (c *collector) onWaiting() {
	c.mu.Lock()
	defer c.mu.Unlock()
	sp := &c.splitter[executor.Stdout]
	if c.ended || sp.Pending() == 0 {
		return
	}
	body := WaitingBody{Stream: "stdout", Bytes: sp.Pending()}
	if head := sp.Peek(waitingHead); utf8.Valid(head) {
		body.Head = string(head)
	} else {
		body.Head64 = head
	}
	c.append(NewEntry(KindWaiting, 0, body))
}

func (c *collector) onQuiet() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	if line, ok := c.splitter[executor.Stderr].Flush(true); ok {
		c.line(executor.Stderr, &line)
		c.flush(false)
	}
}

// recover reads the output that the queue dropped. The subscription is pinned: none of it
// was evicted, unless the policy is to drop.
func (c *collector) recover() {
	<-c.ready
	for {
		res, err := c.sub.Read(context.Background(), recoverBytes)
		if err != nil {
			return // Failed follows as an event
		}
		if res.Missing != nil {
			c.gap(*res.Missing)
		}
		if len(res.Chunks) == 0 {
			return
		}
		c.delay()
		for _, chunk := range res.Chunks {
			c.output(chunk.Stream, chunk.Seq, chunk.Data)
		}
	}
}

// gap logs lost output. An open line that may lack bytes ends there.
func (c *collector) gap(g executor.GapInfo) {
	body := GapBody{From: g.From, To: g.To, Bytes: g.Bytes}
	for stream, lost := range [2]bool{executor.Stdout: g.Stdout, executor.Stderr: g.Stderr} {
		stream := executor.Stream(stream)
		if !lost {
			continue
		}
		body.Streams = append(body.Streams, stream.String())
		c.sums[stream].Incomplete = true
		c.cut[stream] = true
		if line, ok := c.splitter[stream].Gap(); ok {
			c.line(stream, &line)
			c.flush(false)
		}
		c.cut[stream] = true // the next line may lack bytes too
	}
	c.append(NewEntry(KindGap, 0, body))
}

func (c *collector) lossy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sums[executor.Stdout].Incomplete
}

func (c *collector) hold(h executor.HoldInfo) {
	now, clock := time.Now(), c.s.log.Now()
	at := func(t time.Time) int64 { return clock - now.Sub(t).Microseconds() }
	body := HeldBody{Begin: at(h.Begin)}
	if h.Stdout {
		body.Streams = append(body.Streams, "stdout")
	}
	if h.Stderr {
		body.Streams = append(body.Streams, "stderr")
	}
	took := time.Duration(0)
	if !h.End.IsZero() {
		body.End = at(h.End)
		took = h.End.Sub(h.Begin)
	}
	c.held.add(1, took, func(_ uint64, times int, total time.Duration) {
		if times > 1 {
			body.Times, body.Total = times, total.Microseconds()
		}
		c.append(NewEntry(KindHeld, 0, body))
	})
}

func (c *collector) linked(l *executor.LinkInfo) {
	c.link = l.State
	c.event(executor.Event{Kind: executor.Link, Link: l})
}

// event logs an event of the kinds that EventEntry knows.
func (c *collector) event(ev executor.Event) {
	e, _ := EventEntry(ev)
	c.append(e)
}

func (c *collector) noticed() {
	notices := c.r.proc.Info().Notices
	for _, n := range notices[min(c.notices, len(notices)):] {
		c.append(noticeEntry(n))
	}
	c.notices = max(c.notices, len(notices))
}

func (c *collector) writeLagged(events uint64, times int, _ time.Duration) {
	body := LaggedBody{Events: events}
	if times > 1 {
		body.Times = times
	}
	c.append(NewEntry(KindLagged, 0, body))
}

func (c *collector) writeFailed(ev executor.Event) {
	c.r.broken.Store(true)
	body := WriteBody{Status: executor.StdinClosed.String(), Bytes: int(ev.N), Of: parseWriteID(ev.WriteID)}
	if ev.Err != nil {
		body.Error = ev.Err.Error()
	}
	c.append(NewEntry(KindWrite, 0, body))
}

func (c *collector) end(seq uint64, failure error) {
	if c.ended {
		return
	}
	c.ended = true
	for i := range c.splitter {
		c.idle[i].Stop()
		if line, ok := c.splitter[i].Flush(false); ok {
			c.line(executor.Stream(i), &line)
			c.flush(false)
		}
		c.splitter[i].Close()
	}
	c.lagged.end()
	c.held.end()
	c.r.notes.end()
	c.commitQueue.end()
	if lost := lostOf(failure); lost != nil && c.link != executor.LinkLost {
		c.linked(&executor.LinkInfo{State: executor.LinkLost, Err: lost}) // the event may have come after delivery ended
	}

	_ = c.s.send.take(context.Background()) // no write may come between the sum of stdin and its entry
	stdin := c.r.stdin.Sums()
	c.append(EndEntry(seq, failure, stdin, c.sums[executor.Stdout].Sums(), c.sums[executor.Stderr].Sums()))
	c.r.ended = true
	c.s.send.give()
	c.r.onEnd(failure)
}

func procInfos(procs []executor.Descendant) []ProcInfo {
	infos := make([]ProcInfo, len(procs))
	for i, p := range procs {
		infos[i] = ProcInfo{PID: p.PID, PPID: p.PPID, Command: p.Command, RSS: p.RSS}
	}
	return infos
}
