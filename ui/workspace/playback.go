package workspace

import (
	"time"

	"mcpdbg/recordings/player"
	"mcpdbg/session"
)

// A Playback shows a recording as it was at a moment, or the whole recording.
type Playback struct {
	Source session.Rewinder
	Player *player.Player
	began  time.Time   // start of the player's clock
	Past   *Projection // the shown moment; nil for all
	Moment *session.Past
	Timer  int       // number of the last timer
	Drawn  time.Time // when it was last painted

	// the moment that the user went to, perhaps in a pause that is played shortened; it
	// counts while AskedRows are shown
	asked     time.Duration
	AskedRows int
}

// NewPlayback returns a playback of a log, with pauses as in Settings.Idle; nil if the
// log cannot be played.
func NewPlayback(whole *Projection, idle time.Duration) *Playback {
	source, ok := whole.Source.Source.(session.Rewinder)
	if !ok {
		return nil
	}
	p := &Playback{Source: source, Player: player.New(ListedRows{Whole: whole}), began: time.Now()}
	if idle != 0 {
		p.Player.SetIdle(0, max(idle, 0))
	}
	return p
}

// ListedRows are the rows of a log in its index.
type ListedRows struct{ Whole *Projection }

// Len returns the number of listed rows.
func (r ListedRows) Len() int { return r.Whole.Index.Scanned }

// Rows reads listed rows from number from into dst, and returns how many.
func (r ListedRows) Rows(from int, dst []session.Row) int {
	return r.Whole.Source.Rows(from, dst[:min(len(dst), max(r.Len()-from, 0))])
}

// A Moment is a recording as at a moment. Its status is complete only if nothing follows.
type Moment struct{ *session.Past }

// Stats returns the counts at that moment.
func (m Moment) Stats() session.Stats {
	s := m.Past.Stats()
	if m.Len() < m.Source.Len() {
		s.Recording = session.RecordingReading
	}
	return s
}

// Now returns the time on the player's clock.
func (p *Playback) Now() time.Duration { return time.Since(p.began) }

// At returns the shown moment, since the start of the log.
func (p *Playback) At() time.Duration {
	if p.AskedRows == p.Player.Rows() && !p.Player.Playing() {
		return max(p.asked, p.Player.At(p.Now()))
	}
	return p.Player.At(p.Now())
}

// Seek shows the first rows of the log.
func (p *Playback) Seek(rows int) {
	p.Player.Seek(p.Now(), rows)
	p.AskedRows = -1
}

// SeekTime shows the log at a time since its start.
func (p *Playback) SeekTime(at time.Duration) {
	p.Player.SeekTime(p.Now(), at)
	p.asked, p.AskedRows = at, p.Player.Rows()
}

// Enter goes to the moment with that number of rows, if the whole recording is shown.
func (p *Playback) Enter(rows int) {
	if p.Past == nil {
		p.Seek(rows)
	}
}

// Pause pauses, and reports whether it was playing.
func (p *Playback) Pause() bool {
	if !p.Player.Playing() {
		return false
	}
	p.Player.Pause(p.Now())
	p.AskedRows = -1
	p.Timer++
	return true
}
