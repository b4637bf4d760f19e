package execserver

import (
	"context"
	"errors"
	"fmt"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/executor"
)

var errEvicted = errors.New("output is lost: the exec server no longer has it")

// mind reads the gap of a sequence that has lasted for a while.
func (r *remote) mind() {
	r.mu.Lock()
	due := !r.over && (len(r.ahead) > 0 || r.dropped)
	r.gap = nil
	r.mu.Unlock()
	if !due {
		return
	}
	ctx, cancel := limited(context.Background())
	defer cancel()
	if err := r.fill(ctx, nil); err != nil && !errors.Is(err, errCut) { // a resume fills it
		r.fail(fmt.Errorf("read missed output: %w", err))
	}
}

// fill reads what is missing, over a connection, or over the one in use. A process that cannot
// catch up has failed; the error is that of the connection.
func (r *remote) fill(ctx context.Context, l *line) error {
	for {
		r.mu.Lock()
		after := r.next - 1
		r.dropped = false
		over := r.over
		r.mu.Unlock()
		if over {
			return nil
		}
		var got wire.ReadResult
		err := r.s.exchange(ctx, l, wire.MethodRead, wire.ReadParams{ProcessID: r.id, AfterSeq: after}, &got, l == nil)
		var refused *wire.Error
		if errors.As(err, &refused) {
			r.fail(fmt.Errorf("the exec server no longer has the process: %w", err))
			return nil
		}
		if err != nil {
			return err
		}
		if err := r.catchUp(got); err != nil {
			r.fail(err)
			r.abandon()
			return nil
		}
		r.mu.Lock()
		again := r.dropped && !r.over
		r.mu.Unlock()
		if !again {
			return nil
		}
	}
}

// catchUp adds what was read. Exit and end have a number, but are not among the chunks.
func (r *remote) catchUp(got wire.ReadResult) error {
	r.mu.Lock()
	known := make(map[uint64]step, len(got.Chunks))
	for _, c := range got.Chunks {
		known[c.Seq] = outputStep(c.Stream, c.Chunk)
	}
	// Exit and end at most have neither a chunk nor a place among the held steps.
	if most := uint64(len(known) + len(r.ahead) + 2); got.NextSeq > r.next && got.NextSeq-r.next > most {
		defer r.mu.Unlock()
		return fmt.Errorf("%w (more than %d of the numbers %d to %d)", errEvicted, got.NextSeq-r.next-most, r.next, got.NextSeq-1)
	}
	var missing []uint64
	for seq := r.next; seq < got.NextSeq; seq++ {
		_, read := known[seq]
		if _, held := r.ahead[seq]; !read && !held {
			missing = append(missing, seq)
		}
	}
	if n := len(missing); got.Closed && n > 0 && missing[n-1] == got.NextSeq-1 {
		known[got.NextSeq-1] = step{kind: executor.Closed, cut: got.Cut}
		missing = missing[:n-1]
	}
	if got.Exited && !r.exitSeen && len(missing) > 0 {
		seq := missing[0]
		if got.ExitSeq != 0 {
			seq = got.ExitSeq
		}
		if len(missing) == 1 && missing[0] == seq {
			known[seq] = step{kind: executor.Exited, exit: exitOf(got.ExitCode, got.Exit)}
			missing = nil
		}
	}
	if len(missing) > 0 {
		r.mu.Unlock()
		return fmt.Errorf("%w (numbers %d to %d)", errEvicted, missing[0], missing[len(missing)-1])
	}
	closed := false
	for seq := r.next; seq < got.NextSeq && !r.over; seq++ {
		if e, read := known[seq]; read {
			closed = r.place(seq, e) || closed
		}
	}
	r.mu.Unlock()
	if closed {
		r.s.forget(r)
	}
	return nil
}

// abandon terminates a process whose sequence is incomplete.
func (r *remote) abandon() {
	body, err := marshal(wire.Process{ProcessID: r.id})
	if err != nil {
		return // a string never fails
	}
	_, _ = r.s.send(nil, &call{again: true, done: func(wire.Message, error) {}}, func(dst []byte, id uint64) []byte {
		return wire.AppendRequest(dst, id, wire.MethodTerminate, body)
	})
}
