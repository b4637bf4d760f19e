//go:build unix

package tap_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/testhome"
)

// liveRestarts is how often the server of each client is restarted; more in the long
// tests.
var liveRestarts = 8

// slow: server-everything takes a second to end, and adds tools after its handshake, so
// that the number of them at the start depends on the moment.
type liveServer struct {
	tool    string
	slow    bool
	command func(t *testing.T, calls string) []string
}

var liveServers = map[string]liveServer{
	"everything": {"echo", true, func(t *testing.T, _ string) []string { return []string{clitest.Reference(t), "stdio"} }},
	"demo":       {"add", false, func(*testing.T, string) []string { return []string{clitest.Binary(), "demo-server"} }},
	"counter": {"echo", false, func(t *testing.T, calls string) []string {
		script, err := filepath.Abs("testdata/counter.mjs")
		require.NoError(t, err)
		return []string{clitest.Need(t, "node"), script, calls}
	}},
}

// A load is what load.mjs saw.
type load struct {
	OK       int
	Errors   map[string]int
	Wrong    [][]string
	Sent     []string
	Restarts []string
	Problems []string
	Closed   bool
	Tools    [2]int
}

// TestRealClientsAcrossRestarts restarts a server at random moments of a load of calls:
// the client stays connected, each call succeeds or fails with an error of the tap, and
// none runs twice.
func TestRealClientsAcrossRestarts(t *testing.T) {
	packages := filepath.Join(os.Getenv(testhome.Tools), "servers", "current", "node_modules")
	clitest.NeedFile(t, filepath.Join(packages, "@modelcontextprotocol", "client"))
	clients := []string{"ts1", "ts2", "ts2-legacy", "go", "go-legacy"}
	for server := range liveServers {
		for _, client := range clients {
			if strings.HasSuffix(client, "-legacy") && server != "demo" {
				continue // the others are legacy servers
			}
			t.Run(client+" "+server, func(t *testing.T) { // one after the other: each has four programs
				acrossRestarts(t, packages, client, server)
			})
		}
	}
}

func acrossRestarts(t *testing.T, packages, client, server string) {
	t.Helper()
	s := liveServers[server]
	dir := t.TempDir()
	record, calls := filepath.Join(dir, "r.jsonl"), filepath.Join(dir, "calls")
	name := "load-" + client + "-" + server
	program := []string{clitest.Need(t, "node"), "testdata/load.mjs", packages}
	if strings.HasPrefix(client, "go") {
		program = []string{clitest.Need(t, "goload")}
	}
	rounds := liveRestarts
	if s.slow {
		rounds /= 3
	}
	argv := slices.Concat(program, []string{
		client, s.tool, strconv.Itoa(rounds), clitest.Binary(), name, "--",
		clitest.Binary(), "tap", "--live", "--name", name,
	})
	if client != "ts2" { // it ends its probe, so that there is a second tap
		argv = append(argv, "--record", record)
	}
	argv = slices.Concat(argv, []string{"--"}, s.command(t, calls))
	r := clitest.Finish(t, clitest.Command(t, argv[0], argv[1:]...))
	require.Zero(t, r.Code, r.Stderr)
	var l load
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &l), r.Stdout)
	require.False(t, l.Closed)
	require.Empty(t, l.Wrong)
	require.Empty(t, l.Problems)
	require.NotZero(t, l.OK)
	for text := range l.Errors {
		require.Regexp(t, `The server was restarted while it handled this tools/call \(mcpdbg tap restart\)\. It may or may not have run; it was not sent again\.$`, text)
	}
	for _, text := range l.Restarts {
		require.Contains(t, text, "restarted: mcpdbg tap restart")
	}
	if !s.slow {
		require.Equal(t, l.Tools[0], l.Tools[1])
	}
	require.NotZero(t, l.Tools[1])
	if server == "counter" {
		requireOnce(t, calls, l)
	}
	switch client {
	case "ts2":
	case "codex": // it kills the tap
		r := clitest.Run(t, "rec", "verify", record)
		require.Zero(t, r.Code, r.Stdout)
	default:
		clitest.RequireWhole(t, record)
	}
}

// requireOnce checks that no call ran twice, and each that succeeded ran.
func requireOnce(t *testing.T, calls string, l load) {
	t.Helper()
	data, err := os.ReadFile(calls)
	require.NoError(t, err)
	ran := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	slices.Sort(ran)
	require.Len(t, slices.Compact(slices.Clone(ran)), len(ran), "a call ran twice")
	require.GreaterOrEqual(t, len(ran), l.OK)
	require.LessOrEqual(t, len(ran), len(l.Sent))
}
