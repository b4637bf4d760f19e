// Package good is prose as it should be.
package good

import "errors"

// ErrClosed is returned after Close. There is no way to open a session again.
var ErrClosed = errors.New("send: the session is closed")

// Open reports whether the session accepts messages. If there is
// no session, it returns false. What is a session? See the package doc.
func Open() bool { return false }

// The caller cannot tell whether a response was lost, so the request stays
// pending until its deadline; the one who started the server decides.
const hint = "start the server with `mcpdbg run -- COMMAND`"
