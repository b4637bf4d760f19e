package demo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
)

// The NAME-now forms write at once and exit, so that cat and tee can read them too.
func bulkKinds() []misbehaviour {
	return []misbehaviour{
		{Kind{Name: "flood", Lint: "PRG05", Param: "COUNTxSIZE=100000x205", HasNowForm: true,
			Description: "sends notifications as fast as possible"}, withCountAndSize(flood)},
		{Kind{Name: "writer", Param: "COUNTxSIZE=100000x205", HasNowForm: true,
			Description: "sends notifications, one write each (for benchmarks)"}, withCountAndSize(writer)},
		{Kind{Name: "bulk", Param: "BYTES=104857600", HasNowForm: true,
			Description: "sends notifications of 205 bytes in writes of 64 KiB (for benchmarks)"}, withNumber(bulk)},
		{Kind{Name: "no-newline-gb", Lint: "FRM09", Param: "BYTES=1073741824", HasNowForm: true,
			Description: "writes an endless message without a newline"}, withNumber(noNewline)},
		{Kind{Name: "probe-fast",
			Description: "a legacy server that does the least possible work per response (for benchmarks)"}, probeFast},
	}
}

const usualLine = 205

func flood(ctx context.Context, c *culprit, count, size int) (int, error) {
	return c.afterHandshake(ctx, func(ctx context.Context, w io.Writer) error {
		return writeFlood(ctx, w, count, size, bulkBlock)
	})
}

func writer(ctx context.Context, c *culprit, count, size int) (int, error) {
	return c.afterHandshake(ctx, func(ctx context.Context, w io.Writer) error {
		return writeFlood(ctx, w, count, size, 0)
	})
}

func bulk(ctx context.Context, c *culprit, size int) (int, error) {
	return c.afterHandshake(ctx, func(ctx context.Context, w io.Writer) error {
		return writeFlood(ctx, w, (size+usualLine-1)/usualLine, usualLine, bulkBlock)
	})
}

func noNewline(ctx context.Context, c *culprit, size int) (int, error) {
	return c.afterHandshake(ctx, func(ctx context.Context, w io.Writer) error {
		head := `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"`
		text := io.MultiReader(strings.NewReader(head), endless{ctx})
		if _, err := io.CopyN(w, text, int64(size)); err != nil {
			return fmt.Errorf("write a line without end: %w", err)
		}
		return nil
	})
}

type endless struct{ ctx context.Context }

func (e endless) Read(p []byte) (int, error) {
	copy(p, bytes.Repeat([]byte("x"), len(p)))
	return len(p), e.ctx.Err()
}

// afterHandshake runs write concurrently with the healthy server; in the now form it only
// runs write.
func (c *culprit) afterHandshake(ctx context.Context, write func(ctx context.Context, w io.Writer) error) (int, error) {
	if c.now {
		// The reader may have gone away.
		_ = write(ctx, c.out)
		return 0, nil
	}
	var once sync.Once
	return c.serve(ctx, faults{answered: func(ctx context.Context, s *server, r *request) {
		if !r.handshake() {
			return
		}
		once.Do(func() {
			s.calls.Go(func() {
				if err := write(ctx, s.out); err != nil {
					s.logf("stopped writing: %v", err)
				}
			})
		})
	}})
}
