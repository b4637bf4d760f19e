package ui

import "mcpdbg/session"

// emptySource is what is shown while no session is open: nothing, for ever.
type emptySource struct{}

func (emptySource) Header() session.Header      { return session.Header{} }
func (emptySource) Len() int                    { return 0 }
func (emptySource) Rows(int, []session.Row) int { return 0 }
func (emptySource) Method(uint16) string        { return "" }
func (emptySource) Stats() session.Stats        { return session.Stats{} }
func (emptySource) Changed() <-chan struct{}    { return nil }
func (emptySource) Entry(session.Row, int) (session.Entry, error) {
	return session.Entry{}, errNoSession
}
func (emptySource) ReadLine(session.Row, []byte, int64) (int, error) { return 0, errNoSession }
