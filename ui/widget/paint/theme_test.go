package paint

import (
	"fmt"
	"image/color"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/widget/termsafe"
)

// everyTheme calls f for all themes without a reported background.
func everyTheme(f func(name string, o Options, th *Theme)) {
	for p := NoColor; p <= TrueColor; p++ {
		for i := range 8 {
			o := Options{Profile: p, Light: i&1 != 0, Contrast: i&2 != 0, Guessed: i&4 != 0}
			f(fmt.Sprintf("%+v", o), o, NewTheme(o))
		}
	}
}

func styles(th *Theme) map[string]Style {
	all := map[string]Style{}
	v := reflect.ValueOf(th).Elem()
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Type == reflect.TypeFor[Style]() {
			all[f.Name] = Style{v.Field(i).Field(0).String(), v.Field(i).Field(1).String()}
		}
	}
	return all
}

// TestRoles checks the value of each role in each mode.
func TestRoles(t *testing.T) {
	modes := [...]Options{
		{Profile: TrueColor}, {Profile: TrueColor, Light: true}, {Profile: TrueColor, Contrast: true}, {Profile: TrueColor, Contrast: true, Light: true},
		{Profile: ANSI}, {Profile: ANSI, Light: true}, {},
	}
	const (
		dim    = "#9a9a9a|#5c5c5c|#d0d0d0|#3a3a3a|37|90|"
		accent = "bold #56b4e9|bold #00659e|bold #8fd3ff|bold #003f73|bold 96|bold 34|bold"
		match  = "reverse #f0e442|reverse #686000|reverse #fff176|reverse #463f00|reverse|reverse|reverse"
		bold   = "bold|bold|bold|bold|bold|bold|bold"
		under  = "underline|underline|underline|underline|underline|underline|underline"
		prompt = "#b7a0cc|#74548c|#dcc8f0|#4c2a66|35|35|"
	)
	want := map[string]string{
		"Text":          "||||||",
		"Title":         "||||||",
		"Dim":           dim,
		"Rule":          dim,
		"Strong":        bold,
		"FocusTitle":    bold,
		"Emphasis":      "italic|italic|italic|italic|italic|italic|underline",
		"Accent":        accent,
		"FocusRule":     accent,
		"Selected":      "on #26323c|on #e4ecf5|on #12303f|on #dceaf8|bold underline|bold underline|reverse",
		"SelectedBlur":  "bold|bold|bold underline|bold underline|bold|bold|bold underline",
		"Failed":        "bold #f07a35|bold #a34400|bold #ffb38a|bold #7a2b00|bold 91|bold 31|bold underline",
		"Odd":           "#f0e442|#686000|#fff176|#463f00|93|33|underline",
		"Good":          "#22b28a|#006b50|#5fe3b8|#004a36|32|32|",
		"You":           "#d48ab3|#963d72|#ffb3da|#6b1450|95|35|italic",
		"Waits":         "bold reverse #e69f00|bold reverse #7d5600|bold reverse #ffc861|bold reverse #5a3a00|bold reverse 33|bold reverse 33|bold reverse",
		"Tool":          "bold #7fb5bf|bold #33697a|bold #a6e3ec|bold #0b4552|bold 36|bold 36|bold",
		"Resource":      "#b5b07d|#66632e|#e0dba0|#43410f|33|33|",
		"Prompt":        prompt,
		"Match":         match,
		"SelectedMatch": strings.ReplaceAll(strings.TrimSuffix(match, "reverse"), "reverse", "underline reverse") + "underline",
		"Caret":         strings.ReplaceAll(bold, "bold", "reverse"),
		"Name":          "#7fb5bf|#33697a|#a6e3ec|#0b4552|36|36|",
		"String":        "#b5b07d|#66632e|#e0dba0|#43410f|33|33|",
		"Number":        prompt,
		"Literal":       prompt,
		"Escape":        under,
		"Backdrop":      "faint #9a9a9a|faint #5c5c5c|faint #d0d0d0|faint #3a3a3a|faint 37|faint 90|faint",
		"PromptTitle":   strings.ReplaceAll(bold, "bold", "bold reverse"),
	}
	for i, o := range modes {
		th := NewTheme(o)
		all := styles(th)
		require.Len(t, all, len(want))
		for role, values := range want {
			require.Equal(t, strings.Split(values, "|")[i], describe(t, all[role]), "%+v: %s", o, role)
			require.Equal(t, all[role], compile(th.Lipgloss(all[role])), "%+v: %s", o, role)
		}
	}
}

// describe returns the words for the attributes and the colours of a style.
func describe(t *testing.T, s Style) string {
	t.Helper()
	attributes := map[string]string{"1": "bold", "2": "faint", "3": "italic", "4": "underline", "7": "reverse"}
	var words []string
	rest := strings.TrimSuffix(strings.TrimPrefix(s.On, "\x1b["), "m")
	for _, part := range regexp.MustCompile(`[34]8;2;\d+;\d+;\d+|\d+`).FindAllString(rest, -1) {
		switch kind, rgb, ok := strings.Cut(part, ";2;"); {
		case !ok && attributes[part] != "":
			words = append(words, attributes[part])
		case !ok:
			words = append(words, part)
		case kind == "48":
			words = append(words, "on "+hex(t, rgb))
		default:
			words = append(words, hex(t, rgb))
		}
	}
	return strings.Join(words, " ")
}

