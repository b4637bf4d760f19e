package cli

import (
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"mcpdbg/sshexec"
)

func TestLeaseIsLongerForAPerson(t *testing.T) {
	var flags targetFlags
	flags.register(&cobra.Command{})
	require.Equal(t, sshexec.DefaultLease, flags.lease(), "run, call, list, replay and smoke")
	flags.person = true
	require.Equal(t, 5*time.Minute, flags.lease())
	require.NoError(t, flags.ssh.set.Set("ssh-lease", "20s"))
	require.Equal(t, 20*time.Second, flags.lease(), "what is given counts")
}
