package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFlagsOfAFewWordsAreCompleted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ command, want string }{
		{"replay last --mode", "causal serial timed"},
		{"replay last --speed", "0.25 0.5 1 2 4 8 16 max"},
		{"replay last --era", "auto legacy modern"},
		{"mock last --repeat", "last cycle error"},
		{"mock last --fault", "drop: cut: garbage: exit:"},
		{"run --env-policy", "inherit client none"},
		{"run --overrun", "hold drop"},
		{"run --ssh-transport", "auto native master binary"},
		{"run --path-from", "plain login interactive explicit"},
		{"run --ssh-launch", "guarded plain"},
		{"rec export last --format", "har html jsonl md txtar scenario"},
	} {
		r := inProcess(t, append(append([]string{"__complete"}, strings.Fields(c.command)...), "")...)
		words := strings.Fields(r.stdout)
		require.NotEmpty(t, words, c.command)
		require.Equal(t, c.want, strings.Join(words[:len(words)-1], " "), c.command)
	}
}

func TestHostsAreCompleted(t *testing.T) {
	t.Parallel()
	config := writeFile(t, "Host web-1 web-2 *.example\nHost db\n")
	complete := func(typed string) string {
		return inProcess(t, "__complete", "call", "-F", config, "--ssh", typed).stdout
	}
	require.Equal(t, "web-1\nweb-2\n:4\n", complete("we"))
	require.Equal(t, "me@web-1\nme@web-2\nme@db\n:4\n", complete("me@"))
	require.Equal(t, ":4\n", complete("x"))
}
