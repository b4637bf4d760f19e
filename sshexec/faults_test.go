//go:build unix

package sshexec

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/session/executor/guard"
	"mcpdbg/sshexec/sshtest"
)

// waitLimit is the time limit for every wait.
const waitLimit = 5 * time.Minute

// helper returns a command that runs the steps of the helper.
func helper(steps ...string) executor.Command {
	return executor.Command{Argv: append([]string{os.Args[0]}, exectest.HelperArgs(steps...)...)}
}

// failedStart starts cmd and returns the error.
func failedStart(t *testing.T, e *Executor, cmd executor.Command) *executor.StartError {
	t.Helper()
	defer func() { require.NoError(t, e.Close()) }()
	_, err := e.Start(t.Context(), cmd)
	var failed *executor.StartError
	require.ErrorAs(t, err, &failed)
	t.Logf("%-16s %v", failed.Code, err)
	t.Logf("%-16s said %q, try: %s", "", failed.Said, failed.Hint)
	require.NotContains(t, err.Error(), guard.Bootstrap, "the command was not sent")
	require.LessOrEqual(t, len(failed.Said), saidLimit+3)
	require.Positive(t, failed.Elapsed)
	return failed
}

func brief(o *Options) { o.StartTimeout = 8 * time.Second }

// awaiting shortens the limit for a start that must time out. Others have more
// time: on a busy machine they might time out too.
func awaiting(code executor.StartCode) func(*Options) {
	if code == executor.StartTimeout {
		return brief
	}
	return func(o *Options) { o.StartTimeout = waitLimit }
}

func TestStartOnAServerThatRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		server sshtest.FakeOptions
		want   executor.StartCode
		reach  bool
		said   string
	}{
		{"no session at all", sshtest.FakeOptions{MaxSessions: -1}, executor.ChanLimit, true, ""},
		{"no commands", sshtest.FakeOptions{RefuseExec: true}, executor.ExecRefused, true, ""},
		{"no reply to exec", sshtest.FakeOptions{IgnoreExec: true}, executor.StartTimeout, false, ""},
		{"cut before the marker", sshtest.FakeOptions{CutAfter: 1}, executor.LostClosed, true, ""},
		{"reset before the marker", sshtest.FakeOptions{CutAfter: 1, Reset: true}, executor.LostReset, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			failed := failedStart(t, at(t, sshtest.Fake(t, c.server), awaiting(c.want)), helper("hang"))
			require.Equal(t, c.want, failed.Code)
			require.Equal(t, c.reach, failed.Code.Unreachable())
			require.NotEmpty(t, failed.Hop)
			require.Equal(t, "start", failed.Phase)
			require.Contains(t, failed.Said, c.said)
		})
	}
}

// Writing a script that is larger than the window blocks if the other side does
// not read.
func TestStartWithAScriptLargerThanTheWindow(t *testing.T) {
	t.Parallel()
	cmd := helper("hang")
	cmd.Env = []executor.EnvVar{{Name: "LARGE", Value: strings.Repeat("x", 4<<20)}}
	failed := failedStart(t, at(t, sshtest.Inetd(t, sshtest.Options{KeyOptions: `command="exec sleep 60"`}), brief), cmd)
	require.Equal(t, executor.StartTimeout, failed.Code)
}

func TestStartOnAForcedCommand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, command string
		want          executor.StartCode
		said          string
	}{
		{"refuses", `command="echo this account is for backups; exit 3"`, executor.StartNoMarker, "this account is for backups"},
		{"refuses on stderr", `command="echo go away >&2; exit 1"`, executor.StartNoMarker, "go away"},
		{"is silent", `command="exec cat >/dev/null"`, executor.StartTimeout, ""},
		{"echoes", `command="exec cat"`, executor.StartTimeout, "start script"},
		{"never stops writing", `command="exec yes noise"`, executor.StartNoMarker, "noise"},
		{"lacks a program", `command="/nonexistent/sh"`, executor.StartNoMarker, "No such file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			failed := failedStart(t, at(t, sshtest.Inetd(t, sshtest.Options{KeyOptions: c.command}), awaiting(c.want)), helper("hang"))
			require.Equal(t, c.want, failed.Code)
			require.Contains(t, failed.Said, c.said)
			require.Contains(t, failed.Hint, "--ssh-launch plain", "which starts a forced command that is the server")
		})
	}
}

// collected returns the events and output of a process until delivery ended.
func collected(t *testing.T, p executor.Process) (events []executor.Event, stdout string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waitLimit)
	defer cancel()
	sub, err := p.Subscribe(executor.SubscribeOptions{})
	require.NoError(t, err)
	defer sub.Close()
	var out strings.Builder
	for {
		e, err := sub.Next(ctx)
		if errors.Is(err, io.EOF) {
			return events, out.String()
		}
		require.NoError(t, err)
		events = append(events, e)
		if e.Kind == executor.Output && e.Stream == executor.Stdout {
			out.Write(e.Data)
		}
	}
}

