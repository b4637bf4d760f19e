package ui

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOpenedFromTheStart: all that is given is listed, the first in front, and
// what has to be started is.
func TestOpenedFromTheStart(t *testing.T) {
	started := 0
	start := func(context.Context) error { started++; return nil }
	d := drive(t, Options{Opened: []Opened{
		{Source: hostileLog(t, "x"), Title: "first.jsonl", File: "first.jsonl"},
		{Source: hostileLog(t, "y"), Title: "second.jsonl", Start: start},
	}}, 120, 36)
	require.Contains(t, d.rows()[0], "FILE  first.jsonl")
	require.Contains(t, d.plain(), "1 Sessions 2")
	d.do(actNextSession)
	require.Contains(t, d.rows()[0], "FILE  second.jsonl")
	d.run(d.Init())
	require.Equal(t, 1, started)
}
