package ui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/keymap"
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
	actWhole       = "whole"
	actNextPoint   = "next-point"
	actPrevPoint   = "previous-point"
)

// playActions are what can be done to the moment of a recording that is shown.
func playActions() []action {
	play := func(id string, keys []string, title, help string, priority int, do func(*App) tea.Cmd) action {
		return action{entry{ID: id, Keys: keys, Scope: keymap.Global, Title: title, Help: help, Priority: priority, Enabled: canPlay}, do}
	}
	return []action{
		{entry{ID: actPlay, Keys: []string{"space"}, Scope: keymap.Global, Title: "play", Help: "Play a recording from the selected row on, or from the beginning where the list follows; or pause.", Priority: 55, Enabled: canPlay, Now: playNow}, (*App).play},
		play(actStepOn, []string{"."}, "step", "Show a recording up to the next message or end of a process, then to its last row, and pause.", 54, func(a *App) tea.Cmd { return a.step(1) }),
		play(actStepBack, []string{","}, "step back", "Show a recording as it was at the message or end of a process before.", 53, func(a *App) tea.Cmd { return a.step(-1) }),
		play(actSecondOn, []string{"shift+right"}, "1 s on", "Show a recording a second later.", 0, func(a *App) tea.Cmd { return a.scrubTime(time.Second) }),
		play(actSecondBack, []string{"shift+left"}, "1 s back", "Show a recording a second earlier.", 0, func(a *App) tea.Cmd { return a.scrubTime(-time.Second) }),
		play(actTenOn, []string{"ctrl+right"}, "10 s on", "Show a recording ten seconds later.", 0, func(a *App) tea.Cmd { return a.scrubTime(10 * time.Second) }),
		play(actTenBack, []string{"ctrl+left"}, "10 s back", "Show a recording ten seconds earlier.", 0, func(a *App) tea.Cmd { return a.scrubTime(-10 * time.Second) }),
		play(actPercentOn, []string{")"}, "1 % on", "Show one part in a hundred more of the rows of a recording.", 0, func(a *App) tea.Cmd { return a.scrubPart(0.01) }),
		play(actPercentBack, []string{"("}, "1 % back", "Show one part in a hundred less of the rows of a recording.", 0, func(a *App) tea.Cmd { return a.scrubPart(-0.01) }),
		play(actMoment, []string{"@"}, "go to moment", "Show a recording as it was at a time (1:23.5, 12.5s), a sequence number (seq:40 run:2), an entry (n:123), a part (50%), or the next error, lag, gap, exit or mark.", 52, nothing((*App).askMoment)),
		play(actNextPoint, []string{"J"}, "next point", "Show a recording at the next error, lag, gap, exit or mark.", 51, func(a *App) tea.Cmd { return a.jump(1) }),
		play(actPrevPoint, []string{"H"}, "previous point", "Show a recording at the error, lag, gap, exit or mark before.", 0, func(a *App) tea.Cmd { return a.jump(-1) }),
		play(actFaster, []string{"^"}, "faster", "Play faster: 0.25x to 16x, and as fast as the screen can follow.", 0, nothing((*App).playFaster)),
		play(actSlower, []string{"_"}, "slower", "Play slower.", 0, nothing((*App).playSlower)),
		{entry{ID: actWhole, Keys: []string{"0"}, Scope: keymap.Global, Title: "all", Help: "Show the whole recording at once again.", Priority: 49, Enabled: showsMoment}, (*App).showWhole},
	}
}

func canPlay(a *App) (bool, string) {
	switch {
	case a.subject == a.nobody:
		return false, errNoSession.Error()
	case a.session != nil:
		return false, "this session is live: a recording can be played"
	case a.playback == nil:
		return false, "this can't be played"
	case a.reading != nil:
		return false, fmt.Sprintf("the recording is being read: %d %%", a.percentRead())
	}
	return true, ""
}

// playNow says what ends the playing.
func playNow(a *App) string {
	if a.playback == nil || a.playback.past == nil || !a.playback.player.Playing() {
		return ""
	}
	return "pause"
}

func showsMoment(a *App) (bool, string) {
	if ok, why := canPlay(a); !ok {
		return false, why
	}
	return a.playback.past != nil, "the whole recording is shown"
}

func (a *App) playFaster() {
	p := a.playback
	p.player.Faster(p.now())
	a.say("plays " + speedText(p.player.Speed()))
}

func (a *App) playSlower() {
	p := a.playback
	p.player.Slower(p.now())
	a.say("plays " + speedText(p.player.Speed()))
}
