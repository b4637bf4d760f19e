package demo

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"
)

func textKinds() []misbehaviour {
	return []misbehaviour{
		{Kind{Name: "stray-text", Lint: "FRM01",
			Description: "prints a banner and debug lines to stdout, between the messages"}, strayText},
		{Kind{Name: "ansi", Lint: "FRM12",
			Description: "escape sequences, clipboard and title writes and bidi overrides on stdout, stderr and in strings"}, ansi},
		{Kind{Name: "crlf", Lint: "FRM04",
			Description: "ends its lines with carriage return and line feed"}, spoiled(spoilCRLF, whole)},
		{Kind{Name: "lsp-headers", Lint: "FRM11",
			Description: "frames messages with Content-Length headers and no newline, like LSP"}, spoiled(spoilLSP, whole)},
		{Kind{Name: "multi-line", Lint: "FRM05", Param: "all",
			Description: "prints its messages over several lines"}, spoiled(spoilMultiLine, spared)},
		{Kind{Name: "invalid-utf8", Lint: "FRM07", Param: "all",
			Description: "has Latin-1 bytes in its strings"}, spoiled(spoilUTF8, spared)},
		{Kind{Name: "nul", Lint: "FRM07", Param: "all",
			Description: "has NUL bytes in its strings"}, spoiled(spoilNUL, spared)},
		{Kind{Name: "bom", Lint: "FRM03", Param: "all",
			Description: "puts a byte order mark before its messages"}, spoiled(spoilBOM, spared)},
		{Kind{Name: "lone-cr", Lint: "FRM12", Param: "all",
			Description: "draws progress bars with carriage returns, and has one inside each message"}, spoiled(spoilCR, spared)},
		{Kind{Name: "batch", Lint: "RPC13", Param: "all",
			Description: "sends its messages as JSON-RPC batches"}, spoiled(spoilBatch, spared)},
		{Kind{Name: "id-type", Lint: "RPC09", Param: "all",
			Description: `responds to id 1 as "1", and to "a-1" as 1`}, spoiled(spoilID, spared)},
		{Kind{Name: "duplicate-answers", Lint: "RPC08",
			Description: "sends each response twice"}, spoiled(spoilTwice, whole)},
		{Kind{Name: "orphan-answers", Lint: "RPC07",
			Description: "sends after each response one with an unknown request id"}, spoiledBy(newOrphans)},
		{Kind{Name: "one-byte",
			Description: "writes one byte at a time"}, oneByte},
		{Kind{Name: "buffered", Lint: "PRC07",
			Description: "buffers all its responses until the end of stdin"}, buffered},
		{Kind{Name: "no-final-newline", Lint: "FRM08",
			Description: "responds to the first tool call without a newline, and exits"}, noFinalNewline},
	}
}

// Whether a spoiler also changes the response to the handshake.
const (
	whole  = true
	spared = false
)

// With the parameter "all", the response to the handshake is changed too, so that no
// handshake succeeds.
func spoiled(spoil func([]byte) []byte, all bool) func(context.Context, *culprit) (int, error) {
	return func(ctx context.Context, c *culprit) (int, error) {
		if c.param != "" && c.param != "all" {
			return 0, fmt.Errorf("invalid parameter %q: the only one is all", c.param)
		}
		return c.serve(ctx, faults{spoil: spoil, spoilAll: all || c.param == "all"})
	}
}

func spoiledBy(newSpoiler func() func([]byte) []byte) func(context.Context, *culprit) (int, error) {
	return func(ctx context.Context, c *culprit) (int, error) {
		return spoiled(newSpoiler(), whole)(ctx, c)
	}
}

func spoilCRLF(line []byte) []byte { return append(bytes.TrimSuffix(line, []byte("\n")), "\r\n"...) }

func spoilBOM(line []byte) []byte { return append([]byte("\ufeff"), line...) }

func spoilUTF8(line []byte) []byte { return insertText(line, "caf\xe9 ") }

func spoilNUL(line []byte) []byte { return insertText(line, "nul\x00") }

func spoilTwice(line []byte) []byte {
	if !isResponse(line) {
		return line
	}
	return append(line, line...)
}

func spoilLSP(line []byte) []byte {
	body := bytes.TrimSuffix(line, []byte("\n"))
	return append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...)
}

func spoilMultiLine(line []byte) []byte {
	var buf bytes.Buffer
	if err := json.Indent(&buf, line, "", "  "); err != nil {
		return line // cannot happen: encode made the line
	}
	return buf.Bytes()
}

func spoilCR(line []byte) []byte {
	bar := "loading 10%\rloading 50%\rloading 100%\n"
	return append([]byte(bar), bytes.Replace(line, []byte("{"), []byte("{\r"), 1)...)
}

