package server

import (
	"testing"

	"mcpdbg/ui/uitest"
)

// TestTapHeader names both sides of a tap, and the process whose state is lost.
func TestTapHeader(t *testing.T) { headers(t, uitest.Tap(t), "tap") }