func TestIncompleteEndings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		server sshtest.FakeOptions
		kinds  []executor.EventKind // after the output
		code   executor.StartCode   // of the loss
	}{
		{"properly", sshtest.FakeOptions{}, []executor.EventKind{executor.Exited, executor.Closed}, ""},
		{"exit status, no close", sshtest.FakeOptions{Ending: sshtest.EndWithoutClose}, []executor.EventKind{executor.Exited, executor.Closed}, ""},
		{"close, no exit status", sshtest.FakeOptions{Ending: sshtest.EndWithoutStatus}, []executor.EventKind{executor.Failed}, executor.LostClosed},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := at(t, sshtest.Fake(t, c.server))
			p, err := e.Start(t.Context(), helper("out", "said", "exit", "7"))
			require.NoError(t, err)
			events, stdout := collected(t, p)
			require.Equal(t, "said", stdout)
			var kinds []executor.EventKind
			for _, e := range events {
				if e.Kind != executor.Output {
					kinds = append(kinds, e.Kind)
				}
			}
			require.Equal(t, c.kinds, kinds)
			info := p.Info()
			if c.code == "" {
				require.Equal(t, executor.Exit{Kind: executor.ExitCode, Code: 7}, *info.Exit)
			} else {
				var lost *executor.LostError
				require.ErrorAs(t, info.Failure, &lost)
				require.Equal(t, c.code, lost.Code)
				require.NotEmpty(t, lost.Hint)
				require.Nil(t, info.Exit, "never a clean exit")
			}
			require.NoError(t, e.Close())
		})
	}
}

// A server that sends EOF and then nothing, neither exit nor close, has not
// ended: Terminate must still return.
func TestEndInSilenceCanBeTerminated(t *testing.T) {
	t.Parallel()
	e := at(t, sshtest.Fake(t, sshtest.FakeOptions{Ending: sshtest.EndSilently}))
	p, err := e.Start(t.Context(), helper("exit", "0"))
	require.NoError(t, err)
	_, err = p.Terminate(t.Context())
	require.NoError(t, err)
	var lost *executor.LostError
	require.ErrorAs(t, p.Info().Failure, &lost)
	require.Equal(t, executor.LostClosed, lost.Code)
	require.NoError(t, e.Close())
}

func TestLossHasItsFirstCause(t *testing.T) {
	t.Parallel()
	server := sshtest.OpenSSH(t, sshtest.Options{})
	for _, c := range []struct {
		name string
		end  func(*sshtest.Proxy)
		code executor.StartCode
	}{
		{"cut", (*sshtest.Proxy).Cut, executor.LostReset},
		{"frozen", (*sshtest.Proxy).Freeze, executor.LostKeepalive},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			proxy := sshtest.NewProxy(t, server.Addr)
			e := at(t, server.Through(t, proxy))
			p, err := e.Start(t.Context(), helper("pid", "spawn", "daemon", "pid", "hang", "end", "hang"))
			require.NoError(t, err)
			sub, err := p.Subscribe(executor.SubscribeOptions{})
			require.NoError(t, err)
			defer sub.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 2*waitLimit)
			defer cancel()
			_, err = sub.Next(ctx)
			require.NoError(t, err)
			waiting := make(chan error, 1)
			go func() {
				for {
					r, err := p.Read(ctx, p.Info().NextSeq-1, 0, time.Hour)
					if err != nil || r.Failure != nil {
						waiting <- errors.Join(err, r.Failure)
						return
					}
				}
			}()
			c.end(proxy)
			var failed executor.Event
			for failed.Kind != executor.Failed {
				failed, err = sub.Next(ctx)
				require.NoError(t, err)
			}
			var lost *executor.LostError
			require.ErrorAs(t, failed.Err, &lost)
			require.Equal(t, c.code, lost.Code)
			t.Logf("%s: %v; try: %s", lost.Code, lost, lost.Hint)
			require.ErrorAs(t, <-waiting, &lost, "the pending write fails")
			r, err := p.Write(t.Context(), "late", []byte("x"))
			require.NoError(t, err)
			require.Equal(t, executor.StdinClosed, r.Status)
			info := p.Info()
			require.Equal(t, executor.StateFailed, info.State)
			require.Equal(t, executor.LinkLost, info.Link.State)
			require.NoError(t, e.Close())
		})
	}
}

// A server is never started again elsewhere, least of all locally.
func TestUnreachableHostStartsNothing(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "trace")
	server := sshtest.Fake(t, sshtest.FakeOptions{RefuseExec: true})
	failed := failedStart(t, at(t, server), executor.Command{Argv: []string{"/bin/sh", "-c", "echo started >" + trace}})
	require.Equal(t, executor.ExecRefused, failed.Code)
	require.NoFileExists(t, trace)
}

func TestExecIsSentOnce(t *testing.T) {
	t.Parallel()
	trace := filepath.Join(t.TempDir(), "trace")
	// Everything after the first byte of output is lost: the marker does not
	// come, and it is unknown whether the command ran.
	server := sshtest.Inetd(t, sshtest.Options{KeyOptions: `command="echo once >>` + trace + `; exec sleep 60"`})
	failed := failedStart(t, at(t, server, brief), helper("hang"))
	require.Equal(t, executor.StartTimeout, failed.Code)
	said, err := os.ReadFile(trace)
	require.NoError(t, err)
	require.Equal(t, "once\nonce\n", string(said), "the run and its guard, each once")
}