func spoilBatch(line []byte) []byte {
	note := bytes.TrimSpace(encode(object{"jsonrpc": "2.0", "method": "notifications/message",
		"params": object{"level": "info", "data": "first of a batch"}}))
	return fmt.Appendf(nil, "[%s,%s]\n", note, bytes.TrimSpace(line))
}

func spoilID(line []byte) []byte {
	var m message
	if err := json.Unmarshal(line, &m); err != nil || !isResponse(line) {
		return line
	}
	id := string(m.ID)
	var text string
	if err := json.Unmarshal(m.ID, &text); err != nil {
		m.ID = json.RawMessage(strconv.Quote(id))
		return encode(m)
	}
	head := strings.TrimRight(text, "0123456789")
	n, _ := strconv.ParseUint(text[len(head):], 10, 64) // 0 without digits
	m.ID = strconv.AppendUint(nil, n, 10)
	return encode(m)
}

// newOrphans adds after each response one with an id of its own.
func newOrphans() func([]byte) []byte {
	var count atomic.Int64
	return func(line []byte) []byte {
		if !isResponse(line) {
			return line
		}
		return fmt.Appendf(line, `{"jsonrpc":"2.0","id":"orphan-%d","result":{}}`+"\n", count.Add(1))
	}
}

func isResponse(line []byte) bool {
	var m message
	return json.Unmarshal(line, &m) == nil && m.Method == ""
}

// insertText prefers a string value that people read.
func insertText(line []byte, text string) []byte {
	for _, key := range []string{"text", "description", "data", "message"} {
		mark := []byte(`"` + key + `":"`)
		if bytes.Contains(line, mark) {
			return bytes.Replace(line, mark, append(mark, text...), 1)
		}
	}
	end := bytes.LastIndexByte(line, '}')
	return fmt.Appendf(bytes.Clone(line[:end]), `,"note":"%s"}`+"\n", text)
}

func strayText(ctx context.Context, c *culprit) (int, error) {
	_, _ = fmt.Fprint(c.out, "Demo MCP Server v1.0\nServer running on stdio...\n")
	return c.serve(ctx, faults{spoilAll: true, spoil: func(line []byte) []byte {
		return append([]byte("DEBUG: about to answer\n"), line...)
	}})
}

const (
	// rawEscapes clears the screen, sets the title, writes to the clipboard, makes a
	// link, leaves a colour on, and reverses text.
	rawEscapes = "\x1b[2J\x1b[H\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\x1b]8;;https://example.com\x1b\\here\x1b]8;;\x1b\\\x1b[31mred \u202eesrever\u202c \u200bzero\r"
	// jsonEscapes is the same inside a JSON string.
	jsonEscapes = `\u001b[2J\u001b]0;owned\u0007\u001b]52;c;b3duZWQ=\u0007\u009b31mred ` + "\u202eesrever\u202c \u200b"
)

func ansi(ctx context.Context, c *culprit) (int, error) {
	_, _ = fmt.Fprintln(c.errw, rawEscapes)
	_, _ = fmt.Fprintln(c.out, rawEscapes)
	return c.serve(ctx, faults{spoilAll: true, spoil: func(line []byte) []byte {
		if bytes.Contains(line, []byte(`"text":"`)) || bytes.Contains(line, []byte(`"description":"`)) {
			line = insertText(line, jsonEscapes)
		}
		return append([]byte(rawEscapes+"\n"), line...)
	}})
}

type byteWriter struct{ w io.Writer }

func (b byteWriter) Write(p []byte) (int, error) {
	for i := range p {
		if _, err := b.w.Write(p[i : i+1]); err != nil {
			return i, err
		}
	}
	return len(p), nil
}

func oneByte(ctx context.Context, c *culprit) (int, error) {
	return Serve(ctx, c.in, byteWriter{c.out}, c.errw, c.opts), nil
}

// bufferSize is large enough that a short session never fills the buffer.
const bufferSize = 1 << 20

func buffered(ctx context.Context, c *culprit) (int, error) {
	w := bufio.NewWriterSize(c.out, bufferSize)
	code := Serve(ctx, c.in, w, c.errw, c.opts)
	_ = w.Flush() // a client that has gone away does not need it
	return code, nil
}

func noFinalNewline(ctx context.Context, c *culprit) (int, error) {
	return c.serve(ctx, onCall(func(ctx context.Context, s *server, r *request) {
		result, err := s.perform(ctx, r)
		line := encode(s.response(r, result, err))
		_, _ = s.out.Write(bytes.TrimSuffix(line, []byte("\n")))
		s.stop(exitCode(0))
	}))
}
