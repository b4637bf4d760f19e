//go:build linux

package sshexec

import (
	"bufio"
	"context"
	"crypto/rand"
	mathrand "math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshtest"
)

// The survivor matrix: for every kind of server, and every way in which its
// client ends, no process is left on the host: neither of the server, which
// prints its pids, nor of our guard. The full matrix is in
// survivors_long_test.go.

// A serverKind is a server that is hard to end in one way.
type serverKind struct {
	name string
	pids int      // how many processes print their pid
	argv []string // nil means the helper
	// steps of the helper
	steps []string
}

var serverKinds = []serverKind{
	{name: "polite", pids: 1, steps: []string{"pid", "echo"}},
	{name: "ignores-EOF", pids: 1, steps: []string{"pid", "hang"}},
	{name: "ignores-TERM", pids: 1, steps: []string{"ignore", "TERM", "pid", "hang"}},
	{name: "fork", pids: 3, steps: []string{
		"spawn", "child", "pid", "hang", "end",
		"spawn", "child", "ignore", "TERM", "pid", "hang", "end", "pid", "hang"}},
	{name: "own-group", pids: 3, steps: []string{
		"spawn", "group", "pid", "hang", "end",
		"spawn", "group", "ignore", "TERM", "pid", "hang", "end", "pid", "hang"}},
	{name: "daemon", pids: 2, steps: []string{"spawn", "daemon", "ignore", "TERM", "pid", "hang", "end", "pid", "hang"}},
	{name: "chatty", pids: 1, argv: []string{"/bin/sh", "-c", `echo "pid $$"; while echo '{"jsonrpc":"2.0"}'; do sleep 0.2; done`}},
	// It writes as fast as it can.
	{name: "flooding", pids: 1, steps: []string{"pid", "flood", "1000000000", "16384"}},
	// The leader has ended before its client does; the others may not be able
	// to write: some servers end the streams with the leader.
	{name: "leaderless", pids: 1, steps: []string{
		"spawn", "child", "ignore", "TERM", "pid", "hang", "end",
		"spawn", "daemon", "pid", "hang", "end", "pid"}},
}

// kindNamed returns the kind with that name.
func kindNamed(name string) serverKind {
	return serverKinds[slices.IndexFunc(serverKinds, func(k serverKind) bool { return k.name == name })]
}

// A host is a server with the program that it can run.
type host struct {
	*sshtest.Server
	program string
}

// The nonce of a run is in the environment of all its processes. Only the test
// uses it, not the guard.
const nonceName = "SURVIVORS"

// command returns the command that starts a kind.
func (h host) command(k serverKind, nonce string) executor.Command {
	argv := k.argv
	if argv == nil {
		argv = append([]string{h.program}, exectest.HelperArgs(k.steps...)...)
	}
	return executor.Command{Argv: argv, Env: []executor.EnvVar{{Name: nonceName, Value: nonce}}}
}

// An outcome is one cell of the matrix.
type outcome struct {
	pids       []int         // of the server, as printed
	connection string        // the variable in all processes of the connection; empty if they had ended
	after      time.Duration // until the server's processes had ended
	survivors  []int
}

// An ending ends a client. It returns the pids and the connection of its
// processes, at the moment of the end.
type ending struct {
	name string
	run  func(t *testing.T, h host, k serverKind, nonce string) outcome
}

var endings = []ending{
	{"close", endClose}, {"handshake", endHandshake}, {"killed", endKilled}, {"cut", endCut}, {"vanish", endVanish},
}

func endingNamed(name string) ending {
	return endings[slices.IndexFunc(endings, func(e ending) bool { return e.name == name })]
}

// startKind starts a kind and reads its pids.
func startKind(t *testing.T, h host, k serverKind, nonce string, change ...func(*Options)) (started, outcome) {
	t.Helper()
	e := at(t, h.Server, change...)
	t.Cleanup(func() { _ = e.Close() }) // lost processes return an error
	p, err := startOwn(t.Context(), e, h.command(k, nonce))
	require.NoError(t, err)
	o := outcome{pids: learn(t, p, k.pids)}
	o.connection = connectionOf(t, nonce, o.pids...)
	return p, o
}

// learn waits until n processes have printed their pids.
func learn(t *testing.T, p executor.Process, n int) []int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	var text strings.Builder
	for after := uint64(0); ; {
		r, err := p.Read(ctx, after, 0, bound)
		require.NoError(t, err, "%s", text.String())
		for _, c := range r.Chunks {
			text.Write(c.Data)
		}
		if pids := exectest.PIDLines(text.String()); len(pids) >= n {
			return pids
		}
		require.False(t, r.Closed || r.Failure != nil, "its output is %q", text.String())
		after = r.NextSeq - 1
	}
}

