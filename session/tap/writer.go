package tap

import (
	"bytes"
	"slices"
	"time"
	"unicode/utf8"

	"mcpdbg/framing"
	"mcpdbg/session"
)

const (
	// lineLimit is the longest line that is logged as one; longer ones are logged in
	// parts.
	lineLimit = 16 << 20
	// stderrPart is the longest part of a line of stderr.
	stderrPart = 1 << 20
	// stderrAfter is how long bytes of stderr wait for their newline before they are
	// logged, and waitingAfter how long those of the other streams do before an entry
	// with the first waitingHead of them says so.
	stderrAfter  = 100 * time.Millisecond
	waitingAfter = time.Second
	waitingHead  = 256
	// maxBatch and maxBatchBytes bound what is logged at once.
	maxBatch      = 512
	maxBatchBytes = 1 << 20
	// maxCopied is the longest line that is copied; longer ones are logged at once.
	maxCopied = 64 << 10
)

var streams = []session.Kind{session.KindStdin, session.KindStdout, session.KindStderr}

// A writer turns what a recorder has queued into entries. It belongs to one goroutine.
type writer struct {
	rec   *recorder
	lines map[session.Kind]*stream
	batch []session.Entry
	size  int // bytes of the batch
	taken int // bytes of the queue that are in the batch
	greet greeter
}

// A stream is the open line of a stream, and its sum.
type stream struct {
	framing.Splitter
	sum  session.Checksum
	open time.Time // when its open line got its last bytes
	last int64     // the same on the clock of the log
	told bool      // a waiting entry reported the line
	// parted says that the latest entry is a part of a line that goes on.
	parted bool
}

func newWriter(r *recorder) *writer {
	w := &writer{rec: r, lines: map[session.Kind]*stream{}}
	for _, kind := range streams {
		s := &stream{sum: session.NewChecksum()}
		s.Limit = lineLimit
		if kind == session.KindStderr {
			s.Limit = stderrPart
		}
		w.lines[kind] = s
	}
	return w
}

func (w *writer) run() {
	idle := time.NewTimer(time.Hour)
	defer idle.Stop()
	for spare := []piece(nil); ; {
		pieces, more := w.rec.take(spare)
		for i := range pieces {
			w.piece(&pieces[i])
		}
		w.flush()
		if len(pieces) == 0 && !more {
			return
		}
		clear(pieces) // do not retain the bytes
		if spare = pieces; len(pieces) > 0 {
			continue
		}
		w.arm(idle)
		select {
		case <-w.rec.bell:
			w.gather()
		case <-idle.C:
			w.quiet(time.Now())
		}
	}
}

// gather waits a moment for more.
func (w *writer) gather() {
	timer := time.NewTimer(gather)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.rec.full:
	}
}

func (w *writer) piece(p *piece) {
	w.taken += p.cost()
	switch {
	case p.gap != nil:
		w.gap(p.gap, p.t)
	case p.entry != nil:
		w.entry(p)
	default:
		s := w.lines[p.kind]
		s.sum.Add(p.data)
		for line := range s.Push(p.seq, p.data) {
			w.line(p.kind, &line, p.t)
		}
		s.open, s.last, s.told = time.Now(), p.t, false
	}
}

func (w *writer) entry(p *piece) {
	if p.kind == session.KindClosed || p.kind == session.KindFailed {
		*p.entry = w.end(p)
	}
	p.entry.T = p.t
	if s := w.lines[p.entry.Kind]; s != nil {
		w.whole(s, p.entry)
		return
	}
	w.add(*p.entry)
}

// whole logs an entry of a stream that was cut into lines before it was forwarded.
func (w *writer) whole(s *stream, e *session.Entry) {
	s.sum.AddLine(e.Payload, e.EOL)
	if whole := !e.More && !s.parted; whole {
		e.Msg = framing.Scan(e.Payload)
		if e.EOL == framing.CRLF {
			e.Msg.Problems |= framing.ProblemCRLF
		}
		if e.EOL == framing.NoEOL {
			e.Msg.Problems |= framing.ProblemUnterminated
		}
		if e.Msg.Problems != 0 {
			e.Why = e.Msg.Problems.String()
		}
	}
	s.parted = e.More
	about, found := w.greet.look(e)
	w.add(*e)
	if found {
		about.T = e.T
		w.add(about)
	}
}

