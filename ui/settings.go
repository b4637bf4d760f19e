package ui

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"mcpdbg/recordings"
	"mcpdbg/ui/keymap"
)

// Settings are what a person sets once, in a file. The zero value is what holds
// without one.
type Settings struct {
	// Keys are the keys of actions, by their names; they replace all keys that
	// an action has. No keys leave it to the palette.
	Keys    map[string][]string
	Theme   Theme
	ASCII   bool // no line glyphs
	NoMouse bool // the terminal keeps it until the key for it is pressed
	// Slow is from when an answer is slow; 0 means over 100 ms and over 5 times
	// the median.
	Slow time.Duration
	// Idle is how long a pause lasts at most while a recording plays; 0 means a
	// second, AsItWas as long as it was.
	Idle time.Duration
	// Environments are the hosts of remote environments that config files of
	// MCP clients name.
	Environments map[string]string
	// Recordings says which recordings are kept, in the folder where sessions
	// are recorded.
	Recordings recordings.Retention
	// MaxPart is how many bytes a file of a recording has at most; 0 means any.
	MaxPart int64
}

// AsItWas has pauses last as long as they did.
const AsItWas time.Duration = -1

// A Theme says which colours to use.
type Theme string

// The themes.
const (
	ThemeAuto  Theme = "auto"  // by the terminal's colours and background; "" means the same
	ThemeLight Theme = "light" // for a light background, whatever the terminal says
	ThemeDark  Theme = "dark"
	Theme16    Theme = "16"   // the sixteen colours of the terminal's palette
	ThemeNone  Theme = "none" // no colours, as with NO_COLOR
)

// themes are all themes, as they are written.
var themes = []Theme{ThemeAuto, ThemeLight, ThemeDark, Theme16, ThemeNone}

// A SettingsError is something wrong in the file of settings.
type SettingsError struct {
	File string
	Line int    // 0 if it is not known
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

// settingsText is the file, as TOML.
type settingsText struct {
	Keys  map[string][]string `toml:"keys"`
	Theme string              `toml:"theme"`
	ASCII bool                `toml:"ascii"`
	Mouse *bool               `toml:"mouse"`
	Slow  string              `toml:"slow"`
	Play  struct {
		Idle string `toml:"idle"`
	} `toml:"play"`
	Environments map[string]string `toml:"environments"`
	Recordings   struct {
		Keep  int    `toml:"keep"`
		Older string `toml:"older"`
		Over  string `toml:"over"`
		Part  string `toml:"max-part"`
	} `toml:"recordings"`
}

// ParseSettings reads settings. Its errors are *SettingsError, with the name
// of the file: what is not TOML, keys that there are not, and keys of actions
// that would mean two things.
func ParseSettings(file string, data []byte) (Settings, error) {
	var text settingsText
	decoder := toml.NewDecoder(strings.NewReader(string(data)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&text); err != nil {
		return Settings{}, tomlError(file, err)
	}
	s := Settings{
		Keys: text.Keys, Theme: Theme(text.Theme), ASCII: text.ASCII,
		NoMouse: text.Mouse != nil && !*text.Mouse, Environments: text.Environments,
	}
	if err := s.check(text); err != nil {
		err.File, err.Line = file, settingsLines(data)[err.Key]
		return Settings{}, err
	}
	return s, nil
}

// check looks at the values.
func (s *Settings) check(text settingsText) *SettingsError {
	if s.Theme != "" && !slices.Contains(themes, s.Theme) {
		return &SettingsError{Key: "theme", Err: fmt.Errorf("%q is no theme: auto, light, dark, 16 or none", s.Theme)}
	}
	if text.Slow != "" {
		var err error
		if s.Slow, err = time.ParseDuration(text.Slow); err != nil || s.Slow <= 0 {
			return &SettingsError{Key: "slow", Err: fmt.Errorf("%q is no time: write 250ms or 2s", text.Slow)}
		}
	}
	if err := s.checkPlay(text.Play.Idle); err != nil {
		return err
	}
	if err := s.checkRetention(text); err != nil {
		return err
	}
	return s.checkKeys()
}

// checkPlay takes how recordings are played.
func (s *Settings) checkPlay(idle string) *SettingsError {
	var err error
	switch idle {
	case "":
	case "none":
		s.Idle = AsItWas
	default:
		if s.Idle, err = time.ParseDuration(idle); err != nil || s.Idle <= 0 {
			return &SettingsError{Key: "play.idle", Err: fmt.Errorf("%q is no time: write 1s or 250ms, or none", idle)}
		}
	}
	return nil
}

// checkRetention takes which recordings are kept.
func (s *Settings) checkRetention(text settingsText) *SettingsError {
	r := &text.Recordings
	if r.Keep < 0 {
		return &SettingsError{Key: "recordings.keep", Err: fmt.Errorf("%d is no number of recordings", r.Keep)}
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
	return nil
}

// checkKeys looks at the keys of each action, and then at all of them together.
func (s *Settings) checkKeys() *SettingsError {
	defaults := Actions()
	for _, id := range slices.Sorted(maps.Keys(s.Keys)) {
		name := "keys." + id
		if _, ok := defaults.ByID(id); !ok {
			return &SettingsError{Key: name, Err: errors.New("there is no such action; mcpdbg keys lists them")}
		}
		for _, key := range s.Keys[id] {
			if err := keymap.CheckKey(key); err != nil {
				return &SettingsError{Key: name, Err: err}
			}
		}
	}
	_, _, err := bind(actions(), s.Keys)
	var conflict *keymap.ConflictError
	if !errors.As(err, &conflict) {
		return nil
	}
	mine, other := conflict.Second, conflict.First
	if _, ok := s.Keys[mine]; !ok {
		mine, other = other, mine
	}
	return &SettingsError{Key: "keys." + mine, Err: fmt.Errorf("the key %q means %s already; give that another one too", conflict.Key, other)}
}

// Actions returns the table of everything a person can do, with the keys of
// the settings.
func (s Settings) Actions() (*keymap.Table[*App], error) {
	table, _, err := bind(actions(), s.Keys)
	return table, err
}

// tomlError finds the place of an error of the library.
func tomlError(file string, err error) error {
	var at *toml.DecodeError
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) && len(unknown.Errors) > 0 {
		at = &unknown.Errors[0]
		line, _ := at.Position()
		return &SettingsError{File: file, Line: line, Key: strings.Join(at.Key(), "."), Err: errors.New("there is no such setting")}
	}
	if errors.As(err, &at) {
		line, _ := at.Position()
		return &SettingsError{File: file, Line: line, Key: strings.Join(at.Key(), "."), Err: errors.New(strings.TrimPrefix(at.Error(), "toml: "))}
	}
	return &SettingsError{File: file, Err: err}
}

// settingsLines are the lines on which keys are given, by their full names.
func settingsLines(data []byte) map[string]int {
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
