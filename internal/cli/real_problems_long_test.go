//go:build long && !windows

package cli

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/testhome"
)

// judge rewrites the expectations of TestLongRealServers. Each new line needs a
// judgement as its reason: whether the problem is the server's, or ours.
var judge = flag.Bool("judge", false, "rewrite the expected problems of real servers")

// A judgedServer is a real server whose problems were read and judged. Its
// command is in testdata/servers/mcp.json, and its expected problems are in
// testdata/servers/problems.txt: after "== NAME" one line for each, its severity and
// its fingerprint, and below it, indented, the judgement.
type judgedServer struct {
	name   string
	modern bool     // it speaks the modern era too
	call   []string // of a tool that needs neither the network nor a key
}

var judgedServers = []judgedServer{
	{name: "everything", call: []string{"--tool", "echo", "message=hello"}},
	{name: "filesystem", call: []string{"--tool", "list_allowed_directories"}},
	{name: "memory", call: []string{"--tool", "read_graph"}},
	{name: "sequential-thinking", call: []string{"--tool", "sequentialthinking", "thought=one", "nextThoughtNeeded:=false", "thoughtNumber:=1", "totalThoughts:=1"}},
	{name: "antv-chart"},
	{name: "azure"},
	{name: "brave-search"},
	{name: "chrome-devtools", call: []string{"--tool", "list_pages"}}, // without a browser
	{name: "context7", modern: true},
	{name: "eslint", call: []string{"--tool", "lint-files", "filePaths:=[]"}},
	{name: "exa"},
	{name: "firecrawl"},
	{name: "kubernetes", call: []string{"--tool", "kubectl_context", "operation=list"}}, // without a cluster
	{name: "mapbox", call: []string{"--tool", "bbox_tool", `geometry=[[[0,0],[1,0],[1,1],[0,0]]]`}},
	{name: "notion"},
	{name: "playwright", call: []string{"--tool", "browser_close"}},
	{name: "sentry"},
	{name: "supabase", modern: true}, // its lists need the network
	{name: "tavily"},
	{name: "gopls", call: []string{"--tool", "go_workspace"}},
	{name: "gosdk-everything", modern: true, call: []string{"--tool", "greet", "name=Ada"}},
	{name: "gosdk-hello", modern: true, call: []string{"--tool", "greet", "name=Ada"}},
	{name: "gosdk-memory", modern: true, call: []string{"--tool", "read_graph"}},
	{name: "gosdk-toolschemas", modern: true, call: []string{"--tool", "simple greeting", "name=Ada"}},
	{name: "mcpgo-elicitation", modern: true, call: []string{"--tool", "create_project"}},
	{name: "mcpgo-everything", modern: true, call: []string{"--tool", "echo", "message=hello"}},
	{name: "mcpgo-roots", modern: true, call: []string{"--tool", "roots"}},
	{name: "mcpgo-structured", modern: true, call: []string{"--tool", "get_weather", "location=Rome"}},
}

// timedRules are rules about times, which depend on the machine.
var timedRules = []string{"PRC01", "PRC02", "PRC05", "PRC06", "PRC07", "PRC08", "PRC09", "RPC19", "RPC20", "FRM16", "PRG05"}

// TestLongRealServers shakes hands with real servers in each era that they speak,
// reads all their lists, calls a tool and shuts them down. Their problems must be
// exactly the expected ones.
func TestLongRealServers(t *testing.T) {
	t.Parallel()
	servers := filepath.Join(os.Getenv(testhome.Tools), "servers", "current")
	clitest.NeedFile(t, filepath.Join(servers, "done"))
	judged := readJudged(t)
	found := make([][]string, len(judgedServers))
	t.Run("servers", func(t *testing.T) {
		for i, s := range judgedServers {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				found[i] = s.problems(t, servers)
				if !*judge {
					require.Equal(t, judged.problems(s.name), found[i], "another version of a rule? go test -tags long -run TestLongRealServers -judge, and judge each new line")
				}
			})
		}
	})
	if *judge {
		judged.rewrite(t, found)
	}
}

