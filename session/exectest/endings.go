package exectest

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
)

var endingTests = []test{
	{"item27_terminate", terminate},
	{"item27_terminate_kills_the_group", terminateKillsGroup},
	{"item27_no_zombie", noZombie},
	{"item29_shutdown_sequence", shutdownSequence},
	{"item29_signals_and_scopes", signalsAndScopes},
	{"item29_term_ignoring_descendants", termIgnoring},
	{"item30_close_of_the_executor", closeOfTheExecutor},
	{"item30_cancelled_context_of_start", cancelledContext},
	{"item30_failed_terminate_can_be_retried", terminateRetried},
	{"item31_retention_begins_at_closed", retention},
	{"exit_signal_is_reported", exitSignal},
	{"one_process_is_killed", killOne},
	{"first_of_exit_and_terminate_decides", exitBeforeTerminate},
	{"daemons_are_found_and_killed", daemons},
	{"descendants_of_an_exited_leader_are_killed", exitedLeader},
	{"leaked_processes_are_reported", leakedProcesses},
	{"descendants_that_end_soon_after_their_leader_are_not_leaked", endsSoonAfter},
	{"terminate_does_not_cut_ending_streams", terminateReadsTheRest},
	{"terminate_cuts_streams_held_by_unreachable_processes", terminateCuts},
}

func terminate(s *suite) {
	p := s.start("pid", "hang")
	pid := p.pids(1)[0]
	require.True(s, p.terminate().Running)
	require.False(s, s.Alive(pid))
	require.False(s, p.terminate().Running)
	exited := p.until(executor.Exited)
	require.Equal(s, executor.Exit{Kind: executor.ExitSignal, Signal: "KILL"}, exited.Exit)
	require.Equal(s, executor.Closed, p.next().Kind)

	p = s.start("exit", "0")
	p.rest()
	require.False(s, p.terminate().Running, "after the exit")
}

func terminateKillsGroup(s *suite) {
	p := s.start("pid", "spawn", "child", "ignore", "TERM", "pid", "hang", "end",
		"spawn", "group", "pid", "hang", "end", "hang")
	pids := p.pids(3)
	r := p.terminate()
	require.True(s, r.Running)
	require.ElementsMatch(s, pids, s.pidsOf(r.Signalled))
	for _, pid := range pids {
		require.False(s, s.Alive(pid), "when Terminate has returned")
	}
}

func killOne(s *suite) {
	p := s.start("spawn", "daemon", "pid", "hang", "end", "line", "pid", "hang")
	killer, ok := p.Process.(executor.TreeKiller)
	require.True(s, ok)
	daemon := p.pids(1)[0]
	s.listed(p, daemon)
	for _, foreign := range []int{0, 1 << 30, -daemon} {
		_, err := killer.KillOne(s.ctx, foreign)
		require.ErrorIs(s, err, executor.ErrNotInTree, foreign)
	}
	killed, err := killer.KillOne(s.ctx, daemon)
	require.NoError(s, err)
	require.Equal(s, daemon, killed.PID)
	require.Eventually(s, func() bool { return !s.Alive(daemon) }, waitLimit, pollInterval)
	_, err = killer.KillOne(s.ctx, daemon)
	require.ErrorIs(s, err, executor.ErrNotInTree)
	p.write("\n")
	leader := p.pids(2)[1]
	s.listed(p, leader)
	killed, err = killer.KillOne(s.ctx, leader)
	require.NoError(s, err)
	require.Equal(s, leader, killed.PID)
	require.Eventually(s, func() bool { return !s.Alive(leader) }, waitLimit, pollInterval)
	exited := p.until(executor.Exited)
	if !s.Wrapped { // a wrapper has a status of its own
		require.Equal(s, executor.Exit{Kind: executor.ExitSignal, Signal: "KILL"}, exited.Exit)
	}
}

// own returns the processes that run the helper, or all if no wrapper can be among them.
func (s *suite) own(list []executor.Descendant) []executor.Descendant {
	return slices.DeleteFunc(slices.Clone(list), func(d executor.Descendant) bool {
		program, _, found := strings.Cut(d.Command, " "+helperArg)
		return s.Wrapped && (!found || strings.Contains(program, " ")) // a wrapper is listed with the helper's command
	})
}

