package rec

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/itchyny/gojq"

	"mcpdbg/framing"
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/logs"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/jq"
	"mcpdbg/ui/widget/termsafe"
)

const (
	// jqLongest is the longest line decoded for jq: decoded it takes about ten times as
	// much memory.
	jqLongest = 32 << 20
	// in bytes, while the expression runs
	jqMemory = 1 << 30
	// for one entry
	jqLimit       = 10 * time.Second
	shownFailures = 10
)

// One result per line.
type jqWriter struct {
	ctx    context.Context
	code   *gojq.Code
	lines  *logs.Writer
	stderr io.Writer
	raw    bool // print strings unquoted
	limit  time.Duration
	line   []byte
	failed int // entries
}

// The error is wrong usage.
func newJQWriter(ctx context.Context, expr string, lines *logs.Writer, stderr io.Writer) (*jqWriter, error) {
	code, err := jq.Compile(expr)
	if err != nil {
		return nil, console.Usagef("--jq: %v", err)
	}
	return &jqWriter{ctx: ctx, code: code, lines: lines, stderr: stderr, limit: jqLimit}, nil
}

// If the expression fails, print reports that on stderr and returns nil.
func (j *jqWriter) print(number int, row session.Row) error {
	n, err := j.entry(number, row)
	failed, isOurs := errors.AsType[*jqError](err)
	if !isOurs {
		return err
	}
	if j.failed++; j.failed <= shownFailures {
		fmt.Fprintln(j.stderr, termsafe.String(fmt.Sprintf("mcpdbg: entry %d: --jq: %v", n, failed)))
	}
	if _, halted := errors.AsType[*gojq.HaltError](err); halted {
		return errHalt
	}
	return nil
}

// Why no more entries are printed.
var (
	errHalt = errors.New("halt") // the expression stopped the program
	errLate = errors.New("not finished")
)

type jqError struct{ error }

func (e *jqError) Unwrap() error { return e.error }

func (j *jqWriter) entry(number int, row session.Row) (n uint64, err error) {
	n = uint64(number) + 1
	if row.Len > jqLongest {
		return n, &jqError{fmt.Errorf("line too long: %s, and at most %s are decoded", wording.Bytes(int64(row.Len)), wording.Bytes(jqLongest))}
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
	var writing error
	ctx, stop := context.WithTimeoutCause(j.ctx, j.limit, errLate)
	defer stop()
	halted, err := jq.RunToHalt(ctx, j.code, jqMemory, value, nil, func(result any) bool {
		writing = j.result(result)
		return writing == nil
	})
	switch {
	case writing != nil:
		return n, writing
	case halted:
		return n, errHalt
	case errors.Is(err, errLate):
		return n, &console.ResponseError{Err: fmt.Errorf("entry %d: --jq: %w within %v", n, errLate, j.limit)}
	case err == nil || j.ctx.Err() != nil:
		return n, err
	}
	return n, &jqError{err}
}

// Numbers stay as written.
func (j *jqWriter) decode(row session.Row) (map[string]any, error) {
	if cap(j.line) < int(row.Len) {
		j.line = make([]byte, row.Len)
	}
	line := j.line[:row.Len]
	if n, err := j.lines.Source.ReadLine(row, line, 0); n < len(line) {
		return nil, fmt.Errorf("read the log: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	var value map[string]any
	if err := decoder.Decode(&value); err != nil {
		return nil, &jqError{framing.Explain(err)}
	}
	return value, nil
}

func (j *jqWriter) result(value any) error {
	if text, ok := value.(string); ok && j.raw {
		_, err := fmt.Fprintln(j.lines.Out, text)
		return err
	}
	text, err := gojq.Marshal(value)
	if err != nil {
		return &jqError{err}
	}
	_, err = j.lines.Out.Write(append(text, '\n'))
	return err
}

func (j *jqWriter) failure() error {
	if j.failed == 0 {
		return nil
	}
	return &console.ResponseError{Err: fmt.Errorf("--jq failed for %s", wording.Plural(j.failed, "entry"))}
}
