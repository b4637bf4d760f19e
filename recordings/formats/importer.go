package formats

import (
	"bytes"
	"cmp"
	"container/heap"
	"math"
	"path/filepath"
	"strings"
	"time"

	"mcpdbg/recordings"
	"mcpdbg/session"
)

// Codes of the notes that an import adds.
const (
	noteSource  = "import.source"   // description of the source, and what it lacks
	noteSaid    = "import.said"     // text of the program that wrote the source
	noteUnread  = "import.unread"   // a line of the source that could not be read
	noteCut     = "import.cut"      // the next entry is a truncated message
	noteLeftOut = "import.left-out" // lines of other sessions
)

// Limits on memory before items are written, in bytes.
const (
	maxEarly = 1 << 20  // before the first time is known
	maxLate  = 64 << 20 // for sources that are not in order
)

// unknown is the time of an item without one; it gets that of the previous item.
const unknown = math.MinInt64

// A logItem is one event in a source.
type logItem struct {
	kind    session.Kind // start, stdin, stdout, stderr, note
	at      int64        // microseconds since the recorder's zero, or unknown
	n       uint64       // its number in the source; 0 if it has none
	payload []byte       // of a stream
	more    bool         // continues in the next item of its kind
	note    session.NoteBody
	lines   int // of the source that continue the note
}

// size returns the approximate memory of an item.
func (i *logItem) size() int { return len(i.payload) + len(i.note.Text) + len(i.note.Said) + 200 }

// A recorder converts items to a recording.
type recorder struct {
	opts   ImportOptions
	report *ImportReport

	// Set by the reader of a format, preferably before the first message.
	name    string // of the server
	wall    bool   // times are relative to 1970; otherwise to the start
	ordered bool   // items are not in order, and are sorted by time
	numbers bool   // items keep their numbers, which may leave no place for a first entry

	late   lateItems
	held   int       // bytes of late
	early  []logItem // until begin
	waits  int       // bytes of early
	zero   int64     // the time of the header's start
	zeroed bool      // zero is known
	out    *recordings.Writer
	last   int64 // time of the last item
	run    run
}

// remark adds what the source lacks, or what was guessed.
func (r *recorder) remark(text string) { r.report.Remarks = append(r.report.Remarks, text) }

func (r *recorder) note(code, text, said string) error {
	return r.add(logItem{kind: session.KindNote, at: unknown, note: session.NoteBody{Text: text, Code: code, Said: clip(said, quoted)}})
}

// said adds words of the program that wrote the source.
func (r *recorder) said(i logItem) error {
	r.report.Notes += 1 + i.lines
	return r.add(i)
}

// add does not retain the payload.
func (r *recorder) add(i logItem) error {
	if !r.ordered {
		return r.inOrder(i)
	}
	i.payload = bytes.Clone(i.payload)
	if i.at == unknown {
		i.at = r.late.newest
	}
	r.held += i.size()
	r.late.add(i)
	for r.held > maxLate {
		if err := r.earliest(); err != nil {
			return err
		}
	}
	return nil
}

// earliest passes on the earliest item in late.
func (r *recorder) earliest() error {
	i := heap.Pop(&r.late).(lateItem).logItem
	r.held -= i.size()
	return r.inOrder(i)
}

func (r *recorder) inOrder(i logItem) error {
	if r.out != nil {
		return r.write(i)
	}
	i.payload = bytes.Clone(i.payload)
	if r.last == unknown {
		r.last = i.at
	}
	r.early = append(r.early, i)
	r.waits += i.size()
	if known := r.last != unknown || !r.wall; i.kind.IsStream() && known || r.waits > maxEarly {
		return r.begin()
	}
	return nil
}

