package watch

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/host"
	"mcpdbg/ui/workspace"
)

// TestListen receives changes from the watch until it ends.
func TestListen(t *testing.T) {
	left := []string{"a", "b"}
	s := New(t.Context(), &workspace.Watch{Next: func(context.Context) (string, error) {
		if len(left) == 0 {
			return "", context.Canceled
		}
		next := left[0]
		left = left[1:]
		return next, nil
	}}, nil)
	var got []host.Message
	s.Listen(func(m host.Message) { got = append(got, m) })
	require.Equal(t, []host.Message{changed{s, "a"}, changed{s, "b"}}, got)
}

// TestNoFiles checks that a session without a watch listens to nothing and has no
// part in the header.
func TestNoFiles(t *testing.T) {
	s := New(t.Context(), nil, nil)
	s.Listen(func(host.Message) { require.Fail(t, "no files are watched") })
	require.Empty(t, s.Part(host.Context{}))
}
