package history

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
)

// shard returns a report of a part of a plan with these numbers of shards and targets.
func shard(index, of, targets int) *verify.Report {
	r := run(index, make([]float64, targets)...)
	r.Plan = verify.Plan{Hash: "h", Targets: of * targets, Shard: &verify.Shard{Index: index, Of: of}}
	for i := range of * targets {
		r.Plan.IDs = append(r.Plan.IDs, fmt.Sprintf("notes@h-%05d", i))
	}
	for i := range r.Targets {
		t := &r.Targets[i]
		t.Host = fmt.Sprintf("h-%05d", index-1+i*of)
		t.ID = "notes@" + t.Host
	}
	return r
}

func TestMergeOrder(t *testing.T) {
	r, missing, notes, err := Merge([]*verify.Report{shard(3, 3, 2), shard(1, 3, 2), shard(2, 3, 2)})
	require.NoError(t, err)
	require.Empty(t, missing)
	require.Empty(t, notes)
	require.True(t, r.OK)
	require.Equal(t, night.AddDate(0, 0, 1), r.Started)
	require.Len(t, r.Targets, 6)
	for i := range r.Targets {
		require.Equal(t, fmt.Sprintf("notes@h-%05d", i), r.Targets[i].ID)
	}
	require.Nil(t, r.Plan.Shard)
}

// The server of a missing target is one of the others: its name may have an @.
func TestSplit(t *testing.T) {
	known := []verify.Result{{Server: "@scope/notes"}}
	for id, want := range map[string]string{
		"@scope/notes@me@web-1:22": "@scope/notes me@web-1:22", "other@web-1": "other web-1", "other": "other local",
	} {
		server, host := split(id, known)
		require.Equal(t, want, server+" "+host)
	}
}

// BenchmarkMerge merges 50 shards of 200 targets: at most 2 s with reading them.
func BenchmarkMerge(b *testing.B) {
	var all []*verify.Report
	for i := range 50 {
		all = append(all, shard(i+1, 50, 200))
	}
	for b.Loop() {
		r, _, _, err := Merge(all)
		require.NoError(b, err)
		require.Len(b, r.Targets, 10_000)
	}
}