func (s *suite) pidsOf(list []executor.Descendant) []int {
	var pids []int
	for _, d := range s.own(list) {
		pids = append(pids, d.PID)
	}
	return pids
}

func noZombie(s *suite) {
	for _, steps := range [][]string{{"pid", "exit", "0"}, {"pid", "hang"}} {
		p := s.start(steps...)
		pid := p.pids(1)[0]
		if steps[1] == "exit" {
			p.rest()
		}
		p.terminate()
		require.False(s, s.Zombie(pid))
	}
}

func shutdownSequence(s *suite) {
	p := s.start("pid", "ignore", "TERM", "spawn", "child", "ignore", "TERM", "pid", "hang", "end",
		"spawn", "child", "pid", "hang", "end", "reap", "hang")
	p.pids(3)
	tree, err := p.Tree(s.ctx)
	require.NoError(s, err)
	require.ElementsMatch(s, p.pids(3), s.pidsOf(tree), "%+v", tree)

	r, err := p.Stop(s.ctx, executor.StepCloseStdin, executor.ScopeGroup)
	require.NoError(s, err)
	require.True(s, r.Running)
	require.False(s, p.Info().StdinOpen)

	r, err = p.Stop(s.ctx, executor.StepTerm, executor.ScopeGroup)
	require.NoError(s, err)
	require.ElementsMatch(s, p.pids(3), s.pidsOf(r.Signalled))
	require.Eventually(s, func() bool {
		tree, err := p.Tree(s.ctx)
		return err == nil && len(s.pidsOf(tree)) == 2
	}, waitLimit, pollInterval, "the process that does not ignore it ends")

	_, err = p.Stop(s.ctx, executor.StepKill, executor.ScopeGroup)
	require.NoError(s, err)
	if exit := p.exited().Exit; !s.Wrapped { // which may take the TERM
		require.Equal(s, "KILL", exit.Signal)
	}
	p.rest()
	s.gone(p.pids(3)...)
	if s.Wrapped { // another process of the wrapper may still be ending
		require.Eventually(s, func() bool {
			tree, err := p.Tree(s.ctx)
			return err == nil && len(tree) == 0
		}, waitLimit, pollInterval)
	}

	for _, scope := range []executor.Scope{executor.ScopeLeader, executor.ScopeGroup, executor.ScopeTree} {
		r, err = p.Stop(s.ctx, executor.StepKill, scope)
		require.NoError(s, err, "a group that is gone is not an error")
		require.Equal(s, executor.StopReport{}, s.known(r))
	}
	require.False(s, p.terminate().Running)
}

func signalsAndScopes(s *suite) {
	p := s.start("trap", "INT", "7", "spawn", "child", "trap", "INT", "8", "pid", "hang", "end", "pid", "hang")
	child := p.pids(2)[0]
	r, err := p.Stop(s.ctx, executor.StepInterrupt, executor.ScopeLeader)
	require.NoError(s, err)
	require.Len(s, r.Signalled, 1)
	require.Equal(s, code(7), p.until(executor.Exited).Exit)
	require.Contains(s, p.pids(2), r.Signalled[0].PID)
	if r.Signalled[0].PID == child {
		child = p.pids(2)[1]
	}
	require.True(s, s.Alive(child), "only the leader was signalled")
	r, err = p.Stop(s.ctx, executor.StepInterrupt, executor.ScopeGroup)
	require.NoError(s, err)
	require.False(s, r.Running)
	require.Equal(s, []int{child}, s.pidsOf(r.Signalled))
	require.Equal(s, executor.Closed, p.next().Kind)
	s.gone(child)
}

