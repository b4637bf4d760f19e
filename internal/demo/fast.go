package demo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// probeFast is a legacy server for measuring the overhead of everything else: it sends
// prepared bytes, parses no more than necessary, and makes one read and one write per
// request. It supports initialize, ping, tools/list and tools/call.
func probeFast(_ context.Context, c *culprit) (int, error) {
	in := bufio.NewReaderSize(c.in, bulkBlock)
	fast := newFastServer()
	for {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return 0, errors.New("a request is larger than this server's buffer")
		}
		if err != nil {
			return 0, nil
		}
		if answer := fast.answer(line); answer != nil {
			if _, err := c.out.Write(answer); err != nil {
				return 0, nil
			}
		}
	}
}

type fastServer struct {
	results map[string][]byte // by method
	unknown []byte
	buf     []byte
}

func newFastServer() *fastServer {
	var tools []string
	for i := range 10 {
		tools = append(tools, fmt.Sprintf(`{"name":"tool_%d","description":"Tool number %d","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}`, i, i))
	}
	return &fastServer{
		results: map[string][]byte{
			"ping":       []byte(`,"result":{}}` + "\n"),
			"tools/call": []byte(`,"result":{"content":[{"type":"text","text":"ok"}]}}` + "\n"),
			"tools/list": []byte(`,"result":{"tools":[` + strings.Join(tools, ",") + `]}}` + "\n"),
			"initialize": []byte(`,"result":{"protocolVersion":"` + legacyRevisions[0] +
				`","capabilities":{"tools":{}},"serverInfo":{"name":"probe-fast","version":"1"}}}` + "\n"),
		},
		unknown: []byte(`,"error":{"code":-32601,"message":"no such method"}}` + "\n"),
	}
}

// The response is valid until the next call; nil if there is none.
func (f *fastServer) answer(line []byte) []byte {
	id, method := idAndMethod(line)
	if id == nil || method == nil {
		return nil
	}
	rest, known := f.results[string(method)]
	if !known {
		rest = f.unknown
	}
	f.buf = append(f.buf[:0], `{"jsonrpc":"2.0","id":`...)
	f.buf = append(f.buf, id...)
	f.buf = append(f.buf, rest...)
	return f.buf
}

// idAndMethod returns the members id (as written) and method (without quotes). It does
// not validate: for anything but a JSON object the result is undefined.
func idAndMethod(line []byte) (id, method []byte) {
	depth := 0
	var key []byte
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			key = nil
		case '"':
			end := stringEnd(line, i)
			if depth == 1 && key == nil {
				key = line[i:end]
			}
			i = end - 1
		case ':':
			if depth != 1 {
				continue
			}
			start := i + 1 + leadingSpace(line[i+1:])
			end := scalarEnd(line, start)
			switch string(key) {
			case `"id"`:
				id = line[start:end]
			case `"method"`:
				method = unquote(line[start:end])
			}
			i = end - 1
		}
	}
	return id, method
}

func stringEnd(line []byte, start int) int {
	for i := start + 1; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(line)
}

// scalarEnd returns the offset after the string, number or literal at start, or start
// itself for an object or array.
func scalarEnd(line []byte, start int) int {
	if start < len(line) && line[start] == '"' {
		return stringEnd(line, start)
	}
	for i := start; i < len(line); i++ {
		switch line[i] {
		case '{', '[', ',', '}', ']', ' ', '\t', '\r', '\n':
			return i
		}
	}
	return len(line)
}

func unquote(value []byte) []byte {
	if len(value) < 2 || value[0] != '"' {
		return nil
	}
	return value[1 : len(value)-1]
}

func leadingSpace(b []byte) int { return len(b) - len(bytes.TrimLeft(b, " \t\r\n")) }

const (
	// bulkBlock is the size of a bulk write: what a pipe holds on Linux.
	bulkBlock    = 64 << 10
	minFloodLine = 140
)

// The text contains the number as ten digits, so that a reader can check for gaps.
type floodLine struct {
	bytes  []byte
	digits int // where the number begins
}

func newFloodLine(size int) floodLine {
	const head = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"flood","data":"`
	const tail = `"}}` + "\n"
	pad := strings.Repeat("x", size-len(head)-len("0000000000 ")-len(tail))
	return floodLine{bytes: []byte(head + "0000000000 " + pad + tail), digits: len(head)}
}

func (f floodLine) number(n int) {
	for i := f.digits + 9; i >= f.digits; i-- {
		f.bytes[i] = byte('0' + n%10)
		n /= 10
	}
}

// writeFlood writes count notifications of size bytes, including the newline, as many
// whole lines per write as fit into block, at least one.
func writeFlood(ctx context.Context, w io.Writer, count, size, block int) error {
	if size < minFloodLine {
		return fmt.Errorf("a flood line needs at least %d bytes, not %d", minFloodLine, size)
	}
	line := newFloodLine(size)
	buf := make([]byte, 0, max(block, size))
	for n := range count {
		line.number(n + 1)
		if len(buf)+size > cap(buf) {
			if _, err := w.Write(buf); err != nil {
				return err
			}
			buf = buf[:0]
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		buf = append(buf, line.bytes...)
	}
	_, err := w.Write(buf)
	return err
}