func hex(t *testing.T, rgb string) string {
	t.Helper()
	out := "#"
	for _, part := range strings.Split(rgb, ";") {
		n, err := strconv.ParseUint(part, 10, 8)
		require.NoError(t, err)
		out += fmt.Sprintf("%02x", n)
	}
	return out
}

func TestStylesEndWhatTheyBegin(t *testing.T) {
	ends := map[string]string{"1": "22", "2": "22", "3": "23", "4": "24", "7": "27", "48": "49"}
	everyTheme(func(name string, _ Options, th *Theme) {
		for role, s := range styles(th) {
			require.Zero(t, ansi.StringWidth(s.On+s.Off), "%s %s", name, role)
			if s.On == "" {
				require.Empty(t, s.Off, "%s %s", name, role)
				continue
			}
			off := params(t, s.Off)
			for i, p := range params(t, s.On) {
				want, known := ends[p]
				if !known {
					want = "39"
				}
				require.Equal(t, want, off[min(i, len(off)-1)], "%s %s", name, role)
				if !known || p == "48" {
					break
				}
			}
		}
	})
}

func TestNoColorHasNoColor(t *testing.T) {
	everyTheme(func(name string, o Options, th *Theme) {
		for role, s := range styles(th) {
			if o.Profile == NoColor {
				require.Regexp(t, `^(\x1b\[[12347](;[12347])*m)?$`, s.On, "%s %s", name, role)
			}
		}
	})
}

// TestStatesDifferWithoutColor checks the styles that must differ even where
// neither colour nor a glyph helps.
func TestStatesDifferWithoutColor(t *testing.T) {
	th := NewTheme(Options{})
	require.NotEqual(t, th.Selected, th.SelectedBlur)
	require.NotEqual(t, th.FocusRule, th.Rule)
	require.NotEqual(t, th.PromptTitle, th.Selected)
	require.NotEqual(t, th.Odd, th.Failed)
	require.NotEqual(t, th.FocusTitle, th.Title)
	require.NotEqual(t, th.SelectedMatch, th.Selected)
	require.NotEqual(t, th.Waits, th.Accent)
}

// TestMarked lists the styles that have only a colour: text in one of them also
// needs a mark or a word. Add a new style here, or give it a look without
// colour.
func TestMarked(t *testing.T) {
	marked := []string{
		"Text", "Title", // carry no meaning
		"Dim", "Rule", // may be overlooked
		"Good",               // has words
		"Resource", "Prompt", // are names of methods
		"Name", "String", "Number", "Literal", // have the punctuation of JSON
	}
	var plain []string
	for role, s := range styles(NewTheme(Options{})) {
		if s.On == "" {
			plain = append(plain, role)
		}
	}
	require.ElementsMatch(t, marked, plain)
}

// TestContrast checks the contrast of each colour with the plain backgrounds, those of
// common colour schemes, and the selected row. A reversed style has the same contrast as
// the colour itself.
func TestContrast(t *testing.T) {
	require.InDelta(t, 21, contrast(color.Black, color.White), 0.001)
	require.InDelta(t, 4.5, contrast(color.White, lipgloss.Color("#767676")), 0.05)
	common := []string{"#16181d", "#1c1c1c", "#1e1e1e", "#1e1e2e", "#24292e", "#002b36", "#282a36", "#282c34"}
	everyTheme(func(name string, o Options, th *Theme) {
		least, backgrounds := 4.5, append([]string{"#000000"}, common...)
		if o.Light {
			backgrounds = []string{"#ffffff"}
		}
		if o.Contrast {
			least = 7
		}
		if selected, soft := strings.CutPrefix(describe(t, th.Selected), "on "); soft {
			backgrounds = append(backgrounds, selected)
		}
		coloured := 0
		for role, s := range styles(th) {
			_, rgb, ok := strings.Cut(describe(t, s), "#")
			if !ok || role == "Backdrop" || role == "Selected" { // one is meant to recede, one is a background
				continue
			}
			coloured++
			for _, b := range backgrounds {
				require.GreaterOrEqual(t, contrast(lipgloss.Color("#"+rgb), lipgloss.Color(b)), least, "%s: %s #%s on %s", name, role, rgb, b)
			}
		}
		require.Equal(t, o.Profile == TrueColor, coloured > 15, name)
	})
}

