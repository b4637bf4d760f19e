package session

// aheadBytes is how much of a log is decoded at once.
const aheadBytes = 256 << 10

// A decoded is rows and their entries, which use its memory.
type decoded struct {
	rows    [blockRows]Row
	n       int
	entries [blockRows]Entry
	errs    [blockRows]error
	tested  [blockRows]bool
	buf     []byte
}

// ahead is a Cursor's part that another goroutine decodes.
type ahead struct {
	on      bool
	current *decoded // of the block; nil if its entries are decoded one by one
	spare   *decoded
	coming  chan *decoded // nil if nothing is being decoded
}

// Ahead lets another goroutine decode the entries from the next block on, before they are
// asked for, until Settle is called.
func (c *Cursor) Ahead() { c.ahead.on = true }

// Settle ends what Ahead began, and waits for the goroutine. The Cursor stays where it is.
func (c *Cursor) Settle() {
	c.ahead.on = false
	if c.ahead.coming != nil {
		c.ahead.spare, c.ahead.coming = <-c.ahead.coming, nil
	}
}

// nextBlock reads the rows behind the current one.
func (c *Cursor) nextBlock() int {
	a, from := &c.ahead, c.number+1
	if !a.on {
		n := c.src.Rows(from, c.block[:])
		if n > 0 {
			a.current = nil
		}
		return n
	}
	if a.coming == nil {
		c.decode(from)
	}
	next := <-a.coming
	a.coming = nil
	if next.n == 0 {
		a.spare = next
		return 0
	}
	a.current, a.spare = next, a.current
	c.decode(from + next.n)
	return copy(c.block[:], next.rows[:next.n])
}

// decode starts decoding the rows from a number on.
func (c *Cursor) decode(from int) {
	d := c.ahead.spare
	if d == nil {
		d = &decoded{buf: make([]byte, aheadBytes)}
	}
	done := make(chan *decoded, 1)
	c.ahead.spare, c.ahead.coming = nil, done
	go func() {
		d.read(c, from)
		done <- d
	}()
}

// read decodes rows until the buffer is full, and one row at least if there is any.
func (d *decoded) read(c *Cursor, from int) {
	rows := d.rows[:c.src.Rows(from, d.rows[:])]
	if len(rows) > 0 && int(rows[0].Len) > len(d.buf) && rows[0].Len <= keepBuffer {
		d.buf = make([]byte, rows[0].Len)
	}
	used := 0
	for d.n = 0; d.n < len(rows); d.n++ {
		size := int(rows[d.n].Len)
		if d.n > 0 && used+size > len(d.buf) {
			return
		}
		end := min(used+size, len(d.buf))
		e := &d.entries[d.n]
		*e, d.errs[d.n] = c.lines.EntryInto(rows[d.n], c.Limit, d.buf[used:end:end])
		d.tested[d.n] = c.Test != nil && d.errs[d.n] == nil && c.Test(e)
		used = end
	}
}
