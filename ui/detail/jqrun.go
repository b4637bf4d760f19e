package detail

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/itchyny/gojq"

	"mcpdbg/internal/wording"
	"mcpdbg/session/jq"
)

const (
	// maxQueried is the largest message that jq is run on, in bytes: decoded it takes
	// about ten times as much memory.
	maxQueried = 64 << 20
	maxResults = 1000
	// maxResult is how many bytes of results are shown.
	maxResult = 8 << 20
	// maxNames is the maximum number of names found for a completion.
	maxNames = 2000
)

type effort uint8

const (
	typing effort = iota // while it is typed
	asked                // when its result was asked for
)

// The maximum memory is in bytes, beyond the decoded message.
func (e effort) limits() (time.Duration, uint64) {
	if e == typing {
		return 500 * time.Millisecond, 64 << 20
	}
	return 10 * time.Second, 512 << 20
}

// May be used on any goroutine; runs wait for each other.
type queried struct {
	doc     []byte
	mu      sync.Mutex
	decoded bool
	value   any
	err     error // why the message cannot be decoded
}

type jqResult struct {
	doc     []byte // the result, or an array of them unless there is exactly one
	single  bool
	summary string
	err     error
}

func (q *queried) query(ctx context.Context, expression string, limit effort) jqResult {
	var all bytes.Buffer
	n, more, large := 0, false, false
	err := q.run(ctx, expression, limit, func(result any) bool {
		if n == maxResults {
			more = true
			return false
		}
		if large = !jq.Fits(result, maxResult-all.Len()); large {
			return false
		}
		text, err := gojq.Marshal(result)
		if err != nil {
			large = true
			return false
		}
		if n++; n > 1 {
			all.WriteByte(',')
		}
		all.Write(text)
		return true
	})
	if err != nil {
		return jqResult{err: err}
	}
	r := jqResult{doc: all.Bytes(), single: n == 1 && !large, summary: wording.Counted(n, "result")}
	if !r.single {
		r.doc = append(append([]byte("["), r.doc...), ']')
	}
	switch {
	case large && n == 0:
		return jqResult{err: fmt.Errorf("the result is larger than %s", wording.Size(maxResult))}
	case large:
		r.summary += fmt.Sprintf(" shown; the next one exceeds %s in all", wording.Size(maxResult))
	case more:
		r.summary += " shown; there are more"
	}
	return r
}

func (q *queried) names(ctx context.Context, program string) ([]string, error) {
	var names []string
	seen := map[string]bool{}
	err := q.run(ctx, program, typing, func(result any) bool {
		if name, ok := result.(string); ok && !seen[name] && len(name) <= maxExpression {
			seen[name] = true
			names = append(names, name)
		}
		return len(names) < maxNames
	})
	return names, err
}

// take gets the results.
func (q *queried) run(ctx context.Context, program string, limit effort, take func(any) bool) error {
	code, err := jq.Compile(program)
	if err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !q.decoded {
		q.value, q.err = decode(q.doc)
		q.decoded = true
	}
	if q.err != nil {
		return q.err
	}
	most, memory := limit.limits()
	ctx, stop := context.WithTimeoutCause(ctx, most, fmt.Errorf("not finished within %v", most))
	defer stop()
	return jq.Run(ctx, code, memory, q.value, nil, take)
}

// decode keeps numbers as they are written.
func decode(doc []byte) (any, error) {
	if len(doc) > maxQueried {
		return nil, fmt.Errorf("the message has %s, the limit is %s", wording.Size(int64(len(doc))), wording.Size(maxQueried))
	}
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, errors.New("the message is not valid JSON")
	}
	return value, jq.CheckNumbers(value)
}
