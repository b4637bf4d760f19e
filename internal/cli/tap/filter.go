package tap

import (
	"encoding/json"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/elements"
	"mcpdbg/session/index"
	"mcpdbg/session/tap"
	"mcpdbg/ui/widget/filter"
)

// match returns the function that matches the messages of a filter.
func match(text string) (tap.Match, error) {
	f, err := filter.Parse(text)
	if err != nil {
		return nil, err
	}
	return func(m *tap.Message) bool {
		log := newTinyLog(m)
		row := make([]session.Row, 1)
		n := log.Len() - 1
		log.Rows(n, row)
		return f.Matcher(elements.New(log)).Match(n, row[0])
	}, nil
}

// A tinyLog has one message, and the request before it if that is a response.
type tinyLog struct {
	*index.Index
	entries []session.Entry
}

func newTinyLog(m *tap.Message) *tinyLog {
	l := &tinyLog{Index: &index.Index{}}
	msg := framing.Scan(m.Line)
	if (msg.Kind == framing.Response || msg.Kind == framing.ErrorResponse) && m.Method != "" {
		params, _ := json.Marshal(map[string]string{"name": m.Tool})
		method, _ := json.Marshal(m.Method)
		request := []byte(`{"jsonrpc":"2.0","id":` + string(msg.ID.Of(m.Line)) + `,"method":` + string(method) + `,"params":` + string(params) + `}`)
		l.add(!m.ToServer, request, framing.Scan(request))
	}
	l.add(m.ToServer, m.Line, msg)
	l.Publish()
	return l
}

func (l *tinyLog) add(toServer bool, line []byte, msg framing.Message) {
	n := len(l.entries)
	e := session.Entry{N: uint64(n + 1), Kind: session.KindStdout, Seq: uint64(n + 1), Payload: line, Msg: msg}
	if toServer {
		e.Kind = session.KindStdin
	}
	l.entries = append(l.entries, e)
	_ = l.Add(&e, int64(n), len(line)) // a few rows always fit
}

func (l *tinyLog) Header() session.Header { return session.Header{} }

func (l *tinyLog) Entry(row session.Row, _ int) (session.Entry, error) {
	return l.entries[row.Off], nil
}

func (l *tinyLog) ReadLine(row session.Row, p []byte, off int64) (int, error) {
	line := l.entries[row.Off].Payload
	if off >= int64(len(line)) {
		return 0, nil
	}
	return copy(p, line[off:]), nil
}

func (l *tinyLog) Changed() <-chan struct{} { return nil }
