package recordings

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
)

func TestPeek(t *testing.T) {
	line := func(n, t int, rest string) string { return fmt.Sprintf(`{"n":%d,"t":%d,%s}`, n, t, rest) + "\n" }
	long := func(size int) string { return `"k":"stdout","seq":1,"raw":"` + strings.Repeat("x", size) + `"` }
	longHeader := strings.Replace(header, `"argv":[]`, `"argv":["`+strings.Repeat("y", 2*peekHeader)+`"]`, 1)
	for name, c := range map[string]struct {
		content string
		want    Summary // the differences from a torn recording
	}{
		"no entries":               {header, Summary{Duration: -1}},
		"a header only, torn":      {strings.TrimSuffix(header, "\n"), Summary{Duration: -1}},
		"finished":                 {header + line(1, 7, `"k":"end","entries":1`), Summary{Duration: 7, State: session.RecordingDone, Entries: 1}},
		"counted":                  {header + line(1, 7, `"k":"end","entries":1,"counts":{"out":3}`), Summary{Duration: 7, State: session.RecordingDone, Entries: 1, Counts: &session.EndCounts{Out: 3}}},
		"not finished":             {header + line(1, 7, `"k":"note","text":"x"`), Summary{Duration: 7}},
		"torn":                     {header + line(1, 7, `"k":"note","text":"x"`) + `{"n":2,"t":`, Summary{Duration: 7}},
		"torn after its end":       {header + line(1, 7, `"k":"end","entries":1`) + `{`, Summary{Duration: 7}},
		"torn in the first line":   {header + `{"n":1,"t":7,"k":"end","entries":1}`, Summary{Duration: -1}},
		"garbage at the end":       {header + line(1, 7, `"k":"note","text":"x"`) + "garbage\n", Summary{Duration: -1}},
		"a blank line at the end":  {header + line(1, 7, `"k":"end","entries":1`) + "\n", Summary{Duration: -1}},
		"a long header":            {longHeader + line(1, 7, `"k":"end","entries":1`), Summary{Duration: 7, State: session.RecordingDone, Entries: 1}},
		"a long last line":         {header + line(1, 7, long(100_000)), Summary{Duration: 7}},
		"a last line of 2 MiB":     {header + line(1, 5, `"k":"note","text":"x"`) + line(2, 7, long(2<<20)), Summary{Duration: -1}},
		"a torn line of 2 MiB":     {header + line(1, 7, `"k":"end","entries":1`) + long(2<<20), Summary{Duration: -1}},
		"one entry before the end": {header + line(1, 1, long(5000)) + line(2, 9, `"k":"end","entries":2`), Summary{Duration: 9, State: session.RecordingDone, Entries: 2}},
		"an invalid time":          {header + line(1, -7, `"k":"note","text":"x"`), Summary{Duration: -1}},
		"an invalid end":           {header + line(1, 7, `"k":"end","entries":"?"`), Summary{Duration: 7, State: session.RecordingDone}},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, c.content)
			s, err := Peek(path)
			require.NoError(t, err)
			require.NotEmpty(t, s.Header.ID)
			require.WithinDuration(t, time.Now(), s.Modified, time.Hour)
			require.Equal(t, int64(len(c.content)), s.Size)
			if c.want.State == 0 {
				c.want.State = session.RecordingTorn
			}
			c.want.Header, c.want.Modified, c.want.Size = s.Header, s.Modified, s.Size
			require.Equal(t, c.want, s)
		})
	}
}

func TestPeekAtLiveRecording(t *testing.T) {
	f := create(t, Options{})
	require.NoError(t, f.Append([]session.Entry{stdout(1, "x")}))
	s, err := Peek(f.Path())
	require.NoError(t, err)
	require.Equal(t, session.RecordingOn, s.State)
	require.NoError(t, f.Close())
	s, err = Peek(f.Path())
	require.NoError(t, err)
	require.Equal(t, session.RecordingDone, s.State)
}

func TestPeekRefusesOtherFiles(t *testing.T) {
	for _, path := range []string{write(t, "text\n"), write(t, ""), t.TempDir(), write(t, strings.Repeat("x", 20_000))} {
		_, err := Peek(path)
		require.ErrorAs(t, err, new(*FormatError), path)
	}
	_, err := Peek(filepath.Join(t.TempDir(), "gone"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// The counts of the last entry cover all entries before it, however many writers
// are active when the file is closed.
func TestEndEntryCountsAll(t *testing.T) {
	f := create(t, Options{})
	message := session.Entry{Kind: session.KindStdin, Payload: []byte(`{"method":"a"}`)}
	message.Msg = framing.Scan(message.Payload)
	started := make(chan struct{}, 8)
	var wg sync.WaitGroup
	for range cap(started) {
		wg.Go(func() {
			for {
				if f.Append([]session.Entry{message}) != nil {
					return
				}
				select {
				case started <- struct{}{}:
				default:
				}
			}
		})
	}
	for range cap(started) {
		<-started
	}
	require.NoError(t, f.Close())
	wg.Wait()
	s, err := Peek(f.Path())
	require.NoError(t, err)
	require.Equal(t, session.EndCounts{Out: s.Entries - 1}, *s.Counts)
	require.Greater(t, s.Entries, uint64(8))
	report, err := Verify(f.Path())
	require.NoError(t, err)
	require.True(t, report.OK(), "%v", report.Problems)
}
