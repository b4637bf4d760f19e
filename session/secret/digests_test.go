package secret

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
)

func TestDigests(t *testing.T) {
	d := NewDigests([]executor.EnvVar{
		{Name: "A", Value: "hunter2-a"}, {Name: "SHORT", Value: "7 bytes"}, {Name: "B", Value: "hunter2-longer"},
		{Name: "SAME", Value: "hunter2-a"}, {Name: "HUGE", Value: strings.Repeat("x", longestDigested+1)},
	})
	data, err := json.Marshal(d)
	require.NoError(t, err)
	require.NotContains(t, string(data), "hunter2")
	var back *Digests
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, []int{9, 14}, back.Lengths())
	require.Equal(t, "A", back.Find([]byte("hunter2-a")))
	require.Equal(t, "B", back.Find([]byte("hunter2-longer")))
	require.Empty(t, back.Find([]byte("hunter2-b")))
	require.Empty(t, back.Find([]byte("7 bytes")))

	other := NewDigests([]executor.EnvVar{{Name: "A", Value: "hunter2-a"}})
	require.NotEqual(t, d.Digests[0].SHA256, other.Digests[0].SHA256, "the salt is new each time")
	require.Nil(t, NewDigests([]executor.EnvVar{{Name: "SHORT", Value: "7 bytes"}}))
}

// TestDigestsOfAnyFile checks that the contents of a file are not
// trusted.
func TestDigestsOfAnyFile(t *testing.T) {
	var none *Digests
	require.Empty(t, none.Lengths())
	require.Empty(t, none.Find([]byte("anything")))
	odd := &Digests{Digests: []Digest{{Name: "a", Len: -1}, {Name: "b", Len: 1 << 40}, {Name: "c", Len: 8}, {Name: "d", Len: 8, SHA256: []byte("short")}}}
	require.Equal(t, []int{8}, odd.Lengths())
	require.Empty(t, odd.Find([]byte("anything")))
}
