package tap

import (
	"bytes"
	"slices"
	"time"
)

// A side is one end of the relay.
type side uint8

const (
	noSide side = iota
	clientSide
	serverSide
)

// Reasons of recordings why the other side got a line differently.
const (
	whyHeld     = "held"
	whyEdited   = "edited"
	whyWithheld = "withheld"
	whyAnswered = "answered" // by the relay
	whyOwn      = "own"      // a request of ours, and its response
	whyRestart  = "restart"  // a line that a restart sends, or withholds
)

// An act is one thing to do. A line that passes as it came is got and out with no why.
//
// For a recording: got from the server is an entry stdout, and out to it stdin. If why
// is set, got from the client is an entry from-client, and out to it to-client; one that
// goes to neither side is an entry to-client of the same bytes. out that goes to neither side
// is a line that came earlier, and that the other side does not get.
type act struct {
	from side   // where got came from
	got  []byte // the line as it came; nil if it came earlier, or is ours
	to   side
	out  []byte
	why  string
	note string // for the log
	red  bool   // the note is about something that does not work from here on
	part bool   // a piece of a long line; its last piece has an end of line
	do   task
	done *outcome
}

// A task is what the owner of the process has to do.
type task uint8

const (
	stopServer  task = iota + 1 // end it; ended reports that
	startServer                 // start one; started or ended reports the result
	closeServer                 // close its standard input
)

// An outcome sums up a restart.
type outcome struct {
	reason string
	took   time.Duration
	failed int // requests that got an error
	resent int
}

// An outbox has the acts of an input, in order.
type outbox struct {
	acts   []act
	long   [3]longLine // by the side that sends it
	wanted []act       // wait for the end of a long line
	then   []func()    // run after the act of the line that caused them
	noted  map[string]bool
}

// take ends an input.
func (o *outbox) take() []act {
	acts := o.acts
	o.acts = nil
	return acts
}

// emit adds an act. Nothing of ours may interrupt a long line.
func (o *outbox) emit(a act) {
	if a.to != noSide && !a.part && o.long[opposite(a.to)].passing {
		if a.got != nil { // the line itself is logged now
			o.acts = append(o.acts, act{from: a.from, got: a.got, why: whyHeld})
			a.got = nil
		}
		o.wanted = append(o.wanted, a)
		return
	}
	o.acts = append(o.acts, a)
}

func opposite(s side) side {
	switch s {
	case clientSide:
		return serverSide
	case serverSide:
		return clientSide
	}
	return noSide
}

// flush emits what waited for the end of a long line.
func (o *outbox) flush() {
	wanted := o.wanted
	o.wanted = nil
	for _, a := range wanted {
		o.emit(a)
	}
}

func (o *outbox) note(text string) { o.emit(act{note: text}) }

// noteOnce notes that a limit was reached.
func (o *outbox) noteOnce(text string) {
	if !o.noted[text] {
		o.noted[text] = true
		o.note(text)
	}
}

// forward emits a line as it is now.
func (o *outbox) forward(from side, u *unit, why string) {
	a := act{from: from, got: u.came(), why: why}
	switch out := u.text(); {
	case out == nil && why == "":
		a.why = whyWithheld
	case out == nil:
	case !bytes.Equal(out, u.line):
		a.to, a.out, a.why = opposite(from), out, whyEdited
	default:
		a.to, a.out, a.why = opposite(from), out, u.why
	}
	o.emit(a)
}

// withhold emits a line that goes no further.
func (o *outbox) withhold(from side, u *unit, note string) {
	o.emit(act{from: from, got: u.came(), why: whyWithheld, note: note})
}

// send sends a line of ours.
func (o *outbox) send(to side, line []byte, why string) { o.emit(act{to: to, out: line, why: why}) }

// later runs a function after the act of the current line.
func (o *outbox) later(f func()) { o.then = append(o.then, f) }

func (o *outbox) runLater() {
	for len(o.then) > 0 {
		f := o.then[0]
		o.then = o.then[1:]
		f()
	}
}

func (o *outbox) piece(from side, l *longLine, piece []byte, last bool) {
	a := act{from: from, got: piece, part: true}
	if l.passing {
		a.to, a.out = opposite(from), piece
	} else {
		a.why = whyWithheld
	}
	if !l.open {
		l.open = true
		a.note = "a line of more than 16 MiB"
		l.head = bytes.Clone(piece[:min(len(piece), maxEnds)])
	}
	l.part.Add(bytes.TrimSuffix(piece, []byte("\n")), last)
	l.tail = append(l.tail, piece[max(0, len(piece)-maxEnds):]...)
	l.tail = l.tail[max(0, len(l.tail)-maxEnds):]
	o.emit(a)
}

// cutLong ends the long lines of a process that has ended: a line of the server is closed,
// and the rest of one of the client is dropped.
func (o *outbox) cutLong() {
	if l := &o.long[serverSide]; l.passing {
		l.passing = false
		o.send(clientSide, []byte("\n"), whyRestart)
	}
	o.long[serverSide] = longLine{}
	o.long[clientSide].passing = false
	o.wanted = slices.DeleteFunc(o.wanted, func(a act) bool { return a.to == serverSide })
	o.flush()
}
