package player

import (
	"time"

	"mcpdbg/session"
)

// DefaultIdle is how long a pause between two rows lasts at most when it is
// played.
const DefaultIdle = time.Second

// Max is the speed that does not ask for times: a row each 10 µs, so that a screen
// can still follow, and 2.35 M rows take 24 s.
const (
	Max    = -1
	maxGap = 10 * time.Microsecond
)

// speeds are those that a person is offered.
var speeds = [...]float64{0.25, 0.5, 1, 2, 4, 8, 16, Max}

// longestGap is how long a pause is at most, without a limit too. Times of a file
// can be anything.
const longestGap = 365 * 24 * time.Hour

// Rows are the rows of a session.Source. There may be more of them from call to
// call.
type Rows interface {
	Len() int
	Rows(from int, dst []session.Row) int
}

// A Player plays rows. Every moment that it is given (now) is read from one clock
// that does not go back, such as the time since the program started. It is for
// one goroutine.
type Player struct {
	src     Rows
	speed   float64
	idle    time.Duration
	playing bool

	rows int   // shown
	t    int64 // of the last one of them, in microseconds
	// pos is how much time of the recording had passed since that row when it was
	// since. While it plays, since stands still and pos only gets less by whole
	// pauses: that is why nothing drifts.
	pos, since time.Duration

	window [256]session.Row // read ahead
	from   int              // row number of window[0]
	filled int
}

// New returns a player of src, paused before the first row, at speed 1.
func New(src Rows) *Player { return &Player{src: src, speed: 1, idle: DefaultIdle} }

// Rows is how many rows are shown.
func (p *Player) Rows() int { return p.rows }

// Playing tells whether it plays. At the end of the rows it still does, and goes
// on when there are more.
func (p *Player) Playing() bool { return p.playing }

// Speed is how many seconds of the recording one second shows; or Max.
func (p *Player) Speed() float64 { return p.speed }

// Idle is how long a pause lasts at most, in time of the recording; 0: as long as
// it was.
func (p *Player) Idle() time.Duration { return p.idle }

// At is the moment of the recording that is shown, since its start.
func (p *Player) At(now time.Duration) time.Duration {
	gap, ok := p.gap()
	if !ok || p.speed == Max {
		return micros(p.t)
	}
	return micros(p.t) + min(p.passed(now), gap)
}

// Play begins to play, or goes on.
func (p *Player) Play(now time.Duration) {
	if !p.playing {
		p.playing, p.since = true, now
	}
}

// Pause stops where it is.
func (p *Player) Pause(now time.Duration) {
	p.settle(now)
	p.playing = false
}

// SetSpeed changes the speed: from 0.01 to 1000, or Max. Another number changes
// nothing.
func (p *Player) SetSpeed(now time.Duration, speed float64) {
	if inRange := speed >= 0.01 && speed <= 1000; !inRange && speed != Max {
		return
	}
	p.settle(now)
	if p.speed == Max || speed == Max {
		p.pos = 0 // it was, or will be, of another measure
	}
	p.speed = speed
}

// Faster and Slower change the speed to the next one that a person is offered:
// 0.25, 0.5, 1, 2, 4, 8, 16 and Max.
func (p *Player) Faster(now time.Duration) {
	for _, speed := range speeds {
		if p.speed != Max && (speed > p.speed || speed == Max) {
			p.SetSpeed(now, speed)
			return
		}
	}
}

// Slower is the other way of Faster.
func (p *Player) Slower(now time.Duration) {
	for i := len(speeds) - 2; i >= 0; i-- {
		if p.speed == Max || speeds[i] < p.speed {
			p.SetSpeed(now, speeds[i])
			return
		}
	}
}

// SetIdle changes how long a pause lasts at most; 0: as long as it was.
func (p *Player) SetIdle(now, longest time.Duration) {
	p.settle(now)
	p.idle = longest
}

// Advance returns how many rows are shown at a moment.
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

// Next is how long after now the next row is due, at least 0. It is false when
// there is none: it is paused, or at the end of the rows.
func (p *Player) Next(now time.Duration) (time.Duration, bool) {
	gap, ok := p.gap()
	if !ok || !p.playing {
		return 0, false
	}
	due := p.since + time.Duration(float64(max(gap-p.pos, 0))/p.pace())
	for p.passed(due) < gap {
		due++ // what rounding has lost
	}
	return max(due-now, 0), true
}

// Seek shows the first rows. It plays on from there, if it plays.
func (p *Player) Seek(now time.Duration, rows int) {
	p.show(min(max(rows, 0), p.src.Len()))
	p.pos, p.since = 0, now
}

// SeekTime shows what there was at a moment of the recording. It plays on from
// there, if it plays.
func (p *Player) SeekTime(now, at time.Duration) {
	p.Seek(now, CountAt(p.src, at))
	if p.speed != Max {
		p.pos = p.limited(max(at-micros(p.t), 0))
	}
}

// Step pauses, and goes to the next row that a person steps to (by 1), after the
// last of them to the last row, or to the one before (by -1). It reports whether
// there was anywhere to go.
func (p *Player) Step(now time.Duration, by int) bool {
	p.Pause(now)
	before := p.rows
	if by > 0 {
		row, ok := Next(p.src, p.rows, isStep)
		if !ok {
			row = p.src.Len() - 1
		}
		p.Seek(now, row+1)
	} else if row, ok := Previous(p.src, p.rows-1, isStep); ok {
		p.Seek(now, row+1)
	}
	return p.rows != before
}

// isStep finds messages and the ends of processes.
func isStep(number int, row *session.Row) bool { return IsMessage(number, row) || IsExit(number, row) }

// settle brings the position to now, from where it can go on at another pace.
func (p *Player) settle(now time.Duration) {
	p.Advance(now)
	p.pos, p.since = p.passed(now), now
}

// passed is how much time of the recording has passed since the last row.
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

// waitAtEnd keeps the time that passes without rows from being made up for: a row
// that comes later was not late by more than a pause can be.
func (p *Player) waitAtEnd(now time.Duration) {
	longest := p.idle
	if p.speed == Max {
		longest = maxGap
	}
	if longest > 0 && p.passed(now) > longest {
		p.pos, p.since = longest, now
	}
}

// gap is the pause before the next row; false if there is no next row.
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

// limited is a pause as it is played.
func (p *Player) limited(gap time.Duration) time.Duration {
	if p.idle > 0 {
		return min(gap, p.idle)
	}
	return gap
}

// micros are microseconds of a file, where they can be anything.
func micros(t int64) time.Duration {
	return time.Duration(min(max(t, 0), longestGap.Microseconds())) * time.Microsecond
}

// show shows the first rows.
func (p *Player) show(rows int) {
	p.rows, p.t = rows, 0
	if row, ok := p.row(rows - 1); ok {
		p.t = row.T
	}
}

// row is the row with a number.
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
