package elements

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/index"
)

// A memory is a log that keeps its entries.
type memory struct {
	*index.Index
	entries []session.Entry
}

func (m *memory) Header() session.Header { return session.Header{} }
func (m *memory) Entry(row session.Row, limit int) (session.Entry, error) {
	e := m.entries[row.Off]
	e.FullSize = int64(len(e.Payload))
	if limit > 0 && len(e.Payload) > limit {
		e.Payload, e.Cut, e.Msg = e.Payload[:limit], true, framing.Message{Kind: e.Msg.Kind}
	}
	return e, nil
}
func (m *memory) ReadLine(session.Row, []byte, int64) (int, error) {
	return 0, errors.New("no lines")
}
func (m *memory) Changed() <-chan struct{}    { return nil }
func (m *memory) StatsAsOf(int) session.Stats { return session.Stats{} }
func (m *memory) Forgotten() session.Forgotten {
	return session.Forgotten{}
}

// logOf returns a log of lines: ">" to the server, "<" from it, and other words
// that are events.
func logOf(tb testing.TB, lines ...string) *memory {
	tb.Helper()
	m := &memory{Index: &index.Index{}}
	for i, text := range lines {
		var e session.Entry
		switch kind, rest, _ := strings.Cut(text, " "); kind {
		case ">", "<":
			e = session.Entry{Kind: session.KindStdin, Payload: []byte(rest), Msg: framing.Scan([]byte(rest))}
			if kind == "<" {
				e.Kind = session.KindStdout
			}
		default:
			e = session.NewEntry(session.KindClosed, 0, session.ClosedBody{})
		}
		e.N, e.T = uint64(i)+1, int64(i)*1000
		m.entries = append(m.entries, e)
		require.NoError(tb, m.Add(&e, int64(i), len(e.Payload)))
	}
	m.Publish()
	return m
}

// told describes the elements of a row: what they are, how they ended, and their
// partner as ROW or ROW.ELEMENT.
func told(s *Source, row int) []string {
	var all []string
	for _, number := range s.Numbers(row) {
		r, ok := session.RowAt(s, number)
		if !ok {
			all = append(all, "unreadable")
			continue
		}
		text := r.Msg.String()
		if name := s.Method(r.Method); name != "" {
			text += " " + name
		}
		if r.State != session.ReqNone {
			text += " " + r.State.String()
		}
		if r.Flags&session.FlagError != 0 {
			text += " error"
		}
		if r.Paired() {
			partner, _ := s.Element(int(r.Related) - 1)
			if text += fmt.Sprint(" ", partner.Row); partner.Index >= 0 {
				text += fmt.Sprint(".", partner.Index)
			}
		}
		all = append(all, text)
	}
	return all
}

const three = `> [{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/list"},{"jsonrpc":"2.0","id":3,"method":"tools/call"}]`

func TestElements(t *testing.T) {
	for name, c := range map[string]struct {
		log  []string
		want map[int][]string
	}{
		"answered by one batch": {
			[]string{three, `< [{"id":1,"result":{}},{"id":2,"result":{}},{"id":3,"result":{"isError":true}}]`},
			map[int][]string{
				0: {"request ping answered 1.0", "request tools/list answered 1.1", "request tools/call answered error 1.2"},
				1: {"response ping 0.0", "response tools/list 0.1", "response tools/call error 0.2"},
			},
		},
		"answered in another order": {
			[]string{three, `< [{"id":3,"result":{}},{"id":1,"error":{}},{"id":2,"result":{}}]`},
			map[int][]string{
				0: {"request ping failed error 1.1", "request tools/list answered 1.2", "request tools/call answered 1.0"},
				1: {"response tools/call 0.2", "error ping error 0.0", "response tools/list 0.1"},
			},
		},
		"answered by several batches and alone": {
			[]string{three, `< [{"id":2,"result":{}}]`, `< {"id":3,"result":{}}`, `< [{"id":1,"result":{}}]`},
			map[int][]string{
				0: {"request ping answered 3.0", "request tools/list answered 1.0", "request tools/call answered 2"},
				1: {"response tools/list 0.1"},
				3: {"response ping 0.0"},
			},
		},
		"partly pending": {
			[]string{three, `< [{"id":2,"result":{}}]`},
			map[int][]string{0: {"request ping pending", "request tools/list answered 1.0", "request tools/call pending"}},
		},
		"partly lost": {
			[]string{three, `< [{"id":2,"result":{}}]`, "closed"},
			map[int][]string{0: {"request ping lost", "request tools/list answered 1.0", "request tools/call lost"}},
		},
		"one cancelled, and answered late": {
			[]string{
				three, `> {"method":"notifications/cancelled","params":{"requestId":2}}`, `< [{"id":1,"result":{}},{"id":3,"result":{}}]`, `< {"id":2,"result":{}}`,
			},
			map[int][]string{0: {"request ping answered 2.0", "request tools/list cancelled 3", "request tools/call answered 2.1"}},
		},
		"single requests answered by a batch": {
			[]string{`> {"id":1,"method":"a"}`, `> {"id":2,"method":"b"}`, `< [{"id":2,"result":{}},{"id":1,"result":{}}]`},
			map[int][]string{0: nil, 2: {"response b 1", "response a 0"}},
		},
		"two batches in one": {
			[]string{`> [{"id":1,"method":"a"}]`, `> [{"id":2,"method":"b"}]`, `< [{"id":2,"result":{}},{"id":1,"result":{}}]`},
			map[int][]string{0: {"request a answered 2.1"}, 1: {"request b answered 2.0"}, 2: {"response b 1.0", "response a 0.0"}},
		},
		"the same id twice": {
			[]string{`> [{"id":1,"method":"a"},{"id":1,"method":"b"}]`, `< [{"id":1,"result":{}},{"id":1,"result":{}}]`},
			map[int][]string{0: {"request a lost", "request b answered 1.0"}, 1: {"response b 0.1", "response b duplicate 0"}},
		},
		"an id used again by a single request": {
			[]string{`> [{"id":1,"method":"a"},{"id":2,"method":"b"}]`, `> {"id":1,"method":"c"}`, `< {"id":1,"result":{}}`, `< {"id":2,"result":{}}`},
			map[int][]string{0: {"request a lost", "request b answered 3"}},
		},
		"of the server": {
			[]string{`< [{"id":1,"method":"roots/list"},{"method":"notifications/message"},{"id":9,"result":{}},7]`, `> {"id":1,"result":{}}`},
			map[int][]string{0: {"request roots/list answered 1", "notification notifications/message", "response orphan", "other"}},
		},
		"notifications only": {
			[]string{`> [{"method":"notifications/a"},{"method":"notifications/b"}]`},
			map[int][]string{0: {"notification notifications/a", "notification notifications/b"}},
		},
		"empty":      {[]string{`> []`, `< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}`}, map[int][]string{0: nil}},
		"in a batch": {[]string{`> [[{"id":1,"method":"a"}]]`}, map[int][]string{0: {"batch"}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(logOf(t, c.log...))
			for row, want := range c.want {
				require.Equal(t, want, told(s, row), "row %d", row)
			}
		})
	}
}