// begin creates the recording and writes the early items.
func (r *recorder) begin() error {
	r.zeroed = !r.wall
	var start time.Time
	if r.wall && r.last != unknown {
		r.zero, r.zeroed = r.last, true
		start = time.UnixMicro(r.last)
	}
	dated := isDated(start)
	if !dated {
		r.remark("the source has no start time; the time of the file is used")
		start = cmp.Or(r.opts.Modified, time.Now())
	}
	h := session.Header{
		Tool: r.opts.Tool, Start: start.UTC().Truncate(time.Microsecond), Placement: "local", Argv: r.opts.Argv,
		Imported: &session.Imported{From: r.report.From, File: clip(r.opts.File, 255), Undated: !dated},
	}
	o := r.opts.recordingOptions(cmp.Or(r.name, strings.TrimSuffix(r.opts.File, filepath.Ext(r.opts.File))))
	o.Header = h
	out, err := recordings.CreateWriter(o)
	if err != nil {
		return err
	}
	r.out, r.last = out, unknown
	r.run = run{out: out, argv: h.Argv}
	if !r.numbers {
		if err := r.write(r.about()); err != nil {
			return err
		}
	}
	for _, i := range r.early {
		if err := r.write(i); err != nil {
			return err
		}
	}
	r.early = nil
	return nil
}

// isDated reports whether a start time is known and can be written.
func isDated(start time.Time) bool { return start.Year() >= 1970 && start.Year() <= 9999 }

func (r *recorder) about() logItem {
	text := "imported from " + r.report.From
	if r.opts.File != "" {
		text += ", " + clip(r.opts.File, 255)
	}
	for _, remark := range r.report.Remarks {
		text += "; " + remark
	}
	return logItem{kind: session.KindNote, at: unknown, note: session.NoteBody{Text: text, Code: noteSource}}
}

func (r *recorder) write(i logItem) error {
	t := int64(0)
	switch {
	case i.at == unknown && r.last != unknown:
		t = r.last - r.zero
	case i.at != unknown:
		if r.last != unknown && i.at < r.last {
			r.report.Moved++
			i.at = r.last
		}
		if !r.zeroed {
			r.zero, r.zeroed = i.at, true
		}
		r.last = i.at
		t = i.at - r.zero
	}
	return r.run.add(max(t, 0), i)
}

// finish writes the remaining items and ends the recording.
func (r *recorder) finish() error {
	for r.late.Len() > 0 {
		if err := r.earliest(); err != nil {
			return err
		}
	}
	if r.out == nil && len(r.early) > 0 {
		if err := r.begin(); err != nil {
			return err
		}
	}
	if r.out == nil || r.out.Stats().Out+r.out.Stats().In == 0 {
		e := &EmptyLogError{Format: r.report.Format, Unread: r.report.Unread}
		if len(r.report.Problems) > 0 {
			first := r.report.Problems[0]
			e.First = "line " + itoa(first.Line) + ": " + first.Why
		}
		return e
	}
	if r.numbers {
		if err := r.write(r.about()); err != nil {
			return err
		}
	}
	if r.report.Skipped > 0 {
		if err := r.note(noteLeftOut, leftOutText(r.report), ""); err != nil {
			return err
		}
	}
	if err := r.run.end(); err != nil {
		return err
	}
	stats, out := r.out.Stats(), r.out
	r.report.Sent, r.report.Received, r.report.Stray, r.report.Stderr = stats.Out, stats.In, stats.Stray, stats.StderrLines
	r.report.Recording, r.report.Entries, r.report.Renumbered = out.Path(), out.Entries()+1, r.run.renumbered
	r.out = nil
	return out.Close()
}

func (r *recorder) discard() error {
	if r.out == nil {
		return nil
	}
	return r.out.Discard()
}

// lateItems are ordered by time, then by number and then by arrival.
type lateItems struct {
	items  []lateItem
	count  int
	newest int64 // of the item that was added last
}

type lateItem struct {
	logItem
	number int
}

func (l *lateItems) add(i logItem) {
	l.count++
	l.newest = i.at
	heap.Push(l, lateItem{i, l.count})
}

// Len, Less, Swap, Push and Pop are for container/heap.
func (l *lateItems) Len() int { return len(l.items) }

// Less reports whether item a comes before item b.
func (l *lateItems) Less(a, b int) bool {
	x, y := &l.items[a], &l.items[b]
	return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.n, y.n), cmp.Compare(x.number, y.number)) < 0
}

// Swap swaps two.
func (l *lateItems) Swap(a, b int) { l.items[a], l.items[b] = l.items[b], l.items[a] }

// Push adds one.
func (l *lateItems) Push(x any) { l.items = append(l.items, x.(lateItem)) }

// Pop takes the last one.
func (l *lateItems) Pop() any {
	n := len(l.items) - 1
	last := l.items[n]
	l.items[n] = lateItem{}
	l.items = l.items[:n]
	return last
}
