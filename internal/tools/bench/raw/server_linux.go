package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"mcpdbg/internal/tools/bench/trip"
)

// serve is a tiny server of revision 2025-11-25. Its tool's result has size bytes of
// text; the id comes first. The time is from the first ping to the last.
func serve(in io.Reader, out io.Writer, size int) error {
	results := map[string][]byte{
		"initialize": []byte(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1"}}`),
		"ping":       []byte(`{}`),
		"tools/list": []byte(toolList()),
	}
	var first, last time.Time
	reader := lines(in)
	var response []byte
	for {
		line, err := reader.ReadSlice('\n')
		if err != nil {
			if !errors.Is(err, io.EOF) {
				return err
			}
			break
		}
		id, method := member(line, "id"), strings.Trim(string(member(line, "method")), `"`)
		if id == nil || method == "" {
			continue // a notification
		}
		if method == "ping" {
			last = time.Now()
			if first.IsZero() {
				first = last
			}
		}
		response = append(append(response[:0], `{"jsonrpc":"2.0","id":`...), id...)
		if method == "tools/call" {
			if err := writeText(out, response, size); err != nil {
				return err
			}
			continue
		}
		if result, known := results[method]; known {
			response = append(append(response, `,"result":`...), result...)
		} else {
			response = append(response, `,"error":{"code":-32601,"message":"unknown method"}`...)
		}
		if _, err := out.Write(append(response, "}\n"...)); err != nil {
			return err
		}
	}
	return took(last.Sub(first))
}

// writeText writes a response with size bytes of text, in writes larger than a pipe. It
// holds little of it, to keep the server's memory out of the case.
func writeText(out io.Writer, head []byte, size int) error {
	const before, after = `,"result":{"content":[{"type":"text","text":"`, `"}]}}` + "\n"
	const piece = 1 << 20
	text := bytes.Repeat([]byte("0123456789abcdef"), piece/16)
	response := append(head, before...)
	for ; size > 0; size -= min(size, piece) {
		if _, err := out.Write(append(response, text[:min(size, piece)]...)); err != nil {
			return err
		}
		response = response[:0]
	}
	_, err := out.Write(append(response, after...))
	return err
}

func toolList() string {
	var tools []string
	for i := range 10 {
		tools = append(tools, fmt.Sprintf(`{"name":"tool_%d","description":"Tool number %d","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}`, i, i))
	}
	return `{"tools":[` + strings.Join(tools, ",") + `]}`
}

// member returns a scalar member at the top level of a well-behaved client's JSON object,
// or nil. Nested objects with the same name come later.
func member(line []byte, name string) []byte {
	_, rest, found := bytes.Cut(line, []byte(`"`+name+`":`))
	if !found {
		return nil
	}
	if end := bytes.IndexAny(rest, ",}"); end > 0 {
		return bytes.TrimSpace(rest[:end])
	}
	return nil
}

// The same response is the least that a server can do. The ids do not matter to trips.
func echo(in io.Reader, out io.Writer) error {
	response := append(trip.Response(0), '\n')
	reader := lines(in)
	for {
		if _, err := reader.ReadSlice('\n'); err != nil {
			return nil
		}
		if _, err := out.Write(response); err != nil {
			return err
		}
	}
}

// flood writes count notifications of size bytes, at least one per write and as many as
// fit into block bytes.
func flood(out io.Writer, count, size, block int) error {
	const head, tail = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"flood","data":"`, `"}}` + "\n"
	if size <= len(head)+len(tail) {
		return fmt.Errorf("invalid size %d: at least %d", size, len(head)+len(tail)+1)
	}
	line := []byte(head + strings.Repeat("x", size-len(head)-len(tail)) + tail)
	per := max(1, block/size)
	writes := bytes.Repeat(line, per)
	begin := time.Now()
	for count > 0 {
		n := min(count, per)
		if _, err := out.Write(writes[:n*size]); err != nil {
			return err
		}
		count -= n
	}
	return took(time.Since(begin))
}
