package recordings

import (
	"io"
	"math"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
)

func TestRetention(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	day := 24 * time.Hour
	// Newest first: one, two, ... days old, of 10 bytes each; the third is held.
	all := make([]Kept, 5)
	for i := range all {
		at := now.Add(-time.Duration(i+1) * day)
		all[i] = Kept{Start: at, Modified: at.Add(time.Minute), Size: 10, Held: i == 2}
	}
	for name, c := range map[string]struct {
		r    Retention
		want []int
	}{
		"no limit":             {Retention{}, nil},
		"so many":              {Retention{Keep: 4}, []int{4}},
		"as many as there are": {Retention{Keep: 5}, nil},
		"held ones count":      {Retention{Keep: 2}, []int{4, 3, 1}},
		"but stays":            {Retention{Keep: 1}, []int{4, 3, 1, 0}},
		"by age":               {Retention{Older: 3 * day}, []int{4, 3}},
		"written later":        {Retention{Older: 4*day - time.Minute}, []int{4}},
		"by size":              {Retention{Over: 45}, []int{4}},
		"exactly":              {Retention{Over: 50}, nil},
		"the strictest":        {Retention{Keep: 4, Over: 25, Older: 100 * day}, []int{4, 3, 1}},
		"unreachable limit":    {Retention{Over: 5}, []int{4, 3, 1, 0}},
	} {
		require.Equal(t, c.want, c.r.Excess(all, now), name)
		require.Equal(t, name == "no limit", c.r.Zero())
	}
}

func TestAges(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"30d": 720 * time.Hour, "2w": 336 * time.Hour, "12h": 12 * time.Hour, "1h30m": 90 * time.Minute,
		"": 0, "d": 0, "0d": 0, "-1d": 0, "30": 0, "0s": 0, "-5h": 0, "1.5d": 0, "99999999999999999d": 0, "30 d": 0, "200000d": 0,
	} {
		got, err := ParseAge(text)
		require.Equal(t, want, got, text)
		require.Equal(t, want == 0, err != nil, text)
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{
		"65536": 65536, "64K": 65536, "64KB": 65536, "64kib": 65536, "500M": 500 << 20, "2GiB": 2 << 30, "1T": 1 << 40, "7B": 7,
		"": 0, "K": 0, "0": 0, "-1": 0, "1.5G": 0, "2 G": 0, "9223372036854775807K": 0, "1KK": 0, "0x10": 0,
	} {
		got, err := ParseSize(text)
		require.Equal(t, want, got, text)
		require.Equal(t, want == 0, err != nil, text)
	}
	got, err := ParseSize("9223372036854775807")
	require.NoError(t, err)
	require.Equal(t, int64(math.MaxInt64), got)
}

func TestRemove(t *testing.T) {
	f := create(t, Options{})
	require.NoError(t, f.Append([]session.Entry{stdout(1, "x")}))
	require.ErrorIs(t, Remove(f.Path(), false), ErrLive)
	require.NoError(t, f.Close())
	index, err := storedPath(f.Path())
	require.NoError(t, err)
	require.NoError(t, storeAt(index, func(w io.Writer) error { return nil }))
	require.NoError(t, Remove(f.Path(), false))
	require.NoFileExists(t, f.Path())
	require.NoFileExists(t, index)
	require.ErrorIs(t, Remove(f.Path(), false), os.ErrNotExist)

	g := create(t, Options{})
	require.NoError(t, Remove(g.Path(), true), "its recorder continues")
	require.NoError(t, g.Append([]session.Entry{stdout(1, "x")}))
	require.ErrorContains(t, g.Close(), "was deleted while it was open")

	text, newer := write(t, "text\n"), write(t, `{"mcpdbg":7}`+"\n")
	require.ErrorAs(t, Remove(text, true), new(*FormatError))
	require.FileExists(t, text)
	require.NoError(t, Remove(newer, false), "it is a recording, though it can't be read")
}
