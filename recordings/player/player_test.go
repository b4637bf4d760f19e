package player

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
)

const ms = time.Millisecond

// times returns messages at the given milliseconds.
func times(at ...int64) rows {
	var all rows
	for _, t := range at {
		all = append(all, session.Row{T: t * 1000, Kind: session.KindStdout, Msg: 1})
	}
	return all
}

type rows []session.Row

func (r rows) Len() int { return len(r) }
func (r rows) Rows(from int, dst []session.Row) int {
	if from < 0 || from >= len(r) {
		return 0
	}
	return copy(dst, r[from:])
}

func TestPlaying(t *testing.T) {
	src := times(0, 100, 100, 500, 60_500, 60_600)
	for name, c := range map[string]struct {
		speed float64
		idle  time.Duration
		due   []time.Duration // when each row is shown
	}{
		"as recorded":    {1, 0, []time.Duration{0, 100 * ms, 100 * ms, 500 * ms, 60_500 * ms, 60_600 * ms}},
		"pauses are cut": {1, time.Second, []time.Duration{0, 100 * ms, 100 * ms, 500 * ms, 1500 * ms, 1600 * ms}},
		"slow":           {0.25, time.Second, []time.Duration{0, 400 * ms, 400 * ms, 2000 * ms, 6000 * ms, 6400 * ms}},
		"fast":           {16, time.Second, []time.Duration{0, 6250 * time.Microsecond, 6250 * time.Microsecond, 31_250 * time.Microsecond, 93_750 * time.Microsecond, 100 * ms}},
		"max":            {Max, time.Second, []time.Duration{maxGap, 2 * maxGap, 3 * maxGap, 4 * maxGap, 5 * maxGap, 6 * maxGap}},
	} {
		t.Run(name, func(t *testing.T) {
			const begin = 7 * time.Hour
			p := New(src)
			p.SetSpeed(begin, c.speed)
			p.SetIdle(begin, c.idle)
			p.Play(begin)
			for i, due := range c.due {
				if due > 0 && (i == 0 || due > c.due[i-1]) {
					require.Equal(t, i, p.Advance(begin+due-1), "row %d is early", i)
					wait, ok := p.Next(begin + due - 1)
					require.True(t, ok)
					require.EqualValues(t, 1, wait, "of row %d", i)
				}
				require.Greater(t, p.Advance(begin+due), i, "row %d is late", i)
			}
			require.Equal(t, len(src), p.Rows())
			_, ok := p.Next(begin + time.Hour)
			require.False(t, ok)
		})
	}
}

// random returns rows with pauses of all sizes.
func random(r *rand.Rand, n int) rows {
	at := make([]int64, n)
	for i := 1; i < n; i++ {
		at[i] = at[i-1] + r.Int64N(1<<r.IntN(12))
	}
	return times(at...)
}

// TestNothingDrifts calls Advance often, rarely, and when Next says: the same rows are
// shown at the same time.
func TestNothingDrifts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	src := random(r, 3000)
	for _, speed := range []float64{0.25, 1, 3.7, 16, Max} {
		often, seldom, timed := New(src), New(src), New(src)
		for _, p := range []*Player{often, seldom, timed} {
			p.SetSpeed(0, speed)
			p.Play(0)
		}
		var now time.Duration
		for often.Rows() < len(src) {
			wait, ok := timed.Next(now)
			require.True(t, ok)
			for range r.IntN(5) {
				often.Advance(now + time.Duration(r.Int64N(int64(wait+1))))
			}
			now += wait
			before := timed.Rows()
			require.Greater(t, timed.Advance(now), before, "Next is when a row is due")
			require.Equal(t, timed.Rows(), often.Advance(now))
			if r.IntN(100) == 0 {
				require.Equal(t, timed.Rows(), seldom.Advance(now))
			}
		}
		require.Equal(t, len(src), seldom.Advance(now))
	}
}