func termIgnoring(s *suite) {
	p := s.start("spawn", "child", "ignore", "TERM", "ignore", "INT", "spawn", "group", "ignore", "TERM",
		"pid", "hang", "end", "pid", "hang", "end", "pid", "trap", "TERM", "0", "hang")
	pids := p.pids(3)
	_, err := p.Stop(s.ctx, executor.StepTerm, executor.ScopeTree)
	require.NoError(s, err)
	require.Equal(s, code(0), p.until(executor.Exited).Exit)
	require.False(s, p.terminate().Running)
	require.Equal(s, executor.Closed, p.next().Kind)
	for _, pid := range pids {
		require.False(s, s.Alive(pid))
	}
}

func closeOfTheExecutor(s *suite) {
	e := s.NewWithRetention(s.T, executor.Retention)
	var pids []int
	var all []*watched
	for range 3 {
		p, err := e.Start(s.ctx, s.command("spawn", "daemon", "pid", "hang", "end", "pid", "hang"))
		require.NoError(s, err)
		w := s.watch(p, executor.SubscribeOptions{})
		pids = append(pids, w.pids(2)...)
		all = append(all, w)
	}
	require.NoError(s, e.Close())
	for _, pid := range pids {
		require.False(s, s.Alive(pid))
	}
	for _, w := range all {
		require.Equal(s, executor.Closed, w.rest()[len(w.seen)-1].Kind)
	}
	require.NoError(s, e.Close(), "twice is safe")
	_, err := e.Start(s.ctx, s.command("exit", "0"))
	require.ErrorIs(s, err, executor.ErrClosed)
}

func cancelledContext(s *suite) {
	ctx, cancel := context.WithCancel(s.ctx)
	p, err := s.Executor.Start(ctx, s.command("line", "exit", "0"))
	require.NoError(s, err)
	cancel()
	w := s.watch(p, executor.SubscribeOptions{})
	w.write("\n")
	require.Equal(s, code(0), w.until(executor.Exited).Exit, "the start is over")

	_, err = s.Executor.Start(ctx, s.command("hang"))
	var failed *executor.StartError
	require.ErrorAs(s, err, &failed)
	require.Equal(s, executor.StartCancelled, failed.Code)
	require.ErrorIs(s, err, context.Canceled)
}

func terminateRetried(s *suite) {
	p := s.start("pid", "hang")
	pid := p.pids(1)[0]
	ctx, cancel := context.WithCancel(s.ctx)
	cancel()
	_, _ = p.Terminate(ctx) // it may have succeeded
	p.terminate()
	require.False(s, s.Alive(pid))
	p.until(executor.Closed)
}

func retention(s *suite) {
	const short = 150 * time.Millisecond
	e := s.NewWithRetention(s.T, short)
	defer func() { require.NoError(s, e.Close()) }()
	late := s.cue()
	cmd := s.command("spawn", "child", "cue", late.path, "out", "late", "end", "pids", "exit", "0")
	cmd.ID = "kept"
	p, err := e.Start(s.ctx, cmd)
	require.NoError(s, err)
	w := s.watch(p, executor.SubscribeOptions{})
	w.until(executor.Exited)
	require.Empty(s, w.read(w.Info().NextSeq-1, 0, 2*short).Chunks)
	require.Equal(s, executor.StateExited, p.Info().State, "retention does not begin at the exit")
	late.give()
	w.until(executor.Closed)
	require.Equal(s, "late", string(w.read(0, 0, 0).Chunks[1].Data))
	require.Eventually(s, func() bool { return p.Info().State == executor.StateUnknown }, waitLimit, pollInterval)
	_, err = p.Read(s.ctx, 0, 0, 0)
	require.ErrorIs(s, err, executor.ErrUnknownProcess)
	r, err := p.Write(s.ctx, "", []byte("x"))
	require.NoError(s, err)
	require.Equal(s, executor.UnknownProcess, r.Status)
	again, err := e.Start(s.ctx, cmd)
	require.NoError(s, err, "the id is free")
	require.Equal(s, executor.StateUnknown, p.Info().State, "the old handle is not the new process")
	_, err = again.Terminate(s.ctx)
	require.NoError(s, err)
}

