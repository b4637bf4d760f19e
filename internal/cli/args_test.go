package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFirstDoubleDashEndsArguments(t *testing.T) {
	for _, c := range []struct {
		args, ours, command []string
		found               bool
	}{
		{nil, nil, nil, false},
		{[]string{"run"}, []string{"run"}, nil, false},
		{[]string{"--"}, []string{}, []string{}, true},
		{[]string{"--", "run"}, []string{}, []string{"run"}, true},
		{[]string{"-e", "A=B", "--", "list"}, []string{"-e", "A=B"}, []string{"list"}, true},
		{[]string{"run", "--", "srv", "--", "x"}, []string{"run"}, []string{"srv", "--", "x"}, true},
	} {
		ours, command, found := splitCommand(c.args)
		require.Equal(t, c.ours, ours, "%q", c.args)
		require.Equal(t, c.command, command, "%q", c.args)
		require.Equal(t, c.found, found, "%q", c.args)
	}
}
