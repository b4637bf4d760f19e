package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"mcpdbg/ui"
)

// TestExamplesAreListed checks that examples/README.md lists every example.
func TestExamplesAreListed(t *testing.T) {
	page, err := os.ReadFile("examples/README.md")
	require.NoError(t, err)
	files, err := os.ReadDir("examples")
	require.NoError(t, err)
	for _, f := range files {
		if f.Name() != "README.md" {
			require.Contains(t, string(page), "| ["+f.Name()+"]("+f.Name()+") |")
		}
	}
}

func TestExampleSettings(t *testing.T) {
	data, err := os.ReadFile("examples/config.toml")
	require.NoError(t, err)
	settings, err := ui.ParseSettings("config.toml", data)
	require.NoError(t, err)
	require.Equal(t, []string{"f", "ctrl+f"}, settings.Keys["filter"])
	require.Equal(t, "build-7", settings.Environments["builder"])
}

// TestExamplesRun runs the examples for sessions with the demo server.
func TestExamplesRun(t *testing.T) {
	run := program(t)
	dir := t.TempDir()
	recording, share := filepath.Join(dir, "demo.jsonl"), filepath.Join(dir, "share.jsonl")

	code, stdout, stderr := run("mcpdbg", "run", "--record", recording, "--scenario", "examples/demo.yaml", "--", "mcpdbg", "demo-server")
	require.Zero(t, code, stdout+stderr)
	require.Contains(t, stdout, "6 passed")

	code, stdout, stderr = run("mcpdbg", "call", "--config", "examples/mcp.json", "--server", "demo", "--tool", "echo", "message=hi")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, `"hi"`)

	code, stdout, stderr = run("mcpdbg", "call", "--answers", "examples/answers.json", "--tool", "ask", "--", "mcpdbg", "demo-server")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "Ada")

	code, stdout, stderr = run("mcpdbg", "diff", "--rules", "examples/compare.rules", recording, recording)
	require.Zero(t, code, stdout+stderr)

	code, stdout, stderr = run("sh", "examples/redact.sh", recording, share)
	require.Zero(t, code, stdout+stderr)
	code, stdout, stderr = run("mcpdbg", "rec", "verify", share)
	require.Zero(t, code, stdout+stderr)
}

// TestExampleWorkflow runs the smoke test of the workflow on this machine.
func TestExampleWorkflow(t *testing.T) {
	data, err := os.ReadFile("examples/smoke.yml")
	require.NoError(t, err)
	var workflow struct {
		Jobs map[string]struct{ Steps []struct{ Run string } }
	}
	require.NoError(t, yaml.Unmarshal(data, &workflow))
	var command string
	for _, step := range workflow.Jobs["smoke"].Steps {
		if strings.HasPrefix(step.Run, "mcpdbg smoke ") {
			command = step.Run
		}
	}
	require.True(t, strings.HasSuffix(command, " -- my-server"), command)

	dir := t.TempDir()
	list := filepath.Join(dir, "hosts.txt")
	require.NoError(t, os.WriteFile(list, []byte("local\n"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "out"), 0o700))
	command = strings.NewReplacer("hosts.txt", list, " out", " "+filepath.Join(dir, "out"), "my-server", "mcpdbg demo-server").Replace(command)
	words := strings.Fields(command)
	code, stdout, stderr := program(t)(words[0], words[1:]...)
	require.Zero(t, code, stdout+stderr)
	require.FileExists(t, filepath.Join(dir, "out", "report.xml"))
	require.FileExists(t, filepath.Join(dir, "out", "report.html"))
}
