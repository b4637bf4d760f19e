//go:build unix

package sshexec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshtest"
)

func bare(o *Options) { o.Launch = LaunchPlain }

func TestPlainLaunch(t *testing.T) {
	t.Parallel()
	e := at(t, sshtest.Fake(t, sshtest.FakeOptions{AcceptEnv: []string{"TAKEN"}}), bare)
	defer func() { require.NoError(t, e.Close()) }()

	cmd := helper("args", "a b", "'", "$HOME", "", "end", "env", "cwd", "exit", "3")
	cmd.Dir = t.TempDir()
	cmd.Env = []executor.EnvVar{{Name: "TAKEN", Value: "value with $signs"}}
	p, err := e.Start(t.Context(), cmd)
	require.NoError(t, err)
	info := p.Info()
	require.Equal(t, "mode.plain", info.Notices[len(info.Notices)-1].Code)
	require.Empty(t, info.Env.Added, "there is no mark")
	_, stdout := collected(t, p)
	require.Contains(t, stdout, `["a b","'","$HOME",""]`)
	require.Contains(t, stdout, "TAKEN=value with $signs\n")
	require.Contains(t, stdout, cmd.Dir)
	require.Equal(t, executor.Exit{Kind: executor.ExitCode, Code: 3}, *p.Info().Exit)

	p, err = e.Start(t.Context(), helper("hang"))
	require.NoError(t, err)
	_, err = p.Stop(t.Context(), executor.StepTerm, executor.ScopeGroup)
	require.NoError(t, err)
	events, _ := collected(t, p)
	require.Equal(t, executor.Exit{Kind: executor.ExitSignal, Signal: "TERM"}, events[0].Exit)

	p, err = e.Start(t.Context(), helper("ignore", "TERM", "hang"))
	require.NoError(t, err)
	tree, err := p.Tree(t.Context())
	require.NoError(t, err)
	require.Empty(t, tree, "nobody knows")
	report, err := p.Terminate(t.Context())
	require.NoError(t, err)
	require.True(t, report.Running)
	require.Equal(t, "KILL", p.Info().Exit.Signal)
}

func TestPlainLaunchNamesTheRefusedVariable(t *testing.T) {
	cmd := helper("hang")
	cmd.Env = []executor.EnvVar{{Name: "REFUSED", Value: "hunter2"}}
	failed := failedStart(t, at(t, sshtest.Inetd(t, sshtest.Options{}), bare), cmd)
	require.Equal(t, executor.StartInvalid, failed.Code)
	require.ErrorContains(t, failed, "REFUSED")
	require.NotContains(t, failed.Error()+failed.Hint, "hunter2")
}

// A forced command runs instead of the given one; if the server refuses to
// deliver signals to it, the end of its input is what ends it.
func TestPlainLaunchOnAForcedCommand(t *testing.T) {
	e := at(t, sshtest.Inetd(t, sshtest.Options{KeyOptions: `command="echo forced; cat"`}), bare)
	p, err := e.Start(t.Context(), helper("hang"))
	require.NoError(t, err)
	_, err = p.Stop(t.Context(), executor.StepTerm, executor.ScopeGroup)
	require.ErrorContains(t, err, "does not deliver signals")
	_, err = p.Write(t.Context(), "", []byte("and echoed"))
	require.NoError(t, err)
	_, err = p.Terminate(t.Context())
	require.NoError(t, err)
	_, stdout := collected(t, p)
	require.Equal(t, "forced\nand echoed", stdout)
	require.Equal(t, executor.Exit{Kind: executor.ExitCode}, *p.Info().Exit)
	require.NoError(t, e.Close())
}

// A process that neither signals nor the end of its input reach is leaked, and
// reported as such.
func TestPlainLaunchThatCannotBeEnded(t *testing.T) {
	t.Parallel()
	e := at(t, sshtest.Inetd(t, sshtest.Options{KeyOptions: `command="echo $$; exec sleep 20"`}), bare)
	p, err := e.Start(t.Context(), helper("hang"))
	require.NoError(t, err)
	_, err = p.Terminate(t.Context())
	require.NoError(t, err)
	require.ErrorIs(t, p.Info().Failure, errNoSignals)
	require.ErrorContains(t, p.Info().Failure, "may still run")
	require.NoError(t, e.Close())
}
