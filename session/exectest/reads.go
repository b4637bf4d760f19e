package exectest

import (
	"bytes"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
)

var readTests = []test{
	{"item09_history_is_the_retained_output", historyIsRetained},
	{"item14_retained_output_is_limited", retainedOutputIsLimited},
	{"item15_read_after", readAfter},
	{"item16_read_max", readMax},
	{"item17_next_seq", nextSeq},
	{"item18_paging_gives_all_bytes", paging},
	{"item19_read_waits", readWaits},
	{"item20_read_after_exit_waits_for_late_output", readAfterExit},
	{"item21_no_lost_wake", noLostWake},
	{"item22_unknown_and_starting", unknownAndStarting},
}

// said returns an ended process that has written three chunks: 4 is Exited, 5
// is Closed.
func said(s *suite) *watched {
	p := s.start("out", "aaaa", "line", "err", "bb", "line", "out", "cc", "line", "exit", "0")
	for range 3 {
		p.until(executor.Output)
		p.write("\n")
	}
	p.rest()
	return p
}

func seqs(r executor.ReadResult) []uint64 {
	var list []uint64
	for _, c := range r.Chunks {
		list = append(list, c.Seq)
	}
	return list
}

// flooded returns an ended process that has written 3 MiB.
func flooded(s *suite) *watched {
	p := s.start("flood", "3072", "1024", "exit", "0")
	p.rest()
	return p
}

func historyIsRetained(s *suite) {
	p := flooded(s)
	late := s.watch(p.Process, executor.SubscribeOptions{})
	l := newLedger()
	var history []executor.EventKind
	for _, e := range late.rest() {
		require.NoError(s, l.event(e))
		history = append(history, e.Kind)
	}
	first := slices.Index(history, executor.Output)
	// If the exit was known before all output was read, it may part the gap.
	require.Contains(s, [][]executor.EventKind{
		{executor.Gap},
		{executor.Gap, executor.Exited},
		{executor.Gap, executor.Exited, executor.Gap},
	}, history[:first], "the gap comes first")
	require.NotContains(s, history[first:], executor.Gap, "and once")
	require.Equal(s, uint64(3<<20), l.bytes+l.lost)
	require.LessOrEqual(s, l.bytes, uint64(executor.DefaultRetain))
	require.Equal(s, p.Info().NextSeq, l.next)
}

func retainedOutputIsLimited(s *suite) {
	p := flooded(s)
	r := p.read(0, 0, 0)
	size := 0
	for _, c := range r.Chunks {
		size += len(c.Data)
	}
	require.LessOrEqual(s, size, executor.DefaultRetain)
	require.Greater(s, size, executor.DefaultRetain-executor.MaxChunk)
	require.Equal(s, uint64(1), r.Missing.From)
	require.Equal(s, r.Chunks[0].Seq-1, r.Missing.To)
	require.Equal(s, uint64(3<<20-size), r.Missing.Bytes)
	require.Equal(s, p.Info().NextSeq, r.NextSeq, "eviction changes no number")
}

func readAfter(s *suite) {
	p := said(s)
	require.Equal(s, []executor.Chunk{
		{Seq: 1, Stream: executor.Stdout, Data: []byte("aaaa")},
		{Seq: 2, Stream: executor.Stderr, Data: []byte("bb")},
		{Seq: 3, Stream: executor.Stdout, Data: []byte("cc")},
	}, p.read(0, 0, 0).Chunks)
	require.Equal(s, []uint64{2, 3}, seqs(p.read(1, 0, 0)))
	require.Empty(s, seqs(p.read(3, 0, 0)), "output only")
}

func readMax(s *suite) {
	p := said(s)
	require.Equal(s, []uint64{1}, seqs(p.read(0, 1, 0)))
	require.Equal(s, []uint64{1}, seqs(p.read(0, 5, 0)))
	require.Equal(s, []uint64{1, 2}, seqs(p.read(0, 6, 0)))
}

func nextSeq(s *suite) {
	p := said(s)
	require.Equal(s, uint64(6), p.read(0, 0, 0).NextSeq)
	require.Equal(s, uint64(3), p.read(0, 6, 0).NextSeq)
	require.Equal(s, uint64(6), p.read(3, 1, 0).NextSeq)
}

