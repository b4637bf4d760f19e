package executor

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestContainerClient(t *testing.T) {
	for program, want := range map[string]bool{
		"docker": true, "/usr/bin/podman": true, `C:\bin\kubectl.exe`: true, "nerdctl": true,
		"dockerd": false, "": false, "docker/": false, "my-docker": false,
	} {
		require.Equal(t, want, ContainerClient(program), program)
	}
}
