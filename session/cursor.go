package session

import (
	"bytes"
	"iter"

	"mcpdbg/framing"
)

const (
	// maxSplit is the most bytes of a line of several writes that a Cursor joins.
	maxSplit = 1 << 20
	// keepBuffer is the largest buffer that a Cursor keeps for the next entry.
	keepBuffer = 4 << 20
	// blockRows is how many rows a Cursor reads at once.
	blockRows = 256
)

// A Message is the bytes of one message and where its parts are.
type Message struct {
	First int // row where it begins, if several writes made it up; else the row
	// Member is its index among the messages of the writes from First on, from 0.
	Member int
	Line   []byte
	framing.Message
}

// RawParams returns the raw params, nil if there are none.
func (m Message) RawParams() []byte { return m.Params.Of(m.Line) }

// RawResult returns the raw result, nil if there is none.
func (m Message) RawResult() []byte { return m.Result.Of(m.Line) }

// RawError returns the raw error object, nil if there is none.
func (m Message) RawError() []byte { return m.Error.Of(m.Line) }

// RawID returns the raw id, quotes included, nil if there is none.
func (m Message) RawID() []byte { return m.ID.Of(m.Line) }

// A Cursor goes through a log once, in order, on one goroutine. It decodes an entry when
// it is first asked for, at most once. A line of several writes is a message of the row
// that ends it.
type Cursor struct {
	Limit int // bytes of a payload that are read; 0: all
	// Test, if not nil, is a property of entries that Tested returns. It may be called on
	// another goroutine, before the entry is the current one.
	Test func(*Entry) bool

	src    Source
	lines  IntoReader
	block  [blockRows]Row
	ahead  ahead
	n, at  int // rows in block, the current one
	number int // of the current row
	buf    []byte
	entry  Entry
	err    error
	read   bool // entry is that of the current row
	open   splitLine
	joined []byte // the lines that the current row ends, if it is not the only one
	first  int    // row where they begin
	before int    // messages of that row before them
}

// A splitLine is the unterminated line of the last write to stdin.
type splitLine struct {
	bytes  []byte
	begun  bool
	skip   bool // until its end: it is too long, or a part of it is missing
	at     int  // row where it begins
	before int  // messages of that row before it
}

// NewCursor returns a Cursor at the beginning of a log, before its first row.
func NewCursor(src Source) *Cursor {
	return &Cursor{src: src, lines: InOrder(src), number: -1, buf: make([]byte, 64<<10)}
}

// Next goes to the next row. At the current end of the log it returns false, and the last
// row stays current.
func (c *Cursor) Next() bool {
	if c.at++; c.at >= c.n {
		n := c.nextBlock()
		if n == 0 {
			c.at--
			return false
		}
		c.n, c.at = n, 0
	}
	c.number++
	c.read, c.joined = false, nil
	switch row := &c.block[c.at]; {
	case row.Kind == KindStart || row.Kind == KindClosed || row.Kind == KindFailed:
		c.open = splitLine{}
	case row.Kind == KindStdin && row.Flags&FlagPart != 0:
		c.join()
	}
	return true
}

// Row returns the number of the current row, and the row as it was when it was read.
func (c *Cursor) Row() (number int, row *Row) { return c.number, &c.block[c.at] }

// Entry returns the entry of the current row. It is valid until Next.
func (c *Cursor) Entry() (*Entry, error) {
	if d := c.ahead.current; d != nil {
		return &d.entries[c.at], d.errs[c.at]
	}
	if !c.read {
		row := &c.block[c.at]
		if need := int(row.Len); need > cap(c.buf) && need <= keepBuffer {
			c.buf = make([]byte, min(2*need, keepBuffer))
		}
		c.entry, c.err = c.lines.EntryInto(*row, c.Limit, c.buf)
		c.read = true
	}
	return &c.entry, c.err
}

// Tested reports whether the entry of the current row, which could be read, passes Test.
func (c *Cursor) Tested() bool {
	if d := c.ahead.current; d != nil {
		return d.tested[c.at]
	}
	return c.Test(&c.entry)
}

