package ui

import (
	"github.com/charmbracelet/colorprofile"

	"mcpdbg/ui/termsafe"
	"mcpdbg/ui/theme"
)

// look is how text is cut and escaped.
func (a *App) look() termsafe.Options {
	o := termsafe.Options{Ellipsis: termsafe.Ellipsis, EscapeStart: a.theme.Escape.On, EscapeEnd: a.theme.Escape.Off}
	if a.opts.ASCII {
		o.Ellipsis = "~"
	}
	return o
}

// setProfile takes the colours that the terminal can show.
func (a *App) setProfile(p colorprofile.Profile) {
	switch {
	case a.opts.NoColor || a.opts.Theme == ThemeNone || p < colorprofile.ANSI:
		a.profile = theme.NoColor
	case a.opts.Theme == Theme16 || p == colorprofile.ANSI:
		a.profile = theme.ANSI
	default:
		a.profile = theme.TrueColor
	}
	a.setTheme()
}

// newTheme makes the theme of the settings, or the one that fits the terminal.
func (a *App) newTheme() *theme.Theme {
	dark := a.dark
	switch a.opts.Theme {
	case ThemeLight:
		dark = false
	case ThemeDark:
		dark = true
	}
	return theme.New(dark, a.profile)
}

func (a *App) setTheme() {
	a.theme = a.newTheme()
	a.nobody.setTheme(a.theme)
	for _, s := range a.subjects {
		s.setTheme(a.theme)
	}
	a.markAll()
}
