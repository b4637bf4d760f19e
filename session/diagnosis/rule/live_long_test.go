//go:build long

package rule

import "testing"

// TestExampleLogsLiveLong plays every example log with a real process.
func TestExampleLogsLiveLong(t *testing.T) {
	playExampleLogs(t, func(string, *exampleLog) bool { return true })
}