// TestSelection checks that the selected row has a background only if that is known to
// be seen and to leave all roles readable.
func TestSelection(t *testing.T) {
	for _, tc := range []struct {
		background      string
		light, contrast bool
		want            string
	}{
		{"#101010", false, false, "on #292929"}, // 10 % lighter
		{"#101010", false, true, "on #292929"},
		{"#f8f8ff", true, false, "on #dfdfe5"}, // 6 % darker would not be seen
		{"#ffffff", true, false, "on #e5e5e5"},
		{"#ffffff", true, true, "on #e5e5e5"},
		{"#000000", false, false, "on #1e1e1e"}, // nor would 10 % lighter
		{"#1e1e1e", false, false, "on #26323c"}, // 10 % would leave some role unreadable
		{"#1e1e1e", false, true, "reverse"},
		{"#282c34", false, false, "reverse"}, // so would anything seen
		{"#fdf6e3", true, false, "reverse"},
	} {
		o := Options{Profile: TrueColor, Light: tc.light, Contrast: tc.contrast, Background: lipgloss.Color(tc.background)}
		th := NewTheme(o)
		got := describe(t, th.Selected)
		require.Equal(t, tc.want, got, "%+v", tc)
		if rgb, soft := strings.CutPrefix(got, "on "); soft {
			require.GreaterOrEqual(t, contrast(lipgloss.Color(rgb), o.Background), leastStep, "%+v", tc)
			require.True(t, o.readable(o.roles(&Theme{}), lipgloss.Color(rgb)), "%+v", tc)
		}
	}
	require.Equal(t, "reverse", describe(t, NewTheme(Options{Profile: TrueColor, Guessed: true}).Selected))
}

// TestRowUnderCursor checks that texts in the row under the cursor keep their styles but
// end nothing of the row, and that a reversed row has no others.
func TestRowUnderCursor(t *testing.T) {
	paint := func(o Options, focused bool) string {
		th := NewTheme(o)
		var l Line
		l.Reset(8, termsafe.Options{})
		l.BeginRow(th.Cursor(focused))
		l.Text(th.Failed, "a")
		l.Text(Style{}, "b")
		l.Text(th.Match, "c")
		l.EndRow()
		return l.String()
	}
	const (
		soft = "\x1b[48;2;38;50;60m"
		blur = "\x1b[1m"
		mark = "\x1b[1;38;2;86;180;233m>\x1b[22;39m"
		a    = "\x1b[1;38;2;240;122;53ma\x1b[22;39m"
	)
	require.Equal(t, soft+mark+soft+a+soft+"b"+"\x1b[4;7;38;2;240;228;66mc\x1b[24;27;39m"+soft+"    \x1b[49m", paint(Options{Profile: TrueColor}, true))
	require.Equal(t, blur+mark+blur+a+blur+"b"+"\x1b[7;38;2;240;228;66mc\x1b[27;39m"+blur+"    \x1b[22m", paint(Options{Profile: TrueColor}, false))
	require.Equal(t, "\x1b[7m"+mark+"\x1b[7mab\x1b[4;7;38;2;240;228;66mc\x1b[24;27;39m\x1b[7m    \x1b[27m", paint(Options{Profile: TrueColor, Guessed: true}, true))
	require.Equal(t, "\x1b[7m\x1b[1m>\x1b[22m\x1b[7mab\x1b[4mc\x1b[24m\x1b[7m    \x1b[27m", paint(Options{}, true))

	th := NewTheme(Options{})
	require.Nil(t, th.Cursor(true).Soft(), "the row is reversed")
	require.NotNil(t, th.Cursor(false).Soft())
	require.Nil(t, (*Cursor)(nil).Soft())
}

// TestNestedStyles checks that a text that ends a part of the style around it does not
// end it for the next.
func TestNestedStyles(t *testing.T) {
	th := NewTheme(Options{Profile: ANSI})
	var l Line
	l.Reset(4, termsafe.Options{})
	l.BeginRow(nil)
	l.Begin(th.Strong)
	l.Begin(th.Match)
	l.Text(th.Failed, "a")
	l.End(th.Match)
	l.Text(th.Text, "b")
	l.End(th.Strong)
	l.EndRow()
	require.Equal(t, " \x1b[1m\x1b[7m\x1b[1;91ma\x1b[22;39m\x1b[1m\x1b[7m\x1b[27m\x1b[1mb\x1b[22m", l.String())
}

// TestOneAccent checks that no other role has the hue of the focus.
func TestOneAccent(t *testing.T) {
	everyTheme(func(name string, o Options, th *Theme) {
		if o.Profile != TrueColor {
			return
		}
		accent := strings.TrimPrefix(describe(t, th.Accent), "bold ")
		for role, s := range styles(th) {
			if role != "Accent" && role != "FocusRule" {
				require.NotContains(t, describe(t, s), accent, "%s: %s", name, role)
			}
		}
	})
}

func TestIf(t *testing.T) {
	s := Style{"on", "off"}
	require.Equal(t, s, s.If(true))
	require.Equal(t, Style{}, s.If(false))
}

func params(t *testing.T, sequence string) []string {
	t.Helper()
	require.Regexp(t, `^\x1b\[[0-9;]+m$`, sequence)
	return regexp.MustCompile(`[0-9]+`).FindAllString(sequence, -1)
}
