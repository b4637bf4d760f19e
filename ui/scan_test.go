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
	"mcpdbg/ui/filter"
	"mcpdbg/ui/paint"
)

func parse(t testing.TB, text string) *filter.Filter {
	t.Helper()
	f, err := filter.Parse(text)
	require.NoError(t, err)
	return f
}

// passing are the rows that the traffic pane lists under a filter.
func (d *driver) passing() []uint32 { return append([]uint32{}, d.traffic.passing.All()...) }

// passing evaluates a filter over a whole log, row by row.
func passing(t testing.TB, log session.Source, f *filter.Filter) []uint32 {
	t.Helper()
	rows := make([]session.Row, log.Len())
	log.Rows(0, rows)
	m := f.Over(log)
	want := []uint32{}
	for i, row := range rows {
		if (lens{filter: f}).lists(row.Kind) && m.Match(i, row) {
			want = append(want, uint32(i))
		}
	}
	return want
}

// TestFilterInSteps: a filter shows what it has found so far, the newest first,
// and how far it is.
func TestFilterInSteps(t *testing.T) {
	log := newLog(t)
	appendTraffic(t, log, 3*stepRows)
	d := drive(t, Options{Source: log}, 120, 36)
	f := parse(t, "kind:error")
	cmd := d.traffic.setFilter(f)
	require.Contains(t, d.repainted(), "filter kind:error (0) 0%")

	found := cmd().(scanned)
	next := d.traffic.found(found, d.index.scanned)
	want := passing(t, log, f)
	got := d.passing()
	require.Contains(t, d.repainted(), " 33%")
	require.NotEmpty(t, got)
	require.Less(t, len(got), len(want))
	require.Equal(t, want[len(want)-len(got):], got, "the newest")

	appendTraffic(t, log, 100) // while it runs
	d.pull()
	d.run(next)
	require.Equal(t, passing(t, log, f), d.passing())
	require.NotContains(t, strings.Split(d.repainted(), "\n")[1], "%")
}

// repainted is the screen after everything was painted again, which only the
// driver has to ask for that calls panes beside the model.
func (d *driver) repainted() string {
	d.markAll()
	return d.plain()
}

// TestFilterFindsAll holds that the filter of the screen lists what a brute-force
// reader finds, however many rows that are.
func TestFilterFindsAll(t *testing.T) {
	path := rectest.Calls(t, 3*stepRows/2, 2)
	var want []uint32
	for _, n := range rectest.SlowErrors(t, path, 100*time.Millisecond) {
		want = append(want, uint32(n-1))
	}
	require.Greater(t, len(want), stepRows/2)
	log, err := recordings.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, log.Close()) })
	d := drive(t, Options{Source: log}, 120, 36)
	for d.index.scanned < log.Len() {
		d.pull()
	}
	d.run(d.traffic.setFilter(parse(t, "err >100ms")))
	require.Equal(t, want, d.passing())
	require.Contains(t, d.repainted(), fmt.Sprintf("filter err >100ms (%s)", paint.Thousands(len(want))))
}

// TestFilterGivenUp: what an older filter finds is dropped.
func TestFilterGivenUp(t *testing.T) {
	log := newLog(t)
	appendTraffic(t, log, 2*stepRows)
	d := drive(t, Options{Source: log}, 120, 36)
	old := d.traffic.setFilter(parse(t, "method:ping"))
	now := parse(t, "kind:error")
	cmd := d.traffic.setFilter(now)
	require.Nil(t, d.traffic.found(old().(scanned), d.index.scanned))
	require.Empty(t, d.passing())
	d.run(cmd)
	require.Equal(t, passing(t, log, now), d.passing())
	cmd = d.traffic.setFilter(nil)
	require.Nil(t, cmd)
	require.Equal(t, len(d.index.traffic.All()), d.traffic.Len())
}

// TestFilterReadsInSteps: a step does not read more than it should.
func TestFilterReadsInSteps(t *testing.T) {
	log := newLog(t)
	for range 20 {
		payload := fmt.Appendf(nil, `{"method":"m","params":"%s"}`, strings.Repeat("0", stepBytes/2))
		require.NoError(t, log.Append([]session.Entry{{Kind: session.KindStdout, Payload: payload, Msg: framing.Scan(payload)}}))
	}
	for text, want := range map[string]struct{ rows, steps int }{"/[xy]/": {6, 3}, "x": {20, 2}} { // what is only searched costs less
		s := newScan(1, log, lens{filter: parse(t, text)}, want.rows)
		steps := 0
		for !s.done(want.rows) {
			s.step(want.rows)()
			steps++
		}
		require.Equal(t, want.steps, steps, text)
	}
}

// TestFilterFollowsStates: what becomes of a request changes whether it passes.
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
					d.run(d.traffic.setFilter(f))
					d.send(`{"id":5,"method":"sleep"}`)
					d.send(`{"method":"notifications/x"}`)
					request := uint32(d.row(`"sleep"`))
					require.Equal(t, text == "!err", slices.Contains(d.passing(), request))
					end(d, x)
					synctest.Wait()
					d.pull()
					require.Equal(t, text == "err", slices.Contains(d.passing(), request))
					require.Equal(t, passing(t, d.source, f), d.passing())
				})
			}
		})
	}
}

// TestFilterProperty: however a log grows while it is filtered, in the end what
// passes is what passes.
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
				steps = append(steps, d.traffic.setFilter(f))
			}
			if random.IntN(4) == 0 {
				steps = append(steps, d.refresh())
			}
			if random.IntN(3) == 0 { // messages come whenever they come
				for _, cmd := range steps {
					d.run(cmd)
				}
				steps = nil
			}
		}
		for _, cmd := range append(steps, d.refresh()) {
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
	x := newRowIndex()
	require.False(t, x.pull(log))
	require.Equal(t, 1000, x.scanned)
	require.Equal(t, 1000, len(x.traffic.All())+len(x.stderr)+len(x.events))
	require.Len(t, x.stderr, 20)
	require.Len(t, x.events, 10)
	require.Equal(t, uint32(49), x.stderr[0])
	require.Equal(t, uint32(48), x.events[0])

	long := &manyRows{Source: log, n: pullRows + 5}
	x = newRowIndex()
	require.True(t, x.pull(long), "a long recording is listed in parts")
	require.Equal(t, pullRows, x.scanned)
	require.False(t, x.pull(long))
	require.Len(t, x.traffic.All(), pullRows+5)
}

// manyRows is a log of nothing but rows.
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
