package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestArrowsPointDown holds the import rules of the README's architecture
// section over everything that a package links, directly or not.
func TestArrowsPointDown(t *testing.T) {
	const charm, ssh = "charm.land/", "golang.org/x/crypto/ssh"
	for _, rule := range []struct {
		packages string
		never    []string
	}{
		{"mcpdbg/framing", []string{"mcpdbg/session", "mcpdbg/recordings", "mcpdbg/ui", "mcpdbg/internal", charm, ssh}},
		{"mcpdbg/session/...", []string{"mcpdbg/recordings", "mcpdbg/ui", "mcpdbg/internal", "mcpdbg/sshexec", charm, ssh}},
		{"mcpdbg/session/lint", []string{"mcpdbg/session/localexec", "mcpdbg/session/target", "mcpdbg/session/verdict"}},
		{"mcpdbg/session/verdict", []string{"mcpdbg/session/localexec", "mcpdbg/session/target", "mcpdbg/session/lint"}},
		{"mcpdbg/session/target", []string{"mcpdbg/framing", "mcpdbg/session/localexec", "mcpdbg/session/lint", "mcpdbg/session/verdict", "mcpdbg/session/mcp"}},
		{"mcpdbg/sshexec/...", []string{"mcpdbg/recordings", "mcpdbg/ui", "mcpdbg/internal", "mcpdbg/session/localexec", "mcpdbg/session/mcp", "mcpdbg/framing", charm}},
		{"mcpdbg/recordings", []string{"mcpdbg/recordings/match", "mcpdbg/recordings/compare", "mcpdbg/recordings/replay", "mcpdbg/recordings/rerun", "mcpdbg/recordings/mock", "mcpdbg/recordings/redact", "mcpdbg/recordings/export", "mcpdbg/recordings/imports", "mcpdbg/recordings/notes", "mcpdbg/recordings/player", "mcpdbg/recordings/steps"}},
		{"mcpdbg/recordings/...", []string{"mcpdbg/ui", "mcpdbg/internal", "mcpdbg/sshexec", "mcpdbg/session/localexec", charm, ssh}},
		{"mcpdbg/recordings/junit", []string{"mcpdbg/session", "mcpdbg/framing"}},
		{"mcpdbg/ui/...", []string{"mcpdbg/internal", "mcpdbg/sshexec", "mcpdbg/session/localexec", ssh}},
		{"mcpdbg/ui/grid", []string{"mcpdbg/session", "mcpdbg/framing", "mcpdbg/recordings"}},
		{"mcpdbg/ui/form", []string{"mcpdbg/session", "mcpdbg/framing", "mcpdbg/recordings"}},
		{"mcpdbg/ui/termsafe", []string{charm}},
		{"mcpdbg/internal/smoke/hosts", []string{"mcpdbg/framing", "mcpdbg/session", "mcpdbg/recordings", "mcpdbg/ui"}},
		{"mcpdbg/internal/smoke/...", []string{"mcpdbg/sshexec", "mcpdbg/session/localexec", "mcpdbg/ui/paint", "mcpdbg/ui/theme", "mcpdbg/ui/keymap", "mcpdbg/internal/cli", charm, ssh}},
		{"mcpdbg/internal/watch", []string{"mcpdbg/framing", "mcpdbg/session", "mcpdbg/recordings", "mcpdbg/sshexec", "mcpdbg/ui", charm, ssh}},
		{"mcpdbg/internal/demo", []string{"mcpdbg/session", "mcpdbg/recordings", "mcpdbg/ui", charm, ssh}},
	} {
		for _, dep := range dependencies(t, rule.packages) {
			for _, never := range rule.never {
				require.False(t, dep == never || strings.HasPrefix(dep, strings.TrimSuffix(never, "/")+"/"),
					"%s must not depend on %s", rule.packages, dep)
			}
		}
	}
}

func dependencies(t *testing.T, packages string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", packages).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return strings.Fields(string(out))
}
