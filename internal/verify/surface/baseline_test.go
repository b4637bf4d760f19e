package surface

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/recordings/rectest"
	"mcpdbg/session/mcp"
)

// legacy is a session that reads two pages of tools, stops a second listing
// early, and gets an error for prompts.
var legacy = []string{
	rectest.Started,
	`> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
	`< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"demo","version":"1.2"},"instructions":"hi"}}`,
	`> {"jsonrpc":"2.0","method":"notifications/initialized"}`,
	`> {"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
	`< {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a"}],"nextCursor":"p2"}}`,
	`> {"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"p2"}}`,
	`< {"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"b"}],"nextCursor":""}}`,
	`> {"jsonrpc":"2.0","id":4,"method":"prompts/list"}`,
	`< {"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"no"}}`,
	`> {"jsonrpc":"2.0","id":5,"method":"tools/list"}`,
	`< {"jsonrpc":"2.0","id":5,"result":{"tools":[{"name":"a"}],"nextCursor":"p2"}}`,
	`> {"jsonrpc":"2.0","id":6,"method":"tools/list","params":{"cursor":"p9"}}`,
	`< {"jsonrpc":"2.0","id":6,"result":{"tools":[{"name":"z"}]}}`,
}

func TestFromSourceJoinsPages(t *testing.T) {
	inv, err := fromSource(t.Context(), rectest.Session(t, legacy...))
	require.NoError(t, err)
	require.Equal(t, "demo", inv.Name)
	require.Equal(t, "1.2", inv.Version)
	require.Equal(t, "2025-06-18", inv.Protocol)
	require.Equal(t, mcp.Legacy, inv.Era)
	require.Equal(t, `{"tools":{}}`, string(inv.Capabilities.Value))
	require.Equal(t, `"hi"`, string(inv.Instructions.Value))
	require.Len(t, inv.Lists, 1)
	require.Len(t, inv.Lists["tools"].Items, 2)
	require.Equal(t, `{"name":"b"}`, string(inv.Lists["tools"].Items[1].Value))
}

