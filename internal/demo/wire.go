package demo

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Error codes of JSON-RPC 2.0 and MCP.
const (
	codeParse             = -32700
	codeInvalidRequest    = -32600
	codeMethodNotFound    = -32601
	codeInvalidParams     = -32602
	codeInternal          = -32603
	codeResourceNotFound  = -32002 // legacy revisions only
	codeMissingCapability = -32021 // 2026-07-28
	codeURLRequired       = -32042 // 2025-11-25
	codeUnsupportedVer    = -32022 // 2026-07-28
)

// maxLine is the size of an incoming line; a longer one is skipped, and gets a parse
// error.
const maxLine = 16 << 20

// The keys are sorted, so the same response always has the same bytes.
type object = map[string]any

// Ids keep their bytes.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func (e *rpcError) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

func errorf(code int, format string, args ...any) *rpcError {
	return &rpcError{Code: code, Message: fmt.Sprintf(format, args...)}
}

// encode returns v as one line, including the newline, without HTML escapes.
func encode(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		// All is built here from maps, strings and numbers, and from raw values that were
		// parsed before.
		panic(fmt.Sprintf("demo: encode %T: %v", v, err))
	}
	return buf.Bytes()
}

// compact removes surrounding space, the form in which ids are compared.
func compact(raw json.RawMessage) string { return string(bytes.TrimSpace(raw)) }

// lockedWriter lets several goroutines write whole lines.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// hold gives f exclusive access to the stream, for output of several Writes.
func (l *lockedWriter) hold(f func(w io.Writer) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return f(l.w)
}

var errLineTooLong = errors.New("line too long")

// readLine returns the next line without its newline (and one carriage return before it),
// or errLineTooLong, or the reader's error. The bytes belong to the caller. An
// unterminated last line counts.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := r.ReadSlice('\n')
		if !tooLong {
			line = append(line, part...)
		}
		if len(line) > maxLine {
			tooLong, line = true, nil
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (len(line) == 0 || !errors.Is(err, io.EOF)):
			return nil, err
		case tooLong:
			return nil, errLineTooLong
		}
		line = bytes.TrimSuffix(line, []byte("\n"))
		return bytes.TrimSuffix(line, []byte("\r")), nil
	}
}
