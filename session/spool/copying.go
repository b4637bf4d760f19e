package spool

import "sync"

// A Copying passes one line to a function, on a goroutine of its own.
type Copying struct {
	f     func(*Line)
	lines chan *Line // nil if none will come
	line  *Line
	done  sync.WaitGroup
}

// NewCopying returns a Copying of the line that comes from a channel, which may be
// nil.
func NewCopying(lines chan *Line, f func(*Line)) *Copying {
	return &Copying{f: f, lines: lines}
}

// Begin passes the line to the function.
func (c *Copying) Begin(line *Line) {
	c.line = line
	c.done.Go(func() {
		defer line.Release()
		c.f(line)
	})
}

// End begins a line that has come meanwhile, and waits for the function. If the line
// has not ended, its copy is ended.
func (c *Copying) End() {
	select {
	case line := <-c.lines:
		c.Begin(line)
	default:
	}
	if c.line != nil {
		c.line.abandon()
		c.done.Wait()
	}
}