// TestElementIsAnEntry tests that an element is read like a message of its own.
func TestElementIsAnEntry(t *testing.T) {
	s := New(logOf(t, three, `< [{"id":2,"result":{"tools":[]}}]`))
	number := s.Numbers(0)[1]
	require.GreaterOrEqual(t, number, First)
	row, ok := session.RowAt(s, number)
	require.True(t, ok)
	for _, read := range []session.IntoReader{s, session.InOrder(s)} {
		e, err := read.EntryInto(row, 0, nil)
		require.NoError(t, err)
		require.Equal(t, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, string(e.Payload))
		require.Equal(t, "tools/list", string(e.Msg.Method.Of(e.Payload)))
		require.EqualValues(t, 1, e.N)
		require.EqualValues(t, len(e.Payload), e.FullSize)
	}
	e, err := s.Entry(row, 10)
	require.NoError(t, err)
	require.True(t, e.Cut)
	require.Len(t, e.Payload, 10)
	_, err = s.ReadLine(row, make([]byte, 1), 0)
	require.Error(t, err)
	whole, err := s.Entry(session.Row{Off: 0}, 0)
	require.NoError(t, err)
	require.Equal(t, framing.Batch, whole.Msg.Kind)
	require.Zero(t, s.Rows(First+99, make([]session.Row, 1)))
}

// TestPast tests that an element is pending before its response came.
func TestPast(t *testing.T) {
	log := logOf(t, three, `< [{"id":2,"result":{}}]`, `< {"id":1,"result":{}}`, "closed")
	s := New(log)
	past := session.NewPast(log)
	then := s.Past(past)
	for rows, want := range map[int][]string{
		1: {"request ping pending", "request tools/list pending", "request tools/call pending"},
		2: {"request ping pending", "request tools/list answered 1.0", "request tools/call pending"},
		3: {"request ping answered 2", "request tools/list answered 1.0", "request tools/call pending"},
		4: {"request ping answered 2", "request tools/list answered 1.0", "request tools/call lost"},
	} {
		past := session.NewPast(log)
		past.To(rows)
		require.Equal(t, want, told(s.Past(past), 0), "%d rows", rows)
	}
	require.Empty(t, then.Numbers(0), "before the batch")
}

// TestLongBatches tests that a batch has at most 1,000 elements that are listed,
// however long it is.
func TestLongBatches(t *testing.T) {
	const n = 50_000
	var out, in strings.Builder
	for i := range n {
		fmt.Fprintf(&out, `,{"id":%d,"method":"ping"}`, i)
		fmt.Fprintf(&in, `,{"id":%d,"result":{}}`, n-1-i)
	}
	s := New(logOf(t, "> ["+out.String()[1:]+"]", "< ["+in.String()[1:]+"]"))
	b, ok := s.Batch(0)
	require.True(t, ok)
	require.Equal(t, session.Batch{Elements: n, Requests: n}, b)
	all := told(s, 0)
	require.Len(t, all, session.MaxElements)
	require.Equal(t, "request ping answered 1", all[0], "its response is beyond those that are listed")
	require.Len(t, told(s, 1), session.MaxElements)
}

func FuzzElements(f *testing.F) {
	f.Add([]byte(three[2:]), []byte(`[{"id":1,"result":{}},{"id":1,"error":{}}]`))
	f.Add([]byte(`[{"id":1,"method":"a"},{"id":1,"method":"notifications/cancelled","params":{"requestId":1}}]`), []byte(`[[],{},1`))
	f.Fuzz(func(t *testing.T, out, in []byte) {
		s := New(logOf(t, "> "+string(out), "< "+string(in), "> "+string(out), "< "+string(in), "closed"))
		for row := range 4 {
			numbers := s.Numbers(row)
			require.LessOrEqual(t, len(numbers), session.MaxElements)
			for _, number := range numbers {
				r, ok := session.RowAt(s, number)
				require.True(t, ok)
				require.NotEqual(t, session.ReqPending, r.State, "the process has ended")
				e, err := s.Entry(r, 0)
				require.NoError(t, err)
				require.Equal(t, r.Msg, framing.Scan(e.Payload).Kind)
				if !r.Paired() || r.State == session.ReqDuplicate {
					continue
				}
				partner, ok := session.PartnerOf(s, r)
				require.True(t, ok)
				require.NotEqual(t, r.Kind, partner.Kind)
			}
		}
	})
}
