package paint

import (
	"image/color"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// Profile is the colour support of the terminal.
type Profile uint8

const (
	// NoColor is for NO_COLOR and terminals without colour: bold, italic, underline
	// and reverse only.
	NoColor Profile = iota
	// ANSI uses the sixteen colours of the terminal's palette.
	ANSI
	// TrueColor uses 24-bit colour, also for 256 colours: the renderer converts on
	// output.
	TrueColor
)

// Options select a theme: the zero value is the one without colour.
type Options struct {
	Profile  Profile
	Light    bool // for a light background
	Contrast bool // 7 to 1 instead of 4.5 to 1
	// Guessed is set if the background may as well be light or dark: the selected row is
	// then reversed.
	Guessed bool
	// Background is the colour that the terminal reports, or nil.
	Background color.Color
}

// Theme holds the style of each role. It never changes, so any goroutine may read it.
type Theme struct {
	// Profile is the colour support that the theme was made for.
	Profile Profile

	Text, Dim, Strong, Emphasis Style

	// Accent is for the focus, keys, the cursor, and anything that runs.
	Accent Style

	Failed, Odd, Good Style
	// You is for the user's time and actions, Waits for anything that waits for the user.
	You, Waits Style

	// the families of methods: what a client calls, reads and gets
	Tool, Resource, Prompt Style

	// Selected is the row under the cursor of the focused pane, SelectedBlur the one of
	// any other pane; see Line.BeginRow.
	Selected, SelectedBlur Style
	// Match is a hit of a search, SelectedMatch one in the selected row.
	Match, SelectedMatch Style
	// Caret is the cell of the cursor in a text.
	Caret Style

	Rule, FocusRule   Style
	Title, FocusTitle Style

	// the parts of a JSON document
	Name, String, Number, Literal Style

	// the visible escapes of termsafe
	Escape Style

	// Backdrop is the rest of the screen while the program asks a question, and
	// PromptTitle is the style of its title.
	Backdrop, PromptTitle Style

	looks            map[Style]lipgloss.Style
	focused, blurred Cursor
}

// A role is a look with colours and one without.
type role struct {
	style       *Style
	look, plain lipgloss.Style
}

// roles are all but those of the selected row, which depends on them.
func (o Options) roles(th *Theme) []role {
	none := lipgloss.NewStyle()
	bold, italic, underline, reverse := none.Bold(true), none.Italic(true), none.Underline(true), none.Reverse(true)
	dim := none.Foreground(o.color("#9a9a9a", "#5c5c5c", "#d0d0d0", "#3a3a3a", "7", "8"))
	accent := bold.Foreground(o.color("#56b4e9", "#00659e", "#8fd3ff", "#003f73", "14", "4"))
	odd := none.Foreground(o.color("#f0e442", "#686000", "#fff176", "#463f00", "11", "3"))
	match := odd.Reverse(true)
	if o.Profile == ANSI {
		match = reverse
	}
	tool := bold.Foreground(o.color("#7fb5bf", "#33697a", "#a6e3ec", "#0b4552", "6", "6"))
	resource := none.Foreground(o.color("#b5b07d", "#66632e", "#e0dba0", "#43410f", "3", "3"))
	prompt := none.Foreground(o.color("#b7a0cc", "#74548c", "#dcc8f0", "#4c2a66", "5", "5"))
	return []role{
		{&th.Text, none, none},
		{&th.Dim, dim, none},
		{&th.Strong, bold, bold},
		{&th.Emphasis, italic, underline},
		{&th.Accent, accent, bold},
		{&th.Failed, bold.Foreground(o.color("#f07a35", "#a34400", "#ffb38a", "#7a2b00", "9", "1")), bold.Underline(true)},
		{&th.Odd, odd, underline},
		{&th.Good, none.Foreground(o.color("#22b28a", "#006b50", "#5fe3b8", "#004a36", "2", "2")), none},
		{&th.You, none.Foreground(o.color("#d48ab3", "#963d72", "#ffb3da", "#6b1450", "13", "5")), italic},
		{&th.Waits, bold.Reverse(true).Foreground(o.color("#e69f00", "#7d5600", "#ffc861", "#5a3a00", "3", "3")), bold.Reverse(true)},
		{&th.Tool, tool, bold},
		{&th.Resource, resource, none},
		{&th.Prompt, prompt, none},
		{&th.Match, match, reverse},
		{&th.SelectedMatch, match.Underline(true), underline},
		{&th.Caret, reverse, reverse},
		{&th.Rule, dim, none},
		{&th.FocusRule, accent, bold},
		{&th.Title, none, none},
		{&th.FocusTitle, bold, bold},
		{&th.Name, tool.Bold(false), none},
		{&th.String, resource, none},
		{&th.Number, prompt, none},
		{&th.Literal, prompt, none},
		{&th.Escape, underline, underline},
		{&th.Backdrop, dim.Faint(true), none.Faint(true)},
		{&th.PromptTitle, bold.Reverse(true), bold.Reverse(true)},
	}
}

// color returns the shade of a hue for the background, the contrast and the profile.
func (o Options) color(dark, light, contrastDark, contrastLight, ansiDark, ansiLight string) color.Color {
	if o.Contrast {
		dark, light = contrastDark, contrastLight
	}
	pick := lipgloss.LightDark(!o.Light)
	rgb := pick(lipgloss.Color(light), lipgloss.Color(dark))
	profile := [...]colorprofile.Profile{NoColor: colorprofile.ASCII, ANSI: colorprofile.ANSI, TrueColor: colorprofile.TrueColor}[o.Profile]
	return lipgloss.Complete(profile)(pick(lipgloss.Color(ansiLight), lipgloss.Color(ansiDark)), rgb, rgb)
}

// NewTheme returns a theme.
func NewTheme(o Options) *Theme {
	th := &Theme{Profile: o.Profile, looks: map[Style]lipgloss.Style{}}
	roles := o.roles(th)
	bold := lipgloss.NewStyle().Bold(true)
	selected, blurred := lipgloss.NewStyle().Reverse(true), bold
	switch soft := o.selection(roles); {
	case soft != nil:
		selected = lipgloss.NewStyle().Background(soft)
	case o.Profile == ANSI:
		selected = bold.Underline(true)
	}
	if o.Contrast && o.Profile == TrueColor {
		blurred = bold.Underline(true)
	}
	roles = append(roles, role{&th.Selected, selected, selected}, role{&th.SelectedBlur, blurred, bold.Underline(true)})
	for _, r := range roles {
		look := r.look
		if o.Profile == NoColor {
			look = r.plain
		}
		*r.style = compile(look)
		th.looks[*r.style] = look
	}
	th.focused = Cursor{style: th.Selected, mark: th.Accent, match: th.Match, hit: th.SelectedMatch, flat: selected.GetReverse()}
	th.blurred = Cursor{style: th.SelectedBlur, mark: th.Accent}
	return th
}

// Lipgloss returns the style of Lip Gloss that a style of the theme was made from.
func (th *Theme) Lipgloss(s Style) lipgloss.Style { return th.looks[s] }

// leastStep is the least contrast of the selected row with the background.
const leastStep = 1.25

// selection returns the background of the selected row, or nil if none is known to
// stand out from the terminal's and to leave all text readable.
func (o Options) selection(roles []role) color.Color {
	if o.Guessed || o.Profile != TrueColor {
		return nil
	}
	fixed := o.color("#26323c", "#e4ecf5", "#12303f", "#dceaf8", "", "")
	if o.Background == nil {
		return fixed
	}
	for _, soft := range []color.Color{o.step(), fixed} {
		if contrast(soft, o.Background) >= leastStep && o.readable(roles, soft) {
			return soft
		}
	}
	return nil
}

// step returns the background, 10 % lighter or 6 % darker, or as much more as it takes to
// be seen.
func (o Options) step() color.Color {
	move, percent := lipgloss.Lighten, 10
	if o.Light {
		move, percent = lipgloss.Darken, 6
	}
	for ; percent < 20; percent++ {
		if soft := move(o.Background, float64(percent)/100); contrast(soft, o.Background) >= leastStep {
			return soft
		}
	}
	return o.Background
}

// readable reports whether the colours of all roles have enough contrast with a
// background (WCAG 2, criteria 1.4.3 and 1.4.6).
func (o Options) readable(roles []role, background color.Color) bool {
	least := 4.5
	if o.Contrast {
		least = 7
	}
	for _, r := range roles {
		if c := r.look.GetForeground(); hasColor(c) && contrast(c, background) < least {
			return false
		}
	}
	return true
}