// problems visits the server in each era, calls its tool, and returns the problems of
// all these sessions, sorted.
func (s *judgedServer) problems(t *testing.T, servers string) []string {
	t.Helper()
	config := s.config(t, servers, t.TempDir())
	args := []string{"check", "--json", "--fail-on", "never"}
	for _, era := range s.eras() {
		args = append(args, s.visit(t, config, era))
		if s.call != nil {
			args = append(args, s.callOnce(t, config, era))
		}
	}
	r := clitest.Run(t, args...)
	require.Equal(t, 0, r.Code, "%s", r.Stderr)
	var report struct {
		Targets []struct {
			Problems []struct {
				ID          string `json:"id"`
				Severity    string `json:"severity"`
				Fingerprint string `json:"fingerprint"`
			} `json:"problems"`
		} `json:"targets"`
	}
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &report))
	found := []string{}
	for _, target := range report.Targets {
		for _, p := range target.Problems {
			if !slices.Contains(timedRules, p.ID) {
				found = append(found, p.Severity+" "+p.Fingerprint)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func (s *judgedServer) eras() []string {
	if s.modern {
		return []string{"legacy", "modern"}
	}
	return []string{"legacy"}
}

// config writes the file of the server's command.
func (s *judgedServer) config(t *testing.T, servers, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "servers", "mcp.json"))
	require.NoError(t, err)
	path := filepath.Join(dir, "mcp.json")
	require.NoError(t, os.WriteFile(path, []byte(strings.NewReplacer("${SERVERS}", servers, "${WORK}", dir).Replace(string(text))), 0o600))
	return path
}

// visit shakes hands, reads all lists and shuts down, and returns the recording.
func (s *judgedServer) visit(t *testing.T, config, era string) string {
	t.Helper()
	r := clitest.Run(t, "smoke", "--config", config, "--server", s.name, "--era", era, "--json", "--fail-on", "never", "--startup-timeout", "4m")
	var report struct {
		Targets []struct {
			Recording string `json:"recording"`
		} `json:"targets"`
	}
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &report), "%s", r.Stderr)
	require.Len(t, report.Targets, 1)
	require.NotEmpty(t, report.Targets[0].Recording, "%s%s", r.Stdout, r.Stderr)
	return report.Targets[0].Recording
}

// callOnce calls the tool, whatever it answers, and returns the recording.
func (s *judgedServer) callOnce(t *testing.T, config, era string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), era+".jsonl")
	args := slices.Concat([]string{"call", "--config", config, "--server", s.name, "--era", era, "--record", path, "--startup-timeout", "4m"}, s.call)
	r := clitest.Run(t, args...)
	require.Contains(t, []int{0, 1}, r.Code, "%s", r.Stderr)
	return path
}

// judgements are the judgements of the problems of each server.
type judgements map[string]map[string]string

const judgedFile = "testdata/servers/problems.txt"

func readJudged(t *testing.T) judgements {
	t.Helper()
	text, err := os.ReadFile(judgedFile)
	require.NoError(t, err)
	all := make(judgements)
	server, problem := "", ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		switch name, isServer := strings.CutPrefix(line, "== "); {
		case line == "", strings.HasPrefix(line, "#"):
		case isServer:
			server, all[name] = name, make(map[string]string)
		case strings.HasPrefix(line, "\t"):
			all[server][problem] = strings.TrimSpace(line)
		default:
			problem = line
			all[server][problem] = ""
		}
	}
	return all
}

// problems returns the expected problems of a server, each of which is judged.
func (j judgements) problems(server string) []string {
	all := []string{}
	for _, problem := range slices.Sorted(maps.Keys(j[server])) {
		if j[server][problem] != "" {
			all = append(all, problem)
		}
	}
	return all
}

// rewrite writes the file with the problems that were found. Judgements stay.
func (j judgements) rewrite(t *testing.T, found [][]string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("# The problems of real servers, each with its judgement. See real_problems_long_test.go.\n")
	for i, s := range judgedServers {
		fmt.Fprintf(&b, "\n== %s\n", s.name)
		for _, problem := range found[i] {
			fmt.Fprintf(&b, "%s\n\t%s\n", problem, j[s.name][problem])
		}
	}
	require.NoError(t, os.WriteFile(judgedFile, []byte(b.String()), 0o644))
}
