package formats

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"strconv"

	"mcpdbg/session"
)

// harOurs is in each entry of an archive that this package wrote. Those of browsers have
// requests over HTTP, which this program does not read.
var harOurs = []byte(`"url":"mcp-stdio://`)

// harEntries begins the entries. In a text, the quotes would be escaped.
var harEntries = []byte(`"entries":[`)

func looksHAR(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) && bytes.Contains(head, harEntries) && bytes.Contains(head, harOurs)
}

// readHAR reads an archive of this package. Messages are as they were recorded, with the
// times and the numbers of the archive.
func readHAR(s *logSource, to *recorder) error {
	to.wall, to.ordered, to.numbers = true, true, true
	to.remark("stderr, events, lines and responses that belong to no request, and the exit status are missing; the elements of a batch are messages of their own")
	doc := document{source: s, to: to}
	if err := doc.skipTo(harEntries); err != nil {
		return doc.end(err)
	}
	return doc.end(doc.elements(func(entry []byte) error { return harMessages(to, entry) }))
}

// skipTo consumes what precedes the last byte of a text.
func (d *document) skipTo(text []byte) error {
	for at := 0; at < len(text)-1; {
		c, err := d.source.in.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return errBroken
		case err != nil:
			return err
		case c == text[at]:
			at++
		case c == text[0]:
			at = 1
		default:
			at = 0
		}
	}
	return nil
}

// harMessages adds a request, or a notification, and its response.
func harMessages(to *recorder, entry []byte) error {
	m := map[string][]byte{}
	for name, value := range members(entry) {
		m[name] = value
	}
	sent, back := session.KindStdin, session.KindStdout
	if text(m["_direction"]) == "in" {
		sent, back = back, sent
	}
	message, err := harBody(member(member(m["request"], "postData"), "text"), text(member(member(m["request"], "postData"), "_encoding")))
	if err != nil {
		return err
	}
	at := wallTime(m["startedDateTime"])
	if err := to.add(logItem{kind: sent, at: at, n: entryNumber(m["_entry"]), payload: message}); err != nil {
		return err
	}
	content := member(m["response"], "content")
	answer := member(content, "text")
	if answer == nil {
		return nil
	}
	if ms, ok := number(m["time"]); ok && at != unknown {
		if took := micros(max(ms, 0), 1e3); took != unknown {
			at += took
		}
	}
	message, err = harBody(answer, text(member(content, "encoding")))
	if err != nil {
		return err
	}
	return to.add(logItem{kind: back, at: at, n: entryNumber(m["_answerEntry"]), payload: message})
}

// entryNumber returns 0 for anything but a number that leaves room for further entries.
func entryNumber(value []byte) uint64 {
	n, err := strconv.ParseUint(string(value), 10, 53)
	if err != nil {
		return 0
	}
	return n
}

// harBody returns the bytes of a body.
func harBody(value []byte, encoding string) ([]byte, error) {
	body := []byte(text(value))
	if encoding == "base64" {
		decoded, err := base64.StdEncoding.DecodeString(string(body))
		if err != nil {
			return nil, unreadable("invalid base64")
		}
		body = decoded
	}
	if len(body) == 0 {
		return nil, unreadable("the message is missing")
	}
	return compact(body), nil
}

// member returns the value of a member of an object, nil without one.
func member(object []byte, name string) []byte {
	for n, value := range members(object) {
		if n == name {
			return value
		}
	}
	return nil
}
