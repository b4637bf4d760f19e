package player

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/workspace"
)

// clockEvery is how often the clock of the player line moves during playback
// while no row is due.
const clockEvery = 100 * time.Millisecond

// play starts or pauses; at the end it starts from the beginning.
func (s *State) play(c host.Context) tea.Cmd {
	c.Workspace.Overview = false
	p := c.Workspace.Playback
	switch {
	case p.Player.Playing() && p.Past != nil:
		p.Player.Pause(p.Now())
		p.AskedRows = -1
	case p.Past == nil:
		from := s.fromHere(c, 0)
		if row, ok := c.Workspace.Whole.Rows.At(from - 1); ok && c.Workspace.Whole.Index.Latest-row.T < leastPlayed {
			from = 0
		}
		p.Enter(from)
		c.Panes().Follow() // the user wants to see new rows
		p.Player.Play(p.Now())
	default:
		if p.Player.Rows() == c.Workspace.Whole.Index.Scanned {
			p.Seek(0)
		}
		p.Player.Play(p.Now())
	}
	p.Player.Advance(p.Now())
	return s.showMoment(c)
}

// leastPlayed is the shortest rest of a recording that is played, in microseconds: a
// recording opens on the row of its cause, which is often its end.
const leastPlayed = 1_000_000

// fromHere returns the moment of the selected row, if the user selected one; else
// the given number of rows.
func (s *State) fromHere(c host.Context, otherwise int) int {
	if c.Workspace.Playback.Past != nil || c.Panes().Following() || !c.Workspace.Selected.OK {
		return otherwise
	}
	return c.Workspace.EntryRow(c.Workspace.Selected.Number) + 1
}

// step goes to the next or previous message, process exit or end of the
// recording, and pauses.
func (s *State) step(c host.Context, by int) tea.Cmd {
	p := c.Workspace.Playback
	if p.Past == nil {
		p.Seek(s.fromHere(c, c.Workspace.Whole.Index.Scanned))
		c.Panes().FollowTraffic()
	}
	p.AskedRows = -1
	if !p.Player.Step(p.Now(), by) {
		c.Host.Notify(map[bool]string{true: "end of the recording", false: "nothing earlier to step back to"}[by > 0])
	}
	return s.scrubbed(c)
}

func (s *State) scrubTime(c host.Context, by time.Duration) tea.Cmd {
	p := c.Workspace.Playback
	p.Enter(s.fromHere(c, c.Workspace.Whole.Index.Scanned))
	p.SeekTime(max(p.At()+by, 0))
	return s.scrubbed(c)
}

// scrubPart moves by a fraction of the rows, at least by one row.
func (s *State) scrubPart(c host.Context, by float64) tea.Cmd {
	p, total := c.Workspace.Playback, c.Workspace.Whole.Index.Scanned
	p.Enter(s.fromHere(c, total))
	rows := int(by * float64(total))
	if rows == 0 {
		rows = 1
		if by < 0 {
			rows = -1
		}
	}
	p.Seek(p.Player.Rows() + rows)
	return s.scrubbed(c)
}

// ShowRows shows the moment when there were the given number of rows.
func (s *State) ShowRows(c host.Context, rows int) tea.Cmd {
	c.Workspace.Playback.Seek(rows)
	return s.scrubbed(c)
}

// GoTo goes to the moment of a row and selects the row.
func (s *State) GoTo(c host.Context, number int) tea.Cmd {
	cmd := s.ShowRows(c, number+1)
	if row, ok := c.Workspace.Shown.Rows.At(number); ok {
		c.Panes().FollowKind(row.Kind)
	}
	return cmd
}

// Lists that followed, or whose selected row does not exist yet at the moment, show their
// last rows.
func (s *State) scrubbed(c host.Context) tea.Cmd {
	c.Workspace.Overview = false
	c.Panes().FollowFrom(c.Workspace.Playback.Player.Rows())
	return s.showMoment(c)
}

func (s *State) showMoment(c host.Context) tea.Cmd {
	p := c.Workspace.Playback
	rows := p.Player.Rows()
	p.Drawn = time.Now()
	var latest int64
	if row, ok := c.Workspace.Whole.Rows.At(rows - 1); ok {
		latest = row.T
	}
	whole := c.Workspace.Whole.Index
	if p.Past == nil || rows < p.Moment.Len() {
		p.Moment = session.NewPast(p.Source)
		p.Moment.To(rows)
		p.Past = c.Workspace.Whole.Past(workspace.Moment{Past: p.Moment})
		p.Past.Index = whole.UpTo(p.Past.Source, rows, latest)
		return tea.Batch(c.Panes().Turn(p.Past), s.playOn(c))
	}
	p.Moment.To(rows)
	*p.Past.Index = *whole.UpTo(p.Past.Source, rows, latest)
	c.Panes().Relist()
	return tea.Batch(c.Panes().Refresh(), s.playOn(c))
}

// ShowWhole shows the whole recording.
func (s *State) ShowWhole(c host.Context) tea.Cmd {
	p := c.Workspace.Playback
	p.Player.Pause(p.Now())
	p.Past, p.Moment = nil, nil
	return c.Panes().Turn(c.Workspace.Whole)
}

// playOn sets the timer for the next change, replacing an earlier timer. Only a
// running playback has one.
func (s *State) playOn(c host.Context) tea.Cmd {
	p := c.Workspace.Playback
	p.Timer++
	c.Host.Redraw()
	if !p.Player.Playing() || p.Past == nil {
		return nil
	}
	due, ok := p.Player.Next(p.Now())
	switch {
	case ok:
		due = kit.Between(kit.FrameInterval-time.Since(p.Drawn), due, clockEvery)
	case c.Workspace.File.Recording == session.RecordingOn:
		due = clockEvery // there may be more rows
	default:
		p.Player.Pause(p.Now())
		return nil
	}
	timer := p.Timer
	return c.Host.After(max(due, time.Millisecond), host.Result{Then: func(c host.Context) tea.Cmd { return s.ticked(c, timer) }})
}

// ticked shows the rows that are due, unless another timer was set.
func (s *State) ticked(c host.Context, timer int) tea.Cmd {
	p := c.Workspace.Playback
	if p == nil || timer != p.Timer || p.Past == nil {
		return nil
	}
	if p.Player.Advance(p.Now()) > p.Moment.Len() {
		return s.showMoment(c)
	}
	p.Drawn = time.Now()
	return s.playOn(c)
}

// A State is the player of one recording on the screen. The zero value is ready to
// use.
type State struct {
	bar barPlace // as it was painted last
}
