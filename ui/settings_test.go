package ui

import (
	"image/color"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"

	"mcpdbg/ui/theme"
)

func TestParseSettings(t *testing.T) {
	s, err := ParseSettings("config.toml", nil)
	require.NoError(t, err)
	require.Equal(t, Settings{}, s, "nothing needs to be set")

	s, err = ParseSettings("config.toml", []byte(`
theme = "16"
ascii = true
mouse = false
slow = "250ms"

[keys]
filter = ["ctrl+f", "X"]
"next-error" = []

[environments]
builder = "build-7"

[play]
idle = "3s"

[recordings]
keep = 200
older = "30d"
max-part = "256M"
over = "5GiB"
`))
	require.NoError(t, err)
	require.Equal(t, Settings{
		Keys: map[string][]string{"filter": {"ctrl+f", "X"}, "next-error": {}}, Theme: Theme16, ASCII: true, NoMouse: true,
		Slow: 250 * time.Millisecond, Idle: 3 * time.Second, Environments: map[string]string{"builder": "build-7"},
		Recordings: recordings.Retention{Keep: 200, Older: 30 * 24 * time.Hour, Over: 5 << 30}, MaxPart: 256 << 20,
	}, s)
	table, err := s.Actions()
	require.NoError(t, err)
	action, ok := table.Lookup(scopeTraffic, "X")
	require.True(t, ok)
	require.Equal(t, actFilter, action.ID)
	_, ok = table.Lookup(scopeTraffic, "f")
	require.False(t, ok)
}

// TestPausesOfThePlayer are cut to a second, to what is set, or not at all.
func TestPausesOfThePlayer(t *testing.T) {
	path := record(t, everything)
	for text, want := range map[string]time.Duration{"": time.Second, "[play]\nidle = \"40ms\"": 40 * time.Millisecond, "[play]\nidle = \"none\"": 0} {
		s, err := ParseSettings("config.toml", []byte(text))
		require.NoError(t, err)
		d := drive(t, Options{Settings: s, Opened: []Opened{{Source: openWhole(t, path), Title: "x"}}}, 120, 36)
		require.Equal(t, want, d.playback.player.Idle())
	}
}

func TestSettingsAreChecked(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"theme = \n", "config.toml:1: "},
		{"\n\ntheme = 3\n", "config.toml:3: theme: "},
		{"colour = true\n", "config.toml:1: colour: there is no such setting"},
		{"ascii = true\n[mouse]\nx = 1\n", "config.toml:2: mouse: "},
		{"theme = \"blue\"\n", `config.toml:1: theme: "blue" is no theme: auto, light, dark, 16 or none`},
		{"\nslow = \"fast\"\n", `config.toml:2: slow: "fast" is no time`},
		{"slow = \"-1s\"\n", `config.toml:1: slow: "-1s" is no time`},
		{"[play]\nidle = \"0\"\n", `config.toml:2: play.idle: "0" is no time: write 1s or 250ms, or none`},
		{"[recordings]\nkeep = -1\n", "config.toml:2: recordings.keep: -1 is no number of recordings"},
		{"[recordings]\nolder = \"soon\"\n", `config.toml:2: recordings.older: "soon" is no time: write 30d, 2w or 12h`},
		{"[recordings]\n\nover = \"0\"\n", `config.toml:3: recordings.over: "0" is no size: write 2GiB, 500M or 65536`},
		{"[recordings]\nmax-part = \"1K\"\n", `config.toml:2: recordings.max-part: "1K" is too little for a file: 64K is the least`},
		{"[recordings]\nyounger = \"1d\"\n", "config.toml:2: recordings.younger: there is no such setting"},
		{"[keys]\n# c\nfliter = [\"x\"]\n", "config.toml:3: keys.fliter: there is no such action; mcpdbg keys lists them"},
		{"keys.fliter = [\"x\"]\n", "config.toml:1: keys.fliter: there is no such action"},
		{"[keys]\nhelp = [\"?\"]\nfilter = [\"PageDown\"]\n", `config.toml:3: keys.filter: "PageDown" is not the name of a key`},
		{"[keys]\n\nfilter = [\"/\"]\n", `config.toml:3: keys.filter: the key "/" means search already`},
		{"[keys]\nsearch = [\"f\"]\n", `config.toml:2: keys.search: the key "f" means filter already`},
		{"[keys]\nfilter = [\"v\"]\n", `config.toml:2: keys.filter: the key "v" means view already`},
		{"[keys]\nfilter = [\"X\"]\nsearch = [\"X\"]\n", `config.toml:2: keys.filter: the key "X" means search already`},
		{"[keys]\nfilter = [\"X\", \"X\"]\n", `config.toml:2: keys.filter: the key "X" means filter already`},
		{"[keys]\nfilter = \"f\"\n", "config.toml:2: keys.filter: "},
		{"keys = { filter = [\"/\"] }\n", `config.toml: keys.filter: the key "/" means search already`},
	} {
		_, err := ParseSettings("config.toml", []byte(tc.text))
		var wrong *SettingsError
		require.ErrorAs(t, err, &wrong, tc.text)
		require.True(t, strings.HasPrefix(err.Error(), tc.want), "%s\n got %s\nwant %s", tc.text, err, tc.want)
	}
	_, err := ParseSettings("config.toml", []byte("[keys]\nfilter = [\"/\"]\nsearch = [\"f\"]\n"))
	require.NoError(t, err, "two can change places")
}

