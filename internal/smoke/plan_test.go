package smoke

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlan(t *testing.T) {
	t.Parallel()
	servers := []Server{{Name: "notes", Home: Local}, {Name: "files", Home: "build-7"}}
	p, err := NewPlan(servers, []string{"web-1", Local, "web-2"})
	require.NoError(t, err)
	require.Equal(t, []Target{
		{Host: "web-1", Server: "notes"}, {Host: "web-1", Server: "files"},
		{Host: Local, Server: "notes"}, {Host: Local, Server: "files"},
		{Host: "web-2", Server: "notes"}, {Host: "web-2", Server: "files"},
	}, p.Targets)
	require.Equal(t, "3 hosts x 2 servers: 6 targets", p.String())
	require.Equal(t, []int{0, 1, 2, 3}, p.Samples())
	require.True(t, p.Remote())
	require.Equal(t, 1, p.Server(5))
	require.Equal(t, "files-web-2", p.Label(5))
	require.Equal(t, "notes", p.Label(2))

	p, err = NewPlan(servers, nil)
	require.NoError(t, err)
	require.Equal(t, []Target{{Host: Local, Server: "notes"}, {Host: "build-7", Server: "files"}}, p.Targets)
	require.Equal(t, "2 targets", p.String(), "not every server is on every host")

	p, err = NewPlan(servers[:1], nil)
	require.NoError(t, err)
	require.Equal(t, "1 target", p.String())
	require.False(t, p.Remote())

	_, err = NewPlan(servers, make([]string, maxTargets/2+1))
	require.ErrorContains(t, err, "too many targets: 5001 hosts x 2 servers")
}
