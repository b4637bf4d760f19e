package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/testhome"
)

// The official conformance suite tests clients of HTTP servers: it starts a command
// with the URL of a server that it provides, and judges what that server receives.
// Here the command is the test binary, which runs mcpdbg against a bridge from
// stdio to the URL. .ci/run fetches the suite and the Node that it needs.

// conformanceClient is the variable that makes the test binary the client under
// test: its value is the path of mcpdbg.
const conformanceClient = "MCPDBG_TEST_CONFORMANCE"

// A conformanceCase is one scenario of the suite with what mcpdbg is to do in it.
type conformanceCase struct {
	scenario string
	revision string
	client   func(c conformer) error
}

var conformanceCases = []conformanceCase{
	{"initialize", "2025-06-18", initializes},
	{"initialize", "2025-11-25", initializes},
	{"tools_call", "2025-06-18", callsTool},
	{"tools_call", "2025-11-25", callsTool},
	{"tools_call", "2026-07-28", callsTool},
	{"elicitation-sep1034-client-defaults", "2025-11-25", acceptsDefaults},
	{"request-metadata", "2026-07-28", listsTools},
	{"sep-2322-client-request-state", "2026-07-28", returnsState},
	{"json-schema-ref-no-deref", "2026-07-28", readsSchemas},
	{"json-schema-2020-12-preservation", "2025-11-25", returnsSchema},
	{"json-schema-2020-12-preservation", "2026-07-28", returnsSchema},
}

// A conformer runs mcpdbg as the client under test.
type conformer struct {
	program, url, protocol string
}

// mcpdbg runs the program against the server of the suite and returns its output.
func (c conformer) mcpdbg(args ...string) ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if c.protocol != "" {
		args = append(args, "--protocol", c.protocol)
	}
	cmd := exec.Command(c.program, append(args, "--no-record", "-e", bridgeTo+"="+c.url, "-e", conformanceClient+"=", "--", self)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("mcpdbg %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return out, nil
}

func initializes(c conformer) error {
	_, err := c.mcpdbg("run", "--for", "1ms")
	return err
}

func listsTools(c conformer) error {
	_, err := c.mcpdbg("list", "tools")
	return err
}

func callsTool(c conformer) error {
	_, err := c.mcpdbg("call", "--tool", "add_numbers", "a:=5", "b:=3")
	return err
}

// acceptsDefaults accepts an elicitation without entering anything.
func acceptsDefaults(c conformer) error {
	const answers = "answers.json" // in the temporary folder of the test
	if err := os.WriteFile(answers, []byte(`{"elicitation/create":{"action":"accept"}}`), 0o600); err != nil {
		return err
	}
	_, err := c.mcpdbg("call", "--tool", "test_client_elicitation_defaults", "--answers", answers)
	return err
}

// returnsState answers input requests with and without a state.
func returnsState(c conformer) error {
	const (
		scenario = "scenario.yaml" // in the temporary folder of the test
		text     = `scenario: 1
answers:
  elicitation/create: {action: accept, content: {confirmed: true}}
steps:
  - tool: test_mrtr_echo_state
  - tool: test_mrtr_unrelated
  - tool: test_mrtr_no_state
  - tool: test_mrtr_no_result_type
`
	)
	if err := os.WriteFile(scenario, []byte(text), 0o600); err != nil {
		return err
	}
	_, err := c.mcpdbg("run", "--scenario", scenario)
	return err
}

// readsSchemas lists the tools and checks arguments against the schema of one,
// which refers to a schema on the network.
func readsSchemas(c conformer) error {
	if _, err := c.mcpdbg("list", "tools"); err != nil {
		return err
	}
	_, _ = c.mcpdbg("call", "--tool", "lookup_user", "id=ada") // it may fail
	return nil
}

// returnsSchema calls a tool with the schema of another, as mcpdbg prints it.
func returnsSchema(c conformer) error {
	out, err := c.mcpdbg("list", "tools", "--json")
	if err != nil {
		return err
	}
	var tools []struct {
		Name        string          `json:"name"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	if err := json.Unmarshal(out, &tools); err != nil {
		return err
	}
	for _, tool := range tools {
		if tool.Name == "json_schema_2020_12_tool" {
			_, err := c.mcpdbg("call", "--tool", "json_schema_echo", "schema:="+string(tool.InputSchema))
			return err
		}
	}
	return fmt.Errorf("the tool is not in %s", out)
}

// conform is the command that the suite starts.
func conform(program string) int {
	c := conformer{program: program, url: os.Args[len(os.Args)-1], protocol: os.Getenv("MCP_CONFORMANCE_PROTOCOL_VERSION")}
	for _, x := range conformanceCases {
		if x.scenario == os.Getenv("MCP_CONFORMANCE_SCENARIO") && x.revision == c.protocol {
			if err := x.client(c); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
			return 0
		}
	}
	fmt.Fprintln(os.Stderr, "no such scenario:", os.Getenv("MCP_CONFORMANCE_SCENARIO"), c.protocol)
	return 1
}

// TestConformance runs the scenarios of the official suite that concern a client
// over stdio. The others are about HTTP itself, authorization, and extensions.
func TestConformance(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the suite starts its command in a POSIX shell")
	}
	node, suite := conformanceSuite(t)
	self, err := os.Executable()
	require.NoError(t, err)
	for _, x := range conformanceCases {
		t.Run(x.scenario+"/"+x.revision, func(t *testing.T) {
			t.Parallel()
			cmd := clitest.Command(t, node, suite, "client", "--command", self, "--scenario", x.scenario, "--spec-version", x.revision, "--output-dir", ".", "--timeout", fmt.Sprint(clitest.WaitLimit.Milliseconds()))
			cmd.Dir = t.TempDir()
			cmd.Env = append(cmd.Env, conformanceClient+"="+clitest.Binary())
			r := clitest.Finish(t, cmd)
			verdicts := map[string]int{}
			for _, check := range conformanceChecks(t, cmd.Dir) {
				verdicts[check.Status]++
				require.NotContains(t, []string{"FAILURE", "WARNING"}, check.Status, "%s: %s\n%s\n%s", check.ID, check.Error, check.Details, r.Stderr)
			}
			require.Positive(t, verdicts["SUCCESS"], "%s%s", r.Stdout, r.Stderr)
			require.Equal(t, 0, r.Code, "%s%s", r.Stdout, r.Stderr)
		})
	}
}

// A conformanceCheck is one statement of the suite.
type conformanceCheck struct {
	ID      string          `json:"id"`
	Status  string          `json:"status"`
	Error   string          `json:"errorMessage"`
	Details json.RawMessage `json:"details"`
}

// conformanceChecks reads the results that the suite wrote below a folder.
func conformanceChecks(t *testing.T, dir string) []conformanceCheck {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	var checks []conformanceCheck
	data, err := os.ReadFile(files[0])
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &checks))
	return checks
}

// conformanceSuite returns Node and the suite that .ci/run fetches, and skips the
// test if they are missing, or fails it in CI.
func conformanceSuite(t *testing.T) (node, suite string) {
	t.Helper()
	dir := filepath.Join(os.Getenv(testhome.Tools), "conformance", "node_modules")
	node = filepath.Join(dir, "node", "bin", "node")
	suite = filepath.Join(dir, "@modelcontextprotocol", "conformance", "dist", "index.js")
	clitest.NeedFile(t, node)
	clitest.NeedFile(t, suite)
	return node, suite
}