// TestKeysOfSettings: everywhere the person's keys count, and are shown.
func TestKeysOfSettings(t *testing.T) {
	s, err := ParseSettings("", []byte("[keys]\nfilter = [\"X\"]\ndown = [\"ctrl+j\"]\nquit = []\n"))
	require.NoError(t, err)
	d := drive(t, Options{Settings: s, Source: hostileLog(t, "x"), Title: "demo.rec"}, 120, 36)
	require.Contains(t, d.rows()[35], "X filter")
	require.Contains(t, d.rows()[35], "ctrl+j down")
	require.NotContains(t, d.rows()[35], "j/k")
	d.write("j")
	require.True(t, d.traffic.Following())
	d.write("fq")
	require.Nil(t, d.prompt)
	require.False(t, d.quit)
	d.write("X")
	require.NotNil(t, d.prompt)
	d.prompt = nil
	require.Equal(t, ": quit", d.keyOf(actQuit))
	d.do(actPalette)
	d.write("filter")
	require.Regexp(t, `> filter .* X ┃`, d.plain())
	require.ErrorContains(t, Run(t.Context(), Options{Settings: Settings{Keys: map[string][]string{actFilter: {"/"}}}}), "belongs to both")
}

// TestThemes: the settings outweigh what the terminal says of itself.
func TestThemes(t *testing.T) {
	for _, tc := range []struct {
		theme   Theme
		noColor bool
		profile colorprofile.Profile
		light   bool
		want    *theme.Theme
	}{
		{"", false, colorprofile.TrueColor, false, theme.New(true, theme.TrueColor)},
		{ThemeAuto, false, colorprofile.ANSI256, true, theme.New(false, theme.TrueColor)},
		{ThemeAuto, false, colorprofile.ANSI, false, theme.New(true, theme.ANSI)},
		{ThemeAuto, false, colorprofile.Ascii, false, theme.New(true, theme.NoColor)},
		{ThemeAuto, true, colorprofile.TrueColor, false, theme.New(true, theme.NoColor)},
		{ThemeLight, false, colorprofile.TrueColor, false, theme.New(false, theme.TrueColor)},
		{ThemeDark, false, colorprofile.TrueColor, true, theme.New(true, theme.TrueColor)},
		{Theme16, false, colorprofile.TrueColor, true, theme.New(false, theme.ANSI)},
		{Theme16, false, colorprofile.Ascii, false, theme.New(true, theme.NoColor)},
		{ThemeNone, false, colorprofile.TrueColor, false, theme.New(true, theme.NoColor)},
	} {
		d := drive(t, Options{Settings: Settings{Theme: tc.theme}, NoColor: tc.noColor, Source: emptySource{}}, 80, 24)
		var background color.Color = color.Black
		if tc.light {
			background = color.White
		}
		d.take(tea.ColorProfileMsg{Profile: tc.profile})
		d.take(tea.BackgroundColorMsg{Color: background})
		require.Equal(t, tc.want, d.theme, "%+v", tc)
	}
}

// TestASCII: with the setting, nothing on the screen but what came from a server
// is anything else.
func TestASCII(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, x := newSession(t, newLog(t), echo)
		require.NoError(t, s.Open(t.Context()))
		everything(t, s, x)
		d := drive(t, Options{Settings: Settings{ASCII: true}, Session: s, Title: "fake", Prompter: NewPrompter(), Launcher: &fakeLauncher{t: t}}, 120, 36)
		d.send(`{"jsonrpc":"2.0","method":"notifications/` + strings.Repeat("long", 100) + `"}`)
		d.another("second")
		d.sessions.step(1)
		for _, action := range d.keys.Reachable(scopeTraffic) {
			switch action.ID {
			case actQuit, actInterrupt, actSuspend, actEditor, actPager:
				continue
			}
			for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}, {39, 9}} {
				d.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				d.do(action.ID)
				requireASCII(t, d, action.ID)
			}
			d.prompt, d.dialog, d.overlays = nil, nil, nil
			d.closeComposer()
		}
		d.take(tea.WindowSizeMsg{Width: 120, Height: 36})
		d.asksInputs()
		d.do(actNextInput)
		d.write("secret")
		requireASCII(t, d, "inputs")
		d.askNow(promptHostKey)
		requireASCII(t, d, "question")
		d.do(actDecline)
	})
}

func requireASCII(t *testing.T, d *driver, after string) {
	t.Helper()
	frame := d.plain()
	foreign := strings.IndexFunc(frame, func(r rune) bool { return r >= 0x80 })
	require.Negative(t, foreign, "%q after %s:\n%s", frame[max(foreign, 0):], after, frame)
}
