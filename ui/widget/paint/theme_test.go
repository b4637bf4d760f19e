package paint

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
)

func everyTheme(f func(name string, dark bool, p Profile, th *Theme)) {
	for _, dark := range []bool{false, true} {
		for p := NoColor; p <= TrueColor; p++ {
			f(fmt.Sprintf("dark=%v profile=%d", dark, p), dark, p, NewTheme(dark, p))
			f(fmt.Sprintf("high contrast dark=%v profile=%d", dark, p), dark, p, HighContrast(dark, p))
		}
	}
}

func styles(th *Theme) map[string]Style {
	all := map[string]Style{}
	v := reflect.ValueOf(*th)
	for i := range v.NumField() {
		if s, ok := v.Field(i).Interface().(Style); ok {
			all[v.Type().Field(i).Name] = s
		}
	}
	return all
}

func TestStylesEndWhatTheyBegin(t *testing.T) {
	ends := map[string]string{"1": "22", "2": "22", "3": "23", "4": "24", "7": "27"}
	everyTheme(func(name string, _ bool, _ Profile, th *Theme) {
		for role, s := range styles(th) {
			require.Zero(t, ansi.StringWidth(s.On+s.Off), "%s %s", name, role)
			if s.On == "" {
				require.Empty(t, s.Off, "%s %s", name, role)
				continue
			}
			off := params(t, s.Off)
			for i, p := range params(t, s.On) {
				want, attr := ends[p]
				if !attr {
					want = "39"
				}
				require.Equal(t, want, off[min(i, len(off)-1)], "%s %s", name, role)
				if !attr {
					break
				}
			}
		}
	})
}

func TestNoColorHasNoColor(t *testing.T) {
	for _, dark := range []bool{false, true} {
		for _, th := range []*Theme{NewTheme(dark, NoColor), HighContrast(dark, NoColor)} {
			for role, s := range styles(th) {
				require.Regexp(t, `^(\x1b\[[1247](;[1247])*m)?$`, s.On, role)
			}
		}
	}
}

// TestStatesDifferWithoutColor checks the styles that must differ even where
// neither colour nor a glyph helps.
func TestStatesDifferWithoutColor(t *testing.T) {
	th := NewTheme(true, NoColor)
	require.NotEqual(t, th.Selected, th.SelectedBlur)
	require.NotEqual(t, th.Selected, th.Text)
	require.NotEqual(t, th.SelectedBlur, th.Text)
	require.NotEqual(t, th.FocusRule, th.Rule)
	require.NotEqual(t, th.Failed, th.Text)
	require.NotEqual(t, th.Match, th.Text)
	require.NotEqual(t, th.Backdrop, th.Text)
	require.NotEqual(t, th.PromptTitle, th.Selected)
	require.NotEqual(t, th.Odd, th.Failed)
	require.NotEqual(t, th.Odd, th.Text)
	require.NotEqual(t, th.Accent, th.Text)
	require.NotEqual(t, th.Strong, th.Text)
	require.NotEqual(t, th.Header, th.Text)
	require.NotEqual(t, th.FocusTitle, th.Title)
	require.NotEqual(t, th.SelectedMatch, th.Selected)
	require.NotEqual(t, th.Escape, th.Text)
}

// TestMarked lists the styles that have only a colour: text in one of them also
// needs a mark or a word. Add a new style here, or give it a look without
// colour.
func TestMarked(t *testing.T) {
	marked := []string{
		"Text", "Title", // carry no meaning
		"Dim", "Rule", // may be overlooked
		"Good", "Request", "Response", "Notification", "Stderr", // have words, > and <, or panes of their own
		"Tool", "Resource", "Prompt", // are names of methods
		"Name", "String", "Number", "Literal", // have the punctuation of JSON
	}
	var plain []string
	for role, s := range styles(NewTheme(true, NoColor)) {
		if s.On == "" {
			plain = append(plain, role)
		}
	}
	require.ElementsMatch(t, marked, plain)
}

func TestGenerationsDiffer(t *testing.T) {
	seen := map[uint32]string{0: "the zero value"}
	everyTheme(func(name string, _ bool, _ Profile, th *Theme) {
		require.NotContains(t, seen, th.Generation, name)
		seen[th.Generation] = name
	})
	first, again := NewTheme(true, ANSI).Generation, NewTheme(true, ANSI).Generation
	require.Equal(t, first, again)
}

// The backgrounds of terminals: plain ones, and those of common colour schemes.
var (
	darkBackgrounds  = []uint32{0x000000, 0x16181d, 0x1c1c1c, 0x1e1e1e, 0x1e1e2e, 0x24292e, 0x002b36, 0x282a36, 0x282c34}
	lightBackgrounds = []uint32{0xffffff, 0xfafafa, 0xeff1f5, 0xfdf6e3}
)

// TestContrast checks the contrast of each colour with the backgrounds that it may be
// painted on. A reversed style has the same contrast as the colour itself.
func TestContrast(t *testing.T) {
	secondary := []string{"Dim", "Rule", "Header"} // may be overlooked
	colour := regexp.MustCompile(`38;2;(\d+);(\d+);(\d+)`)
	everyTheme(func(name string, dark bool, p Profile, th *Theme) {
		backgrounds := lightBackgrounds
		if dark {
			backgrounds = darkBackgrounds
		}
		coloured := 0
		for role, s := range styles(th) {
			rgb := colour.FindStringSubmatch(s.On)
			if rgb == nil || role == "Backdrop" { // which is meant to recede
				continue
			}
			coloured++
			least := 4.5
			switch {
			case strings.HasPrefix(name, "high"):
				least = 7
			case slices.Contains(secondary, role):
				least = 3
			}
			text := number(t, rgb[1])<<16 | number(t, rgb[2])<<8 | number(t, rgb[3])
			for _, b := range backgrounds {
				require.GreaterOrEqual(t, contrast(text, b), least, "%s: %s %06x on %06x", name, role, text, b)
			}
		}
		require.Equal(t, p == TrueColor, coloured > 20, name)
	})
}

func number(t *testing.T, text string) uint32 {
	t.Helper()
	n, err := strconv.ParseUint(text, 10, 8)
	require.NoError(t, err)
	return uint32(n)
}

// TestOneAccent checks that the families of methods do not have the hue of the focus.
func TestOneAccent(t *testing.T) {
	everyTheme(func(name string, _ bool, p Profile, th *Theme) {
		if p != TrueColor {
			return
		}
		for _, s := range []Style{th.Tool, th.Resource, th.Prompt, th.Notification, th.ServerRequest} {
			require.NotContains(t, th.FocusRule.On, strings.Trim(s.On, "\x1b[m"), name)
		}
	})
}

func TestProfiles(t *testing.T) {
	require.Equal(t, Style{"\x1b[96m", "\x1b[39m"}, NewTheme(true, ANSI).Request)
	require.Equal(t, Style{"\x1b[34m", "\x1b[39m"}, NewTheme(false, ANSI).Request)
	require.Equal(t, Style{"\x1b[38;2;86;180;233m", "\x1b[39m"}, NewTheme(true, TrueColor).Request)
	require.Equal(t, "\x1b[1;4mno\x1b[22;24m", string(NewTheme(true, NoColor).Failed.Append(nil, "no")))
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

// contrast is the ratio of relative luminance as WCAG 2 defines it.
func contrast(a, b uint32) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func luminance(rgb uint32) float64 {
	channel := func(c uint32) float64 {
		v := float64(c&0xff) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(rgb>>16) + 0.7152*channel(rgb>>8) + 0.0722*channel(rgb)
}