func TestFromSourceOfTheModernEra(t *testing.T) {
	inv, err := fromSource(t.Context(), rectest.Session(t,
		rectest.Started,
		`> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		`< {"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"m","version":"3"}}}}`,
		`> {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		`< {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a"}],"nextCursor":""}}`,
		`> {"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		`< {"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"b"}]}}`,
	))
	require.NoError(t, err)
	require.Equal(t, mcp.Modern, inv.Era)
	require.Equal(t, "2026-07-28", inv.Protocol)
	require.Equal(t, "m", inv.Name)
	require.Len(t, inv.Lists["tools"].Items, 2, "an empty cursor is valid")
}

func TestFromSourceUsesLatest(t *testing.T) {
	refused := []string{
		`"k":"exited","seq":90,"code":0`, `"k":"closed","seq":91`, `"k":"start","process":"mcp-stdio-2"`,
		`> {"jsonrpc":"2.0","id":9,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`< {"jsonrpc":"2.0","id":9,"error":{"code":-32603,"message":"not now"}}`,
	}
	inv, err := fromSource(t.Context(), rectest.Session(t, append(slices.Clone(legacy), refused...)...))
	require.NoError(t, err)
	require.Equal(t, "demo", inv.Name, "from the previous process")
	require.Len(t, inv.Lists["tools"].Items, 2)
}

func TestFromSourceMissing(t *testing.T) {
	for name, test := range map[string]struct {
		lines []string
		why   string
	}{
		"no handshake": {legacy[:2], "handshake"},
		"no list":      {legacy[:6], "list"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := fromSource(t.Context(), rectest.Session(t, test.lines...))
			var missing *MissingError
			require.ErrorAs(t, err, &missing)
			require.Contains(t, missing.Reason, test.why)
		})
	}
}

// passed reads as much of a report as these tests have.
func passed(r io.Reader) ([]Target, error) {
	var doc struct {
		Smoke   int `json:"mcpdbg_smoke"`
		Targets []struct {
			Server, Recording string
			OK                bool
		}
	}
	if err := json.NewDecoder(r).Decode(&doc); err != nil || doc.Smoke == 0 {
		return nil, nil
	}
	all := []Target{}
	for _, t := range doc.Targets {
		if t.OK {
			all = append(all, Target{t.Server, t.Recording})
		}
	}
	return all, nil
}

// document writes a document and moves a recording next to it.
func document(t *testing.T, format string) string {
	t.Helper()
	folder := t.TempDir()
	text, err := os.ReadFile(recorded(t))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.jsonl"), text, 0o600))
	path := filepath.Join(folder, "report.json")
	require.NoError(t, os.WriteFile(path, []byte(format), 0o600))
	return path
}

// recorded returns a file with the legacy session.
func recorded(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.jsonl")
	w, err := os.Create(path)
	require.NoError(t, err)
	_, _ = fmt.Fprintln(w, `{"mcpdbg":1,"id":"x","tool":"test","start":"2026-11-21T10:00:00Z","placement":"local","argv":["server"]}`)
	seq := 0
	for i, line := range legacy {
		switch line[0] {
		case '>':
			_, _ = fmt.Fprintf(w, "{\"n\":%d,\"t\":0,\"k\":\"stdin\",\"m\":%s}\n", i+1, line[2:])
		case '<':
			seq++
			_, _ = fmt.Fprintf(w, "{\"n\":%d,\"t\":0,\"k\":\"stdout\",\"seq\":%d,\"m\":%s}\n", i+1, seq, line[2:])
		default:
			_, _ = fmt.Fprintf(w, "{\"n\":%d,\"t\":0,%s}\n", i+1, line)
		}
	}
	require.NoError(t, w.Close())
	return path
}

func TestFromFile(t *testing.T) {
	const report = `{"mcpdbg_smoke":1,"ok":false,"targets":[
		{"host":"h1","server":"demo","ok":false,"recording":"nowhere.jsonl"},
		{"host":"h2","server":"demo","ok":true,"recording":"/elsewhere/recordings/a.jsonl"},
		{"host":"h3","server":"demo","ok":true,"recording":"not-read.jsonl"}%s]}`
	for name, path := range map[string]string{
		"recording": recorded(t),
		"document":  document(t, fmt.Sprintf(report, "")),
	} {
		t.Run(name, func(t *testing.T) {
			b, err := FromFile(t.Context(), path, passed)
			require.NoError(t, err)
			inv, err := b.For("any name")
			require.NoError(t, err)
			require.Equal(t, "demo", inv.Name)
		})
	}

	t.Run("several servers", func(t *testing.T) {
		b, err := FromFile(t.Context(), document(t, fmt.Sprintf(report, `,{"server":"other","ok":true,"recording":"gone.jsonl"}`)), passed)
		require.NoError(t, err)
		inv, err := b.For("demo")
		require.NoError(t, err)
		require.Equal(t, "1.2", inv.Version)
		_, err = b.For("other")
		require.ErrorIs(t, err, os.ErrNotExist)
		_, err = b.For("third")
		var missing *MissingError
		require.ErrorAs(t, err, &missing)
		require.Equal(t, "available servers: demo, other", missing.Hint)
	})
}

func TestFromFileErrors(t *testing.T) {
	var format *recordings.FormatError
	_, err := FromFile(t.Context(), document(t, `{"some":"thing"}`), passed)
	require.ErrorAs(t, err, &format)
	_, err = FromFile(t.Context(), document(t, `no JSON`), passed)
	require.ErrorAs(t, err, &format)
	_, err = FromFile(t.Context(), document(t, `{}`), func(io.Reader) ([]Target, error) { return nil, errors.New("version 2") })
	require.ErrorContains(t, err, "version 2")
	_, err = FromFile(t.Context(), document(t, `{"mcpdbg_smoke":1,"targets":[{"server":"x","ok":false}]}`), passed)
	var missing *MissingError
	require.ErrorAs(t, err, &missing)
	var many []string
	for i := range maxServers + 1 {
		many = append(many, fmt.Sprintf(`{"server":"s%d","ok":true,"recording":"gone"}`, i))
	}
	_, err = FromFile(t.Context(), document(t, `{"mcpdbg_smoke":1,"targets":[`+strings.Join(many, ",")+`]}`), passed)
	require.ErrorContains(t, err, "more than 256 servers")
	_, err = FromFile(t.Context(), filepath.Join(t.TempDir(), "none"), passed)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// FuzzDocument reads random documents.
func FuzzDocument(f *testing.F) {
	f.Add([]byte(`{"mcpdbg_smoke":1,"targets":[{"server":"x","ok":true,"recording":"x"}]}`))
	f.Add([]byte(`{"mcpdbg_smoke":1}{"mcpdbg_smoke":1,"ok":true,"recording":"/"}`))
	path := filepath.Join(f.TempDir(), "doc")
	f.Fuzz(func(t *testing.T, doc []byte) {
		require.NoError(t, os.WriteFile(path, doc, 0o600))
		b, err := FromFile(t.Context(), path, passed)
		if err == nil {
			_, err = b.For("x")
		}
		_ = err
	})
}
