package format

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAgo(t *testing.T) {
	now := time.Date(2026, 11, 23, 6, 0, 0, 0, time.UTC)
	for age, want := range map[time.Duration]string{
		0: "just now", 59 * time.Second: "just now", time.Minute: "1 min ago", 59 * time.Minute: "59 min ago",
		time.Hour: "1 h ago", 47 * time.Hour: "47 h ago", 48 * time.Hour: "2 days ago", 59 * 24 * time.Hour: "59 days ago",
		60 * 24 * time.Hour: "2026-09-24", -30 * time.Second: "just now", -48 * time.Hour: "2026-11-25",
	} {
		require.Equal(t, want, Ago(now, now.Add(-age)))
	}
}

func TestAppendTook(t *testing.T) {
	for us, want := range map[int64]string{
		0: "0 ms", 4: "0 ms", 5: "0.01 ms", 460: "0.46 ms", 2900: "2.9 ms", 13_900: "14 ms", 999_400: "999 ms", 999_500: "1.0 s", 1_500_000: "1.5 s", 1_200_000_000: "1200 s",
	} {
		require.Equal(t, want, string(AppendTook(nil, us)), us)
	}
}
