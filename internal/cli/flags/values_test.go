package flags

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSizes(t *testing.T) {
	for text, want := range map[string]size{"1": 1, "65536": 65536, "64K": 64 << 10, "16m": 16 << 20, "1G": 1 << 30, "2MB": 2 << 20, "2G": 2 << 30} {
		var s size
		require.NoError(t, s.Set(text), text)
		require.Equal(t, want, s, text)
	}
	for _, text := range []string{"", "0", "-1", "K", "1.5M", "1T", "0x10", " 1", "3G", "99999999999999999999"} {
		require.Error(t, new(size).Set(text), text)
	}
}

func FuzzSize(f *testing.F) {
	for _, seed := range []string{"1", "64K", "2G", "-1M", "1KB", "BBB"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s size
		if s.Set(text) != nil {
			require.Zero(t, s)
			return
		}
		require.Positive(t, int(s))
		require.LessOrEqual(t, int(s), maxSize)
		var again size
		require.NoError(t, again.Set(s.String()))
		require.Equal(t, s, again)
	})
}
