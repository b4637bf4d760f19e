package ui

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/workspace"
)

// TestOpenedFromTheStart checks that all given sessions and recordings are
// listed, that the first is visible, and that those with a start are started.
func TestOpenedFromTheStart(t *testing.T) {
	started := 0
	start := func(context.Context) error { started++; return nil }
	d := drive(t, Options{Opened: []workspace.Opened{
		{Source: hostileLog(t, "x"), Title: "first.jsonl", File: "first.jsonl"},
		{Source: hostileLog(t, "y"), Title: "second.jsonl", Start: start},
	}}, 120, 36)
	require.Contains(t, d.rows()[0], "  first.jsonl")
	require.Contains(t, d.plain(), " 1 first.jsonl   2 second.jsonl ")
	d.do(actNextSession)
	require.Contains(t, d.rows()[0], "  second.jsonl")
	d.run(d.Init())
	require.Equal(t, 1, started)
}