// end logs what has no newline, and returns the last entry of the process.
func (w *writer) end(p *piece) session.Entry {
	var sums [session.KindCount]session.Sums
	for _, kind := range streams {
		s := w.lines[kind]
		if line, ok := s.Flush(false); ok {
			w.line(kind, &line, p.t)
			w.flush()
		}
		s.Close()
		s.parted = false
		sums[kind] = s.sum.Sums()
		s.sum = session.NewChecksum()
	}
	return session.EndEntry(p.seq, p.failure, sums[session.KindStdin], sums[session.KindStdout], sums[session.KindStderr])
}

// line makes an entry of a line. Bytes that do not last are copied or, if there are many,
// logged at once.
func (w *writer) line(kind session.Kind, line *framing.Line, t int64) {
	e := session.Entry{Kind: kind, T: t}
	e.SetLine(line)
	switch {
	case line.Stable && len(line.Cuts) == 0:
	case len(line.Data) <= maxCopied:
		e.Payload, e.Cuts = bytes.Clone(e.Payload), slices.Clone(e.Cuts)
	default:
		defer w.flush()
	}
	about, found := w.greet.look(&e)
	w.add(e)
	if found {
		about.T = t
		w.add(about)
	}
}

func (w *writer) add(e session.Entry) {
	w.batch = append(w.batch, e)
	w.size += len(e.Payload)
	if len(w.batch) >= maxBatch || w.size >= maxBatchBytes {
		w.flush()
	}
}

func (w *writer) flush() {
	if len(w.batch) > 0 {
		_ = w.rec.log.Append(w.batch) // fails only when the log is closed
		clear(w.batch)
		w.batch, w.size = w.batch[:0], 0
	}
	if w.taken > 0 {
		w.rec.wrote(w.taken)
		w.taken = 0
	}
}

// gap logs lost reads. An open line that may lack bytes ends there.
func (w *writer) gap(g *gap, t int64) {
	body := session.GapBody{From: g.from, To: g.to, Bytes: g.bytes}
	for kind, lost := range g.lost {
		kind := session.Kind(kind)
		if !lost {
			continue
		}
		body.Streams = append(body.Streams, kind.String())
		s := w.lines[kind]
		if s == nil { // of the client's side
			continue
		}
		s.sum.Incomplete, s.parted = true, false
		if line, ok := s.Gap(); ok {
			w.line(kind, &line, t)
			w.flush()
		}
	}
	e := session.NewEntry(session.KindGap, 0, body)
	e.T = t
	w.add(e)
}

// arm sets the timer to the time when an open line has waited long enough.
func (w *writer) arm(timer *time.Timer) {
	wait := time.Hour
	for _, kind := range streams {
		if left, ok := w.lines[kind].left(kind, time.Now()); ok {
			wait = min(wait, left)
		}
	}
	timer.Reset(wait)
}

// left returns how long the open line may still wait; ok is false without one.
func (s *stream) left(kind session.Kind, now time.Time) (left time.Duration, ok bool) {
	after := waitingAfter
	if kind == session.KindStderr {
		after = stderrAfter
	}
	return max(0, after-now.Sub(s.open)), s.Pending() > 0 && !s.told
}

// quiet handles open lines that have waited long enough.
func (w *writer) quiet(now time.Time) {
	for _, kind := range streams {
		s := w.lines[kind]
		if left, ok := s.left(kind, now); !ok || left > 0 {
			continue
		}
		if kind != session.KindStderr {
			s.told = true
			w.add(session.NewEntry(session.KindWaiting, 0, waiting(kind, s)))
		} else if line, ok := s.Flush(true); ok {
			w.line(kind, &line, s.last)
			w.flush()
		}
	}
	w.flush()
}

func waiting(kind session.Kind, s *stream) session.WaitingBody {
	body := session.WaitingBody{Stream: kind.String(), Bytes: s.Pending()}
	if head := s.Peek(waitingHead); utf8.Valid(head) {
		body.Head = string(head)
	} else {
		body.Head64 = bytes.Clone(head)
	}
	return body
}
