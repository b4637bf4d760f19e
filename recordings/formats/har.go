package formats

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/elements"
	"mcpdbg/session/exchange"
)

// The members of a HAR entry (http://www.softwareishard.com/blog/har-12-spec/).
// Those that begin with _ are ours.
type harEntry struct {
	Started   string      `json:"startedDateTime"`
	Time      float64     `json:"time"` // milliseconds
	Request   harRequest  `json:"request"`
	Response  harResponse `json:"response"`
	Cache     struct{}    `json:"cache"`
	Timings   harTimings  `json:"timings"`
	N         uint64      `json:"_entry"`
	Direction string      `json:"_direction"` // out: to the server
	Kind      string      `json:"_kind"`
	State     string      `json:"_state,omitempty"`
	Answer    uint64      `json:"_answerEntry,omitempty"`
}

type harRequest struct {
	Method      string   `json:"method"`
	URL         string   `json:"url"`
	Version     string   `json:"httpVersion"`
	Cookies     []string `json:"cookies"`
	Headers     []string `json:"headers"`
	Query       []string `json:"queryString"`
	PostData    harPost  `json:"postData"`
	HeadersSize int      `json:"headersSize"`
	BodySize    int64    `json:"bodySize"`
}

type harPost struct {
	MimeType string `json:"mimeType"`
	Text     string `json:"text"`
	Encoding string `json:"_encoding,omitempty"`
}

type harResponse struct {
	Status      int        `json:"status"`
	StatusText  string     `json:"statusText"`
	Version     string     `json:"httpVersion"`
	Cookies     []string   `json:"cookies"`
	Headers     []string   `json:"headers"`
	Content     harContent `json:"content"`
	Redirect    string     `json:"redirectURL"`
	HeadersSize int        `json:"headersSize"`
	BodySize    int64      `json:"bodySize"`
}

type harContent struct {
	Size     int64  `json:"size"`
	MimeType string `json:"mimeType"`
	Text     string `json:"text,omitempty"`
	Encoding string `json:"encoding,omitempty"`
}

type harTimings struct {
	Blocked float64 `json:"blocked,omitempty"`
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
}

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
	sep := "\n"
	source := elements.New(s.Source).Own()
	s.Source = source
	times := exchange.NewTable(source)
	for it, err := range s.messages(ctx, source) {
		if err != nil {
			return err
		}
		if it.row.Msg != framing.Request && it.row.Msg != framing.Notification {
			continue
		}
		entry, err := s.harEntry(times, it, h.Start)
		if err != nil {
			return err
		}
		text, err := json.Marshal(entry)
		if err != nil {
			return fmt.Errorf("entry %d: %w", it.entry.N, err)
		}
		if _, err := w.WriteString(sep); err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
		sep = ",\n"
	}
	if _, err := w.WriteString("\n]}}\n"); err != nil {
		return err
	}
	return w.Flush()
}

func (s Selection) harEntry(times *exchange.Table, it item, start time.Time) (*harEntry, error) {
	none := []string{}
	e := &harEntry{
		Started: start.Add(time.Duration(it.row.T) * time.Microsecond).UTC().Format("2006-01-02T15:04:05.000000Z07:00"),
		Request: harRequest{
			Method: "POST", URL: s.address(it.row), Version: "HTTP/1.1", Cookies: none, Headers: none, Query: none,
			PostData: harPost{MimeType: "application/json"}, HeadersSize: -1, BodySize: int64(len(it.entry.Payload)),
		},
		Response: harResponse{Version: "HTTP/1.1", Cookies: none, Headers: none, HeadersSize: -1, BodySize: -1,
			Content: harContent{MimeType: "application/json"}},
		N: it.entry.N, Direction: direction(it.row.Kind), Kind: it.row.Msg.String(), State: it.row.State.String(),
	}
	e.Request.PostData.Text, e.Request.PostData.Encoding = harText(it.entry.Payload)
	if it.row.Msg == framing.Notification {
		e.Response.Status, e.Response.StatusText = 202, "Notification"
		return e, nil
	}
	took, waited, _ := s.took(times, it)
	e.Time = float64(took+waited) / 1000
	e.Timings.Blocked, e.Timings.Wait = float64(waited)/1000, float64(took)/1000
	answer, ok := s.partner(it.row)
	if !ok {
		e.Response.StatusText = "No response"
		return e, nil
	}
	got, err := s.Source.Entry(answer, 0)
	if err != nil {
		return nil, err
	}
	e.Response.Status, e.Response.StatusText = 200, "OK"
	if answer.Flags&session.FlagError != 0 {
		e.Response.Status, e.Response.StatusText = 500, "Error"
	}
	e.Answer = got.N
	e.Response.BodySize, e.Response.Content.Size = int64(len(got.Payload)), int64(len(got.Payload))
	e.Response.Content.Text, e.Response.Content.Encoding = harText(got.Payload)
	return e, nil
}

// address returns the receiver and method of a request.
func (s Selection) address(row session.Row) string {
	host := "server"
	if row.Kind == session.KindStdout {
		host = "client"
	}
	u := url.URL{Scheme: "mcp-stdio", Host: host, Path: "/" + s.Source.Method(row.Method)}
	return u.String()
}

func harText(payload []byte) (text, encoding string) {
	e := session.Entry{Kind: session.KindStderr}
	if formOf(&e, payload) == formBase64 {
		return encode64(payload), "base64"
	}
	return string(payload), ""
}