// connectionOf returns the variable that the server sets for all processes of a
// connection, including guards. It is empty if none of the server's processes
// is left: if the streams end with the leader, the others are ended with it,
// and may be gone before they are read.
func connectionOf(t *testing.T, nonce string, pids ...int) (connection string) {
	t.Helper()
	require.Eventually(t, func() bool {
		left := slices.DeleteFunc(slices.Clone(pids), func(pid int) bool { return !exectest.Alive(pid) })
		if len(left) == 0 {
			left = carrying(nonceName + "=" + nonce)
		}
		for _, pid := range left {
			if connection = variable(pid, "SSH_CONNECTION"); connection != "" {
				return true
			}
		}
		return len(left) == 0
	}, bound, time.Millisecond, "no process says what its connection is")
	return connection
}

// endClose ends a process in an orderly way.
func endClose(t *testing.T, h host, k serverKind, nonce string) outcome {
	p, o := startKind(t, h, k, nonce)
	p.CloseStdin()
	_, err := p.Stop(t.Context(), executor.StepTerm, executor.ScopeGroup)
	require.NoError(t, err)
	r, err := p.Terminate(t.Context())
	require.NoError(t, err)
	require.Empty(t, r.Survivors)
	require.Empty(t, slices.DeleteFunc(o.pids, func(pid int) bool { return !exectest.Alive(pid) }), "when Terminate has returned")
	return o
}

// endHandshake gives up at once, as if there was no reply.
func endHandshake(t *testing.T, h host, k serverKind, nonce string) outcome {
	e := at(t, h.Server)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	p, err := e.Start(t.Context(), h.command(k, nonce))
	require.NoError(t, err)
	o := outcome{connection: connectionOf(t, nonce, p.Info().PID)}
	r, err := p.Terminate(t.Context())
	require.NoError(t, err)
	require.Empty(t, r.Survivors)
	read, err := p.Read(t.Context(), 0, 0, 0)
	require.NoError(t, err)
	for _, c := range read.Chunks {
		o.pids = append(o.pids, exectest.PIDLines(string(c.Data))...)
	}
	left := carrying(nonceName + "=" + nonce)
	require.Empty(t, left, "when Terminate has returned:\n%s", exectest.Describe(left))
	return o
}

// endKilled kills the whole client.
func endKilled(t *testing.T, h host, k serverKind, nonce string) outcome {
	cmd := h.command(k, nonce)
	driver := exec.Command(os.Args[0], driverArgs(h.Config, h.Alias, cmd.Env[0], cmd.Argv...)...)
	driver.Stderr = os.Stderr
	stdin, err := driver.StdinPipe()
	require.NoError(t, err)
	stdout, err := driver.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, driver.Start())
	defer stdin.Close()
	defer func() { _ = driver.Wait() }()
	defer func() { _ = driver.Process.Kill() }()

	defer exectest.KillAfterLimit(driver.Process)()
	var said strings.Builder
	lines := bufio.NewReader(stdout)
	for len(exectest.PIDLines(said.String())) < k.pids {
		line, err := lines.ReadString('\n')
		require.NoError(t, err)
		if strings.HasPrefix(line, "pid ") {
			said.WriteString(line)
		}
	}
	o := outcome{pids: exectest.PIDLines(said.String())}
	o.connection = connectionOf(t, nonce, o.pids...)
	require.NoError(t, driver.Process.Kill())
	return o
}

// endCut resets the connection, on both sides.
func endCut(t *testing.T, h host, k serverKind, nonce string) outcome {
	proxy := sshtest.NewProxy(t, h.Addr)
	_, o := startKind(t, host{h.Through(t, proxy), h.program}, k, nonce)
	proxy.Cut()
	return o
}

// endVanish drops all data: neither side notices an end. The guard ends the
// run: the client cannot reach the host.
func endVanish(t *testing.T, h host, k serverKind, nonce string) outcome {
	proxy := sshtest.NewProxy(t, h.Addr)
	p, o := startKind(t, host{h.Through(t, proxy), h.program}, k, nonce, func(o *Options) { o.Lease = 8 * time.Second })
	t.Cleanup(func() { lose(p.own) }) // so that the test need not wait for the keepalive
	proxy.Freeze()
	return o
}

