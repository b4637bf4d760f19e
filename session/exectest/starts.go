package exectest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
)

var startTests = []test{
	{"item01_ids", ids},
	{"item02_failed_start_leaves_nothing", failedStart},
	{"item50_client_environment", clientEnvironment},
	{"item51_named_variables", namedVariables},
	{"item53_program_lookup", programLookup},
	{"item54_arguments_arrive_unchanged", argumentsArrive},
	{"item54_invalid_commands_are_refused", refused},
	{"item62_values_are_not_shown", valuesAreNotShown},
	{"phases_are_reported", phases},
}

func ids(s *suite) {
	cmd := s.command("spawn", "child", "pid", "line", "line", "end", "line", "exit", "0")
	cmd.ID = "one"
	p := s.startCommand(cmd)
	p.pids(1)
	refused := func(state executor.State) {
		require.Equal(s, state, p.Info().State)
		_, err := s.Executor.Start(s.ctx, cmd)
		var failed *executor.StartError
		require.ErrorAs(s, err, &failed)
		require.Equal(s, executor.StartDuplicate, failed.Code)
		require.NotEmpty(s, failed.Hint)
	}
	refused(executor.StateRunning)
	p.write("\n\n\n")
	p.until(executor.Closed)
	refused(executor.StateClosed)
	require.Equal(s, "one", s.Executor.Process("one").Info().ID)

	first, second := s.start("hang"), s.start("hang")
	require.Regexp(s, `^mcp-stdio-\d+$`, first.ID())
	require.NotEqual(s, first.ID(), second.ID())
}

func failedStart(s *suite) {
	cmd := executor.Command{ID: "broken", Argv: []string{"/nonexistent/program"}}
	_, err := s.Executor.Start(s.ctx, cmd)
	var failed *executor.StartError
	require.ErrorAs(s, err, &failed)
	require.Equal(s, executor.StartNotFound, failed.Code, failed)
	require.NotEmpty(s, failed.Hint)
	require.NotEmpty(s, failed.Phase)
	require.Positive(s, failed.Elapsed)
	h := s.Executor.Process("broken")
	require.Equal(s, executor.StateUnknown, h.Info().State)
	_, err = h.Subscribe(executor.SubscribeOptions{})
	require.ErrorIs(s, err, executor.ErrUnknownProcess)
	cmd.Argv = s.command("exit", "0").Argv
	s.startCommand(cmd).rest()
}

// environ runs the step env and returns the variables that it wrote.
func environ(s *suite, cmd executor.Command) map[string]string {
	cmd.Argv = s.command("env").Argv
	p := s.startCommand(cmd)
	p.rest()
	env := make(map[string]string)
	for line := range strings.Lines(p.text[executor.Stdout].String()) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		env[name] = value
	}
	return env
}

func clientEnvironment(s *suite) {
	if !s.Local {
		s.Skip("only a local process inherits variables")
	}
	require.Equal(s, SecretValue, environ(s, executor.Command{})[SecretName])
	env := environ(s, executor.Command{EnvPolicy: executor.EnvClient})
	require.NotContains(s, env, SecretName)
	require.NotEmpty(s, env["PATH"])
	env = environ(s, executor.Command{EnvPolicy: executor.EnvNone})
	require.NotContains(s, env, "HOME")
	require.NotContains(s, env, SecretName)

	cmd := s.command("hang")
	cmd.EnvPolicy = executor.EnvClient
	cmd.Env = []executor.EnvVar{{Name: "B", Value: "2"}, {Name: "A", Value: "1"}}
	report := s.startCommand(cmd).Info().Env
	require.Equal(s, executor.EnvClient, report.Policy)
	require.Equal(s, []string{"A", "B"}, report.Named)
	require.Contains(s, report.Passed, "PATH")
	require.Contains(s, report.Omitted, SecretName)
}

func namedVariables(s *suite) {
	env := environ(s, executor.Command{
		EnvPolicy: executor.EnvNone,
		Env: []executor.EnvVar{
			{Name: "HOME", Value: "/named"}, {Name: "EMPTY", Value: ""}, {Name: "QUOTED", Value: `a'b"c $d \e`},
		},
	})
	require.Equal(s, "/named", env["HOME"], "the named variable wins")
	require.Equal(s, `a'b"c $d \e`, env["QUOTED"])
	require.Contains(s, env, "EMPTY")
}

