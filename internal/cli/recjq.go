package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/itchyny/gojq"

	"mcpdbg/session"
	"mcpdbg/ui/termsafe"
)

const (
	// jqLongest is the longest line that is decoded for jq: a decoded one takes
	// some ten times as much memory.
	jqLongest = 32 << 20
	// shownFailures is how many entries are named for which an expression failed.
	shownFailures = 10
)

// A jqWriter writes what an expression of jq makes of entries, one result a
// line.
type jqWriter struct {
	ctx    context.Context
	code   *gojq.Code
	lines  *lineWriter
	stderr io.Writer
	raw    bool // strings as they are
	line   []byte
	failed int // entries
}

// newJQWriter compiles an expression. The error is wrong usage.
func newJQWriter(ctx context.Context, expr string, lines *lineWriter, stderr io.Writer) (*jqWriter, error) {
	query, err := gojq.Parse(expr)
	var wrong *gojq.ParseError
	if errors.As(err, &wrong) {
		return nil, usagef("--jq: byte %d: %v", wrong.Offset+1-len(wrong.Token), err)
	}
	if err != nil {
		return nil, usagef("--jq: %v", err)
	}
	code, err := gojq.Compile(query) // without files, environment and further input
	if err != nil {
		return nil, usagef("--jq: %v", err)
	}
	return &jqWriter{ctx: ctx, code: code, lines: lines, stderr: stderr}, nil
}

// print writes the results for one entry. An entry for which the expression
// fails is named on stderr, and is no error here.
func (j *jqWriter) print(number int, row session.Row) error {
	n, err := j.entry(number, row)
	var failed *jqError
	var halt *gojq.HaltError
	switch {
	case errors.As(err, &halt) && halt.Value() == nil:
		return errHalt
	case errors.As(err, &failed):
		if j.failed++; j.failed <= shownFailures {
			fmt.Fprintln(j.stderr, termsafe.String(fmt.Sprintf("mcpdbg: entry %d: --jq: %v", n, failed)))
		}
		if halt != nil {
			return errHalt
		}
		return nil
	}
	return err
}

// errHalt says that the expression wants no more entries.
var errHalt = errors.New("halt")

// A jqError is a failure of the expression.
type jqError struct{ error }

func (e *jqError) Unwrap() error { return e.error }

// entry writes the results for one entry, and gives its number.
func (j *jqWriter) entry(number int, row session.Row) (n uint64, err error) {
	n = uint64(number) + 1
	if row.Len > jqLongest {
		return n, &jqError{fmt.Errorf("its line has %s, and at most %s are decoded", byteCount(int64(row.Len)), byteCount(jqLongest))}
	}
	value, err := j.decode(row)
	if err != nil {
		return n, err
	}
	if own, ok := value["n"].(json.Number); ok {
		if i, err := own.Int64(); err == nil {
			n = uint64(i)
		}
	}
	results := j.code.RunWithContext(j.ctx, value)
	for {
		result, more := results.Next()
		if !more {
			return n, nil
		}
		if err, failed := result.(error); failed {
			if j.ctx.Err() != nil {
				return n, context.Cause(j.ctx)
			}
			return n, &jqError{err}
		}
		if err := j.result(result); err != nil {
			return n, err
		}
	}
}

// decode reads an entry with its numbers as they are written.
func (j *jqWriter) decode(row session.Row) (map[string]any, error) {
	if cap(j.line) < int(row.Len) {
		j.line = make([]byte, row.Len)
	}
	line := j.line[:row.Len]
	if n, err := j.lines.src.ReadLine(row, line, 0); n < len(line) {
		return nil, fmt.Errorf("read the log: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	var value map[string]any
	if err := decoder.Decode(&value); err != nil {
		return nil, &jqError{err}
	}
	return value, nil
}

func (j *jqWriter) result(value any) error {
	if text, ok := value.(string); ok && j.raw {
		_, err := fmt.Fprintln(j.lines.w, text)
		return err
	}
	text, err := gojq.Marshal(value)
	if err != nil {
		return &jqError{err}
	}
	_, err = j.lines.w.Write(append(text, '\n'))
	return err
}

// failure is an error if the expression has failed for any entry.
func (j *jqWriter) failure() error {
	if j.failed == 0 {
		return nil
	}
	return &answerError{err: fmt.Errorf("--jq failed for %d of the entries", j.failed)}
}
