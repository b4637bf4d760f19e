package input

import (
	"context"
	"io"
)

const chunkSize = 64 << 10

// A pump reads in a goroutine, for a source whose open or read may block forever. An
// abandoned goroutine stays in the system call until the program exits. A pump serves one
// reader.
type pump struct {
	ctx    context.Context
	stop   context.CancelFunc
	chunks chan chunk
	rest   []byte // of the last chunk
	err    error  // after it
}

type chunk struct {
	data []byte
	err  error
}

func pumped(ctx context.Context, open func() (io.ReadCloser, error)) *pump {
	p := &pump{chunks: make(chan chunk)}
	p.ctx, p.stop = context.WithCancel(ctx)
	go p.run(open)
	return p
}

// Until an error (including the end of the input) or the end of ctx.
func (p *pump) run(open func() (io.ReadCloser, error)) {
	from, err := open()
	if err != nil {
		p.send(chunk{nil, err})
		return
	}
	defer from.Close()
	// The reader is done with a buffer when it takes the next one.
	buffers := [2][]byte{make([]byte, chunkSize), make([]byte, chunkSize)}
	for i := 0; err == nil; i = 1 - i {
		var n int
		n, err = from.Read(buffers[i])
		if !p.send(chunk{buffers[i][:n], err}) {
			return
		}
	}
}

// send reports whether the reader took the chunk.
func (p *pump) send(c chunk) bool {
	select {
	case p.chunks <- c:
		return true
	case <-p.ctx.Done():
		return false
	}
}

// Read implements io.Reader.
func (p *pump) Read(b []byte) (int, error) {
	for len(p.rest) == 0 && p.err == nil {
		if p.ctx.Err() != nil {
			return 0, context.Cause(p.ctx)
		}
		select {
		case c := <-p.chunks:
			p.rest, p.err = c.data, c.err
		case <-p.ctx.Done():
			return 0, context.Cause(p.ctx)
		}
	}
	if len(p.rest) == 0 {
		return 0, p.err
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// Close implements io.Closer. It does not block.
func (p *pump) Close() error {
	p.stop()
	return nil
}