// join adds the current write to the open line.
func (c *Cursor) join() {
	e, err := c.Entry()
	ends := err == nil && e.EOL != framing.NoEOL
	if err != nil || e.Cut || len(c.open.bytes)+len(e.Payload) > maxSplit {
		c.open = splitLine{skip: !ends}
		return
	}
	text := e.Payload
	if c.open.skip {
		_, rest, ended := bytes.Cut(text, []byte{'\n'})
		if !ended {
			c.open.skip = !ends
			return
		}
		c.open, text = splitLine{}, rest
	}
	if !c.open.begun {
		c.open = splitLine{begun: true, at: c.number, bytes: c.open.bytes[:0]}
	}
	c.open.bytes = append(c.open.bytes, text...)
	if ends {
		c.open.bytes = append(c.open.bytes, '\n')
	}
	end := bytes.LastIndexByte(c.open.bytes, '\n')
	if end < 0 {
		return
	}
	c.joined, c.first, c.before = c.open.bytes[:end:end], c.open.at, c.open.before
	rest := bytes.Clone(c.open.bytes[end+1:])
	c.open = splitLine{bytes: rest, begun: len(rest) > 0, at: c.number}
	if begin := bytes.LastIndexByte(e.Payload, '\n'); c.open.begun && begin >= 0 {
		for range MessagesOf(e.Payload[:begin], framing.Message{}, true) {
			c.open.before++
		}
	}
}

// Messages iterates over the messages of the current entry, which are valid until Next: one,
// or those of a batch or a write of several lines. A line that is not a message is one
// among several, too. There are none in a part of a line, and none if the entry can't be
// read: see Entry.
func (c *Cursor) Messages() iter.Seq2[int, Message] {
	return func(yield func(int, Message) bool) {
		payload, known, ok := c.ended()
		if !ok {
			return
		}
		first, before := c.number, 0
		switch {
		case c.joined != nil:
			first, before = c.first, c.before
		case known.Kind != framing.NotJSON && known.Kind != framing.Batch: // as nearly all
			yield(0, Message{First: first, Line: payload, Message: known})
			return
		}
		for i, m := range MessagesOf(payload, known, c.block[c.at].Kind == KindStdin) {
			m.First, m.Member = first, before+i
			if !yield(i, m) {
				return
			}
		}
	}
}

// Lines iterates over the lines that a write to stdin ends, as Messages does over their
// messages.
func (c *Cursor) Lines() iter.Seq2[[]byte, framing.Message] {
	return func(yield func([]byte, framing.Message) bool) {
		payload, known, ok := c.ended()
		switch {
		case !ok:
		case c.joined == nil && bytes.IndexByte(payload, '\n') < 0:
			yield(payload, known)
		default:
			for line := range bytes.SplitSeq(payload, []byte{'\n'}) {
				if !yield(line, framing.Scan(line)) {
					return
				}
			}
		}
	}
}

// ended returns the text that the current row ends, and its scanned form if it is one
// line of one entry.
func (c *Cursor) ended() (text []byte, known framing.Message, ok bool) {
	row := &c.block[c.at]
	if c.joined != nil {
		return c.joined, known, true
	}
	if row.Kind != KindStdin && row.Kind != KindStdout || row.Flags&FlagPart != 0 {
		return nil, known, false
	}
	e, err := c.Entry()
	return e.Payload, e.Msg, err == nil
}

// MessagesOf iterates over the messages of a payload, which may be of several lines. known
// is its scanned form if it is one line.
func MessagesOf(payload []byte, known framing.Message, lines bool) iter.Seq2[int, Message] {
	return func(yield func(int, Message) bool) {
		n := 0
		one := func(line []byte, m framing.Message) bool {
			if m.Kind != framing.Batch {
				n++
				return yield(n-1, Message{Line: line, Message: m})
			}
			for span := range framing.Elements(line) {
				element := span.Of(line)
				n++
				if !yield(n-1, Message{Line: element, Message: framing.Scan(element)}) {
					return false
				}
			}
			return true
		}
		if known.Kind != framing.NotJSON || !lines {
			one(payload, known)
			return
		}
		for line := range bytes.SplitSeq(payload, []byte{'\n'}) {
			if !one(line, framing.Scan(line)) {
				return
			}
		}
	}
}
