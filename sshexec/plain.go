package sshexec

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/session/executor"
	"mcpdbg/session/executor/guard"
)

// plain starts the bare command, for hosts on which our script cannot run. The process is
// ended by closing its standard input and by the server's signals, if it delivers them;
// variables are sent only if the server accepts them.
func (l *launcher) plain(ctx context.Context) (*launched, *executor.StartError) {
	ch, err := open(ctx, l.conn)
	if err != nil {
		return nil, l.openFailed(ctx, err)
	}
	l.sendConfigured(ch)
	for _, v := range l.cmd.Env {
		switch err := ch.ask(ctx, "env", envRequest{v.Name, v.Value}); {
		case errors.Is(err, errRefused):
			return nil, l.fail(executor.StartInvalid, fmt.Errorf("the server does not accept the environment variable %s", v.Name),
				"add it to AcceptEnv in the server's sshd_config, or use --ssh-launch guarded, which does not need that")
		case err != nil:
			return nil, l.openFailed(ctx, err)
		}
	}
	begin := time.Now()
	if err := ch.ask(ctx, "exec", execRequest{plainCommand(l.cmd)}); err != nil {
		return nil, l.openFailed(ctx, err)
	}
	return &launched{run: ch, rtt: time.Since(begin), notices: []executor.Notice{{
		Code: "mode.plain",
		Text: "plain launch: no guard. Only closing stdin and signals can end the server there; its child processes, or the server after a lost connection, may keep running",
	}}}, nil
}

// Words that need no quotes have none, so that other shells than POSIX's may understand
// them too.
func plainCommand(c guard.Command) string {
	var words []string
	if c.Dir != "" {
		words = append(words, "cd", wording.ShellWord(c.Dir, ""), "&&")
	}
	for _, arg := range c.Argv {
		words = append(words, wording.ShellWord(arg, ""))
	}
	return strings.Join(words, " ")
}