func TestNextIsNotEarly(t *testing.T) {
	src := random(rand.New(rand.NewPCG(2, 2)), 500)
	p := New(src)
	p.SetSpeed(0, 3.7)
	p.Play(0)
	var now time.Duration
	for p.Rows() < len(src) {
		wait, _ := p.Next(now)
		if before := p.Rows(); wait > 2 {
			require.Equal(t, before, p.Advance(now+wait-2), "2 ns before its time")
		}
		now += wait
		p.Advance(now)
	}
}

func TestPausing(t *testing.T) {
	p := New(times(0, 100, 300))
	require.Zero(t, p.Advance(time.Hour), "it does not play yet")
	p.Play(0)
	require.Equal(t, 1, p.Advance(30*ms))
	p.Pause(40 * ms)
	require.False(t, p.Playing())
	require.Equal(t, 40*ms, p.At(500*ms))
	_, ok := p.Next(500 * ms)
	require.False(t, ok)
	require.Equal(t, 1, p.Advance(500*ms))

	p.Play(1000 * ms)
	wait, _ := p.Next(1000 * ms)
	require.Equal(t, 60*ms, wait, "the rest of the pause")
	p.Pause(1070 * ms)
	require.Equal(t, 2, p.Rows(), "due rows are shown")
	require.Equal(t, 110*ms, p.At(0))
}

func TestSetSpeedDuringAPause(t *testing.T) {
	p := New(times(0, 1000, 2000))
	p.Play(0)
	p.Advance(0)
	p.SetSpeed(500*ms, 4)
	require.Equal(t, 500*ms, p.At(500*ms))
	wait, _ := p.Next(500 * ms)
	require.Equal(t, 125*ms, wait)
	p.SetSpeed(600*ms, Max)
	wait, _ = p.Next(600 * ms)
	require.Equal(t, maxGap, wait)
	p.SetSpeed(600*ms, 1)
	wait, _ = p.Next(600 * ms)
	require.Equal(t, time.Second, wait)

	for _, none := range []float64{0, -2, 1001, 0.001} {
		p.SetSpeed(600*ms, none)
		require.EqualValues(t, 1, p.Speed())
	}
}

func TestFasterAndSlower(t *testing.T) {
	p := New(times(0))
	var up, down []float64
	for range 6 {
		p.Faster(0)
		up = append(up, p.Speed())
	}
	require.Equal(t, []float64{2, 4, 8, 16, Max, Max}, up)
	for range 8 {
		p.Slower(0)
		down = append(down, p.Speed())
	}
	require.Equal(t, []float64{16, 8, 4, 2, 1, 0.5, 0.25, 0.25}, down)
	p.SetSpeed(0, 3)
	p.Faster(0)
	require.EqualValues(t, 4, p.Speed())
	p.SetSpeed(0, 3)
	p.Slower(0)
	require.EqualValues(t, 2, p.Speed())
}

func TestSeeking(t *testing.T) {
	src := times(0, 100, 300, 900, 9000, 9600)
	p := New(src)
	p.Seek(0, 3)
	require.Equal(t, 3, p.Rows())
	require.Equal(t, 300*ms, p.At(0))
	p.Seek(0, 99)
	require.Equal(t, 6, p.Rows())
	p.Seek(0, -1)
	require.Zero(t, p.Rows())

	p.SeekTime(0, 350*ms)
	require.Equal(t, 3, p.Rows())
	require.Equal(t, 350*ms, p.At(0))
	p.Play(time.Second)
	wait, _ := p.Next(time.Second)
	require.Equal(t, 550*ms, wait, "it continues in the pause")

	p.Seek(2*time.Second, 1)
	wait, _ = p.Next(2 * time.Second)
	require.Equal(t, 100*ms, wait, "it continues from the time of the call")
	wait, _ = p.Next(3 * time.Second)
	require.Zero(t, wait, "already due")

	p.SeekTime(time.Second, 5*time.Second)
	require.True(t, p.Playing())
	wait, ok := p.Next(time.Second)
	require.True(t, ok)
	require.Zero(t, wait, "the pause is longer than the limit")
	require.Equal(t, 5, p.Advance(time.Second))
	wait, _ = p.Next(time.Second)
	require.Equal(t, 600*ms, wait, "and the rest does not count")
}

