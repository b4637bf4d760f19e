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
	"mcpdbg/ui/help"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/traffic"
	"mcpdbg/ui/tty"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"

	"mcpdbg/ui/widget/paint"
)

func TestParseSettings(t *testing.T) {
	s, err := ParseSettings("config.toml", nil)
	require.NoError(t, err)
	require.Equal(t, Settings{}, s, "all settings are optional")

	s, err = ParseSettings("config.toml", []byte("\ufeff"+`
theme = "16"
pictures = "blocks"
ascii = true
mouse = false
motion = "off"
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
		Keys: map[string][]string{"filter": {"ctrl+f", "X"}, "next-error": {}}, Theme: theme16, Pictures: picturesBlocks, ASCII: true, NoMouse: true, Still: true,
		Slow: 250 * time.Millisecond, Idle: 3 * time.Second, Environments: map[string]string{"builder": "build-7"},
		Recordings: recordings.Retention{Keep: 200, Older: 30 * 24 * time.Hour, Over: 5 << 30}, MaxPart: 256 << 20,
	}, s)
	table, err := ActionsOf(s)
	require.NoError(t, err)
	action, ok := table.Lookup(traffic.Scope, "X")
	require.True(t, ok)
	require.Equal(t, actFilter, action.ID)
	_, ok = table.Lookup(traffic.Scope, "f")
	require.False(t, ok)
}

// TestPausesOfThePlayer checks that pauses are cut to two seconds by default, to the
// setting, or not at all.
func TestPausesOfThePlayer(t *testing.T) {
	path := uitest.EverythingFile(t)
	for text, want := range map[string]time.Duration{"": 2 * time.Second, "[play]\nidle = \"40ms\"": 40 * time.Millisecond, "[play]\nidle = \"none\"": 0} {
		s, err := ParseSettings("config.toml", []byte(text))
		require.NoError(t, err)
		d := drive(t, Options{Settings: s, Opened: []workspace.Opened{{Source: uitest.Open(t, path), Title: "x"}}}, 120, 36)
		require.Equal(t, want, d.visible.ws.Playback.Player.Idle())
	}
}

func TestSettingsAreChecked(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"theme = \n", "config.toml:1: "},
		{"\n\ntheme = 3\n", "config.toml:3: theme: "},
		{"colour = true\n", "config.toml:1: colour: unknown setting"},
		{"ascii = true\n[mouse]\nx = 1\n", "config.toml:2: mouse: "},
		{"theme = \"blue\"\n", `config.toml:1: theme: unknown theme "blue": use auto, light, dark, contrast, contrast-light, contrast-dark, 16 or none`},
		{"ascii = true\npictures = \"sixel\"\n", `config.toml:2: pictures: unknown value "sixel": use auto, blocks or off`},
		{"motion = \"some\"\n", `config.toml:1: motion: unknown value "some": use on or off`},
		{"\nslow = \"fast\"\n", `config.toml:2: slow: invalid duration "fast"`},
		{"slow = \"-1s\"\n", `config.toml:1: slow: invalid duration "-1s"`},
		{"[play]\nidle = \"0\"\n", `config.toml:2: play.idle: invalid duration "0": use a value such as 1s or 250ms, or none`},
		{"[recordings]\nkeep = -1\n", "config.toml:2: recordings.keep: invalid number of recordings: -1"},
		{"[taps]\nkeep = -1\n", "config.toml:2: taps.keep: invalid number of recordings: -1"},
		{"[history]\nkeep = -1\n", "config.toml:2: history.keep: invalid number of runs: -1"},
		{"[taps]\nover = \"much\"\n", `config.toml:2: taps.over: invalid size "much": use 2GiB, 500M or 65536`},
		{"[recordings]\nolder = \"soon\"\n", `config.toml:2: recordings.older: invalid age "soon": use 30d, 2w or 12h`},
		{"[recordings]\n\nover = \"0\"\n", `config.toml:3: recordings.over: invalid size "0": use 2GiB, 500M or 65536`},
		{"[recordings]\nmax-part = \"1K\"\n", `config.toml:2: recordings.max-part: part size "1K" is too small: the minimum is 64K`},
		{"[recordings]\nyounger = \"1d\"\n", "config.toml:2: recordings.younger: unknown setting"},
		{"[keys]\n# c\nfliter = [\"x\"]\n", "config.toml:3: keys.fliter: unknown action; mcpdbg keys lists them"},
		{"keys.fliter = [\"x\"]\n", "config.toml:1: keys.fliter: unknown action"},
		{"[keys]\nhelp = [\"?\"]\nfilter = [\"PageDown\"]\n", `config.toml:3: keys.filter: unknown key "PageDown"`},
		{"[keys]\n\nfilter = [\"/\"]\n", `config.toml:3: keys.filter: key "/" is already bound to search`},
		{"[keys]\nsearch = [\"f\"]\n", `config.toml:2: keys.search: key "f" is already bound to filter`},
		{"[keys]\nfilter = [\"v\"]\n", `config.toml:2: keys.filter: key "v" is already bound to view`},
		{"[keys]\nfilter = [\"X\"]\nsearch = [\"X\"]\n", `config.toml:2: keys.filter: key "X" is already bound to search`},
		{"[keys]\nfilter = [\"X\", \"X\"]\n", `config.toml:2: keys.filter: key "X" is already bound to filter`},
		{"[keys]\nfilter = \"f\"\n", "config.toml:2: keys.filter: "},
		{"keys = { filter = [\"/\"] }\n", `config.toml: keys.filter: key "/" is already bound to search`},
	} {
		_, err := ParseSettings("config.toml", []byte(tc.text))
		var wrong *SettingsError
		require.ErrorAs(t, err, &wrong, tc.text)
		require.True(t, strings.HasPrefix(err.Error(), tc.want), "%s\n got %s\nwant %s", tc.text, err, tc.want)
	}
	_, err := ParseSettings("config.toml", []byte("[keys]\nfilter = [\"/\"]\nsearch = [\"f\"]\n"))
	require.NoError(t, err, "two actions can swap their keys")
}

// TestRetiredActions checks that settings which bind actions of earlier versions load, and
// that the keys keep their present meaning.
func TestRetiredActions(t *testing.T) {
	require.NotEmpty(t, retired)
	for _, id := range retired {
		_, exists := Actions().ByID(id)
		require.False(t, exists, id)
		s, err := ParseSettings("config.toml", []byte("[keys]\nfilter = [\"X\"]\n"+id+" = [\"j\", \"PageDown\"]\n"))
		require.NoError(t, err, id)
		require.Equal(t, map[string][]string{"filter": {"X"}}, s.Keys)
		table, err := ActionsOf(s)
		require.NoError(t, err)
		action, ok := table.Lookup(traffic.Scope, "j")
		require.True(t, ok)
		require.Equal(t, "down", action.ID)
	}
}

// TestKeysOfSettings checks that the user's keys work and are shown everywhere.
func TestKeysOfSettings(t *testing.T) {
	s, err := ParseSettings("", []byte("[keys]\nfilter = [\"X\"]\ndown = [\"ctrl+j\"]\nquit = []\n"))
	require.NoError(t, err)
	d := drive(t, Options{Settings: s, Source: hostileLog(t, "x"), Title: "demo.rec"}, 120, 36)
	require.Contains(t, d.rows()[35], "X filter")
	d.take(questionMark)
	require.Regexp(t, `ctrl\+j k +down, up`, d.menuText())
	d.take(escape)
	d.do(kit.Top)
	d.write("j")
	require.Equal(t, d.listed(0), d.cursor())
	d.take(tea.KeyPressMsg{Code: 'j', Mod: tea.ModCtrl})
	require.Equal(t, d.listed(1), d.cursor())
	d.write("fq")
	require.Nil(t, d.front.prompt)
	require.False(t, d.quit)
	d.write("X")
	require.NotNil(t, d.front.prompt)
	d.front.prompt = nil
	require.Equal(t, ": quit", d.Key(actQuit))
	d.do(help.ActPalette)
	d.write("filter")
	require.Regexp(t, `> filter .* X │`, d.plain())
	require.ErrorContains(t, Run(t.Context(), Options{Settings: Settings{Keys: map[string][]string{actFilter: {"/"}}}}), "belongs to both")
}

// TestThemes checks that the settings override what the terminal reports.
func TestThemes(t *testing.T) {
	const ansi, full = paint.ANSI, paint.TrueColor
	for _, tc := range []struct {
		theme      Theme
		noColor    bool
		profile    colorprofile.Profile
		background color.Color
		want       paint.Options
	}{
		{"", false, colorprofile.TrueColor, color.Black, paint.Options{Profile: full, Background: color.Black}},
		{"", false, colorprofile.TrueColor, nil, paint.Options{Profile: full, Guessed: true}},
		{themeAuto, false, colorprofile.ANSI256, color.White, paint.Options{Profile: full, Light: true, Background: color.White}},
		{themeAuto, false, colorprofile.ANSI, color.Black, paint.Options{Profile: ansi}},
		{themeAuto, false, colorprofile.Ascii, color.Black, paint.Options{}},
		{themeAuto, true, colorprofile.TrueColor, color.Black, paint.Options{}},
		{themeLight, false, colorprofile.TrueColor, nil, paint.Options{Profile: full, Light: true}},
		{themeLight, false, colorprofile.TrueColor, color.Black, paint.Options{Profile: full, Light: true}},
		{themeLight, false, colorprofile.TrueColor, color.White, paint.Options{Profile: full, Light: true, Background: color.White}},
		{themeDark, false, colorprofile.TrueColor, color.White, paint.Options{Profile: full}},
		{themeContrast, false, colorprofile.TrueColor, nil, paint.Options{Profile: full, Contrast: true}},
		{themeContrast, false, colorprofile.TrueColor, color.White, paint.Options{Profile: full, Contrast: true, Light: true, Background: color.White}},
		{themeContrast, false, colorprofile.ANSI, color.White, paint.Options{Profile: ansi, Contrast: true, Light: true}},
		{themeContrastLight, false, colorprofile.TrueColor, color.Black, paint.Options{Profile: full, Contrast: true, Light: true}},
		{themeContrastDark, false, colorprofile.TrueColor, color.White, paint.Options{Profile: full, Contrast: true}},
		{theme16, false, colorprofile.TrueColor, color.White, paint.Options{Profile: ansi, Light: true}},
		{theme16, false, colorprofile.Ascii, color.Black, paint.Options{}},
		{themeNone, false, colorprofile.TrueColor, color.Black, paint.Options{}},
	} {
		d := drive(t, Options{Settings: Settings{Theme: tc.theme}, NoColor: tc.noColor, Source: workspace.NoSource()}, 80, 24)
		d.take(tea.ColorProfileMsg{Profile: tc.profile})
		if tc.background != nil {
			d.take(tea.BackgroundColorMsg{Color: tc.background})
		}
		require.Equal(t, paint.NewTheme(tc.want), d.screen.Theme, "%+v", tc)
	}
}

// TestColorFGBG checks that the variable counts until the terminal reports its
// background.
func TestColorFGBG(t *testing.T) {
	for value, want := range map[string]paint.Options{
		"0;15":         {Profile: paint.TrueColor, Light: true},
		"0;7":          {Profile: paint.TrueColor, Light: true},
		"0;default;15": {Profile: paint.TrueColor, Light: true},
		"15;0":         {Profile: paint.TrueColor},
		"7;8":          {Profile: paint.TrueColor},
		"15;default":   {Profile: paint.TrueColor, Guessed: true},
		"0;16":         {Profile: paint.TrueColor, Guessed: true},
		"":             {Profile: paint.TrueColor, Guessed: true},
	} {
		d := drive(t, Options{Source: workspace.NoSource()}, 80, 24)
		d.take(tea.EnvMsg{"COLORFGBG=" + value})
		require.Equal(t, paint.NewTheme(want), d.screen.Theme, value)
		d.take(tea.BackgroundColorMsg{Color: color.Black})
		d.take(tea.EnvMsg{"COLORFGBG=0;15"})
		require.Equal(t, paint.NewTheme(paint.Options{Profile: paint.TrueColor, Background: color.Black}), d.screen.Theme, value)
	}
}

// TestASCII checks that with the setting everything on the screen is ASCII,
// except for text of a server.
func TestASCII(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, x := openSession(t, echo)
		uitest.Busy(t, s, x)
		d := drive(t, Options{Settings: Settings{ASCII: true}, Session: s, Title: "fake", Prompter: tty.NewPrompter(), Launcher: &uitest.Launcher{T: t}}, 120, 36)
		d.send(`{"jsonrpc":"2.0","method":"notifications/` + strings.Repeat("long", 100) + `"}`)
		d.another("second")
		d.sessions.step(1)
		for _, action := range d.actions.keys.Reachable(traffic.Scope) {
			switch action.ID {
			case actQuit, host.ActInterrupt, actSuspend, "open-in-editor", "open-in-pager":
				continue
			}
			for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}, {39, 9}} {
				d.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				d.do(action.ID)
				requireASCII(t, d, action.ID)
			}
			d.front.menu, d.front.prompt, d.front.dialog, d.front.views = nil, nil, nil, nil
			d.visible.composer.Back(d.visible.context())
		}
		d.take(tea.WindowSizeMsg{Width: 120, Height: 36})
		d.asksInputs()
		d.do("input-next")
		d.write("secret")
		requireASCII(t, d, "inputs")
		d.askNow(uitest.PromptHostKey)
		requireASCII(t, d, "question")
		d.do("decline")
	})
}

func requireASCII(t *testing.T, d *driver, after string) {
	t.Helper()
	frame := d.plain()
	foreign := strings.IndexFunc(frame, func(r rune) bool { return r >= 0x80 })
	require.Negative(t, foreign, "%q after %s:\n%s", frame[max(foreign, 0):], after, frame)
}

// TestSetSetting checks that a changed setting leaves the rest of the file as it is.
func TestSetSetting(t *testing.T) {
	for _, tc := range []struct{ before, after string }{
		{"", "log = \"panes\"\n"},
		{"[keys]\nlog = [\"x\"]\n", "log = \"panes\"\n[keys]\nlog = [\"x\"]\n"},
		{"# mine\ntheme = \"dark\"\nlog = \"auto\" # as drawn\n\n[play]\n", "# mine\ntheme = \"dark\"\nlog = \"panes\" # as drawn\n\n[play]\n"},
	} {
		require.Equal(t, tc.after, string(SetSetting([]byte(tc.before), "log", "panes")))
	}
	s, err := ParseSettings("config.toml", SetSetting(nil, "log", "together"))
	require.NoError(t, err)
	require.Equal(t, LogTogether, s.Log)
	_, err = ParseSettings("config.toml", []byte("log = \"both\"\n"))
	require.EqualError(t, err, `config.toml:1: log: unknown value "both": use auto, together or panes`)
}
