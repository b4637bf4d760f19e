package session

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestContainerEngineIsFoundBehindWrappers(t *testing.T) {
	for line, want := range map[string]string{
		"docker run -i --rm mcp/time":               "docker",
		"/usr/bin/podman run -i x":                  "podman",
		`C:\Program\Docker\docker.exe run x`:        "docker",
		"sudo -u ada -E nerdctl run -i x":           "nerdctl",
		"env A=b kubectl exec -i pod -- server":     "kubectl",
		"npx -y docker run x":                       "docker",
		"timeout 10 /usr/local/bin/docker run -i x": "docker",
		"npx -y server-filesystem /home/ada/docker": "",
		"docker compose -f x.yml run server":        "docker",
		"docker --context far container exec x y":   "docker",
		"kubectl -n tools attach -i pod":            "kubectl",
		"podman start -ai x":                        "podman",
		"docker.exe":                                "docker",
		"docker ps":                                 "",
		"kubectl get pods":                          "",
		"sh -c docker ps; exec server run":          "",
		"npx -y docker-mcp":                         "",
		"node server.js docker":                     "",
		"python -m docker":                          "",
		"mcp-server --engine docker":                "",
		"":                                          "",
	} {
		require.Equal(t, want, engineOf(strings.Fields(line)), line)
	}
	require.Equal(t, "docker", engineOf([]string{"sh", "-c", "exec docker run -i x"}))
	require.Empty(t, engineOf([]string{"sh", "-c", "exec server"}))
}
