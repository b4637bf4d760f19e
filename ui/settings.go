package ui

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"mcpdbg/ui/help"
	"mcpdbg/ui/host"
	"mcpdbg/ui/traffic"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
)

// checkScreen checks the values that only a screen knows.
func checkScreen(s *Settings) *SettingsError {
	if _, err := traffic.ParseView(s.View); err != nil {
		return &SettingsError{Key: "view", Err: err}
	}
	maps.DeleteFunc(s.Keys, func(id string, _ []string) bool { return slices.Contains(retired, id) })
	return checkKeys(s.Keys)
}

// retired are the ids of actions of earlier versions. Settings that bind them are ignored.
var retired = strings.Fields(`cancel-call help-all close-help help-down help-up help-page-down help-page-up
	wider narrower other-side compose-whole form-compose-whole
	time-waterfall-show-waterfall time-waterfall-show-sequence time-waterfall-show-latency
	time-sequence-show-waterfall time-sequence-show-sequence time-sequence-show-latency
	time-latency-show-waterfall time-latency-show-sequence time-latency-show-latency`)

func checkKeys(keys map[string][]string) *SettingsError {
	defaults := Actions()
	for _, id := range slices.Sorted(maps.Keys(keys)) {
		name := "keys." + id
		if _, ok := defaults.ByID(id); !ok {
			return &SettingsError{Key: name, Err: errors.New("unknown action; mcpdbg keys lists them")}
		}
		for _, key := range keys[id] {
			if err := keymap.CheckKey(key); err != nil {
				return &SettingsError{Key: name, Err: err}
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
	return &SettingsError{Key: "keys." + mine, Err: fmt.Errorf("key %q is already bound to %s; rebind that action, too", conflict.Key, other)}
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
			of(c).app.chooseTheme(Theme(c.Word))
			return nil
		}},
	}
}

var choices = []Theme{
	themeAuto, themeLight, themeDark, themeContrast, themeContrastLight, themeContrastDark,
}

func hasColors(s *sessionScreen) (bool, string) {
	return s.app.colors.profile != paint.NoColor, "colors are off"
}

// chooseTheme uses the given theme, or else the next one.
func (a *App) chooseTheme(next Theme) {
	if next == "" {
		next = choices[(max(slices.Index(choices, a.opts.Theme), 0)+1)%len(choices)]
	}
	a.opts.Theme = next
	a.setTheme()
	a.Notify("theme " + string(next))
}

func (a *App) setProfile(p colorprofile.Profile) {
	switch {
	case a.opts.NoColor || a.opts.Theme == themeNone || p < colorprofile.ANSI:
		a.colors.profile = paint.NoColor
	case a.opts.Theme == theme16 || p == colorprofile.ANSI:
		a.colors.profile = paint.ANSI
	default:
		a.colors.profile = paint.TrueColor
	}
	a.setTheme()
}

// setFGBG takes in COLORFGBG, with which some terminals name two colours of their
// palette, such as "0;15", unless the terminal has reported its background.
func (c *colors) setFGBG(value string) {
	background, err := strconv.ParseUint(value[strings.LastIndexByte(value, ';')+1:], 10, 4)
	if err == nil && !c.known {
		c.light, c.known = background == 7 || background > 8, true
	}
}

// tryTheme shows the theme under the cursor of the palette while that is open.
func (a *App) tryTheme() {
	tried := Theme("")
	if v, ok := a.front.top().(*help.Palette); ok {
		if id, word := v.Current(); id == actTheme {
			tried = Theme(word)
		}
	}
	if tried != a.colors.tried {
		a.colors.tried = tried
		a.setTheme()
	}
}

// newTheme returns the theme that is tried or else t, or the one that fits the terminal.
func (c *colors) newTheme(t Theme) *paint.Theme {
	t = cmp.Or(c.tried, t)
	o := paint.Options{Profile: c.profile, Light: c.light}
	o.Contrast = t == themeContrast || t == themeContrastLight || t == themeContrastDark
	switch t {
	case themeLight, themeContrastLight:
		o.Light = true
	case themeDark, themeContrastDark:
		o.Light = false
	case themeAuto, theme16, "":
		o.Guessed = !c.known
	}
	if o.Light == c.light {
		o.Background = c.background
	}
	return paint.NewTheme(o)
}

func (a *App) setTheme() {
	a.screen.Theme = a.colors.newTheme(a.opts.Theme)
	a.blank.setTheme(a.screen.Theme)
	for _, s := range a.screens {
		s.setTheme(a.screen.Theme)
	}
	a.canvas.markAll()
}
