package run

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/internal/cli/exit"
	"mcpdbg/session"
	"mcpdbg/session/spool"
)

// Only the line of the response may follow what was printed.
func TestCopiedBelongsToTheResponse(t *testing.T) {
	line := func(text string, whole bool) *spool.Line {
		l, err := spool.Create(t.TempDir(), "1", false)
		require.NoError(t, err)
		t.Cleanup(func() { l.Release(); l.Release() })
		l.Write([]byte(text))
		l.End(framing.Message{}, nil, whole)
		return l
	}
	const whole = `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`
	failure := errors.New("failure")

	var out bytes.Buffer
	c := copied{out: &out}
	require.NoError(t, c.check(session.Response{}, nil), "nothing was printed")
	require.Equal(t, failure, c.check(session.Response{}, failure))
	good := line(whole, true)
	c.copy(good)
	require.NoError(t, c.check(session.Response{Long: good}, nil))
	require.NoError(t, c.end())
	require.Equal(t, `{"a":1}`+"\n", out.String())

	out.Reset()
	c = copied{out: &out}
	c.copy(line(whole[:len(whole)-3], false))
	require.Equal(t, `{"a":`, out.String())
	var cut *exit.CutError
	require.ErrorAs(t, c.check(session.Response{}, failure), &cut)
	require.ErrorIs(t, cut, failure)
	require.Equal(t, int64(5), cut.Bytes)
	require.Equal(t, exit.Start, exit.CodeOf(cut))

	next := line(whole, true)
	c.copy(next)
	require.Equal(t, `{"a":`, out.String(), "nothing is printed after it")
	require.ErrorAs(t, c.check(session.Response{Long: next}, nil), &cut)
	require.Equal(t, "the result was cut after 5 bytes, which are on standard output: its line was not a response", cut.Error())
	require.Equal(t, exit.Start, exit.CodeOf(&exit.CutError{Bytes: 5}))
}
