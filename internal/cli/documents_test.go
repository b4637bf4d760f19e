package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

var updateDocuments = flag.Bool("update-documents", false, "rewrite the documents of version 1: only the release that defined them may do that")

// varying are the parts of a document that differ from run to run.
var varying = []struct{ pattern, with string }{
	{`("(?:duration_ms|started_ms|wait|connect|auth|replaced|start|handshake|list|ping|scenario|shutdown|t|n|seq)": ?)[0-9.]+`, "${1}0"},
	{`("started": ?)"[^"]+"`, `${1}"2026-11-01T12:00:00Z"`},
	{`"mcpdbg [^"]*"`, `"mcpdbg VERSION"`},
	{`"(server|name)": ?"mcpdbg[^"]*"`, `"$1": "mcpdbg"`},
	{`"[^" ]*/recordings/[^"]+"`, `"RECORDING"`},
	{`\b(?:less than )?[0-9.]+ ?(?:ms|µs|s)\b`, "TIME"},
	{`"said": ?\[\n *"demo: [^\]]*\]`, `"said": []`}, // as much as it has written by then
	{`\bentry [0-9]+`, "entry N"},
}

func withoutVarying(text []byte) []byte {
	for _, v := range varying {
		text = regexp.MustCompile(v.pattern).ReplaceAll(text, []byte(v.with))
	}
	return text
}

// TestDocumentsOfVersion1 compares the documents of version 1 with those that 0.1.0 wrote.
func TestDocumentsOfVersion1(t *testing.T) {
	t.Parallel()
	args := clitest.WriteFile(t, `{"slow":{"seconds":0.5,"steps":2},"big":{"bytes":10},"ask":{},"roots":{}}`)
	answers := clitest.WriteFile(t, `{"elicitation/create":{"action":"decline"},"roots/list":{"roots":[]}}`)
	steps := filepath.Join(t.TempDir(), "steps.yaml")
	require.NoError(t, os.WriteFile(steps, []byte(`scenario: 1
name: steps
steps:
  - tool: echo
    arguments: {message: hi}
  - tool: add
    arguments: {a: 2, b: 2}
    expect: {result: {structuredContent: {sum: 5}}}
  - call: tools/list
`), 0o600))
	afterRequest := diesAfterRequest(t)
	dir := t.TempDir()
	r := clitest.Run(t, clitest.Against("", "smoke", "--quiet", "--recordings", dir)...)
	require.Equal(t, 0, r.Code, r.Stderr)
	recorded, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	require.NoError(t, err)
	require.Len(t, recorded, 1)
	for _, tc := range []struct {
		name, schema, server string
		code                 int
		flags                []string
	}{
		{"smoke-healthy", "smoke", "", 0, []string{"smoke", "--json", "--seed", "7"}},
		{"smoke-lines", "smoke-line", "", 0, []string{"smoke", "--jsonl", "--seed", "7"}},
		{"smoke-steps", "smoke", "", 1, []string{"smoke", "--json", "--seed", "7", "--scenario", steps}},
		{"smoke-drift", "smoke", "--changed", 1, []string{"smoke", "--json", "--seed", "7", "--baseline", recorded[0]}},
		{"smoke-noise", "smoke", "--misbehave stray-text", 1, []string{"smoke", "--json", "--seed", "7"}},
		{"smoke-dies", "smoke-line", "--misbehave dies-at-start", 1, []string{"smoke", "--jsonl", "--seed", "7"}},
		{"check-healthy", "check", "", 0, []string{"check", "--json", "--args", args, "--answers", answers, "--era", "modern"}},
		{"check-noise", "check", "--misbehave stray-text", 1, []string{"check", "--json", "--no-calls", "--era", "legacy"}},
		{"check-dies", "check", "--misbehave dies-at-start", 3, []string{"check", "--json", "--no-calls"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			args := append(clitest.Against("", tc.flags...), strings.Fields(tc.server)...)
			if strings.HasSuffix(tc.name, "-dies") {
				args[slices.Index(args, clitest.Binary())] = afterRequest
			}
			r := clitest.Run(t, args...)
			require.Equal(t, tc.code, r.Code, r.Stderr)
			schema := compiledSchema(t, tc.schema)
			var whole bytes.Buffer
			for line := range strings.Lines(r.Stdout) {
				doc, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
				require.NoError(t, err)
				require.NoError(t, schema.Validate(doc))
				require.NoError(t, json.Indent(&whole, []byte(line), "", " "))
			}
			names := strings.NewReplacer(steps, "steps.yaml", recorded[0], "base.jsonl", filepath.Dir(clitest.Binary())+string(filepath.Separator), "",
				filepath.Dir(afterRequest)+string(filepath.Separator), "")
			got := withoutVarying([]byte(names.Replace(whole.String())))
			path := filepath.Join("testdata", "documents", tc.name+".json")
			if *updateDocuments {
				require.NoError(t, os.WriteFile(path, got, 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(want), string(got))
		})
	}
}

// diesAfterRequest returns a program that starts the demo server once it has read a
// request. Whether a server that exits at once has a request in flight depends on when
// the request is written.
func diesAfterRequest(t *testing.T) string {
	t.Helper()
	script := filepath.Join(t.TempDir(), filepath.Base(clitest.Binary()))
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\nread -r request\nexec '"+clitest.Binary()+"' \"$@\"\n"), 0o700))
	return script
}

func compiledSchema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	r := clitest.InProcess(t, "schema", name)
	require.Equal(t, 0, r.Code, r.Stderr)
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(r.Stdout))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource(name, doc))
	schema, err := c.Compile(name)
	require.NoError(t, err)
	return schema
}
