package corpus

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestM205(t *testing.T) {
	messages := m205(3)
	require.Len(t, messages, 3)
	require.True(t, json.Valid(messages[0]))
	require.Len(t, streamOf(messages), 3*205)
}

func TestMIX(t *testing.T) {
	messages := MIX(10_000)
	require.Len(t, messages, 10_000)
	requests, results := 0, 0
	for _, m := range messages {
		require.True(t, json.Valid(m), "%s", m)
		if bytes.Contains(m, []byte(`"method":"tools/call"`)) {
			requests++
		} else if bytes.Contains(m, []byte(`"result"`)) {
			results++
		}
	}
	require.InDelta(t, 1800, requests, 100)
	require.InDelta(t, 2200, results, 150)
	require.InDelta(t, 412, float64(len(streamOf(messages)))/10_000, 20)
	require.Equal(t, messages, MIX(10_000), "the same every time")
}
