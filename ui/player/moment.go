package player

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	recorded "mcpdbg/recordings/player"
	"mcpdbg/ui/host"
	"mcpdbg/ui/workspace"
)

// A moment that the user names. Running it goes there, or fails.
type goal func(*State, host.Context) (tea.Cmd, error)

// momentHint is shown in the empty prompt for a moment.
const momentHint = "1:23.5  50%  n:123  seq:40 run:2  next error|lag|gap|exit|mark  end"

func (s *State) askMoment(c host.Context) tea.Cmd {
	c.Host.Prompt(c.Workspace, host.Prompt{
		Label: "go to", Hint: momentHint,
		Check: func(text string) error {
			_, err := parseGoal(text)
			return err
		},
		Complete: completeGoal,
		Accept: func(c host.Context, text string) (tea.Cmd, error) {
			goes, err := parseGoal(text)
			if err != nil || goes == nil {
				return nil, err
			}
			return goes(s, c)
		},
	})
	return nil
}

// goalWords are the words that a goal can begin with.
var goalWords = append([]string{"start", "end", "first", "next", "previous", "n:", "seq:", "run:"}, pointNames[:]...)

// completeGoal returns the completions of the last word of a goal.
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

func parseGoal(text string) (goal, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil, nil
	}
	first, rest := words[0], words[1:]
	name, value, named := strings.Cut(first, ":")
	switch {
	case len(rest) == 0 && first == "start":
		return func(s *State, c host.Context) (tea.Cmd, error) { return s.ShowRows(c, 0), nil }, nil
	case len(rest) == 0 && first == "end":
		return func(s *State, c host.Context) (tea.Cmd, error) {
			return s.ShowRows(c, c.Workspace.Whole.Index.Scanned), nil
		}, nil
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
	return nil, errors.New("use 1:23.5, 50%, n:123 or next error")
}

func partGoal(text string) (goal, error) {
	percent, err := strconv.ParseFloat(text, 64)
	if err != nil || !(percent >= 0 && percent <= 100) {
		return nil, errors.New("use 0% to 100%")
	}
	return func(s *State, c host.Context) (tea.Cmd, error) {
		return s.ShowRows(c, recorded.CountOf(workspace.ListedRows{Whole: c.Workspace.Whole}, percent/100)), nil
	}, nil
}

func entryGoal(text string) (goal, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return nil, errors.New("use an entry number, such as n:123")
	}
	return func(s *State, c host.Context) (tea.Cmd, error) {
		row, ok := recorded.Numbered(c.Workspace.Whole.Source, n)
		if !ok || row >= c.Workspace.Whole.Index.Scanned {
			return nil, fmt.Errorf("no entry %d", n)
		}
		return s.GoTo(c, row), nil
	}, nil
}

// sequenceGoal is a sequence number, of a given process or of the current one.
func sequenceGoal(words []string) (goal, error) {
	var seq, run uint64
	for _, word := range words {
		name, value, _ := strings.Cut(word, ":")
		n, err := strconv.ParseUint(value, 10, 32)
		switch {
		case err != nil || n == 0 || name != "seq" && name != "run":
			return nil, errors.New("use seq:40, or seq:40 run:2")
		case name == "seq":
			seq = n
		default:
			run = n
		}
	}
	return func(s *State, c host.Context) (tea.Cmd, error) {
		of := int(run)
		if of == 0 {
			of = max(int(c.Workspace.Selected.Row.Run), 1)
		}
		row, ok := recorded.Sequenced(c.Workspace.Whole.Source, of, max(seq, 1))
		switch {
		case row < 0 || row >= c.Workspace.Whole.Index.Scanned:
			return nil, fmt.Errorf("no process %d", of)
		case !ok && seq > 0:
			c.Host.Notify(fmt.Sprintf("process %d has no seq:%d here; showing the next row", of, seq))
		}
		return s.GoTo(c, row), nil
	}, nil
}

// pointGoal is a point, such as: error, next lag, first exit.
func pointGoal(words []string) (goal, error) {
	way := "next"
	if len(words) == 2 {
		way, words = words[0], words[1:]
	}
	kind := slices.Index(pointNames[:], words[0])
	if len(words) != 1 || kind < 0 {
		return nil, fmt.Errorf("%s requires one of: %s", way, strings.Join(pointNames[:], ", "))
	}
	of := workspace.PointKind(kind)
	switch way {
	case "next":
		return func(s *State, c host.Context) (tea.Cmd, error) { return s.jumpTo(c, of, 1), nil }, nil
	case "previous":
		return func(s *State, c host.Context) (tea.Cmd, error) { return s.jumpTo(c, of, -1), nil }, nil
	case "first":
		return func(s *State, c host.Context) (tea.Cmd, error) { return s.jumpToFirst(c, of), nil }, nil
	}
	return nil, fmt.Errorf("unknown word %q: use first, next or previous", way)
}

// timeGoal is a time since the start: 1:02:03.5, 1:23.5, 12.5, 12.5s or 250ms.
func timeGoal(text string) (goal, error) {
	at, err := parseTime(text)
	if err != nil {
		return nil, err
	}
	return func(s *State, c host.Context) (tea.Cmd, error) {
		c.Workspace.Playback.SeekTime(at)
		return s.scrubbed(c), nil
	}, nil
}

var errTime = errors.New("invalid time: use 1:23.5, 12.5s or 250ms")

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
