//go:build unix

package traffic

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/localexec"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
)

// A realSession is what a test sends to a real server.
type realSession struct {
	name  string
	argv  []string // DIR is an empty folder
	calls [][2]string
}

var realSessions = []realSession{
	{"everything", []string{"npx", "-y", "@modelcontextprotocol/server-everything@2026.8.31", "stdio"}, [][2]string{
		{"tools/list", `{}`}, {"resources/list", `{}`}, {"prompts/list", `{}`},
		{"tools/call", `{"name":"echo","arguments":{"message":"hello"}}`},
		{"tools/call", `{"name":"get-sum","arguments":{"a":1,"b":2}}`},
		{"tools/call", `{"name":"get-tiny-image","arguments":{}}`},
		{"prompts/get", `{"name":"simple-prompt"}`},
	}},
	{"filesystem", []string{"npx", "-y", "@modelcontextprotocol/server-filesystem@2026.8.31", "DIR"}, [][2]string{
		{"tools/list", `{}`},
		{"tools/call", `{"name":"write_file","arguments":{"path":"DIR/a.txt","content":"one line"}}`},
		{"tools/call", `{"name":"read_text_file","arguments":{"path":"DIR/a.txt"}}`},
		{"tools/call", `{"name":"list_directory","arguments":{"path":"DIR"}}`},
	}},
	{"memory", []string{"npx", "-y", "@modelcontextprotocol/server-memory@2026.8.31", "stdio"}, [][2]string{
		{"tools/list", `{}`},
		{"tools/call", `{"name":"create_entities","arguments":{"entities":[{"name":"Ada","entityType":"person","observations":["wrote programs"]}]}}`},
		{"tools/call", `{"name":"read_graph","arguments":{}}`},
	}},
	{"gopls", []string{"gopls", "mcp"}, [][2]string{
		{"tools/list", `{}`}, {"tools/call", `{"name":"go_workspace","arguments":{}}`},
	}},
	{"go-sdk", []string{"gosdk-everything"}, [][2]string{
		{"tools/list", `{}`}, {"resources/list", `{}`}, {"tools/call", `{"name":"greet","arguments":{"name":"Ada"}}`},
	}},
}

// TestRealSessionsAreReadable checks with real servers that a healthy session has
// no mark of an error, and that at least 80 % of its rows name what was called and
// what came back.
func TestRealSessionsAreReadable(t *testing.T) {
	for _, tc := range realSessions {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(tc.argv[0]); err != nil {
				if os.Getenv("CI") == "true" {
					require.NoError(t, err)
				}
				t.Skip(err)
			}
			rows := rowsOf(t, talk(t, tc))
			named := 0
			for _, r := range rows {
				require.NotContains(t, []string{"✗", "!", "#"}, r.mark, "%+v", r)
				if r.call != "" && r.result != "" {
					named++
				}
			}
			require.GreaterOrEqual(t, named*100, 80*len(rows), "%+v", rows)
			require.Greater(t, len(rows), len(tc.calls))
			t.Logf("%d of %d rows: %+v", named, len(rows), rows)
		})
	}
}

// talk has a session with a real server, and ends it.
func talk(t *testing.T, tc realSession) *session.Session {
	t.Helper()
	dir := t.TempDir()
	argv := strings.Split(strings.ReplaceAll(strings.Join(tc.argv, "\x00"), "DIR", dir), "\x00")
	ex, log := localexec.New(localexec.Options{}), uitest.NewLog(t)
	s := session.New(session.Config{
		Executor: ex, Log: log, ClientName: "test", ClientVersion: "0", StartupTimeout: 100 * time.Second, Timeout: 100 * time.Second,
		Command: executor.Command{Argv: argv, Dir: dir, Env: []executor.EnvVar{{Name: "MEMORY_FILE_PATH", Value: dir + "/memory.json"}}},
	})
	t.Cleanup(func() {
		_, err := s.Close(context.Background())
		require.NoError(t, err)
		require.NoError(t, ex.Close())
	})
	require.NoError(t, s.Open(t.Context()))
	for _, call := range tc.calls {
		_, err := s.Request(t.Context(), call[0], json.RawMessage(strings.ReplaceAll(call[1], "DIR", dir)), session.CallOptions{})
		require.NoError(t, err, call)
	}
	return s
}

// An exchangeRow is a row of the exchanges, as a person reads it.
type exchangeRow struct{ mark, call, result string }

// rowsOf returns all rows of the exchanges of a session, at 120 columns.
func rowsOf(t *testing.T, s *session.Session) []exchangeRow {
	t.Helper()
	stage := newStage(t, uitest.NewHost(t, uitest.LiveWorkspace(t, s), 120, 120), Exchanges)
	stage.act(kit.Top)
	var rows []exchangeRow
	columns := []int{-1, 0, 0, 0}
	for _, line := range strings.Split(stage.Text(), "\n") {
		cells := []rune(line)
		at := func(from, to int) string {
			return strings.TrimSpace(string(cells[min(from, len(cells)):min(to, len(cells))]))
		}
		switch {
		case columns[0] < 0 && strings.Contains(line, " arguments "):
			for i, title := range []string{"call", "arguments", "result", "took"} {
				columns[i] = len([]rune(line[:strings.Index(line, title)]))
			}
		case columns[0] < 0:
		case strings.TrimSpace(line) != "":
			rows = append(rows, exchangeRow{at(2, 3), at(columns[0], columns[1]), at(columns[2], columns[3]-5)})
		}
	}
	return rows
}
