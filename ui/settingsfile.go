package ui

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"mcpdbg/recordings"
)

// Settings are the user's settings, read from a file. The zero value is the
// default.
type Settings struct {
	// Keys are the keys of actions, by action id, in place of the default keys. Without
	// keys an action is only in the palette.
	Keys    map[string][]string
	Theme   Theme
	ASCII   bool // no line glyphs
	NoMouse bool // the terminal keeps the mouse until its key is pressed
	Still   bool // nothing moves by itself: no spinner, no running clock, no growing bar
	// Pictures is how pictures in results are shown.
	Pictures Pictures
	// Slow is the latency above which a response is slow; 0 means over 100 ms and
	// over 5 times the median.
	Slow time.Duration
	// Log is how stderr and events are shown.
	Log LogPanes
	// Keep, if set, writes a setting of the user to the file.
	Keep func(name, value string) error
	// View is the view of the traffic at first; "" is one row for each exchange.
	View string
	// Idle is the longest pause while a recording plays; 0 means two seconds,
	// asRecorded means no limit.
	Idle time.Duration
	// Environments maps the remote environments that config files of MCP clients
	// name to their hosts.
	Environments map[string]string
	// Recordings is the retention of recordings, in the folder where sessions are
	// recorded.
	Recordings recordings.Retention
	// Taps is the retention of the recordings of each name of a tap; members that are 0
	// mean DefaultTaps.
	Taps recordings.Retention
	// History is how many runs a folder of --history keeps; 0 means 400.
	History int
	// MaxPart is the maximum size of a file of a recording, in bytes; 0 means no
	// limit.
	MaxPart int64
}

// DefaultTaps is the retention of the recordings of each name of a tap.
var DefaultTaps = recordings.Retention{Keep: 20, Over: 200 << 20}

// asRecorded keeps pauses at their recorded length.
const asRecorded time.Duration = -1

// A Theme selects the colours.
type Theme string

// The themes.
const (
	themeAuto  Theme = "auto"  // by the terminal's colours and background; "" means the same
	themeLight Theme = "light" // for a light background, whatever the terminal reports
	themeDark  Theme = "dark"
	theme16    Theme = "16"   // the sixteen colours of the terminal's palette
	themeNone  Theme = "none" // no colours, as with NO_COLOR

	// Those with the strongest contrast.
	themeContrast      Theme = "contrast"
	themeContrastLight Theme = "contrast-light"
	themeContrastDark  Theme = "contrast-dark"
)

// themes are the valid values of a Theme.
var themes = []Theme{themeAuto, themeLight, themeDark, themeContrast, themeContrastLight, themeContrastDark, theme16, themeNone}

// Pictures selects how pictures are shown.
type Pictures string

// The ways to show pictures.
const (
	picturesAuto   Pictures = "auto"   // by the terminal if it can, else in half blocks; "" means the same
	picturesBlocks Pictures = "blocks" // in half blocks; the terminal is not asked what it can do
	picturesOff    Pictures = "off"    // not at all
)

// LogPanes selects how stderr and events are shown.
type LogPanes string

// The ways to show stderr and events.
const (
	logAuto     LogPanes = "auto"     // by the size of the screen; "" means the same
	LogTogether LogPanes = "together" // in one pane, in time order
	LogInPanes  LogPanes = "panes"    // in two panes, where there is room
)

// A SettingsError is an error in a settings file.
type SettingsError struct {
	File string
	Line int    // 0 if unknown
	Key  string // such as keys.filter; may be empty
	Err  error
}

// Error implements error.
func (e *SettingsError) Error() string {
	text := e.File
	if e.Line > 0 {
		text += fmt.Sprintf(":%d", e.Line)
	}
	if e.Key != "" {
		text += ": " + e.Key
	}
	return text + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *SettingsError) Unwrap() error { return e.Err }

type settingsText struct {
	Keys   map[string][]string `toml:"keys"`
	Theme  string              `toml:"theme"`
	Pics   string              `toml:"pictures"`
	Log    string              `toml:"log"`
	Motion string              `toml:"motion"`
	ASCII  bool                `toml:"ascii"`
	Mouse  *bool               `toml:"mouse"`
	Slow   string              `toml:"slow"`
	View   string              `toml:"view"`
	Play   struct {
		Idle string `toml:"idle"`
	} `toml:"play"`
	Environments map[string]string `toml:"environments"`
	Recordings   struct {
		Keep  int    `toml:"keep"`
		Older string `toml:"older"`
		Over  string `toml:"over"`
		Part  string `toml:"max-part"`
	} `toml:"recordings"`
	Taps struct {
		Keep int    `toml:"keep"`
		Over string `toml:"over"`
	} `toml:"taps"`
	History struct {
		Keep int `toml:"keep"`
	} `toml:"history"`
}

// ParseSettings parses the settings in data, the text of a TOML file. Its errors are
// *SettingsError with the name of the file: invalid TOML, unknown settings, invalid
// values, and keys bound twice.
func ParseSettings(file string, data []byte) (Settings, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // some editors write a byte order mark
	var t settingsText
	decoder := toml.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&t); err != nil {
		return Settings{}, tomlError(file, err)
	}
	s := Settings{
		Keys: t.Keys, Theme: Theme(t.Theme), ASCII: t.ASCII, View: t.View, Pictures: Pictures(t.Pics), Log: LogPanes(t.Log),
		NoMouse: t.Mouse != nil && !*t.Mouse, Still: t.Motion == "off", Environments: t.Environments,
	}
	err := s.check(&t)
	if err == nil {
		err = checkScreen(&s)
	}
	if err != nil {
		err.File, err.Line = file, linesOf(data)[err.Key]
		return Settings{}, err
	}
	return s, nil
}

