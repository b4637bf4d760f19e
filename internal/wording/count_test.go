package wording

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlural(t *testing.T) {
	require.Equal(t, "1 tool", Plural(1, "tool"))
	require.Equal(t, "2 tools", Plural(uint64(2), "tool"))
	require.Equal(t, "1234 entries", Plural(int64(1234), "entry"))
	require.Equal(t, "0 processes", PluralOf(0, "process", "processes"))
	require.Equal(t, "1,234 entries", Counted(1234, "entry"))
	require.Equal(t, ", 2 bytes lost", IfCounted(2, ", %s lost", "byte"))
	require.Empty(t, IfCounted(0, ", %s lost", "byte"))
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 12402: "12,402", -1234567: "-1,234,567"} {
		require.Equal(t, want, Thousands(n))
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int64][2]string{
		0: {"0 bytes", "0"}, 1: {"1 byte", "1"}, 999: {"999 bytes", "999"}, 1000: {"1000 bytes", "1.0K"}, 1023: {"1023 bytes", "1.0K"},
		4403: {"4.3 KiB", "4.3K"}, 1 << 20: {"1.0 MiB", "1.0M"}, 1000 << 20: {"1000.0 MiB", "1.0G"}, 3 << 30: {"3.0 GiB", "3.0G"},
	} {
		require.Equal(t, want, [2]string{Bytes(n), Size(n)})
	}
}

func TestJoin(t *testing.T) {
	require.Equal(t, "a b", Join(" ", "", "a", "", "b", ""))
	require.Empty(t, Join(" "))
	names := make([]string, 22)
	require.Equal(t, "a, b", List([]string{"a", "b"}))
	require.Contains(t, List(names), " and 2 more")
}