func programLookup(s *suite) {
	dir := s.TempDir()
	for _, c := range []struct {
		name string
		cmd  executor.Command
		want executor.StartCode
	}{
		{"no such file", executor.Command{Argv: []string{dir + "/none"}}, executor.StartNotFound},
		{"not on PATH", executor.Command{Argv: []string{"exectest-no-such-program"}}, executor.StartNotFound},
		{"a directory", executor.Command{Argv: []string{dir}}, executor.StartNoExec},
		{"no working directory", executor.Command{Argv: s.command("exit", "0").Argv, Dir: dir + "/none"}, executor.StartNoDir},
	} {
		_, err := s.Executor.Start(s.ctx, c.cmd)
		var failed *executor.StartError
		require.ErrorAs(s, err, &failed, c.name)
		require.Equal(s, c.want, failed.Code, c.name)
		require.NotEmpty(s, failed.Hint, c.name)
	}
	cmd := s.command("cwd")
	cmd.Dir = dir
	p := s.startCommand(cmd)
	p.rest()
	require.Equal(s, dir, p.text[executor.Stdout].String())
}

func argumentsArrive(s *suite) {
	args := []string{
		"", " ", "a b", "'", `"`, "$HOME", "`id`", "a\nb", "\t", `\`, `\\`, `'\''`, "!x", "*", "~", "é 語 🙂", "-x", "a=b", "#",
		";", "&", "|", "<", ">", "(", "%s", "\x01\x7f",
	}
	p := s.startCommand(s.command(append(append([]string{"args"}, args...), "end")...))
	p.rest()
	var got []string
	require.NoError(s, json.Unmarshal(p.text[executor.Stdout].Bytes(), &got))
	require.Equal(s, args, got)
}

func refused(s *suite) {
	ok := s.command("exit", "0").Argv
	for _, cmd := range []executor.Command{
		{},
		{Argv: []string{""}},
		{Argv: append(ok, "a\x00b")},
		{Argv: ok, Dir: "/\x00"},
		{Argv: ok, Env: []executor.EnvVar{{Name: "", Value: "x"}}},
		{Argv: ok, Env: []executor.EnvVar{{Name: "A=B", Value: "x"}}},
		{Argv: ok, Env: []executor.EnvVar{{Name: "A\x00", Value: "x"}}},
		{Argv: ok, Env: []executor.EnvVar{{Name: "A", Value: "x\x00"}}},
	} {
		cmd.ID = "refused"
		_, err := s.Executor.Start(s.ctx, cmd)
		var failed *executor.StartError
		require.ErrorAs(s, err, &failed)
		require.Equal(s, executor.StartInvalid, failed.Code)
		require.Equal(s, executor.StateUnknown, s.Executor.Process("refused").Info().State)
	}
}

func valuesAreNotShown(s *suite) {
	const secret = "hunter2-of-exectest"
	cmd := s.command("line", "exit", "0")
	cmd.Env = []executor.EnvVar{{Name: "TOKEN", Value: secret}}
	p := s.startCommand(cmd)
	shown := fmt.Sprintf("%+v %#v %v", p.Info(), p.Info(), cmd)
	cmd.Argv, cmd.ID = []string{"/nonexistent/program"}, ""
	_, err := s.Executor.Start(s.ctx, cmd)
	require.Error(s, err)
	shown += fmt.Sprintf("%v %+v %#v", err, err, err)
	tree, err := p.Tree(s.ctx)
	require.NoError(s, err)
	shown += fmt.Sprintf("%+v", tree)
	require.NotContains(s, shown, secret)
	require.Contains(s, shown, "TOKEN", "names may be shown")
}

func phases(s *suite) {
	var told []executor.Phase
	cmd := s.command("exit", "0")
	cmd.OnPhase = func(p executor.Phase) { told = append(told, p) }
	p := s.startCommand(cmd)
	require.NotEmpty(s, told)
	for i, phase := range told {
		require.NoError(s, phase.Err)
		require.NotEmpty(s, phase.Name)
		require.False(s, phase.End.Before(phase.Begin))
		if i > 0 {
			require.False(s, phase.Begin.Before(told[i-1].Begin), "in order")
		}
	}
	p.rest()

	told = nil
	cmd.Argv = []string{"/nonexistent/program"}
	_, err := s.Executor.Start(s.ctx, cmd)
	require.Error(s, err)
	require.Error(s, told[len(told)-1].Err)
}
