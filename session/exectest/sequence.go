package exectest

import (
	"strings"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
)

var sequenceTests = []test{
	{"item03_shared_sequence", sharedSequence},
	{"item04_output_after_exit", outputAfterExit},
	{"item05_closed_once_and_last", closedOnceAndLast},
	{"item06_grandchild_holds_stdout", grandchildHoldsStdout},
	{"item07_failed_ends_delivery", failedEndsDelivery},
	{"item32_streams_are_not_mixed", streamsAreNotMixed},
	{"item36_output_before_exit_comes_before_it", outputBeforeExit},
	{"item47_processes_do_not_disturb_each_other", processesAreApart},
}

func sharedSequence(s *suite) {
	p := s.start("out", "out", "line", "err", "err", "line", "exit", "7")
	p.says("out")
	p.write("\n")
	p.next()
	p.write("\n")
	require.Equal(s, []executor.Event{
		{Kind: executor.Output, Seq: 1, Stream: executor.Stdout, Data: []byte("out")},
		{Kind: executor.Output, Seq: 2, Stream: executor.Stderr, Data: []byte("err")},
		{Kind: executor.Exited, Seq: 3, Exit: code(7)},
		{Kind: executor.Closed, Seq: 4},
	}, p.rest())
	info := p.Info()
	require.Equal(s, executor.StateClosed, info.State)
	require.Equal(s, uint64(5), info.NextSeq)
	require.Equal(s, code(7), *info.Exit)
}

// held starts a leader that exits at once, and a child of it that holds the
// pipes, waits for two cues, and writes "late" after the first.
func held(s *suite) (p *watched, first, second cue) {
	first, second = s.cue(), s.cue()
	p = s.start("spawn", "child", "cue", first.path, "out", "late", "cue", second.path, "end", "pids", "exit", "3")
	p.pids(1)
	return p, first, second
}

func outputAfterExit(s *suite) {
	p, first, second := held(s)
	exited := p.until(executor.Exited)
	require.Equal(s, code(3), exited.Exit)
	require.Equal(s, executor.StateExited, p.Info().State)
	first.give()
	late := p.next()
	require.Equal(s, executor.Output, late.Kind)
	require.Equal(s, exited.Seq+1, late.Seq)
	require.Equal(s, "late", string(late.Data))
	require.Equal(s, executor.StateExited, p.Info().State)
	second.give()
	require.Equal(s, executor.Event{Kind: executor.Closed, Seq: late.Seq + 1}, p.next())
	p.rest()
	exits := 0
	for _, e := range p.seen {
		if e.Kind == executor.Exited {
			exits++
		}
	}
	require.Equal(s, 1, exits)
}

func closedOnceAndLast(s *suite) {
	p := s.start("out", "a", "err", "b", "exit", "0")
	events := p.rest()
	for i, e := range events {
		require.Equal(s, uint64(i+1), e.Seq, "without a hole: %v", events)
		require.Equal(s, i == len(events)-1, e.Kind == executor.Closed)
	}
	require.False(s, events[len(events)-1].Cut)

	p = s.start("closeout", "line")
	p.write("\n")
	require.Equal(s, []executor.EventKind{executor.Exited, executor.Closed}, kinds(p.rest()),
		"both streams ended before the exit")
}

func grandchildHoldsStdout(s *suite) {
	p, first, second := held(s)
	child := p.pids(1)[0]
	p.until(executor.Exited)
	require.True(s, s.Alive(child))
	info := p.Info()
	require.Equal(s, executor.StateExited, info.State)
	require.Equal(s, code(3), *info.Exit)
	first.give()
	second.give()
	require.Equal(s, executor.Closed, p.rest()[len(p.seen)-1].Kind)
	require.True(s, strings.HasSuffix(p.text[executor.Stdout].String(), "late"))
}

func failedEndsDelivery(s *suite) {
	if s.Lose == nil {
		s.Skip("this executor cannot lose a process")
	}
	p := s.start("out", "a", "hang")
	p.says("a")
	s.Lose(p)
	failed := p.next()
	require.Equal(s, executor.Failed, failed.Kind)
	require.Zero(s, failed.Seq)
	require.Error(s, failed.Err)
	require.Len(s, p.rest(), 2, "no event follows")
	info := p.Info()
	require.Equal(s, executor.StateFailed, info.State)
	require.Nil(s, info.Exit)
	r := p.read(1, 0, waitLimit)
	require.Equal(s, executor.ExitUnknown, r.Exit.Kind)
	require.Error(s, r.Failure)
}

func streamsAreNotMixed(s *suite) {
	p := s.start("flood", "500", "100", "floode", "300", "50", "exit", "0")
	p.rest()
	require.Equal(s, 500*100, p.text[executor.Stdout].Len())
	require.Equal(s, 300*50, p.text[executor.Stderr].Len())
	require.Equal(s, 500, strings.Count(p.text[executor.Stdout].String(), "\n"))
	require.Equal(s, 300, strings.Count(p.text[executor.Stderr].String(), "\n"))
}

func outputBeforeExit(s *suite) {
	starts := 20
	if !s.Local {
		starts = 5 // each has a connection of its own
	}
	for range starts {
		p := s.start("out", "just before", "exit", "1")
		require.Equal(s, []executor.EventKind{executor.Output, executor.Exited, executor.Closed}, kinds(p.rest()))
	}
}

func processesAreApart(s *suite) {
	steady := s.start("echo")
	bad := s.start("err", "about to fail", "exit", "9")
	deaf := s.start("out", "deaf", "hang")
	noisy := s.start("flood", "20000", "100", "hang")
	deaf.says("deaf")
	_, err := deaf.Write(s.ctx, "", make([]byte, 1<<20))
	require.NoError(s, err)
	bad.rest()
	deaf.terminate()
	require.NotEmpty(s, noisy.read(0, 1, waitLimit).Chunks)
	noisy.terminate()
	steady.write("still here")
	steady.says("still here")
	require.Equal(s, executor.StateRunning, steady.Info().State)
	require.Equal(s, executor.Accepted, steady.CloseStdin())
	require.Equal(s, code(0), steady.until(executor.Exited).Exit)
}
