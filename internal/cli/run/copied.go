package run

import (
	"errors"
	"io"

	"mcpdbg/internal/cli/exit"
	"mcpdbg/session"
	"mcpdbg/session/spool"
)

// copied prints a long result while it arrives.
type copied struct {
	out   io.Writer
	line  *spool.Line // whose result it is
	bytes int64       // of the result that are on out
	err   error       // of writing to it
}

// copy prints the result of a line.
func (c *copied) copy(line *spool.Line) {
	if c.bytes > 0 {
		return // a part of another line is printed: see check
	}
	c.line = line
	c.bytes, c.err = line.CopyResult(c.out)
	if errors.Is(c.err, spool.ErrCut) {
		c.err = nil // the request fails
	}
}

// check returns the error of a request. If a part of a result was printed that is
// not that of the response, it says so.
func (c *copied) check(resp session.Response, err error) error {
	if c.bytes == 0 || err == nil && resp.Long == c.line {
		return err
	}
	return &exit.CutError{Bytes: c.bytes, Err: err}
}

// end ends the document that was printed.
func (c *copied) end() error {
	if c.err != nil {
		return c.err
	}
	_, err := c.out.Write([]byte{'\n'})
	return err
}
