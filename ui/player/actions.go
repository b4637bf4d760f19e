package player

import (
	"fmt"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	recorded "mcpdbg/recordings/player"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/workspace"
)

// The names of the actions that play a recording.
const (
	actPlay        = "play"
	actStepOn      = "step-on"
	actStepBack    = "step-back"
	actSecondOn    = "second-on"
	actSecondBack  = "second-back"
	actTenOn       = "ten-seconds-on"
	actTenBack     = "ten-seconds-back"
	actPercentOn   = "percent-on"
	actPercentBack = "percent-back"
	actFaster      = "faster"
	actSlower      = "slower"
	actMoment      = "go-to-moment"
	actNextPoint   = "next-point"
	actPrevPoint   = "previous-point"
)

// synonyms are other words for actions.
var synonyms = map[string][]string{
	actFaster: {"speed"}, actSlower: {"speed"}, actNextPoint: {"next lag", "next gap", "next exit", "lag", "gap", "point"}, actPrevPoint: {"point"},
}

// Actions returns the actions on the moment of a recording that is shown.
func Actions(of func(host.Context) *State) []host.Action {
	play := func(id string, keys []string, title, help string, hint key.Help, moment int, do func(*State, host.Context) tea.Cmd) host.Action {
		return host.Action{
			Entry: host.Entry{ID: id, Keys: keys, Scope: keymap.Global, Title: title, Help: help, Synonyms: synonyms[id], Hint: hint, Now: host.Ranks{Moment: moment}.Now, Enabled: canPlay},
			Do:    func(c host.Context) tea.Cmd { return do(of(c), c) },
		}
	}
	return []host.Action{
		{Entry: host.Entry{ID: actPlay, Keys: []string{"space"}, Scope: keymap.Global, Title: "play", Help: "Play a recording from the selected row, or from the beginning if the list follows or the row is near the end; or pause.", Priority: 88, Now: host.Ranks{Moment: 106}.Now, Enabled: canPlay, CurrentTitle: playNow}, Do: func(c host.Context) tea.Cmd { return of(c).play(c) }},
		play(actStepOn, []string{"."}, "step", "Show a recording up to the next message or process exit, then up to its last row, and pause.", key.Help{}, 0, func(s *State, c host.Context) tea.Cmd { return s.step(c, 1) }),
		play(actStepBack, []string{","}, "step back", "Show a recording as of the previous message or process exit.", key.Help{Key: ", .", Desc: "step"}, 105, func(s *State, c host.Context) tea.Cmd { return s.step(c, -1) }),
		play(actSecondOn, []string{"shift+right"}, "1 s forward", "Show a recording a second later.", key.Help{}, 0, func(s *State, c host.Context) tea.Cmd { return s.scrubTime(c, time.Second) }),
		play(actSecondBack, []string{"shift+left"}, "1 s back", "Show a recording a second earlier.", key.Help{}, 0, func(s *State, c host.Context) tea.Cmd { return s.scrubTime(c, -time.Second) }),
		play(actTenOn, []string{"ctrl+right"}, "10 s forward", "Show a recording ten seconds later.", key.Help{}, 0, func(s *State, c host.Context) tea.Cmd { return s.scrubTime(c, 10*time.Second) }),
		play(actTenBack, []string{"ctrl+left"}, "10 s back", "Show a recording ten seconds earlier.", key.Help{}, 0, func(s *State, c host.Context) tea.Cmd { return s.scrubTime(c, -10*time.Second) }),
		play(actPercentOn, []string{")"}, "1 % forward", "Show one percent more of the rows of a recording.", key.Help{}, 0, func(s *State, c host.Context) tea.Cmd { return s.scrubPart(c, 0.01) }),
		play(actPercentBack, []string{"("}, "1 % back", "Show one percent less of the rows of a recording.", key.Help{}, 0, func(s *State, c host.Context) tea.Cmd { return s.scrubPart(c, -0.01) }),
		play(actMoment, []string{"@"}, "go to moment", "Show a recording as of a time (1:23.5, 12.5s), a sequence number (seq:40 run:2), an entry (n:123), a percentage (50%), or the next error, lag, gap, exit or mark.", key.Help{Key: "@", Desc: "go to"}, 102, (*State).askMoment),
		play(actNextPoint, []string{"J"}, "next event", "Show a recording at the next error, lag, gap, exit or mark.", key.Help{}, 0, func(s *State, c host.Context) tea.Cmd { return s.jump(c, 1) }),
		play(actPrevPoint, []string{"H"}, "previous event", "Show a recording at the previous error, lag, gap, exit or mark.", key.Help{Key: "H J", Desc: "event"}, 103, func(s *State, c host.Context) tea.Cmd { return s.jump(c, -1) }),
		play(actFaster, []string{"]"}, "faster", "Play faster: 0.25x to 16x, or as fast as the screen can follow.", key.Help{}, 0, pace((*recorded.Player).Faster)),
		play(actSlower, []string{"["}, "slower", "Play slower.", key.Help{Key: "[ ]", Desc: "speed"}, 104, pace((*recorded.Player).Slower)),
		{Entry: host.Entry{ID: host.ActWhole, Scope: keymap.Global, Title: "whole recording", Help: "Show the whole recording again.", Enabled: showsMoment}, Do: func(c host.Context) tea.Cmd { return of(c).ShowWhole(c) }},
	}
}

func canPlay(c host.Context) (bool, string) {
	switch {
	case c.Workspace.Empty():
		return false, workspace.ErrNoSession.Error()
	case c.Workspace.Session != nil:
		return false, "this session is live: only a recording can be played"
	case c.Workspace.Playback == nil:
		return false, "this cannot be played"
	case c.Workspace.Reading != nil:
		return false, fmt.Sprintf("the recording is being read: %d %%", c.Workspace.PercentRead())
	}
	return true, ""
}

func playNow(c host.Context) string {
	if c.Workspace.Playback == nil || c.Workspace.Playback.Past == nil || !c.Workspace.Playback.Player.Playing() {
		return ""
	}
	return "pause"
}

func showsMoment(c host.Context) (bool, string) {
	if ok, why := canPlay(c); !ok {
		return false, why
	}
	return c.Workspace.Playback.Past != nil, "the whole recording is shown"
}

// pace returns an effect that changes the speed.
func pace(change func(p *recorded.Player, now time.Duration)) func(*State, host.Context) tea.Cmd {
	return func(_ *State, c host.Context) tea.Cmd {
		p := c.Workspace.Playback
		change(p.Player, p.Now())
		c.Host.Notify("playing at " + speedText(p.Player.Speed()))
		return nil
	}
}