func paging(s *suite) {
	p := s.start("flood", "3000", "300", "exit", "0")
	var paged bytes.Buffer
	for after, closed := uint64(0), false; !closed; {
		r := p.read(after, 1000, waitLimit)
		require.Nil(s, r.Missing)
		for _, c := range r.Chunks {
			paged.Write(c.Data)
		}
		after, closed = r.NextSeq-1, r.Closed && len(r.Chunks) == 0
	}
	p.rest()
	var whole bytes.Buffer
	for _, c := range p.read(0, 0, 0).Chunks {
		whole.Write(c.Data)
	}
	require.Equal(s, 3000*300, whole.Len())
	require.Equal(s, whole.Bytes(), paged.Bytes())
}

func readWaits(s *suite) {
	end := s.cue()
	p := s.start("line", "out", "a", "line", "spawn", "child", "cue", end.path, "end", "exit", "5")
	const short = 30 * time.Millisecond
	begin := time.Now()
	require.Empty(s, p.read(0, 0, short).Chunks)
	require.GreaterOrEqual(s, time.Since(begin), short)

	p.write("\n")
	require.Equal(s, []uint64{1}, seqs(p.read(0, 0, waitLimit)))
	p.write("\n")
	r := p.read(1, 0, waitLimit)
	require.Equal(s, code(5), *r.Exit, "a new exit")
	require.False(s, r.Closed)
	end.give()
	require.True(s, p.read(r.NextSeq-1, 0, waitLimit).Closed)
}

func readAfterExit(s *suite) {
	p, first, second := held(s)
	exited := p.until(executor.Exited)
	begin := time.Now()
	const short = 30 * time.Millisecond
	r := p.read(exited.Seq, 0, short)
	require.GreaterOrEqual(s, time.Since(begin), short, "a known exit does not end the wait")
	require.NotNil(s, r.Exit)

	results := make(chan executor.ReadResult, 1)
	go func() {
		r, err := p.Read(s.ctx, exited.Seq, 0, waitLimit)
		if err == nil {
			results <- r
		}
		close(results)
	}()
	first.give()
	r = <-results
	require.Equal(s, "late", string(r.Chunks[0].Data))
	second.give()
	require.True(s, p.read(r.NextSeq-1, 0, waitLimit).Closed)
}

func noLostWake(s *suite) {
	p := s.start("echo")
	after := uint64(0)
	for range 300 {
		wrote := make(chan error, 1)
		go func() {
			_, err := p.Write(s.ctx, "", []byte("x"))
			wrote <- err
		}()
		r := p.read(after, 0, waitLimit)
		require.NoError(s, <-wrote)
		require.Len(s, r.Chunks, 1)
		after = r.NextSeq - 1
	}
}

func unknownAndStarting(s *suite) {
	h := s.Executor.Process("nobody")
	require.Equal(s, executor.Info{ID: "nobody"}, h.Info())
	_, err := h.Read(s.ctx, 0, 0, 0)
	require.ErrorIs(s, err, executor.ErrUnknownProcess)
	_, err = h.Subscribe(executor.SubscribeOptions{})
	require.ErrorIs(s, err, executor.ErrUnknownProcess)
	w, err := h.Write(s.ctx, "", []byte("x"))
	require.NoError(s, err)
	require.Equal(s, executor.UnknownProcess, w.Status)
	r, err := h.Terminate(s.ctx)
	require.NoError(s, err)
	require.Equal(s, executor.StopReport{}, r)

	cmd := s.command("exit", "0")
	cmd.ID = "slow"
	asked := false
	cmd.OnPhase = func(executor.Phase) {
		h := s.Executor.Process("slow")
		if asked || h.Info().State != executor.StateStarting {
			return
		}
		asked = true
		_, err := h.Read(s.ctx, 0, 0, 0)
		require.ErrorIs(s, err, executor.ErrStarting)
		_, err = h.Subscribe(executor.SubscribeOptions{})
		require.ErrorIs(s, err, executor.ErrStarting)
		w, err := h.Write(s.ctx, "", []byte("x"))
		require.NoError(s, err)
		require.Equal(s, executor.Starting, w.Status)
		require.Equal(s, executor.Starting, h.CloseStdin())
	}
	s.startCommand(cmd).rest()
	require.True(s, asked)
}
