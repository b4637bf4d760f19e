package console

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
	"mcpdbg/ui/tty"
)

// A scripted terminal returns given lines, and keeps its output.
type scripted struct {
	lines  []string
	shown  bytes.Buffer
	echoes []bool
	err    error // instead of a line, when there are no more
	closed int
}

func (s *scripted) Write(p []byte) (int, error) { return s.shown.Write(p) }
func (s *scripted) Close() error                { s.closed++; return nil }

func (s *scripted) ReadLine(_ context.Context, ask string, echo bool) (string, error) {
	s.shown.WriteString(ask + "\n")
	s.echoes = append(s.echoes, echo)
	if len(s.lines) == 0 {
		return "", s.err
	}
	line := s.lines[0]
	s.lines = s.lines[1:]
	return line, nil
}

func promptOn(tty *scripted) *prompter {
	return &prompter{open: func() (terminal, error) { return tty, nil }, interrupt: func() {}}
}

func TestPrompts(t *testing.T) {
	t.Parallel()
	hostKey := executor.Prompt{Kind: executor.PromptHostKey, Hop: "me@h:22", User: "me", Text: "The host h is new.\nSHA256:abc\n+--+\n|o |\nAccept it?"}
	for name, c := range map[string]struct {
		prompt executor.Prompt
		lines  []string
		want   executor.Answer
		shown  string
		echoes []bool
	}{
		"yes": {hostKey, []string{" YES "}, executor.Answer{Yes: true},
			"mcpdbg: me@h:22: The host h is new.\n        SHA256:abc\n        +--+\n        |o |\n        Accept it?\nmcpdbg: yes, no, or the fingerprint: \n", []bool{true}},
		"no":          {hostKey, []string{"no"}, executor.Answer{}, "", []bool{true}},
		"fingerprint": {hostKey, []string{"", "y", "SHA256:abc"}, executor.Answer{Values: []string{"SHA256:abc"}}, "", []bool{true, true, true}},
		"silence":     {hostKey, []string{"", "", ""}, executor.Answer{}, "", []bool{true, true, true}},
		"passphrase": {executor.Prompt{Kind: executor.PromptPassphrase, Hop: "me@h:22", User: "me", Text: "Passphrase of ~/.ssh/id, for me@h:22"}, []string{" s3cret "},
			executor.Answer{Yes: true, Values: []string{" s3cret "}}, "mcpdbg: Passphrase of ~/.ssh/id, for me@h:22: \n", []bool{false}},
		"a password of no known host": {executor.Prompt{Kind: executor.PromptPassword, Hop: "h:22", User: "me", Text: "Password"}, []string{"x"},
			executor.Answer{Yes: true, Values: []string{"x"}}, "mcpdbg: me@h:22: Password: \n", []bool{false}},
		"challenge": {executor.Prompt{
			Kind: executor.PromptChallenge, Hop: "me@h:22", User: "me", Text: "me@h:22 asks",
			Remote: "Two\x1b[2J factors\nmcpdbg: not ours\n", Questions: []executor.Question{{Text: "Code:", Echo: true}, {Text: "\x1b]0;x\aPassword: "}},
		}, []string{"123", "s3cret"}, executor.Answer{Yes: true, Values: []string{"123", "s3cret"}},
			"mcpdbg: me@h:22 asks\n  the server says: Two\\u001b[2J factors\n  the server says: mcpdbg: not ours\n  the server asks: Code: \n  the server asks: \\u001b]0;x\\u0007Password: \n", []bool{true, false}},
		"a round without questions": {executor.Prompt{Kind: executor.PromptChallenge, Hop: "h", Text: "h says", Remote: "hello"}, nil, executor.Answer{Yes: true}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tty := &scripted{lines: c.lines}
			got, err := promptOn(tty).Ask(t.Context(), c.prompt)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
			require.Equal(t, c.echoes, tty.echoes)
			require.Equal(t, 1, tty.closed)
			require.NotContains(t, tty.shown.String(), "\x1b")
			require.NotContains(t, tty.shown.String(), "s3cret")
			if c.shown != "" {
				require.Equal(t, c.shown, tty.shown.String())
			}
		})
	}
}

func TestPromptWithoutATerminal(t *testing.T) {
	t.Parallel()
	p := &prompter{open: func() (terminal, error) { return nil, errors.New("no such device") }}
	_, err := p.Ask(t.Context(), executor.Prompt{Kind: executor.PromptPassword, Hop: "me@h:22", User: "me", Text: "Password\nfor you"})
	require.ErrorIs(t, err, executor.ErrNoPrompter)
	require.EqualError(t, err, executor.ErrNoPrompter.Error()+": no terminal available: me@h:22: Password")
}

func TestPromptInterrupted(t *testing.T) {
	t.Parallel()
	interrupted := false
	p := promptOn(&scripted{err: tty.ErrInterrupted})
	p.interrupt = func() { interrupted = true }
	_, err := p.Ask(t.Context(), executor.Prompt{Kind: executor.PromptPassword, Text: "Password"})
	require.ErrorIs(t, err, tty.ErrInterrupted)
	require.True(t, interrupted)
}

// The output of a host is bounded and sanitized.
func TestHostOutputIsSanitized(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	a := &Env{Stderr: &stderr}
	a.Explain(&executor.StartError{
		Code: executor.NetNotSSH, Hop: "h:22", Phase: "connect", Elapsed: 1234567, Err: errors.New("no SSH"),
		Said: strings.Repeat("line\x1b[31m\r\n\n", 50), Hint: "is it the right port?",
	})
	require.Equal(t, "mcpdbg: start on h:22: no SSH\n  at: connect, after 1ms: net.notssh\n"+
		strings.Repeat("  the host said: line\\u001b[31m\n", 20)+"  try: is it the right port?\n", stderr.String())
}