func (s *Settings) check(t *settingsText) *SettingsError {
	if s.Theme != "" && !slices.Contains(themes, s.Theme) {
		return &SettingsError{Key: "theme", Err: fmt.Errorf("unknown theme %q: use auto, light, dark, contrast, contrast-light, contrast-dark, 16 or none", s.Theme)}
	}
	if !slices.Contains([]Pictures{"", picturesAuto, picturesBlocks, picturesOff}, s.Pictures) {
		return &SettingsError{Key: "pictures", Err: fmt.Errorf("unknown value %q: use auto, blocks or off", s.Pictures)}
	}
	if !slices.Contains([]LogPanes{"", logAuto, LogTogether, LogInPanes}, s.Log) {
		return &SettingsError{Key: "log", Err: fmt.Errorf("unknown value %q: use auto, together or panes", s.Log)}
	}
	if !slices.Contains([]string{"", "on", "off"}, t.Motion) {
		return &SettingsError{Key: "motion", Err: fmt.Errorf("unknown value %q: use on or off", t.Motion)}
	}
	if t.Slow != "" {
		var err error
		if s.Slow, err = time.ParseDuration(t.Slow); err != nil || s.Slow <= 0 {
			return &SettingsError{Key: "slow", Err: fmt.Errorf("invalid duration %q: use a value such as 250ms or 2s", t.Slow)}
		}
	}
	if err := s.checkPlay(t.Play.Idle); err != nil {
		return err
	}
	return s.checkRetention(t)
}

func (s *Settings) checkPlay(idle string) *SettingsError {
	var err error
	switch idle {
	case "":
	case "none":
		s.Idle = asRecorded
	default:
		if s.Idle, err = time.ParseDuration(idle); err != nil || s.Idle <= 0 {
			return &SettingsError{Key: "play.idle", Err: fmt.Errorf("invalid duration %q: use a value such as 1s or 250ms, or none", idle)}
		}
	}
	return nil
}

func (s *Settings) checkRetention(t *settingsText) *SettingsError {
	r := &t.Recordings
	if r.Keep < 0 {
		return &SettingsError{Key: "recordings.keep", Err: fmt.Errorf("invalid number of recordings: %d", r.Keep)}
	}
	s.Recordings.Keep = r.Keep
	var err error
	if r.Older != "" {
		if s.Recordings.Older, err = recordings.ParseAge(r.Older); err != nil {
			return &SettingsError{Key: "recordings.older", Err: err}
		}
	}
	if r.Part != "" {
		if s.MaxPart, err = recordings.ParsePartSize(r.Part); err != nil {
			return &SettingsError{Key: "recordings.max-part", Err: err}
		}
	}
	if r.Over != "" {
		if s.Recordings.Over, err = recordings.ParseSize(r.Over); err != nil {
			return &SettingsError{Key: "recordings.over", Err: err}
		}
	}
	return s.checkTaps(t)
}

func (s *Settings) checkTaps(t *settingsText) *SettingsError {
	if t.Taps.Keep < 0 {
		return &SettingsError{Key: "taps.keep", Err: fmt.Errorf("invalid number of recordings: %d", t.Taps.Keep)}
	}
	if t.History.Keep < 0 {
		return &SettingsError{Key: "history.keep", Err: fmt.Errorf("invalid number of runs: %d", t.History.Keep)}
	}
	s.Taps.Keep, s.History = t.Taps.Keep, t.History.Keep
	var err error
	if t.Taps.Over != "" {
		if s.Taps.Over, err = recordings.ParseSize(t.Taps.Over); err != nil {
			return &SettingsError{Key: "taps.over", Err: err}
		}
	}
	return nil
}

// tomlError finds the position of an error of the TOML library.
func tomlError(file string, err error) error {
	var at *toml.DecodeError
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) && len(unknown.Errors) > 0 {
		at = &unknown.Errors[0]
		line, _ := at.Position()
		return &SettingsError{File: file, Line: line, Key: strings.Join(at.Key(), "."), Err: errors.New("unknown setting")}
	}
	if errors.As(err, &at) {
		line, _ := at.Position()
		return &SettingsError{File: file, Line: line, Key: strings.Join(at.Key(), "."), Err: errors.New(strings.TrimPrefix(at.Error(), "toml: "))}
	}
	return &SettingsError{File: file, Err: err}
}

// linesOf returns the lines on which keys are bound, by the full name of
// the setting.
func linesOf(data []byte) map[string]int {
	lines := map[string]int{}
	p := unstable.Parser{}
	p.Reset(data)
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		var words []string
		line := 0
		for it := e.Key(); it.Next(); {
			if line == 0 {
				line = p.Shape(it.Node().Raw).Start.Line
			}
			words = append(words, string(it.Node().Data))
		}
		name := strings.Join(words, ".")
		switch e.Kind {
		case unstable.Table:
			table = name + "."
			lines[name] = line
		case unstable.KeyValue:
			lines[table+name] = line
		}
	}
	return lines
}

// SetSetting returns the text of a settings file with a setting outside all tables changed
// to a string, or added.
func SetSetting(data []byte, name, value string) []byte {
	line := fmt.Sprintf("%s = %q", name, value)
	at, found := linesOf(data)[name]
	if !found {
		return append([]byte(line+"\n"), data...)
	}
	lines := strings.Split(string(data), "\n")
	if i := strings.IndexByte(lines[at-1], '#'); i >= 0 {
		line += " " + lines[at-1][i:]
	}
	lines[at-1] = line
	return []byte(strings.Join(lines, "\n"))
}
