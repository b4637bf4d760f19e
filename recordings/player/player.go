// Package player decides which rows of a recording are shown at which time during
// playback.
//
// A Player reads the times of rows, starts no goroutine and reads no clock. The caller
// passes the current time: Advance returns the number of rows shown by then, which is
// the argument of session.Past.To, and Next the time until the next row. All due times
// are absolute: however often, and however late, Advance is called, the same rows are
// shown at the same time.
package player

import (
	"time"

	"mcpdbg/session"
)

const defaultIdle = 2 * time.Second

// Max is the speed that ignores the times: a row every 10 µs, so that a screen can
// keep up, and 2.35 M rows take 24 s.
const (
	Max    = -1
	maxGap = 10 * time.Microsecond
)

var speeds = [...]float64{0.25, 0.5, 1, 2, 4, 8, 16, Max}

// longestGap holds even without a limit: the times in a file can be anything.
const longestGap = 365 * 24 * time.Hour

// Rows are the rows of a session.Source. Their number may grow between calls.
type Rows interface {
	Len() int
	Rows(from int, dst []session.Row) int
}

// A Player plays rows. Every time passed to it (now) must come from one clock that does
// not go back, such as the time since the program started. It must be used by one
// goroutine only.
type Player struct {
	src     Rows
	speed   float64
	idle    time.Duration
	playing bool

	rows int   // shown
	t    int64 // time of the last one, in microseconds
	// pos is the time of the recording that had passed since that row at time since.
	// During playback since is fixed and pos is only reduced by whole pauses, so that
	// nothing drifts.
	pos, since time.Duration

	window [256]session.Row // read ahead
	from   int              // row number of window[0]
	filled int
}

// New returns a player of src, paused before the first row, at speed 1.
func New(src Rows) *Player { return &Player{src: src, speed: 1, idle: defaultIdle} }

// Rows returns the number of shown rows.
func (p *Player) Rows() int { return p.rows }

// Playing reports whether it plays. It still plays at the end of the rows, and
// continues when there are more.
func (p *Player) Playing() bool { return p.playing }

// Speed returns how many seconds of the recording are shown per second, or Max.
func (p *Player) Speed() float64 { return p.speed }

// Idle returns the limit for pauses, in time of the recording; 0 means no limit.
func (p *Player) Idle() time.Duration { return p.idle }

// At returns the time of the recording that is shown, since its start.
func (p *Player) At(now time.Duration) time.Duration {
	gap, ok := p.gap()
	if !ok || p.speed == Max {
		return micros(p.t)
	}
	return micros(p.t) + min(p.passed(now), gap)
}

// Play starts or continues playing.
func (p *Player) Play(now time.Duration) {
	if !p.playing {
		p.playing, p.since = true, now
	}
}

// Pause stops at the current position.
func (p *Player) Pause(now time.Duration) {
	p.settle(now)
	p.playing = false
}

// SetSpeed changes the speed: from 0.01 to 1000, or Max. It ignores other values.
func (p *Player) SetSpeed(now time.Duration, speed float64) {
	if inRange := speed >= 0.01 && speed <= 1000; !inRange && speed != Max {
		return
	}
	p.settle(now)
	if p.speed == Max || speed == Max {
		p.pos = 0 // its unit changes
	}
	p.speed = speed
}

// Faster changes to the next higher speed of 0.25, 0.5, 1, 2, 4, 8, 16 and Max.
func (p *Player) Faster(now time.Duration) {
	for _, speed := range speeds {
		if p.speed != Max && (speed > p.speed || speed == Max) {
			p.SetSpeed(now, speed)
			return
		}
	}
}

// Slower changes to the next lower speed: see Faster.
func (p *Player) Slower(now time.Duration) {
	for i := len(speeds) - 2; i >= 0; i-- {
		if p.speed == Max || speeds[i] < p.speed {
			p.SetSpeed(now, speeds[i])
			return
		}
	}
}

// SetIdle changes the limit for pauses; 0 means no limit.
func (p *Player) SetIdle(now, longest time.Duration) {
	p.settle(now)
	p.idle = longest
}

