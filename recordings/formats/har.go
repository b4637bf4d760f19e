package formats

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"mcpdbg/framing"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/elements"
	"mcpdbg/session/exchange"
)

// writeHAR writes the requests and notifications of a selection, in both directions,
// as an HTTP archive of version 1.2. A response is part of its request's entry,
// whether it is selected or not. An error has status 500, a missing response 0, and a
// notification 202. Each message of a batch is an entry.
func writeHAR(ctx context.Context, to io.Writer, s Selection) error {
	w := bufio.NewWriterSize(to, 64<<10)
	h := s.Source.Header()
	creator, version, _ := strings.Cut(h.Tool, " ")
	fmt.Fprintf(w, `{"log":{"version":"1.2","creator":{"name":%s,"version":%s},"pages":[],"comment":%s,"entries":[`,
		appendString(nil, creator), appendString(nil, version), appendString(nil, commandLine(h)))
	sep, buf := "\n", []byte(nil)
	source := elements.New(s.Source).Own()
	s.Source = source
	times, answers := exchange.NewTable(source), answers{in: session.InOrder(source)}
	selected := s.Include
	s.Include = func(number int, row session.Row) bool { // responses are read with their requests
		return (hasEntry(row.Msg) || row.Msg == framing.Batch) && (selected == nil || selected(number, row))
	}
	for it, err := range s.messages(ctx, source) {
		if err != nil {
			return err
		}
		if !hasEntry(it.row.Msg) {
			continue
		}
		buf, err = s.appendHAR(append(buf[:0], sep...), times, &answers, it, h.Start)
		if err != nil {
			return fmt.Errorf("entry %d: %w", it.entry.N, err)
		}
		if _, err := w.Write(buf); err != nil {
			return err
		}
		sep = ",\n"
	}
	if _, err := w.WriteString("\n]}}\n"); err != nil {
		return err
	}
	return w.Flush()
}

func hasEntry(kind framing.Kind) bool { return kind == framing.Request || kind == framing.Notification }

// appendHAR appends the entry of a message (http://www.softwareishard.com/blog/har-12-spec/).
// Members that begin with _ are ours.
func (s Selection) appendHAR(dst []byte, times *exchange.Table, answers *answers, it item, start time.Time) ([]byte, error) {
	took, waited, _ := s.took(times, it)
	notification := it.row.Msg == framing.Notification
	if notification {
		took, waited = 0, 0
	}
	dst = append(dst, `{"startedDateTime":"`...)
	dst = start.Add(time.Duration(it.row.T)*time.Microsecond).UTC().AppendFormat(dst, "2006-01-02T15:04:05.000000Z07:00")
	dst = appendMillis(append(dst, `","time":`...), took+waited)
	dst = append(dst, `,"request":{"method":"POST","url":`...)
	dst = appendString(dst, s.address(it))
	dst = append(dst, `,"httpVersion":"HTTP/1.1","cookies":[],"headers":[],"queryString":[],"postData":{"mimeType":"application/json"`...)
	size := len(it.entry.Payload)
	dst = appendBody(dst, it.entry.Payload, "_encoding")
	dst = append(dst, `},"headersSize":-1,"bodySize":`...)
	dst = strconv.AppendInt(dst, int64(size), 10)
	direction, kind, state := direction(it.row.Kind), it.row.Msg, it.row.State // the item is invalid once the response is read
	dst, answer, err := s.appendResponse(append(dst, '}'), answers, it)
	if err != nil {
		return dst, err
	}
	dst = append(dst, `,"cache":{},"timings":{`...)
	if waited != 0 {
		dst = append(appendMillis(append(dst, `"blocked":`...), waited), ',')
	}
	dst = append(appendMillis(append(dst, `"send":0,"wait":`...), took), `,"receive":0},"_entry":`...)
	dst = strconv.AppendUint(dst, it.entry.N, 10)
	dst = fmt.Appendf(dst, `,"_direction":%q,"_kind":%q`, direction, kind.String())
	if state.String() != "" {
		dst = fmt.Appendf(dst, `,"_state":%q`, state.String())
	}
	if answer != 0 {
		dst = strconv.AppendUint(append(dst, `,"_answerEntry":`...), answer, 10)
	}
	return append(dst, '}'), nil
}

// answers reads responses, nearly all of which are in the order of their requests.
type answers struct {
	in  session.IntoReader
	buf []byte
}

// entry returns an entry that is valid until the next call.
func (a *answers) entry(row session.Row) (session.Entry, error) {
	if need := int(row.Len); need > cap(a.buf) && need <= longestKept {
		a.buf = make([]byte, 0, max(need, 64<<10))
	}
	return a.in.EntryInto(row, 0, a.buf)
}

// appendResponse appends the response to a message, and returns the number of its entry.
func (s Selection) appendResponse(dst []byte, answers *answers, it item) ([]byte, uint64, error) {
	status, word, size, number := 0, "No response", -1, uint64(0)
	var payload []byte
	if it.row.Msg == framing.Notification {
		status, word = 202, "Notification"
	} else if answer, ok := s.partner(it.row); ok {
		got, err := answers.entry(answer)
		if err != nil {
			return dst, 0, err
		}
		status, word = 200, "OK"
		if answer.Flags&session.FlagError != 0 {
			status, word = 500, "Error"
		}
		payload, size, number = got.Payload, len(got.Payload), got.N
	}
	dst = fmt.Appendf(dst, `,"response":{"status":%d,"statusText":%q,"httpVersion":"HTTP/1.1","cookies":[],"headers":[],"content":{"size":%d,"mimeType":"application/json"`,
		status, word, max(size, 0))
	if len(payload) > 0 {
		dst = appendBody(dst, payload, "encoding")
	}
	dst = append(dst, `},"redirectURL":"","headersSize":-1,"bodySize":`...)
	dst = strconv.AppendInt(dst, int64(size), 10)
	return append(dst, '}'), number, nil
}

func appendMillis(dst []byte, us int64) []byte {
	return strconv.AppendFloat(dst, float64(us)/1000, 'f', -1, 64)
}

// appendBody appends a payload as it is, or in base64, which encoding then names.
func appendBody(dst, payload []byte, encoding string) []byte {
	dst = append(dst, `,"text":"`...)
	if !utf8.Valid(payload) {
		dst = base64.StdEncoding.AppendEncode(dst, payload)
		return fmt.Appendf(dst, `",%q:"base64"`, encoding)
	}
	return append(recordings.AppendEscaped(dst, payload), '"')
}

// address returns the receiver and method of a request, and the name of what it calls.
func (s Selection) address(it item) string {
	host := "server"
	if it.row.Kind == session.KindStdout {
		host = "client"
	}
	method := s.Source.Method(it.row.Method)
	u := url.URL{Scheme: "mcp-stdio", Host: host, Path: "/" + method}
	address := u.String()
	if member := subjects[method]; member != "" {
		if name := subject(it.entry.Payload, member); name != "" {
			address += "/" + url.PathEscape(name)
		}
	}
	return address
}

// subjects are the members of params that name what a request is about.
var subjects = map[string]string{"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}

func subject(message []byte, member string) string {
	for name, value := range members(message) {
		if name != "params" {
			continue
		}
		for name, value := range members(value) {
			if name == member && isText(value) {
				return text(value)
			}
		}
	}
	return ""
}
