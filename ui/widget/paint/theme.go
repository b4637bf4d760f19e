package paint

// Profile is the colour support of the terminal.
type Profile uint8

const (
	// NoColor is for NO_COLOR and terminals without colour: bold, underline
	// and reverse only.
	NoColor Profile = iota
	// ANSI uses the sixteen colours of the terminal's palette.
	ANSI
	// TrueColor uses 24-bit colour, also for 256 colours: the renderer converts on
	// output.
	TrueColor
)

// Theme holds the style of each meaning. It never changes, so any goroutine
// may read it.
type Theme struct {
	// Generation differs between themes that look different, and is never zero. It is
	// part of the key of every cache of painted text.
	Generation uint32
	// Profile is the colour support that the theme was made for.
	Profile Profile

	Text, Dim, Strong, Emphasis Style

	Failed, Odd, Good Style

	// the kinds of messages, and lines of stderr
	Request, Response, Notification, ServerRequest, Stderr Style

	// the families of methods: what a client calls, reads and gets
	Tool, Resource, Prompt Style

	// Selected is the row under the cursor of the focused pane, SelectedBlur
	// the one of any other pane.
	Selected, SelectedBlur Style
	// Match is a hit of a search, SelectedMatch one in the selected row.
	Match, SelectedMatch Style

	Rule, FocusRule   Style
	Title, FocusTitle Style
	// line of column titles
	Header Style
	// of the keyboard, in the footer and in help
	Accent Style

	// the parts of a JSON document
	Name, String, Number, Literal Style

	// the visible escapes of termsafe
	Escape Style

	// Backdrop is the rest of the screen while the program asks a question, and
	// Asking is the style of its title.
	Backdrop, PromptTitle Style
}

// NewTheme returns the theme for a dark or a light background.
func NewTheme(dark bool, profile Profile) *Theme {
	return palette{dark: dark, profile: profile}.theme()
}

// HighContrast returns the theme with the strongest contrast for a dark or a light
// background. The selected row of a pane without the focus is underlined, too.
func HighContrast(dark bool, profile Profile) *Theme {
	th := palette{dark: dark, strong: true, profile: profile}.theme()
	th.SelectedBlur = Style{On: sgr([]string{"1", "4"}), Off: sgr([]string{"22", "24"})}
	return th
}

func (p palette) theme() *Theme {
	return &Theme{
		Generation: p.generation(),
		Profile:    p.profile,

		Text:   Style{},
		Dim:    p.style(cellLook{hue: grey}),
		Strong: p.style(cellLook{attrs: bold}),

		Emphasis: p.style(cellLook{attrs: italic, plain: underline}),

		Failed: p.style(cellLook{hue: vermilion, attrs: bold, plain: bold | underline}),
		Odd:    p.style(cellLook{hue: yellow, plain: underline}),
		Good:   p.style(cellLook{hue: green}),

		Request:       p.style(cellLook{hue: blue}),
		Response:      p.style(cellLook{hue: green}),
		Notification:  p.style(cellLook{hue: purple}),
		ServerRequest: p.style(cellLook{hue: orange, attrs: bold}),
		Stderr:        p.style(cellLook{hue: orange}),

		Tool:     p.style(cellLook{hue: teal}),
		Resource: p.style(cellLook{hue: olive}),
		Prompt:   p.style(cellLook{hue: mauve}),

		Selected:     p.style(cellLook{attrs: reverse}),
		SelectedBlur: p.style(cellLook{attrs: bold, plain: bold | underline}),
		Match:        p.style(cellLook{hue: yellow, attrs: reverse}),

		SelectedMatch: p.style(cellLook{attrs: underline}),

		Rule:       p.style(cellLook{hue: grey}),
		FocusRule:  p.style(cellLook{hue: blue, attrs: bold}),
		Title:      Style{},
		FocusTitle: p.style(cellLook{attrs: bold}),
		Header:     p.style(cellLook{hue: grey, plain: underline}),
		Accent:     p.style(cellLook{hue: blue, attrs: bold}),

		Name:    p.style(cellLook{hue: blue}),
		String:  p.style(cellLook{hue: green}),
		Number:  p.style(cellLook{hue: purple}),
		Literal: p.style(cellLook{hue: orange}),

		Escape: p.style(cellLook{attrs: underline}),

		Backdrop:    p.style(cellLook{hue: grey, attrs: faint}),
		PromptTitle: p.style(cellLook{attrs: bold | reverse}),
	}
}

// generation differs between palettes, and is not zero.
func (p palette) generation() uint32 {
	generation := 1 + 4*uint32(p.profile)
	if p.dark {
		generation++
	}
	if p.strong {
		generation += 2
	}
	return generation
}
