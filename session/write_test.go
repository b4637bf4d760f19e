package session_test

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// whole reads stdin to its end and sends the data to got.
func whole(got chan<- string) func(p *fakeProcess) int {
	return func(p *fakeProcess) int {
		b, _ := io.ReadAll(p.in)
		got <- string(b)
		return 0
	}
}

func TestSendBytesAreExactlyThose(t *testing.T) {
	for _, tc := range []struct {
		name, data string
		payload    string
		eol        framing.EOL
		kind       framing.Kind
	}{
		{"a message", `{"jsonrpc":"2.0","id":1,"method":"a"}` + "\n", `{"jsonrpc":"2.0","id":1,"method":"a"}`, framing.LF, framing.Request},
		{"with CRLF", `{"id":1,"method":"a"}` + "\r\n", `{"id":1,"method":"a"}`, framing.CRLF, framing.Request},
		{"without a newline", `{"id":1,"method":"a"}`, `{"id":1,"method":"a"}`, framing.NoEOL, framing.NotJSON},
		{"a newline", "\n", "", framing.LF, framing.NotJSON},
		{"a CR", "\r", "\r", framing.NoEOL, framing.NotJSON},
		{"bad UTF-8", "\xff\xfe\x00\n", "\xff\xfe\x00", framing.LF, framing.NotJSON},
		{"several lines", "{}\r\n\n{\"id\"\n", "{}\r\n\n{\"id\"", framing.LF, framing.NotJSON},
		{"a batch", `[{"id":1,"method":"a"},{"id":2,"method":"b"}]` + "\n", `[{"id":1,"method":"a"},{"id":2,"method":"b"}]`, framing.LF, framing.Batch},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := make(chan string, 1)
				h := newHarness(t, whole(got), nil)
				require.NoError(t, h.Start(t.Context()))
				n, err := h.SendBytes(t.Context(), []byte(tc.data))
				require.NoError(t, err)
				rows := make([]session.Row, h.log.Len())
				h.log.Rows(0, rows)
				e, err := h.log.Entry(rows[n-1], 0)
				require.NoError(t, err)
				require.Equal(t, session.KindStdin, e.Kind)
				require.Equal(t, tc.payload, string(e.Payload))
				require.Equal(t, tc.eol, e.EOL)
				require.Equal(t, tc.kind, rows[n-1].Msg)
				require.NoError(t, h.CloseStdin())
				require.Equal(t, tc.data, <-got)
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		h := open(t, legacy(nil), nil)
		_, err := h.SendBytes(t.Context(), nil)
		require.Error(t, err)
		require.NoError(t, h.Kill())
		_, err = h.SendBytes(t.Context(), []byte("x"))
		require.ErrorAs(t, err, new(*session.WriteError))
	})
}

func TestHalfAMessageNowAndTheRestLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, legacy(func(p *fakeProcess, m message) {
			if m.Method == "split" {
				p.result(m, `{}`)
			}
		}), nil)
		send := func(data string) session.Row {
			n, err := h.SendBytes(t.Context(), []byte(data))
			require.NoError(t, err)
			synctest.Wait()
			rows := make([]session.Row, h.log.Len())
			h.log.Rows(0, rows)
			return rows[n-1]
		}
		half := send(`{"jsonrpc":"2.0","id":5,`)
		require.NotZero(t, half.Flags&session.FlagPart)
		require.Equal(t, session.ReqNone, half.State)
		rest := send(`"method":"split"}` + "\n")
		require.Equal(t, framing.Request, rest.Msg)
		require.Equal(t, "split", h.log.Method(rest.Method))
		require.Equal(t, session.ReqAnswered, rest.State, "the response is paired with the write that completed the message")
		require.Empty(t, h.entries(session.KindNote), "a person's own bytes need no note")

		require.Zero(t, h.Status().OpenLine)
		send(`{"half":`)
		require.EqualValues(t, h.log.Len(), h.Status().OpenLine)
		require.NoError(t, h.Notify(t.Context(), "notifications/x", nil))
		synctest.Wait()
		notes := h.entries(session.KindNote)
		require.Len(t, notes, 1)
		require.Contains(t, notes[0], "has no newline yet: this message continues it")
		require.Equal(t, framing.NotJSON, h.row(session.KindStdin, "notifications/x").Msg, "it is no longer a message of its own")
		require.NoError(t, h.Notify(t.Context(), "notifications/y", nil))
		require.Equal(t, framing.Notification, h.row(session.KindStdin, "notifications/y").Msg)
		require.Len(t, h.entries(session.KindNote), 1)
	})
}

func TestVeryLongOpenLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, legacy(nil), nil)
		part := strings.Repeat("x", 600_000)
		for _, data := range []string{`{"id":1,"method":"a","x":"`, part, part, part, "\"}\n"} {
			_, err := h.SendBytes(t.Context(), []byte(data))
			require.NoError(t, err)
		}
		require.Zero(t, h.log.Stats().PendingOut, "too long to be scanned")
		_, err := h.SendBytes(t.Context(), []byte(`{"id":1,"method":"a"}`+"\n"))
		require.NoError(t, err)
		require.Equal(t, 1, h.log.Stats().PendingOut, "the next line is scanned")
	})
}

// TestActsStandBeforeWhatTheySend checks that an act is in the log directly before its
// message, and alone if that could not be logged.
func TestActsStandBeforeWhatTheySend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, legacy(func(p *fakeProcess, m message) {
			if m.Method == "work" {
				p.result(m, "{}")
			}
		}), nil)
		kinds := func(last int) []session.Kind {
			rows := make([]session.Row, last)
			h.log.Rows(h.log.Len()-last, rows)
			var kinds []session.Kind
			for _, row := range rows {
				kinds = append(kinds, row.Kind)
			}
			return kinds
		}
		for _, raw := range []bool{false, true} {
			n, err := h.SendWith(t.Context(), session.ActBody{Act: "compose"}, []byte(`{"jsonrpc":"2.0","method":"x"}`+"\n"), raw)
			require.NoError(t, err)
			require.EqualValues(t, h.log.Len(), n)
			require.Equal(t, []session.Kind{session.KindAct, session.KindStdin}, kinds(2))
		}
		act := session.ActBody{Act: "compose", Detail: "work"}
		_, err := h.Request(t.Context(), "work", nil, session.CallOptions{Act: &act})
		require.NoError(t, err)
		require.Equal(t, []session.Kind{session.KindAct, session.KindStdin, session.KindStdout}, kinds(3))

		_, err = h.Close(t.Context())
		require.NoError(t, err)
		before := h.log.Len()
		_, err = h.Request(t.Context(), "work", nil, session.CallOptions{Act: &act})
		require.Error(t, err)
		_, err = h.SendWith(t.Context(), act, []byte("{}"), false)
		require.Error(t, err)
		require.Equal(t, before+2, h.log.Len())
		require.Equal(t, []session.Kind{session.KindAct, session.KindAct}, kinds(2))
	})
}
