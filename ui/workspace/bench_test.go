package workspace_test

import (
	"testing"

	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// BenchmarkIndex lists a million rows by pane, as opening a recording does.
func BenchmarkIndex(b *testing.B) {
	log := uitest.NewLog(b)
	uitest.AppendTraffic(b, log, 1_000_000)
	b.ReportAllocs()
	for b.Loop() {
		x := workspace.NewIndex()
		x.Pull(log)
	}
}
