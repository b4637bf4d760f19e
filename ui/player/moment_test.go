package player

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestParseGoal parses goals.
func TestParseGoal(t *testing.T) {
	for text, ok := range map[string]bool{
		"": true, "1:23.5": true, "12.5s": true, "250ms": true, "1:02:03": true, "12": true, "50%": true, "n:3": true, "seq:4": true,
		"seq:4 run:2": true, "run:2": true, "error": true, "next lag": true, "first exit": true, "previous mark": true, "start": true, "end": true,
		"1:60": false, "-1s": false, "1:2:3:4": false, "1.5:00": false, "NaN": false, "1e9": false, "99999999999": false, "101%": false, "x%": false,
		"n:": false, "n:x": false, "seq:0": false, "seq:1 n:2": false, "first": false, "last error": false, "next gap gap": false, "foo": false, "1 2": false,
	} {
		_, err := parseGoal(text)
		require.Equal(t, ok, err == nil, "%q: %v", text, err)
	}
	for text, want := range map[string]time.Duration{"1:23.5": 83500 * time.Millisecond, "12.5": 12500 * time.Millisecond, "1:00:00": time.Hour, "1m": time.Minute} {
		got, err := parseTime(text)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}
