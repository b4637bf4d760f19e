package formats

import (
	"bufio"
	"context"
	"crypto/sha256"
	_ "embed" // the parts of the page
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/session/summary"
)

const (
	// maxPage is the approximate number of message bytes in a page: browsers are slow to
	// open more.
	maxPage = 32 << 20
	maxRows = 50_000
	// maxContent is the most bytes of one message.
	maxContent = 256 << 10
)

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

//go:embed page.html
var pageBody string

type pageRow struct {
	Row    int    `json:"i"`           // number of the row
	N      uint64 `json:"n"`           //
	T      int64  `json:"t"`           // microseconds
	Kind   string `json:"k"`           // of the entry
	Msg    string `json:"m,omitempty"` // of the message
	What   string `json:"w"`
	Said   string `json:"d,omitempty"` // summary of the message
	ID     string `json:"id,omitempty"`
	Seq    uint64 `json:"s,omitempty"`
	Took   *int64 `json:"l,omitempty"` // microseconds that the response took
	Waited *int64 `json:"y,omitempty"` // and for which the server waited for its client
	Pair   int    `json:"p,omitempty"` // number of the partner's row plus one
	State  string `json:"st,omitempty"`
	Error  bool   `json:"e,omitempty"`
	Size   int64  `json:"b"`
	Text   string `json:"x,omitempty"`
	Base64 string `json:"x64,omitempty"`
	Cut    bool   `json:"c,omitempty"` // Text is only the beginning
}

// writeHTML writes a selection as one self-contained page, whose policy forbids loading
// anything. For a large recording, the page has the first entries and says so.
func writeHTML(ctx context.Context, to io.Writer, s Selection) error {
	return s.page(ctx, to, maxPage)
}

// page writes the page with about most bytes of messages.
func (s Selection) page(ctx context.Context, to io.Writer, most int) error {
	w := bufio.NewWriterSize(to, 64<<10)
	facts, err := json.Marshal(factsOf(ctx, s.Source))
	if err != nil {
		return fmt.Errorf("facts: %w", err)
	}
	// json.Marshal escapes <, >, & and the line separators, so that no data ends
	// its element.
	head, rest, _ := strings.Cut(fmt.Sprintf(pageBody, policy(), pageStyle), "{{waterfall}}")
	before, after, _ := strings.Cut(rest, "{{data}}")
	if _, err := w.WriteString(head); err != nil {
		return err
	}
	if err := s.waterfall(ctx, w); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "%s{\"facts\":%s,\"rows\":[", before, facts); err != nil {
		return err
	}
	left, err := s.pageRows(ctx, w, most)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "\n],\"left\":%d}%s", left, strings.Replace(after, "{{script}}", pageScript, 1)); err != nil {
		return err
	}
	return w.Flush()
}

// The page may use only its own script and style.
func policy() string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; script-src " + hash(pageScript) + "; style-src " + hash(pageStyle) + "; base-uri 'none'; form-action 'none'"
}

func (s Selection) pageRows(ctx context.Context, w *bufio.Writer, most int) (left int, err error) {
	size, rows, times := 0, 0, exchange.NewTable(s.Source)
	for it, err := range s.items(ctx, maxContent) {
		if err != nil {
			return 0, err
		}
		if rows == maxRows || size > most {
			left++
			continue
		}
		if rows > 0 {
			_ = w.WriteByte(',') // Flush returns errors
		}
		text, err := json.Marshal(s.pageRow(times, it))
		if err != nil {
			return 0, fmt.Errorf("entry %d: %w", it.entry.N, err)
		}
		rows, size = rows+1, size+len(text)
		_ = w.WriteByte('\n')
		if _, err := w.Write(text); err != nil {
			return 0, err
		}
	}
	return left, nil
}

func (s Selection) pageRow(times *exchange.Table, it item) *pageRow {
	partner, _ := it.row.Partner()
	r := &pageRow{
		Row: it.number, N: it.entry.N, T: it.row.T, Kind: it.row.Kind.String(), What: wording.Visible(wording.Clip(s.what(it), 200, wording.Ellipsis)), Seq: it.entry.Seq,
		Pair: partner + 1, State: it.row.State.String(), Error: isError(it.row),
	}
	if it.row.Kind == session.KindStdin || it.row.Kind == session.KindStdout {
		r.Msg = it.row.Msg.String()
	}
	if took, waited, ok := s.took(times, it); ok {
		r.Took = &took
		if exchange.Noticed(waited) {
			r.Waited = &waited
		}
	}
	if !it.row.Kind.IsStream() {
		r.Text = wording.Clip(string(it.entry.Body), maxContent, wording.Ellipsis)
		return r
	}
	if it.row.Msg != framing.Batch { // its summary is in What
		r.Said = wording.Visible(summary.Message(it.row.Msg, s.Source.Method(it.row.Method), it.entry.Payload, it.entry.FullSize))
	}
	if !it.entry.Cut {
		r.ID = wording.Clip(string(it.entry.Msg.ID.Of(it.entry.Payload)), 200, wording.Ellipsis)
	}
	r.Size, r.Cut = it.entry.FullSize, it.entry.Cut
	payload := it.entry.Payload
	if len(payload) > maxContent {
		payload, r.Cut = payload[:maxContent], true
	}
	if r.Cut {
		payload = payload[:wording.Whole(payload)]
	}
	if utf8.Valid(payload) {
		r.Text = string(payload)
	} else {
		r.Base64 = base64.StdEncoding.EncodeToString(payload)
	}
	return r
}
