package demo

import (
	"context"
	"fmt"
	"io"
	"strings"
)

const (
	// bulkBlock is the size of a bulk write: what a pipe holds on Linux.
	bulkBlock    = 64 << 10
	minFloodLine = 140
)

// A floodLine makes numbered log notifications of one size. The text contains
// the number as ten digits, so that a reader can check for gaps.
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

// writeFlood writes count notifications of size bytes, including the newline.
// Each write contains as many whole lines as fit into block bytes, at least
// one.
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