// survive runs one cell of the matrix: it fails if a process is left.
func survive(t *testing.T, h host, k serverKind, e ending) outcome {
	t.Helper()
	nonce := rand.Text()
	o := e.run(t, h, k, nonce)
	o.survivors, o.after = exectest.UntilNone(0, func() []int {
		left := slices.DeleteFunc(slices.Clone(o.pids), func(pid int) bool { return !exectest.Alive(pid) })
		left = append(left, carrying(nonceName+"="+nonce)...)
		slices.Sort(left)
		return slices.Compact(left)
	})
	if len(o.survivors) > 0 {
		t.Errorf("%d survivors:\n%s", len(o.survivors), exectest.Describe(o.survivors))
	}
	for _, pid := range o.survivors {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	return o
}

// leavesNoProcess fails the test if, in the end, a process that a server has
// started still runs, including guards, clocks and shells.
func leavesNoProcess(t *testing.T, s *sshtest.Server) {
	t.Helper()
	t.Cleanup(func() {
		left, _ := exectest.UntilNone(0, func() []int { return startedBy(s) })
		require.Empty(t, left, exectest.Describe(left))
	})
}

// openSSHHost returns an sshd for the user who runs the test.
func openSSHHost(t *testing.T) host { return host{sshtest.OpenSSH(t, sshtest.Options{}), os.Args[0]} }

// dropbearHost returns a dropbear for a temporary user.
func dropbearHost(t *testing.T) host {
	program := ordinaryProgram(t)
	return host{sshtest.Dropbear(t, sshtest.Options{}), program}
}

// TestSurvivors is the short form of the matrix.
func TestSurvivors(t *testing.T) {
	t.Parallel()
	t.Run("openssh", func(t *testing.T) {
		h := openSSHHost(t)
		leavesNoProcess(t, h.Server)
		for _, k := range serverKinds {
			if k.name == "flooding" {
				continue // needs the machine for itself: only in the long form
			}
			cellOf(t, h, k, endingNamed("close"))
		}
		cellOf(t, h, kindNamed("own-group"), endingNamed("cut"))
		cellOf(t, h, kindNamed("daemon"), endingNamed("cut"))
		cellOf(t, h, kindNamed("fork"), endingNamed("handshake"))
		cellOf(t, h, kindNamed("daemon"), endingNamed("killed"))
	})
	t.Run("dropbear", func(t *testing.T) {
		h := dropbearHost(t)
		leavesNoProcess(t, h.Server)
		cellOf(t, h, kindNamed("fork"), endingNamed("close"))
		cellOf(t, h, kindNamed("own-group"), endingNamed("cut"))
		cellOf(t, h, kindNamed("daemon"), endingNamed("cut"))
		cellOf(t, h, kindNamed("daemon"), endingNamed("vanish"))
	})
}

func cellOf(t *testing.T, h host, k serverKind, e ending) {
	t.Run(k.name+"/"+e.name, func(t *testing.T) {
		t.Parallel()
		survive(t, h, k, e)
	})
}

// TestDisconnects is the short form of TestLongDisconnects.
func TestDisconnects(t *testing.T) {
	t.Parallel()
	disconnect(t, openSSHHost(t), 8, 8)
}

// disconnect breaks connections at random moments: up to 20 ms after a start,
// and during it. No process may be left then.
func disconnect(t *testing.T, h host, after, during int) {
	begin := time.Now()
	p, _ := startKind(t, h, kindNamed("polite"), rand.Text())
	usual := time.Since(begin)
	_, err := p.Terminate(t.Context())
	require.NoError(t, err)

	var moments []time.Duration // during the start is negative
	for range after {
		moments = append(moments, mathrand.N(20*time.Millisecond))
	}
	for range during {
		moments = append(moments, -mathrand.N(usual)-1)
	}
	kinds := []serverKind{kindNamed("fork"), kindNamed("own-group"), kindNamed("daemon"), kindNamed("leaderless")}
	queue := make(chan time.Duration, len(moments))
	for _, m := range moments {
		queue <- m
	}
	close(queue)
	var mu sync.Mutex
	started := 0
	var workers sync.WaitGroup
	for worker := range 4 {
		proxy := sshtest.NewProxy(t, h.Addr)
		through := host{h.Through(t, proxy), h.program}
		workers.Go(func() {
			for moment := range queue {
				k := kinds[(worker+int(moment))&3]
				if disconnectAt(t, proxy, through, k, usual, moment) {
					mu.Lock()
					started++
					mu.Unlock()
				}
			}
		})
	}
	workers.Wait()
	left, last := exectest.UntilNone(time.Second, func() []int { return startedBy(h.Server) })
	require.Empty(t, left, exectest.Describe(left))
	t.Logf("%d connections cut, %d starts had succeeded; a start takes %v; all processes ended %v after the last cut", len(moments), started, usual, last)
}

// disconnectAt starts a process and cuts its connection: moment after the
// start, or during it if that is negative. It reports whether the start
// succeeded.
func disconnectAt(t *testing.T, proxy *sshtest.Proxy, h host, k serverKind, usual, moment time.Duration) bool {
	e := at(t, h.Server)
	defer func() { _ = e.Close() }() // a lost process returns an error
	if moment < 0 {
		timer := time.AfterFunc(usual+moment, proxy.Cut)
		defer timer.Stop()
	}
	_, err := e.Start(t.Context(), h.command(k, rand.Text()))
	if moment >= 0 {
		if err != nil {
			t.Errorf("start: %v", err)
			return false
		}
		time.Sleep(moment) // no event: at any moment a process may be missed
	}
	proxy.Cut()
	return err == nil
}
