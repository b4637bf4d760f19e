package recordings

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// A representation is the name of the member with the payload, in the order of
// preference.
type representation string

const (
	verbatim  representation = "m"   // the bytes as they are: a JSON object
	escaped   representation = "raw" // a JSON string: the bytes are UTF-8
	encoded64 representation = "b64" // a JSON string in base64: the bytes are not UTF-8
)

// represent chooses how the payload of e is written. Readers scan the bytes, so the
// meaning of the line does not depend on it.
func represent(e *session.Entry) representation {
	// One stdin entry is one write, which may hold half a message or several.
	message := e.Msg.Verbatim && !e.More && (e.Kind != session.KindStdin || e.EOL == framing.LF)
	switch {
	case message:
		return verbatim
	case utf8.Valid(e.Payload):
		return escaped
	}
	return encoded64
}

// AppendEntry appends the line of e, its newline included, to dst. N and T are
// written as they are, and Encoded is set. It does not allocate if dst has room
// for the line.
//
// The body of an entry without stream bytes has to be a JSON object in one
// line, as session.NewEntry makes it.
func AppendEntry(dst []byte, e *session.Entry) []byte {
	dst = appendHead(dst, e)
	if !e.Kind.IsStream() {
		return appendBody(dst, e)
	}
	return appendPayload(dst, e)
}

// WritePayload writes the payload of a stream entry as the last member of its line, from
// the comma before it to the newline, without a copy of the whole. It is for callers that
// have written the line up to there. It sets Encoded.
func WritePayload(w io.Writer, e *session.Entry) error {
	_, err := writePayload(nil, e, func(p []byte) error {
		_, err := w.Write(p)
		return err
	})
	return err
}

// appendPayload appends the payload as the last member of its line, from the comma before
// it to the newline. It sets Encoded.
func appendPayload(dst []byte, e *session.Entry) []byte {
	rep := represent(e)
	e.Encoded = rep != verbatim
	switch rep {
	case verbatim:
		dst = append(dst, `,"m":`...)
		dst = append(dst, e.Payload...)
		return append(dst, "}\n"...)
	case escaped:
		dst = append(dst, `,"raw":"`...)
		dst = AppendEscaped(dst, e.Payload)
	case encoded64:
		dst = append(dst, `,"b64":"`...)
		dst = base64.StdEncoding.AppendEncode(dst, e.Payload)
	}
	return append(dst, "\"}\n"...)
}

// appendHead appends the members before the payload or the body, without closing the
// object.
func appendHead(dst []byte, e *session.Entry) []byte {
	dst = append(dst, `{"n":`...)
	dst = strconv.AppendUint(dst, e.N, 10)
	dst = append(dst, `,"t":`...)
	dst = strconv.AppendInt(dst, e.T, 10)
	dst = append(dst, `,"k":"`...)
	dst = append(dst, e.Kind.String()...)
	dst = append(dst, '"')
	if e.Seq != 0 {
		dst = append(dst, `,"seq":`...)
		dst = strconv.AppendUint(dst, e.Seq, 10)
	}
	if !e.Kind.IsStream() {
		return dst
	}
	dst = appendChunks(dst, e)
	if e.Why != "" {
		dst = append(dst, `,"why":"`...)
		dst = AppendEscaped(dst, []byte(e.Why))
		dst = append(dst, '"')
	}
	if e.More {
		dst = append(dst, `,"more":true`...)
	}
	switch e.EOL {
	case framing.CRLF:
		dst = append(dst, `,"eol":"\r\n"`...)
	case framing.NoEOL:
		dst = append(dst, `,"eol":""`...)
	}
	return dst
}

func appendChunks(dst []byte, e *session.Entry) []byte {
	if e.First != 0 && e.First != e.Seq {
		dst = append(dst, `,"first":`...)
		dst = strconv.AppendUint(dst, e.First, 10)
	}
	if len(e.Cuts) == 0 {
		return dst
	}
	dst = append(dst, `,"cuts":[`...)
	for i, c := range e.Cuts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '[')
		dst = strconv.AppendUint(dst, c.Seq, 10)
		dst = append(dst, ',')
		dst = strconv.AppendUint(dst, c.Off, 10)
		dst = append(dst, ']')
	}
	dst = append(dst, ']')
	if e.CutsDropped > 0 {
		dst = append(dst, `,"cuts_dropped":`...)
		dst = strconv.AppendUint(dst, e.CutsDropped, 10)
		dst = append(dst, `,"cuts_range":[`...)
		dst = strconv.AppendUint(dst, e.Cuts[len(e.Cuts)-1].Seq+1, 10)
		dst = append(dst, ',')
		dst = strconv.AppendUint(dst, e.Seq, 10)
		dst = append(dst, ']')
	}
	return dst
}

func appendBody(dst []byte, e *session.Entry) []byte {
	if e.Kind == session.KindEnd {
		dst = append(dst, `,"entries":`...)
		entries, rest := splitEntries(e.Body)
		if len(entries) == 0 || entries[0] == '0' { // known only now
			dst = strconv.AppendUint(dst, e.N, 10)
		} else {
			dst = append(dst, entries...)
		}
		return append(append(dst, rest...), '\n')
	}
	if len(e.Body) > len("{}") {
		dst = append(dst, ',')
		dst = append(dst, e.Body[1:len(e.Body)-1]...)
	}
	return append(dst, "}\n"...)
}

// splitEntries returns the number of entries, which is the first member of an end entry's
// body, and the rest of the body.
func splitEntries(body []byte) (number, rest []byte) {
	if all, ok := bytes.CutPrefix(body, []byte(`{"entries":`)); ok {
		if rest = bytes.TrimLeft(all, "0123456789"); len(rest) > 0 && rest[0] == ',' {
			return all[:len(all)-len(rest)], rest
		}
	}
	return nil, []byte("}")
}

func checkBody(e *session.Entry) error {
	b := e.Body
	if e.Kind.IsStream() || len(b) == 0 {
		return nil
	}
	if b[0] == '{' && b[len(b)-1] == '}' && bytes.IndexByte(b, '\n') < 0 {
		return nil
	}
	var line bytes.Buffer
	if err := json.Compact(&line, b); err != nil || line.Bytes()[0] != '{' {
		return fmt.Errorf("%s entry: body is not a JSON object", e.Kind)
	}
	e.Body = line.Bytes()
	return nil
}

// AppendEscaped appends s, which is UTF-8, as the inside of a JSON string.
func AppendEscaped(dst, s []byte) []byte {
	const hex = "0123456789abcdef"
	for {
		plain := framing.Plain(s)
		dst = append(dst, s[:plain]...)
		if plain == len(s) {
			return dst
		}
		c := s[plain]
		s = s[plain+1:]
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
}

func appendHeader(dst []byte, h session.Header) ([]byte, error) {
	if h.Argv == nil {
		h.Argv = []string{}
	}
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(h); err != nil {
		return dst, fmt.Errorf("header: %w", err)
	}
	return append(dst, line.Bytes()...), nil
}