func TestSetIdle(t *testing.T) {
	p := New(times(0, 9000, 20_000))
	p.Play(0)
	p.SetIdle(2500*ms, 0)
	require.Equal(t, 2, p.Rows(), "rows that were due before are shown")
	wait, _ := p.Next(2500 * ms)
	require.Equal(t, 10_500*ms, wait)
	p.SetIdle(3*time.Second, 5*time.Second)
	require.Equal(t, 5*time.Second, p.Idle())
	wait, _ = p.Next(3 * time.Second)
	require.Equal(t, 4*time.Second, wait)
}

func TestStepping(t *testing.T) {
	src := times(0, 100, 200, 300, 400, 500, 600, 700)
	src[1].Kind, src[3].Kind = session.KindStderr, session.KindNote
	src[5].Kind, src[6].Kind, src[7].Kind = session.KindExited, session.KindClosed, session.KindEnd
	p := New(src)
	p.Play(0)
	for _, step := range []struct {
		by, rows int
		moved    bool
		why      string
	}{
		{1, 3, true, "the first row was due"},
		{1, 5, true, "the next message"},
		{1, 6, true, "the end of the process"},
		{1, 8, true, "the last row of any kind"},
		{1, 8, false, "at the end"},
		{-1, 6, true, "the end of the process"},
		{-1, 5, true, "the last message"},
		{-1, 3, true, "the message before"},
		{-1, 1, true, "the first one"},
		{-1, 1, false, "at the beginning"},
	} {
		require.Equal(t, step.moved, p.Step(0, step.by), step.why)
		require.Equal(t, step.rows, p.Rows(), step.why)
		require.False(t, p.Playing())
	}
	p.Seek(0, 4)
	p.Step(0, -1)
	require.Equal(t, 3, p.Rows(), "the last message before the current row")
	p = New(times())
	require.False(t, p.Step(0, 1))
	require.False(t, p.Step(0, -1))
}

func TestRowsAddedLater(t *testing.T) {
	src := times(0, 100)
	p := New(&src)
	p.Play(0)
	require.Equal(t, 2, p.Advance(time.Hour))
	require.True(t, p.Playing(), "it continues when there are more")
	require.Equal(t, 100*ms, p.At(time.Hour), "time does not pass without rows")

	src = times(0, 100, 600, 2600, 2700)
	require.Equal(t, 3, p.Advance(time.Hour), "rows that were due while it waited")
	wait, ok := p.Next(time.Hour)
	require.True(t, ok)
	require.Equal(t, 500*ms, wait, "at most one pause counts")

	p.SetSpeed(time.Hour, Max)
	require.Equal(t, 5, p.Advance(2*time.Hour))
	src = times(make([]int64, 100)...)
	require.Equal(t, 6, p.Advance(2*time.Hour), "at most one pause at speed Max counts")
}

func TestArbitraryTimes(t *testing.T) {
	const most = 1<<63 - 1
	src := rows{{T: -most}, {T: most}, {T: -most - 1}, {T: most}, {T: 0}, {T: 5}}
	for _, idle := range []time.Duration{0, time.Second} {
		p := New(src)
		p.SetIdle(0, idle)
		p.Play(0)
		now, asked := time.Duration(0), 0
		for p.Rows() < len(src) {
			wait, ok := p.Next(now)
			require.True(t, ok)
			require.GreaterOrEqual(t, wait, time.Duration(0))
			now += wait
			p.Advance(now)
			asked++
			require.Less(t, asked, 20)
			require.GreaterOrEqual(t, p.At(now), time.Duration(0))
		}
	}
}
