package ui

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/recordings"
	"mcpdbg/recordings/rectest"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/wire"
	"mcpdbg/ui/workspace"
)

func parse(t testing.TB, text string) *filter.Filter {
	t.Helper()
	f, err := filter.Parse(text)
	require.NoError(t, err)
	return f
}

// passing returns the rows that the traffic pane lists under a filter.
func (d *driver) passing() []uint32 {
	return append([]uint32{}, d.visible.rows.Traffic.Listed().All()...)
}

// passing applies a filter to a whole log, row by row.
func passing(t testing.TB, log session.Source, f *filter.Filter) []uint32 {
	t.Helper()
	rows := make([]session.Row, log.Len())
	log.Rows(0, rows)
	m := f.Matcher(log)
	want := []uint32{}
	for i, row := range rows {
		if (row.Kind == session.KindStdin || row.Kind == session.KindStdout || f.NamesKind(row.Kind)) && m.Match(i, row) {
			want = append(want, uint32(i))
		}
	}
	return want
}

// TestFilterInSteps checks that a filter shows what it has found so far, the
// newest rows first, and its progress.
func TestFilterInSteps(t *testing.T) {
	log := newLog(t)
	appendTraffic(t, log, 3*wire.StepRows)
	d := drive(t, Options{Source: log}, 120, 36)
	f := parse(t, "kind:error")
	cmd := d.visible.rows.Traffic.SetFilter(f)
	require.Contains(t, d.repainted(), "filter kind:error 0%")

	next := cmd().(host.Message).Deliver(d.visible.context())
	want := passing(t, log, f)
	got := d.passing()
	require.Contains(t, d.repainted(), " 33%")
	require.NotEmpty(t, got)
	require.Less(t, len(got), len(want))
	require.Equal(t, want[len(want)-len(got):], got, "the newest rows")

	appendTraffic(t, log, 100) // during the scan
	d.pull()
	d.run(next)
	require.Equal(t, passing(t, log, f), d.passing())
	require.NotContains(t, strings.Split(d.repainted(), "\n")[1], "%")
}

// repainted returns the screen after all panes were repainted, which is necessary
// because the driver calls panes directly.
func (d *driver) repainted() string {
	d.canvas.markAll()
	return d.plain()
}

// TestFilterFindsAll checks that the filter on the screen lists the same rows as
// a brute-force search, for any number of rows.
func TestFilterFindsAll(t *testing.T) {
	path := rectest.Calls(t, 3*wire.StepRows/4, 2)
	var want []uint32
	for _, n := range rectest.SlowErrors(t, path, 100*time.Millisecond) {
		want = append(want, uint32(n-1))
	}
	require.Greater(t, len(want), wire.StepRows/4)
	log, err := recordings.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, log.Close()) })
	d := drive(t, Options{Source: log}, 120, 36)
	for d.visible.ws.Shown.Index.Scanned < log.Len() {
		d.pull()
	}
	d.run(d.visible.rows.Traffic.SetFilter(parse(t, "err >100ms")))
	require.Equal(t, want, d.passing())
	require.Contains(t, d.repainted(), fmt.Sprintf("2 Wire %s of %s  filter err >100ms", paint.Thousands(len(want)), paint.Thousands(len(d.visible.ws.Shown.Index.Traffic.All()))))
}

// TestFilterGivenUp checks that results of a replaced filter are dropped.
func TestFilterGivenUp(t *testing.T) {
	log := newLog(t)
	appendTraffic(t, log, 2*wire.StepRows)
	d := drive(t, Options{Source: log}, 120, 36)
	old := d.visible.rows.Traffic.SetFilter(parse(t, "method:ping"))
	now := parse(t, "kind:error")
	cmd := d.visible.rows.Traffic.SetFilter(now)
	require.Nil(t, old().(host.Message).Deliver(d.visible.context()))
	require.Empty(t, d.passing())
	d.run(cmd)
	require.Equal(t, passing(t, log, now), d.passing())
	cmd = d.visible.rows.Traffic.SetFilter(nil)
	require.Nil(t, cmd)
	require.Equal(t, len(d.visible.ws.Shown.Index.Traffic.All()), d.visible.rows.Traffic.Len())
}

