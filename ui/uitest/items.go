package uitest

import (
	"time"

	"mcpdbg/ui/host"
)

// SomeItems returns items that a Launcher may find.
func SomeItems() host.Home {
	return host.Home{
		Items: []host.Item{
			{Kind: host.ServerItem, Key: "1", Name: "everything", From: "Claude Desktop ~/.config/Claude/claude_desktop_config.json", Where: "local", Command: "npx -y @modelcontextprotocol/server-everything stdio"},
			{Kind: host.ServerItem, Key: "2", Name: "weather", From: "VS Code .vscode/mcp.json", Where: "build-7", Command: "weather --key ${KEY}", Notes: []string{"an unknown variable ${input:x} was left"}, Inputs: []host.Input{
				{ID: "region", Description: "Where to look", Options: []string{"eu", "us"}, Default: "eu"},
				{ID: "key", Description: "The key of the service", Secret: true},
			}},
			{Kind: host.ServerItem, Key: "3", Name: "remote", From: "Cursor ~/.cursor/mcp.json", Where: "", Command: "https://example.com/mcp", Blocked: "HTTP is not supported yet"},
			{Kind: host.RecordingItem, Key: "4", Name: "files", When: began.Add(-3 * time.Minute)},
			{Kind: host.RecordingItem, Key: "5", Name: "weather", When: began.Add(-2 * time.Hour)},
			{Kind: host.RecordingItem, Key: "7", Name: "everything", When: began.Add(-4 * time.Hour)},
			{Kind: host.RecordingItem, Key: "8", Name: "everything", When: began.Add(-4*time.Hour - 5*time.Minute)},
			{Kind: host.RecordingItem, Key: "9", Name: "notes", When: began.Add(-100 * 24 * time.Hour)},
			{Kind: host.DemoItem, Key: "6", Name: "demo server", Where: "local", Command: "mcpdbg demo-server"},
		},
		Notes: []string{"~/.codex/config.toml can't be read: line 3: a key without a value"},
	}
}

// began is the time at which tests begin.
var began = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// lookedAt has what the files of the recordings say.
var lookedAt = map[string]host.Item{
	"4": {Name: "files --root /srv", Where: "local", Command: "/usr/bin/files --root /srv", Words: []string{"--ssh", "build-7", "/usr/bin/files", "--root", "/s r v"}, Size: 18_637, Live: true},
	"5": {Name: "build-7: weather", Where: "build-7", Command: "weather", Size: 1_200_000, Long: 90 * time.Second, Counted: true, Sent: 400, Received: 12, Errors: 3, Verdict: "the server exited with code 1 before it answered, after 1 ms"},
	"7": {Name: "server-everything stdio", Where: "local", Command: "npx -y @modelcontextprotocol/server-everything stdio", Size: 9_000, Long: 2 * time.Second, Counted: true, Sent: 8, Received: 11, Verdict: host.VerdictOK},
	"8": {Name: "server-everything stdio", Where: "local", Command: "npx -y @modelcontextprotocol/server-everything stdio", Size: 9_000, Long: time.Second, Counted: true, Sent: 8, Received: 11, Verdict: host.VerdictOK},
	"9": {Name: "notes", Where: "local", Command: "notes", Size: 200, Counted: true, Errors: 1},
}

// Look returns an item of SomeItems with what its file says; whole adds the likeliest
// cause.
func Look(item host.Item, whole bool) host.Item {
	looked := lookedAt[item.Key]
	looked.Kind, looked.Key, looked.When, looked.From = item.Kind, item.Key, item.When, "~/recordings/"+item.Key+".jsonl"
	if !whole {
		looked.Verdict = ""
	}
	return looked
}
