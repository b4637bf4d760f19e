package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/workspace"
)

// longLog holds n messages that take longer to read than the time between two
// keys.
func longLog(t testing.TB, n int) session.Log {
	t.Helper()
	log := newLog(t)
	for i := range n {
		payload := fmt.Appendf(nil, `{"method":"m%d","params":["%s","needle %d"]}`, i, strings.Repeat("x", 2*workspace.InlineLimit), i)
		require.NoError(t, log.Append([]session.Entry{{Kind: session.KindStdout, Seq: 1, Payload: payload, Msg: framing.Scan(payload)}}))
	}
	return log
}

func TestNotKept(t *testing.T) {
	d := drive(t, Options{Source: &unreadable{longLog(t, 1)}}, 120, 36)
	d.take(changed{})
	require.Contains(t, d.repainted(), "(not kept) m0")
	require.Contains(t, d.repainted(), "the bytes are gone")
	d.do(actCopy)
	require.Contains(t, d.rows()[35], "x copy: the bytes are gone")
}

// unreadable is a log whose messages cannot be read.
type unreadable struct{ session.Source }

func (u *unreadable) Entry(session.Row, int) (session.Entry, error) {
	return session.Entry{}, errors.New("the bytes are gone")
}
