package flags

import (
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"mcpdbg/sshexec"
)

func TestInteractiveLeaseIsLonger(t *testing.T) {
	var flags Target
	flags.Register(&cobra.Command{})
	require.Equal(t, sshexec.DefaultLease, flags.Lease(), "run, call, list, replay and smoke")
	flags.Person = true
	require.Equal(t, 5*time.Minute, flags.Lease())
	require.NoError(t, flags.SSH.set.Set("ssh-lease", "20s"))
	require.Equal(t, 20*time.Second, flags.Lease(), "the flag takes precedence")
}
