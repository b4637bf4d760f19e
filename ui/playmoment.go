package ui

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/recordings/player"
)

// A goal is a moment that a person names: it is gone to, if it is there.
type goal func(a *App) (tea.Cmd, error)

// momentHint is what the prompt for a moment shows while it is empty.
const momentHint = "1:23.5  50%  n:123  seq:40 run:2  next error|lag|gap|exit|mark  end"

// askMoment asks for a moment of the recording.
func (a *App) askMoment() {
	a.prompt = newPrompt("go to", momentHint, "", func(a *App, text string) (tea.Cmd, error) {
		goes, err := parseGoal(text)
		if err != nil || goes == nil {
			return nil, err
		}
		return goes(a)
	})
	a.prompt.check = func(text string) error {
		_, err := parseGoal(text)
		return err
	}
	a.prompt.complete = completeGoal
}

// goalWords are the words that a goal may begin with.
var goalWords = append([]string{"start", "end", "first", "next", "previous", "n:", "seq:", "run:"}, pointNames[:]...)

// completeGoal is what the last word of a goal can go on to.
func completeGoal(text string) []string {
	begin := strings.LastIndexByte(text, ' ') + 1
	var ways []string
	for _, word := range goalWords {
		if strings.HasPrefix(word, text[begin:]) {
			ways = append(ways, text[:begin]+word)
		}
	}
	return ways
}

// parseGoal reads what a person wrote; nil for nothing.
func parseGoal(text string) (goal, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil, nil
	}
	first, rest := words[0], words[1:]
	name, value, named := strings.Cut(first, ":")
	switch {
	case len(rest) == 0 && first == "start":
		return func(a *App) (tea.Cmd, error) { return a.showRows(0), nil }, nil
	case len(rest) == 0 && first == "end":
		return func(a *App) (tea.Cmd, error) { return a.showRows(a.whole.index.scanned), nil }, nil
	case len(rest) == 0 && strings.HasSuffix(first, "%"):
		return partGoal(strings.TrimSuffix(first, "%"))
	case len(rest) == 0 && named && name == "n":
		return entryGoal(value)
	case named && (name == "seq" || name == "run"):
		return sequenceGoal(words)
	case first == "first" || first == "next" || first == "previous" || slices.Contains(pointNames[:], first):
		return pointGoal(words)
	case len(rest) == 0:
		return timeGoal(first)
	}
	return nil, errors.New("such as 1:23.5, 50%, n:123 or next error")
}

func partGoal(text string) (goal, error) {
	percent, err := strconv.ParseFloat(text, 64)
	if err != nil || !(percent >= 0 && percent <= 100) {
		return nil, errors.New("a part is from 0% to 100%")
	}
	return func(a *App) (tea.Cmd, error) {
		return a.showRows(player.CountOf(listedRows{a.whole}, percent/100)), nil
	}, nil
}

func entryGoal(text string) (goal, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return nil, errors.New("an entry is such as n:123")
	}
	return func(a *App) (tea.Cmd, error) {
		row, ok := player.Numbered(a.whole.source, n)
		if !ok || row >= a.whole.index.scanned {
			return nil, fmt.Errorf("there is no entry %d", n)
		}
		return a.goToPoint(row), nil
	}, nil
}

// sequenceGoal is a sequence number, of a process or of the one that is looked at.
func sequenceGoal(words []string) (goal, error) {
	var seq, run uint64
	for _, word := range words {
		name, value, _ := strings.Cut(word, ":")
		n, err := strconv.ParseUint(value, 10, 32)
		switch {
		case err != nil || n == 0 || name != "seq" && name != "run":
			return nil, errors.New("such as seq:40, or seq:40 run:2")
		case name == "seq":
			seq = n
		default:
			run = n
		}
	}
	return func(a *App) (tea.Cmd, error) {
		of := int(run)
		if of == 0 {
			of = max(int(a.selected.row.Run), 1)
		}
		row, ok := player.Sequenced(a.whole.source, of, max(seq, 1))
		switch {
		case row < 0 || row >= a.whole.index.scanned:
			return nil, fmt.Errorf("there is no process %d", of)
		case !ok && seq > 0:
			a.say(fmt.Sprintf("process %d has no %d here: this is what came next", of, seq))
		}
		return a.goToPoint(row), nil
	}, nil
}

// pointGoal is such as: error, next lag, first exit.
func pointGoal(words []string) (goal, error) {
	way := "next"
	if len(words) == 2 {
		way, words = words[0], words[1:]
	}
	kind := slices.Index(pointNames[:], words[0])
	if len(words) != 1 || kind < 0 {
		return nil, fmt.Errorf("%s what? %s", way, strings.Join(pointNames[:], ", "))
	}
	of := pointKind(kind)
	switch way {
	case "next":
		return func(a *App) (tea.Cmd, error) { return a.jumpTo(of, 1), nil }, nil
	case "previous":
		return func(a *App) (tea.Cmd, error) { return a.jumpTo(of, -1), nil }, nil
	case "first":
		return func(a *App) (tea.Cmd, error) { return a.jumpToFirst(of), nil }, nil
	}
	return nil, fmt.Errorf("%s: first, next or previous", way)
}

// timeGoal is a time since the start: 1:02:03.5, 1:23.5, 12.5, 12.5s or 250ms.
func timeGoal(text string) (goal, error) {
	at, err := parseTime(text)
	if err != nil {
		return nil, err
	}
	return func(a *App) (tea.Cmd, error) {
		a.playback.seekTime(at)
		return a.scrubbed(), nil
	}, nil
}

var errTime = errors.New("a time is such as 1:23.5, 12.5s or 250ms")

func parseTime(text string) (time.Duration, error) {
	if at, err := time.ParseDuration(text); err == nil && at >= 0 {
		return at, nil
	}
	parts := strings.Split(text, ":")
	if len(parts) > 3 {
		return 0, errTime
	}
	var seconds float64
	for i, part := range parts {
		n, err := strconv.ParseFloat(part, 64)
		last := i == len(parts)-1
		if part == "" || err != nil || strings.ContainsAny(part, "+-eExXiInN_") || i > 0 && n >= 60 || !last && n != math.Trunc(n) {
			return 0, errTime
		}
		seconds = seconds*60 + n
	}
	if seconds > (1000 * 24 * time.Hour).Seconds() {
		return 0, errTime
	}
	return time.Duration(seconds * float64(time.Second)), nil
}
