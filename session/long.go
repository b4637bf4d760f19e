package session

import (
	"mcpdbg/framing"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
	"mcpdbg/session/spool"
)

// longAbove is the size from which an open line is spooled if its result is to be copied.
const longAbove = 512 << 10

// newCopying prepares w for a long response to q. Requests about tasks have none.
func newCopying(w *call, q request) *spool.Copying {
	if q.opts.Long != nil && q.task == nil && !mcp.IsTaskMethod(q.method) && !asksForTask(q.params) {
		w.long = make(chan *spool.Line, 1)
	}
	return spool.NewCopying(w.long, q.opts.Long)
}

// openLong spools the open line if it is, so far, the response to a call that copies its
// result. It tries once for each line.
func (c *collector) openLong() {
	sp := &c.splitter[executor.Stdout]
	if c.looked || sp.Pending() < longAbove {
		return
	}
	c.looked = true
	var head framing.Incremental
	if !head.Write(sp.Peek(sp.Pending())) {
		return
	}
	id, w := c.s.calls.copier(c.r, head.ID())
	if w == nil {
		return
	}
	line, err := spool.Create(c.s.cfg.SpoolDir, id, c.s.Status().Server.Era == mcp.Modern)
	if err != nil {
		return // it is held in memory
	}
	sp.Divert(line.Write)
	c.long = line
	c.s.calls.copies(id, w, line)
}

// restore reads the spooled line back into memory; what can't be read is lost.
func (c *collector) restore(long *spool.Line, line *framing.Line) {
	size := line.Diverted
	data, err := long.Load()
	line.Restore(data)
	if err == nil {
		return
	}
	c.flush(true)
	c.sums[executor.Stdout].Incomplete = true
	c.append(NewEntry(KindGap, 0, GapBody{From: line.First, To: line.Seq, Bytes: uint64(size - len(data)), Streams: []string{executor.Stdout.String()}}))
}

// copier returns the call that copies the result of the response with an id, or, if that
// is not known yet, the only call that copies one. Each copies one line.
func (c *calls) copier(r *run, id []byte) (key string, found *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, w := range c.waiting {
		if w.r != r || w.long == nil || w.line != nil || id != nil && string(id) != k {
			continue
		}
		if found != nil {
			return "", nil
		}
		key, found = k, w
	}
	return key, found
}

// copies passes a line to its call, unless that has ended.
func (c *calls) copies(id string, w *call, line *spool.Line) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting[id] != w {
		line.Release()
		return
	}
	w.line = line
	w.long <- line
}