func exitSignal(s *suite) {
	p := s.start("hang")
	_, err := p.Stop(s.ctx, executor.StepTerm, executor.ScopeLeader)
	require.NoError(s, err)
	exit := p.until(executor.Exited).Exit
	if s.ShellStatus {
		exit.Why = "" // it may say that the status is that of a shell
	}
	require.Equal(s, s.signalled("TERM", 15), exit)
}

func exitBeforeTerminate(s *suite) {
	p, _, _ := held(s)
	p.until(executor.Exited)
	child := p.pids(1)[0]
	require.False(s, p.terminate().Running)
	require.Equal(s, code(3), *p.Info().Exit)
	require.Equal(s, executor.Closed, p.next().Kind)
	require.False(s, s.Alive(child))
}

func daemons(s *suite) {
	p := s.start("spawn", "daemon", "pid", "closeout", "hang", "end", "pid", "hang")
	pids := p.pids(2)
	tree, err := p.Tree(s.ctx)
	require.NoError(s, err)
	require.ElementsMatch(s, pids, s.pidsOf(tree))
	for _, d := range s.own(tree) {
		require.Contains(s, d.Command, helperArg)
		require.Positive(s, d.RSS)
	}
	p.terminate()
	for _, pid := range pids {
		require.False(s, s.Alive(pid))
	}
	tree, err = p.Tree(s.ctx)
	require.NoError(s, err)
	require.Empty(s, tree)
}

func exitedLeader(s *suite) {
	p := s.start("spawn", "daemon", "pid", "closeout", "hang", "end",
		"spawn", "child", "pid", "closeout", "hang", "end", "exit", "0")
	pids := p.pids(2)
	p.rest()
	require.Equal(s, executor.StateClosed, p.Info().State)
	for _, pid := range pids {
		require.True(s, s.Alive(pid))
	}
	require.False(s, p.terminate().Running)
	for _, pid := range pids {
		require.False(s, s.Alive(pid))
	}
}

func leakedProcesses(s *suite) {
	p := s.start("spawn", "daemon", "pid", "closeout", "hang", "end",
		"spawn", "child", "pid", "ignore", "TERM", "closeout", "hang", "end", "exit", "0")
	pids := p.pids(2)
	p.rest()
	r := p.terminate()
	require.False(s, r.Running)
	require.ElementsMatch(s, pids, s.pidsOf(r.Signalled))
	for _, d := range r.Signalled {
		require.Contains(s, d.Command, helperArg)
	}
	require.Empty(s, p.terminate().Signalled, "once")
}

func endsSoonAfter(s *suite) {
	p := s.start("spawn", "daemon", "pid", "closeout", "nap", "30", "end",
		"spawn", "child", "pid", "closeout", "nap", "30", "end", "exit", "0")
	pids := p.pids(2)
	p.rest()
	r := p.terminate()
	require.Equal(s, executor.StopReport{}, s.known(r), "they ended by themselves")
	for _, pid := range pids {
		require.False(s, s.Alive(pid))
	}
}

func terminateReadsTheRest(s *suite) {
	p := s.start("out", "first", "line", "out", "last", "hang")
	p.says("first")
	p.write("\n")
	p.says("last")
	p.terminate()
	require.False(s, p.until(executor.Closed).Cut)
}

func terminateCuts(s *suite) {
	for range 10 {
		end := s.cue()
		p := s.start("spawn", "stray", "pid", "cue", end.path, "end", "exit", "0")
		stray := p.pids(1)[0]
		p.exited()
		report, err := p.Terminate(s.ctx)
		require.NoError(s, err)
		closed := p.until(executor.Closed)
		if found := s.pidsOf(report.Signalled); slices.Equal(found, []int{stray}) {
			require.False(s, closed.Cut)
			if s.FindsOrphans {
				return
			}
			continue // a look caught it before it had left the tree
		}
		require.False(s, s.FindsOrphans, "the stray was not found")
		require.Empty(s, report.Signalled)
		require.True(s, closed.Cut)
		require.NotEmpty(s, report.CannotTell)
		end.give()
		s.gone(stray)
		return
	}
	require.Fail(s, "the stray was found each time")
}
