package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// Files below the root of the module.
const (
	reportFile = "docs/dev/performance.json"
	pageFile   = "docs/dev/performance.md"
)

var charted = []Group{
	{Title: "List the tools of a server", IDs: []string{"list-raw", "list-sdk", "list-inspector"},
		Names: []string{"mcpdbg list tools", "raw client", "client of the Go SDK", "Inspector CLI"}},
	{Title: "First frame of the interface", IDs: []string{"frame-inspector"}, Names: []string{"mcpdbg", "Inspector TUI"}},
	{Title: "Last message of a recording of 1.4 GB on the screen", IDs: []string{"open-less"}, Names: []string{"mcpdbg open", "less"}},
	{Title: "Find a word in a recording of 1.4 GB", IDs: []string{"search"}, Names: []string{"mcpdbg rec cat", "ripgrep"}},
	{Title: "Find a word in a recording of 88 MB", IDs: []string{"search-jq", "search-lnav"}, Names: []string{"mcpdbg rec cat", "jq", "lnav"}},
	{Title: fmt.Sprintf("Test a server on %d hosts over SSH, %d at once", hostCount, hostJobs), IDs: []string{"smoke"},
		Names: []string{"mcpdbg smoke", "xargs -P ssh"}},
}

// publish also renews the documents that show the report.
func publish(root string, short bool, now Run) error {
	path := filepath.Join(root, reportFile)
	all, err := Read(path)
	if err != nil {
		return err
	}
	var order []string
	for _, b := range benches() {
		order = append(order, b.id)
	}
	if short {
		all.Short = all.Short.Update(now, order)
	} else {
		all.Full = all.Full.Update(now, order)
	}
	if err := all.Write(path); err != nil {
		return err
	}
	files, err := documents(root, all)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func documents(root string, all Report) (map[string]string, error) {
	page, err := os.ReadFile(filepath.Join(root, pageFile))
	if err != nil {
		return nil, err
	}
	text, err := Insert(string(page), all.Full.Markdown())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pageFile, err)
	}
	return map[string]string{
		pageFile:                   text,
		"docs/img/speed-light.svg": all.Full.Chart(charted, Light),
		"docs/img/speed-dark.svg":  all.Full.Chart(charted, Dark),
	}, nil
}
