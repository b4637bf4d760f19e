package sshexec

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestArgumentsThatLookLikeSecrets(t *testing.T) {
	for _, c := range []struct {
		argv []string
		want string // argument numbers
	}{
		{[]string{"server", "--port", "80"}, ""},
		{[]string{"token=server"}, ""},
		{[]string{"server", "--token", "hunter2"}, "2"},
		{[]string{"server", "--token"}, ""},
		{[]string{"server", "--github-token=hunter2"}, "1"},
		{[]string{"server", "--token-file=/run/x"}, ""},
		{[]string{"env", "API_KEY=hunter2", "server"}, "1"},
		{[]string{"server", "ghp_abcdef", "-password", "x"}, "1, 3"},
		{[]string{"server", "secrets"}, ""},
	} {
		notices := argvNotices(c.argv)
		if c.want == "" {
			require.Empty(t, notices, "%q", c.argv)
			continue
		}
		require.Len(t, notices, 1, "%q", c.argv)
		require.Contains(t, notices[0].Text, "argument "+c.want+" of")
		require.NotContains(t, notices[0].Text+notices[0].Hint, "hunter2")
	}
}