// Advance returns how many rows are shown at time now.
func (p *Player) Advance(now time.Duration) int {
	for p.playing {
		gap, ok := p.gap()
		if !ok {
			p.waitAtEnd(now)
			break
		}
		if p.passed(now) < gap {
			break
		}
		p.pos -= gap
		p.show(p.rows + 1)
	}
	return p.rows
}

// Next returns the time from now until the next row is due, at least 0. It returns
// false if the player is paused or at the end of the rows.
func (p *Player) Next(now time.Duration) (time.Duration, bool) {
	gap, ok := p.gap()
	if !ok || !p.playing {
		return 0, false
	}
	due := p.since + time.Duration(float64(max(gap-p.pos, 0))/p.pace())
	for p.passed(due) < gap {
		due++ // correct for rounding
	}
	return max(due-now, 0), true
}

// Seek shows the first rows. Playing continues from there.
func (p *Player) Seek(now time.Duration, rows int) {
	p.show(min(max(rows, 0), p.src.Len()))
	p.pos, p.since = 0, now
}

// SeekTime shows the state at a time of the recording. Playing continues from there.
func (p *Player) SeekTime(now, at time.Duration) {
	p.Seek(now, countAt(p.src, at))
	if p.speed != Max {
		p.pos = p.limited(max(at-micros(p.t), 0))
	}
}

// Step pauses and moves forward (by 1) to the next message or end of a process, or to
// the last row after the last of them, or back (by -1) to the previous one. It reports
// whether the position changed.
func (p *Player) Step(now time.Duration, by int) bool {
	p.Pause(now)
	before := p.rows
	if by > 0 {
		row, ok := nextMatch(p.src, p.rows, isStep)
		if !ok {
			row = p.src.Len() - 1
		}
		p.Seek(now, row+1)
	} else if row, ok := previousMatch(p.src, p.rows-1, isStep); ok {
		p.Seek(now, row+1)
	}
	return p.rows != before
}

func isStep(number int, row *session.Row) bool { return isMessage(number, row) || isExit(number, row) }

// settle moves the position to now, so that the pace can change from there.
func (p *Player) settle(now time.Duration) {
	p.Advance(now)
	p.pos, p.since = p.passed(now), now
}

// passed returns the time of the recording since the last row.
func (p *Player) passed(now time.Duration) time.Duration {
	if !p.playing || now <= p.since {
		return p.pos
	}
	return p.pos + time.Duration(float64(now-p.since)*p.pace())
}

func (p *Player) pace() float64 {
	if p.speed == Max {
		return 1
	}
	return p.speed
}

// A row that arrives later than the others is at most as late as the longest pause.
func (p *Player) waitAtEnd(now time.Duration) {
	longest := p.idle
	if p.speed == Max {
		longest = maxGap
	}
	if longest > 0 && p.passed(now) > longest {
		p.pos, p.since = longest, now
	}
}

// gap returns the pause before the next row; false if there is none.
func (p *Player) gap() (time.Duration, bool) {
	row, ok := p.row(p.rows)
	if !ok {
		return 0, false
	}
	if p.speed == Max {
		return maxGap, true
	}
	return p.limited(micros(row.T - p.t)), true
}

func (p *Player) limited(gap time.Duration) time.Duration {
	if p.idle > 0 {
		return min(gap, p.idle)
	}
	return gap
}

// A time in a file can have any value.
func micros(t int64) time.Duration {
	return time.Duration(min(max(t, 0), longestGap.Microseconds())) * time.Microsecond
}

func (p *Player) show(rows int) {
	p.rows, p.t = rows, 0
	if row, ok := p.row(rows - 1); ok {
		p.t = row.T
	}
}

func (p *Player) row(number int) (session.Row, bool) {
	if number < 0 {
		return session.Row{}, false
	}
	if number < p.from || number >= p.from+p.filled {
		p.from = number
		p.filled = p.src.Rows(number, p.window[:])
		if p.filled == 0 {
			return session.Row{}, false
		}
	}
	return p.window[number-p.from], true
}