// TestFilterFollowsStates checks that the outcome of a request changes whether it
// passes.
func TestFilterFollowsStates(t *testing.T) {
	for name, end := range map[string]func(d *driver, x *fakeExecutor){
		"failed": func(_ *driver, x *fakeExecutor) { x.latest().out(`{"id":5,"error":{"code":1,"message":""}}`) },
		"lost": func(_ *driver, x *fakeExecutor) {
			x.latest().exit(executor.Exit{Kind: executor.ExitSignal, Signal: "KILL"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, text := range []string{"err", "!err"} {
				inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
					f := parse(t, text)
					d.run(d.visible.rows.Traffic.SetFilter(f))
					d.send(`{"id":5,"method":"sleep"}`)
					d.send(`{"method":"notifications/x"}`)
					request := uint32(d.row(`"sleep"`))
					require.Equal(t, text == "!err", slices.Contains(d.passing(), request))
					end(d, x)
					synctest.Wait()
					d.pull()
					require.Equal(t, text == "err", slices.Contains(d.passing(), request))
					require.Equal(t, passing(t, d.visible.ws.Shown.Source, f), d.passing())
				})
			}
		})
	}
}

// TestFilterProperty checks that, however a log grows during a scan, in the end
// exactly the matching rows are listed.
func TestFilterProperty(t *testing.T) {
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 7))
		texts := []string{"err", "!err", "kind:request", "method:m1", "id:3", "kind:stderr or err", "<1h", "text"}
		f := parse(t, texts[random.IntN(len(texts))])
		log := newLog(t)
		d := drive(t, Options{Source: log}, 80, 24)
		var steps []tea.Cmd
		for i := range 300 {
			require.NoError(t, log.Append([]session.Entry{randomEntry(random)}))
			if i == 100 {
				steps = append(steps, d.visible.rows.Traffic.SetFilter(f))
			}
			if random.IntN(4) == 0 {
				steps = append(steps, d.visible.refresh())
			}
			if random.IntN(3) == 0 { // messages arrive at random
				for _, cmd := range steps {
					d.run(cmd)
				}
				steps = nil
			}
		}
		for _, cmd := range append(steps, d.visible.refresh()) {
			d.run(cmd)
		}
		require.Equal(t, passing(t, log, f), d.passing(), "seed %d: %s", seed, f)
	}
}

func randomEntry(random *rand.Rand) session.Entry {
	id := random.IntN(12)
	e := session.Entry{Kind: session.KindStdin, EOL: framing.LF}
	switch random.IntN(9) {
	case 0, 1, 2:
		e.Payload = fmt.Appendf(nil, `{"id":%d,"method":"m%d"}`, id, id%3)
	case 3, 4:
		e.Kind, e.Payload = session.KindStdout, fmt.Appendf(nil, `{"id":%d,"result":{}}`, id)
	case 5:
		e.Kind, e.Payload = session.KindStdout, fmt.Appendf(nil, `{"id":%d,"error":{}}`, id)
	case 6:
		e.Payload = fmt.Appendf(nil, `{"method":"notifications/cancelled","params":{"requestId":%d}}`, id)
	case 7:
		return session.Entry{Kind: session.KindStderr, Payload: []byte("some text"), EOL: framing.LF}
	default:
		if random.IntN(10) == 0 {
			return session.NewEntry(session.KindClosed, 0, session.ClosedBody{})
		}
		return session.NewEntry(session.KindState, 0, session.StateBody{State: "timed-out", ID: fmt.Appendf(nil, "%d", id)})
	}
	e.Msg = framing.Scan(e.Payload)
	return e
}

func TestIndex(t *testing.T) {
	log := newLog(t)
	appendTraffic(t, log, 1000)
	x := workspace.NewIndex()
	require.False(t, x.Pull(log))
	require.Equal(t, 1000, x.Scanned)
	require.Equal(t, 1000, len(x.Traffic.All())+len(x.Stderr)+len(x.Events))
	require.Len(t, x.Stderr, 20)
	require.Len(t, x.Events, 10)
	require.Equal(t, uint32(49), x.Stderr[0])
	require.Equal(t, uint32(48), x.Events[0])

	long := &manyRows{Source: log, n: workspace.PullRows + 5}
	x = workspace.NewIndex()
	require.True(t, x.Pull(long), "a long recording is listed in steps")
	require.Equal(t, workspace.PullRows, x.Scanned)
	require.False(t, x.Pull(long))
	require.Len(t, x.Traffic.All(), workspace.PullRows+5)
}

// manyRows is a log that has only rows.
type manyRows struct {
	session.Source
	n int
}

func (m *manyRows) Len() int { return m.n }
func (m *manyRows) Rows(from int, dst []session.Row) int {
	n := max(min(len(dst), m.n-from), 0)
	for i := range n {
		dst[i] = session.Row{Kind: session.KindStdin}
	}
	return n
}
