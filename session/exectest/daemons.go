package exectest

import (
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
)

var daemonTests = []test{
	{"daemon_without_environment", cleanDaemon},
	{"daemon_without_environment_outlives_its_leader", cleanDaemonOutlives},
	{"daemon_with_overwritten_environment", overwrittenDaemon},
	{"daemon_with_overwritten_environment_outlives_its_leader", overwrittenDaemonOutlives},
	{"double_fork_without_environment", doubleFork},
	{"double_fork_without_environment_outlives_its_leader", doubleForkOutlives},
	{"double_fork_and_close_of_the_executor", doubleForkClose},
	{"child_of_another_user", otherUser},
	{"leave_spares_by_name", leaveSpares},
}

// cleanDaemon starts a daemon like env -i setsid PROGRAM, with its pipes
// closed.
func cleanDaemon(s *suite) {
	p := s.start("spawn", "clean", "pid", "closeout", "hang", "end", "pid", "hang")
	pids := p.pids(2)
	p.terminate()
	s.dead(pids...)
}

func cleanDaemonOutlives(s *suite) {
	p := s.start("spawn", "clean", "pid", "closeout", "hang", "end", "pid", "line", "exit", "0")
	pids := p.pids(2)
	s.listed(p, pids...)
	p.write("\n")
	p.rest()
	require.False(s, p.terminate().Running)
	s.dead(pids...)
}

// overwritten starts a daemon that overwrites its environment after it was
// listed. The leader then runs the given steps.
func (s *suite) overwritten(leader ...string) (*watched, []int) {
	s.Helper()
	seen := s.cue()
	p := s.start(slices.Concat([]string{
		"spawn", "daemon", "pid", "cue", seen.path, "overwrite", "out", "overwritten\n", "closeout", "hang", "end", "pid",
	}, leader)...)
	pids := p.pids(2)
	s.listed(p, pids...)
	seen.give()
	p.says("overwritten\n")
	return p, pids
}

func overwrittenDaemon(s *suite) {
	p, pids := s.overwritten("hang")
	p.terminate()
	s.dead(pids...)
}

func overwrittenDaemonOutlives(s *suite) {
	p, pids := s.overwritten("line", "exit", "0")
	p.write("\n")
	p.rest()
	require.False(s, p.terminate().Running)
	s.dead(pids...)
}

func doubleFork(s *suite) {
	end := s.cue()
	p := s.start("spawn", "stray", "pid", "closeout", "cue", end.path, "end", "pid", "hang")
	pids := p.pids(2)
	s.deadOrUnknown(p.terminate(), end, pids...)
}

func doubleForkOutlives(s *suite) {
	end := s.cue()
	p := s.start("spawn", "stray", "pid", "closeout", "cue", end.path, "end", "exit", "0")
	pids := p.pids(1)
	p.rest()
	s.deadOrUnknown(p.terminate(), end, pids...)
}

func doubleForkClose(s *suite) {
	end := s.cue()
	e := s.NewWithRetention(s.T, executor.Retention)
	p, err := e.Start(s.ctx, s.command("spawn", "stray", "pid", "closeout", "cue", end.path, "end", "pid", "hang"))
	require.NoError(s, err)
	pids := s.watch(p, executor.SubscribeOptions{}).pids(2)
	require.NoError(s, e.Close())
	if s.FindsOrphans {
		s.dead(pids...)
	}
	s.release(end, pids...)
}

// otherUser starts, as root, a server that starts a process under another user.
func otherUser(s *suite) {
	const nobody = "65534"
	asks := s.start("uid")
	asks.rest()
	if uid := asks.text[executor.Stdout].String(); uid != "uid 0\n" {
		s.Skipf("processes run as %s: only root can start one under another user", strings.TrimSpace(uid))
	}
	p := s.start("spawn", "clean", "user", nobody, "pid", "closeout", "hang", "end",
		"spawn", "daemon", "user", nobody, "pid", "closeout", "hang", "end", "pid", "hang")
	pids := p.pids(3)
	p.terminate()
	s.dead(pids...)
}

func leaveSpares(s *suite) {
	if !s.Spares {
		s.Skip("this executor spares no process")
	}
	end := s.cue()
	cmd := s.command("spawn", "named=kept-daemon",
		"spawn", "group", "pid", "closeout", "cue", end.path, "end", "pid", "closeout", "cue", end.path, "end",
		"spawn", "daemon", "pid", "closeout", "hang", "end", "pid", "hang")
	cmd.Leave = []string{"other", "kept-daemon"}
	p := s.startCommand(cmd)
	pids := p.pids(4)
	tree, err := p.Tree(s.ctx)
	require.NoError(s, err)
	var spared, others []int
	for _, d := range s.own(tree) {
		if strings.Contains(d.Command, end.path) && !strings.Contains(d.Command, "hang") { // the leader has both
			spared = append(spared, d.PID)
		} else {
			others = append(others, d.PID)
		}
	}
	require.ElementsMatch(s, pids, append(slices.Clone(spared), others...))
	require.Len(s, spared, 2)

	r := p.terminate()
	require.ElementsMatch(s, spared, s.pidsOf(r.Spared))
	require.ElementsMatch(s, others, s.pidsOf(r.Signalled))
	s.dead(others...)
	for _, pid := range spared {
		require.True(s, s.Alive(pid), "%d was not spared", pid)
	}
	s.release(end, spared...)
}

func (s *suite) listed(p *watched, pids ...int) {
	s.Helper()
	require.Eventually(s, func() bool {
		tree, err := p.Tree(s.ctx)
		require.NoError(s, err)
		found := s.pidsOf(tree)
		return !slices.ContainsFunc(pids, func(pid int) bool { return !slices.Contains(found, pid) })
	}, waitLimit, pollInterval, "%v are not all in the tree", pids)
}

func (s *suite) dead(pids ...int) {
	s.Helper()
	for _, pid := range pids {
		require.False(s, s.Alive(pid), "%d of %v survived", pid, pids)
	}
}

// deadOrUnknown requires that none of pids runs. An executor that cannot find
// orphans may leak one and must say so; end then ends it.
func (s *suite) deadOrUnknown(r executor.StopReport, end cue, pids ...int) {
	s.Helper()
	if s.FindsOrphans {
		require.Empty(s, r.CannotTell)
		s.dead(pids...)
		return
	}
	require.NotEmpty(s, r.CannotTell, "a process of %v may be leaked", pids)
	s.release(end, pids...)
}

// known returns r, without CannotTell if the executor may not find every
// process.
func (s *suite) known(r executor.StopReport) executor.StopReport {
	if !s.FindsOrphans {
		r.CannotTell = nil
	}
	return r
}

func (s *suite) release(end cue, pids ...int) {
	s.Helper()
	for range pids { // any of them may take it
		end.give()
	}
	s.gone(pids...)
}
