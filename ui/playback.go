package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/recordings/player"
	"mcpdbg/session"
)

// clockEvery is how often the clock of the player line moves while it plays and
// no row is due.
const clockEvery = 100 * time.Millisecond

// A playback shows a recording as it was at a moment, or the whole at once.
type playback struct {
	source session.Rewinder
	player *player.Player
	began  time.Time   // of the player's clock
	past   *projection // of the moment that is shown; nil: the whole is
	moment *session.Past
	timer  int       // number of the last one
	drawn  time.Time // when the moment that is shown was painted last
	bar    barPlace

	// asked is the moment that the person went to, which may be in a pause that
	// is played shorter than it was; it counts while askedRows are shown.
	asked     time.Duration
	askedRows int
}

// newPlayback returns what plays a log, with pauses as in Settings.Idle; nil if
// that can't be played.
func newPlayback(whole *projection, idle time.Duration) *playback {
	source, ok := whole.source.(session.Rewinder)
	if !ok {
		return nil
	}
	p := &playback{source: source, player: player.New(listedRows{whole}), began: time.Now()}
	if idle != 0 {
		p.player.SetIdle(0, max(idle, 0))
	}
	return p
}

// listedRows are the rows of a log that the panes know of.
type listedRows struct{ whole *projection }

func (r listedRows) Len() int { return r.whole.index.scanned }

func (r listedRows) Rows(from int, dst []session.Row) int {
	return r.whole.source.Rows(from, dst[:min(len(dst), max(r.Len()-from, 0))])
}

// A moment is a recording as it was. To who looks for the end of a session it is
// no complete one, unless nothing followed.
type moment struct{ *session.Past }

// Stats returns the counts as they were.
func (m moment) Stats() session.Stats {
	s := m.Past.Stats()
	if m.Len() < m.Source.Len() {
		s.Recording = session.RecordingReading
	}
	return s
}

// now is what the player's clock says.
func (p *playback) now() time.Duration { return time.Since(p.began) }

// at is the moment that is shown, since the log began.
func (p *playback) at() time.Duration {
	if p.askedRows == p.player.Rows() && !p.player.Playing() {
		return max(p.asked, p.player.At(p.now()))
	}
	return p.player.At(p.now())
}

// seek shows the first rows.
func (p *playback) seek(rows int) {
	p.player.Seek(p.now(), rows)
	p.askedRows = -1
}

// seekTime shows what there was at a moment since the log began.
func (p *playback) seekTime(at time.Duration) {
	p.player.SeekTime(p.now(), at)
	p.asked, p.askedRows = at, p.player.Rows()
}

// enter takes the whole, which is shown, for the moment when there were so many
// rows.
func (p *playback) enter(rows int) {
	if p.past == nil {
		p.seek(rows)
	}
}

// pause pauses, and tells whether it played.
func (p *playback) pause() bool {
	if !p.player.Playing() {
		return false
	}
	p.player.Pause(p.now())
	p.askedRows = -1
	p.timer++
	return true
}

// play begins to play, or pauses. What is at its end begins anew.
func (a *App) play() tea.Cmd {
	p := a.playback
	switch {
	case p.player.Playing() && p.past != nil:
		p.player.Pause(p.now())
		p.askedRows = -1
	case p.past == nil:
		p.enter(a.fromHere(0))
		a.lists(a.list).SetFollow(true) // what comes is what is wanted
		p.player.Play(p.now())
	default:
		if p.player.Rows() == a.whole.index.scanned {
			p.seek(0)
		}
		p.player.Play(p.now())
	}
	p.player.Advance(p.now())
	return a.showMoment()
}

// fromHere is the moment of the selected row, if the person has gone to one; else
// there are as many rows as is said.
func (a *App) fromHere(otherwise int) int {
	if l := a.lists(a.list); a.playback.past != nil || l.Following() || !a.selected.ok {
		return otherwise
	}
	return a.selected.number + 1
}

// step goes to the next message, end of a process, or end of the recording, or
// back, and pauses.
func (a *App) step(by int) tea.Cmd {
	p := a.playback
	if p.past == nil {
		p.seek(a.fromHere(a.whole.index.scanned))
		a.traffic.SetFollow(true)
	}
	p.askedRows = -1
	if !p.player.Step(p.now(), by) {
		a.say(map[bool]string{true: "this is the end of the recording", false: "nothing before this to step back to"}[by > 0])
	}
	return a.scrubbed()
}

