package session

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"mcpdbg/framing"
)

// A ClientBody is a line of the client's side of a tap that the server's side does not
// have like this: see KindFromClient and KindToClient. The bytes are in M, which is a
// message and ends with a newline, in Raw or in B64.
type ClientBody struct {
	Why   string          `json:"why"`             // held, edited, withheld, answered, own or restart
	First uint64          `json:"first,omitempty"` // number of its first read, if it is another than the last
	M     json.RawMessage `json:"m,omitempty"`
	Raw   string          `json:"raw,omitempty"`
	B64   []byte          `json:"b64,omitempty"`
}

// Line returns the bytes of the line, with its end.
func (b *ClientBody) Line() []byte {
	switch {
	case b.M != nil:
		return append(bytes.Clone(b.M), '\n')
	case b.B64 != nil:
		return b.B64
	}
	return []byte(b.Raw)
}

// ClientEntry returns an entry with a ClientBody: seq and first are the numbers of the
// reads with the end and the beginning of the line, 0 for a line of the tap itself.
func ClientEntry(kind Kind, why string, seq, first uint64, line []byte) Entry {
	body := append(strconv.AppendQuote([]byte(`{"why":`), why), `,`...)
	if first != 0 && first != seq {
		body = append(strconv.AppendUint(append(body, `"first":`...), first, 10), ',')
	}
	message, ended := bytes.CutSuffix(line, []byte("\n"))
	switch {
	case ended && framing.Scan(message).Verbatim:
		body = append(append(body, `"m":`...), message...)
	case utf8.Valid(line):
		var text bytes.Buffer
		encode := json.NewEncoder(&text)
		encode.SetEscapeHTML(false)
		_ = encode.Encode(string(line)) // a string
		body = append(append(body, `"raw":`...), bytes.TrimSuffix(text.Bytes(), []byte("\n"))...)
	default:
		body = append(base64.StdEncoding.AppendEncode(append(body, `"b64":"`...), line), '"')
	}
	return Entry{Kind: kind, Seq: seq, Body: append(body, '}')}
}
