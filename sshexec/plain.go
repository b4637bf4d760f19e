package sshexec

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mcpdbg/session/executor"
)

// plain starts the bare command, for hosts on which our script cannot run. The
// process is ended by closing its standard input and by the server's signals,
// as far as that goes; variables travel only if the server accepts them.
func (l *launcher) plain(ctx context.Context) (*launched, *executor.StartError) {
	ch, err := open(ctx, l.conn)
	if err != nil {
		return nil, l.openFailed(ctx, err)
	}
	l.sendConfigured(ch)
	for _, v := range l.cmd.env {
		switch err := ch.ask(ctx, "env", envRequest{v.Name, v.Value}); {
		case errors.Is(err, errRefused):
			return nil, l.fail(executor.StartInvalid, fmt.Errorf("the server does not accept the variable %s", v.Name),
				"AcceptEnv in its sshd_config would let it through; a launch under the guard needs no permission")
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
		Text: "plain launch: no guard. Closing stdin and the server's signals are the only ways to end the server there; its children, and a broken connection, may leave it running",
	}}}, nil
}

// plainCommand is the command in words that a POSIX shell takes; words that
// need no quotes have none, so that other shells may understand them too.
func plainCommand(c launchCommand) string {
	var words []string
	if c.dir != "" {
		words = append(words, "cd", quoteIfNeeded(c.dir), "&&")
	}
	for _, arg := range c.argv {
		words = append(words, quoteIfNeeded(arg))
	}
	return strings.Join(words, " ")
}

// quoteIfNeeded quotes what is more than letters, digits and a few signs that
// no shell gives a meaning to.
func quoteIfNeeded(word string) string {
	safe := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_./:,@+", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !safe(r) }) < 0 {
		return word
	}
	return quote(word)
}
