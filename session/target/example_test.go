package target_test

import (
	"fmt"

	"mcpdbg/session/target"
)

func Example() {
	config := []byte(`{
		"inputs": [{"type": "promptString", "id": "key", "description": "API key", "password": true}],
		"servers": {"notes": {"command": "node", "args": ["${workspaceFolder}/notes.js", "--key=${input:key}"]}},
	}`)
	file, err := target.Parse("/home/me/notes/.vscode/mcp.json", config, target.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	entry := &file.Entries[0]
	fmt.Println(entry)
	start, err := entry.Resolve(func(in target.Input) (string, error) { return "hunter2", nil })
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(start)
	fmt.Println(len(start.Args()), "words, in", start.Dir)
	// Output:
	// notes (VS Code): node /home/me/notes/notes.js --key=${input:key}
	// node /home/me/notes/notes.js --key=${key}
	// 3 words, in /home/me/notes
}
