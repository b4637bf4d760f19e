package ui

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"mcpdbg/ui/host"
	"mcpdbg/ui/settings"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/theme"
	"mcpdbg/ui/wire"
)

// Settings are the user's settings.
type Settings = settings.Settings

// ParseSettings parses the settings in data. Its errors are *settings.Error with the name
// of the file: invalid TOML, unknown settings, invalid values, and keys bound twice.
func ParseSettings(file string, data []byte) (Settings, error) {
	return settings.Parse(file, data, checkScreen)
}

func checkScreen(s *Settings) *settings.Error {
	if _, err := wire.ParseView(s.View); err != nil {
		return &settings.Error{Key: "view", Err: err}
	}
	return checkKeys(s.Keys)
}

func checkKeys(keys map[string][]string) *settings.Error {
	defaults := Actions()
	for _, id := range slices.Sorted(maps.Keys(keys)) {
		name := "keys." + id
		if _, ok := defaults.ByID(id); !ok {
			return &settings.Error{Key: name, Err: errors.New("unknown action; mcpdbg keys lists them")}
		}
		for _, key := range keys[id] {
			if err := keymap.CheckKey(key); err != nil {
				return &settings.Error{Key: name, Err: err}
			}
		}
	}
	_, _, err := bind(nil, keys)
	var conflict *keymap.ConflictError
	if !errors.As(err, &conflict) {
		return nil
	}
	mine, other := conflict.Second, conflict.First
	if _, ok := keys[mine]; !ok {
		mine, other = other, mine
	}
	return &settings.Error{Key: "keys." + mine, Err: fmt.Errorf("key %q is already bound to %s; rebind that action, too", conflict.Key, other)}
}

// ActionsOf returns the table of all actions with the keys from settings.
func ActionsOf(s Settings) (*keymap.Table[host.Context], error) {
	table, _, err := bind(nil, s.Keys)
	return table, err
}

const actTheme = "theme"

func themeActions(of finder) []host.Action {
	var words []string
	for _, t := range choices {
		words = append(words, string(t))
	}
	return []host.Action{
		{Entry: host.Entry{ID: actTheme, Scope: keymap.Global, Title: "theme", Synonyms: []string{"colors", "colours"}, Words: words, Help: "Choose the colors until the program ends: as the terminal is (auto), light, dark, or with strong contrast.", Enabled: of.can(hasColors)}, Do: func(c host.Context) tea.Cmd {
			of(c).app.chooseTheme(settings.Theme(c.Word))
			return nil
		}},
	}
}

var choices = []settings.Theme{
	settings.ThemeAuto, settings.ThemeLight, settings.ThemeDark, settings.ThemeContrast, settings.ThemeContrastLight, settings.ThemeContrastDark,
}

func hasColors(s *sessionScreen) (bool, string) {
	return s.app.colors.profile != theme.NoColor, "colors are off"
}

// chooseTheme uses the given theme, or else the next one.
func (a *App) chooseTheme(next settings.Theme) {
	if next == "" {
		next = choices[(max(slices.Index(choices, a.opts.Theme), 0)+1)%len(choices)]
	}
	a.opts.Theme = next
	a.setTheme()
	a.Notify("theme " + string(next))
}

func (a *App) setProfile(p colorprofile.Profile) {
	switch {
	case a.opts.NoColor || a.opts.Theme == settings.ThemeNone || p < colorprofile.ANSI:
		a.colors.profile = theme.NoColor
	case a.opts.Theme == settings.Theme16 || p == colorprofile.ANSI:
		a.colors.profile = theme.ANSI
	default:
		a.colors.profile = theme.TrueColor
	}
	a.setTheme()
}

// newTheme returns the theme of the settings, or the one that fits the terminal.
func (a *App) newTheme() *theme.Theme {
	switch a.opts.Theme {
	case settings.ThemeLight:
		return theme.New(false, a.colors.profile)
	case settings.ThemeDark:
		return theme.New(true, a.colors.profile)
	case settings.ThemeContrast:
		return theme.HighContrast(a.colors.dark, a.colors.profile)
	case settings.ThemeContrastLight:
		return theme.HighContrast(false, a.colors.profile)
	case settings.ThemeContrastDark:
		return theme.HighContrast(true, a.colors.profile)
	}
	return theme.New(a.colors.dark, a.colors.profile)
}

func (a *App) setTheme() {
	a.screen.Theme = a.newTheme()
	a.blank.setTheme(a.screen.Theme)
	for _, s := range a.screens {
		s.setTheme(a.screen.Theme)
	}
	a.canvas.markAll()
}
