package wording

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

func TestTimes(t *testing.T) {
	for us, want := range map[int64][3]string{
		0: {"0s", "0.00 ms", "0s"}, 460: {"460µs", "0.46 ms", "460µs"}, 1_234: {"1.23ms", "1.2 ms", "1.23ms"}, 41_000: {"41ms", "41 ms", "41ms"}, 41_234: {"41.2ms", "41.2 ms", "41ms"},
		1_504_000: {"1.5s", "1.5 s", "1.504s"}, 12_345_678: {"12.35s", "12.3 s", "12.3s"}, 61_600_000: {"1m2s", "61.6 s", "1m1.6s"},
	} {
		d := time.Duration(us) * time.Microsecond
		require.Equal(t, want, [3]string{Time(us).String(), RoundedTime(d), RoundTime(d, 10*time.Second, 100*time.Millisecond).String()})
		require.Equal(t, float64(us)/1000, Milliseconds(d))
	}
	require.Equal(t, "4:11.02", string(AppendClock(nil, 251_020_000)))
	require.Equal(t, "1:04:11.02", string(AppendClock(nil, 3_851_020_000)))
}

func TestFormats(t *testing.T) {
	for us, want := range map[int64]string{0: "0:00.00", -5: "0:00.00", 251_020_000: "4:11.02", 3_851_020_000: "1:04:11.02"} {
		require.Equal(t, want, string(AppendClock(nil, us)))
	}
	for us, want := range map[int64]string{41: "0.04", 999: "1.00", 11_234: "11.2", 902_400: "902.4", 9_999_900: "9999.9", 12_345_678: "12346"} {
		require.Equal(t, want, string(AppendMillis(nil, us)))
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1.0K", 4403: "4.3K", 1023 << 10: "1.0M", 831_386: "811.9K", 5 << 30: "5.0G"} {
		require.Equal(t, want, Size(n))
	}
}
