package rec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/exit"
)

// Percentiles use the nearest rank.
func TestPercentiles(t *testing.T) {
	t.Parallel()
	m := MethodInfo{}
	for i := range int64(200) {
		m.took = append(m.took, 200-i)
	}
	m.summarise()
	require.Equal(t, []int64{100, 190, 198, 200}, []int64{*m.P50, *m.P95, *m.P99, *m.Max})
}

// Names with the same last letters are not shortened.
func TestShortNamesAreUnique(t *testing.T) {
	t.Parallel()
	list := []Listed{{Name: "20261101-100000-a-aaaaaa.jsonl"}, {Name: "20261102-100000-b-aaaaaa.jsonl"}, {Name: "20261102-100000-a-b-cccccc.jsonl"}, {Name: "x.jsonl"}}
	shortenNames(list)
	require.Equal(t, []string{"20261101-100000-a-aaaaaa.jsonl", "20261102-100000-b-aaaaaa.jsonl", "cccccc", "x.jsonl"},
		[]string{list[0].Name, list[1].Name, list[2].Name, list[3].Name})
}

func TestRecRemoveRequiresWholeName(t *testing.T) {
	t.Parallel()
	const path = "/state/20261121-114750-files-w679wv.jsonl"
	for _, name := range []string{path, "last", "20261121-114750-files-w679wv.jsonl", "20261121-114750-files-w679wv", "w679wv", "W679WV"} {
		require.NoError(t, wholeName(name, path), name)
	}
	err := wholeName("files", path)
	require.EqualError(t, err, `20261121-114750-files-w679wv.jsonl not removed: "files" is only part of its name`)
	require.Equal(t, exit.Usage, exit.CodeOf(err))
	require.Error(t, wholeName("w679", path))
}
