package workspace

import (
	"errors"

	"mcpdbg/session"
)

// ErrNoSession is the error of reading from NoSource, and the reason why actions are disabled
// on it.
var ErrNoSession = errors.New("no session is open")

// NoSource returns the source shown while no session is open; it is always empty.
func NoSource() session.Source { return noSource{} }

type noSource struct{}

func (noSource) Header() session.Header      { return session.Header{} }
func (noSource) Len() int                    { return 0 }
func (noSource) Rows(int, []session.Row) int { return 0 }
func (noSource) Method(uint16) string        { return "" }
func (noSource) Stats() session.Stats        { return session.Stats{} }
func (noSource) Changed() <-chan struct{}    { return nil }
func (noSource) Entry(session.Row, int) (session.Entry, error) {
	return session.Entry{}, ErrNoSession
}
func (noSource) ReadLine(session.Row, []byte, int64) (int, error) { return 0, ErrNoSession }

// Empty reports whether this is the workspace that is shown while no session is open.
func (w *Workspace) Empty() bool { return w.Log == NoSource() }
