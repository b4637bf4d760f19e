package workspace

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProgressIsBounded checks that large or invalid progress only changes the
// line of its call.
func TestProgressIsBounded(t *testing.T) {
	var c Call
	c.Heard(json.RawMessage(`{"progress":1,"total":4,"message":"a quarter"}`))
	require.Equal(t, Progress{Done: "1", Total: "4", Message: "a quarter"}, *c.Progress.Load())
	c.Heard(json.RawMessage(`{"progress":1,"message":"` + strings.Repeat("x", InlineLimit) + `"}`))
	require.Equal(t, Progress{Problem: "progress too large (64.0K)"}, *c.Progress.Load())
	c.Heard(json.RawMessage(`{"progress":"soon"`))
	require.Equal(t, "unreadable progress", c.Progress.Load().Problem)
}