// scrubTime goes by a time of the recording.
func (a *App) scrubTime(by time.Duration) tea.Cmd {
	p := a.playback
	p.enter(a.fromHere(a.whole.index.scanned))
	p.seekTime(max(p.at()+by, 0))
	return a.scrubbed()
}

// scrubPart goes by a part of the rows, of which it is one at least.
func (a *App) scrubPart(by float64) tea.Cmd {
	p, total := a.playback, a.whole.index.scanned
	p.enter(a.fromHere(total))
	rows := int(by * float64(total))
	if rows == 0 {
		rows = 1
		if by < 0 {
			rows = -1
		}
	}
	p.seek(p.player.Rows() + rows)
	return a.scrubbed()
}

// showRows shows the moment when there were so many rows.
func (a *App) showRows(rows int) tea.Cmd {
	a.playback.seek(rows)
	return a.scrubbed()
}

// goToPoint goes to the moment of a row, and to the row.
func (a *App) goToPoint(number int) tea.Cmd {
	cmd := a.showRows(number + 1)
	if row, ok := a.rows.at(number); ok {
		pane := paneOf(row.Kind)
		a.focusOn(pane)
		a.lists(pane).SetFollow(true)
	}
	return cmd
}

// paneOf is the pane that lists rows of a kind.
func paneOf(kind session.Kind) paneID {
	switch kind {
	case session.KindStdin, session.KindStdout:
		return trafficID
	case session.KindStderr:
		return stderrID
	}
	return eventsID
}

// scrubbed shows the moment that the person went to: its last rows, where a
// list followed or where its row was not there yet.
func (a *App) scrubbed() tea.Cmd {
	rows := a.playback.player.Rows()
	for _, l := range []lister{a.traffic, a.stderr, a.events} {
		if cursor, ok := l.Cursor(); ok && cursor >= rows {
			l.SetFollow(true)
		}
	}
	return a.showMoment()
}

// showMoment shows what the player shows.
func (a *App) showMoment() tea.Cmd {
	p := a.playback
	rows := p.player.Rows()
	p.drawn = time.Now()
	var latest int64
	if row, ok := a.whole.rows.at(rows - 1); ok {
		latest = row.T
	}
	cut := a.whole.index.upTo(rows, latest)
	if p.past == nil || rows < p.moment.Len() {
		p.moment = session.NewPast(p.source)
		p.moment.To(rows)
		p.past = newProjection(moment{p.moment})
		p.past.index = cut
		return tea.Batch(a.turnTo(p.past), a.playOn())
	}
	p.moment.To(rows)
	*p.past.index = *cut
	a.traffic.relist()
	return tea.Batch(a.refresh(), a.playOn())
}

// showWhole shows the whole at once.
func (a *App) showWhole() tea.Cmd {
	p := a.playback
	p.player.Pause(p.now())
	p.past, p.moment = nil, nil
	return a.turnTo(a.whole)
}

// A playTick comes when a row is due, or the clock of the player line.
type playTick struct{ timer int }

// playOn sets the timer for what the player shows next, in place of the one that
// was set before. There is none but while it plays.
func (a *App) playOn() tea.Cmd {
	p := a.playback
	p.timer++
	a.stale = true
	if !p.player.Playing() || p.past == nil {
		return nil
	}
	due, ok := p.player.Next(p.now())
	switch {
	case ok:
		due = between(framePause-time.Since(p.drawn), due, clockEvery)
	case a.file.Recording == session.RecordingOn:
		due = clockEvery // there may be more
	default:
		p.player.Pause(p.now())
		return nil
	}
	return a.later(max(due, time.Millisecond), playTick{p.timer})
}

// ticked shows what is due.
func (a *App) ticked(tick playTick) tea.Cmd {
	p := a.playback
	if p == nil || tick.timer != p.timer || p.past == nil {
		return nil
	}
	if p.player.Advance(p.now()) > p.moment.Len() {
		return a.showMoment()
	}
	p.drawn = time.Now()
	a.observe()
	return a.playOn()
}
