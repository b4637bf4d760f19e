package flags

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/input"
	"mcpdbg/recordings/formats"
	"mcpdbg/recordings/replay"
	"mcpdbg/session/target"
	"mcpdbg/ui"
)

// Screen are the flags of the interface.
type Screen struct {
	Plain bool
	ascii bool
}

// Register adds the flags.
func (s *Screen) Register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&s.Plain, "plain", false, "print lines of text, as without a terminal")
	cmd.Flags().BoolVar(&s.ascii, "ascii", false, "draw borders and marks in ASCII only")
}

// Given counts the flags that are set.
func (s *Screen) Given() int {
	n := 0
	for _, set := range []bool{s.Plain, s.ascii} {
		if set {
			n++
		}
	}
	return n
}

// ApplyScreen also reads the settings, whose errors the interface would hide.
func ApplyScreen(env *console.Env, s Screen) error {
	if s.Plain {
		env.Terminal = false
	}
	if !env.Terminal {
		return nil
	}
	settings, err := ReadSettings()
	if err != nil {
		return err
	}
	env.Settings, env.Settings.Keep = settings, keepSetting
	env.Settings.ASCII = env.Settings.ASCII || s.ascii
	return nil
}

// settingsFile is config.toml in $XDG_CONFIG_HOME/mcpdbg, by default in ~/.config/mcpdbg;
// on macOS and Windows in the system's folder for configuration. It need not exist.
func settingsFile() string {
	dir := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) { // the XDG Base Directory Specification says to ignore it
		var err error
		if dir, err = os.UserConfigDir(); err != nil {
			return ""
		}
	}
	return filepath.Join(dir, "mcpdbg", "config.toml")
}

// ReadSettings returns empty settings without a file.
func ReadSettings() (ui.Settings, error) {
	file := settingsFile()
	data, err := input.ReadRegular(file)
	if errors.Is(err, fs.ErrNotExist) {
		return ui.Settings{}, nil
	}
	if err != nil {
		return ui.Settings{}, console.Usagef("settings: %v", err)
	}
	settings, err := ui.ParseSettings(file, data)
	if err != nil {
		return ui.Settings{}, console.WithHint(console.Usagef("settings: %v", err), "mcpdbg keys to list the actions and their keys")
	}
	return settings, nil
}

// keepSetting writes a setting to the settings file.
func keepSetting(name, value string) error {
	file := settingsFile()
	data, err := input.ReadRegular(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	data = ui.SetSetting(data, name, value)
	if _, err := ui.ParseSettings(file, data); err != nil { // such as after an edit
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	return formats.WriteFile(file, true, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// TargetOptions returns the options for config files, with the hosts of Codex's
// environments from the table [environments] of the settings.
func TargetOptions() (target.Options, error) {
	opts := target.CurrentOptions()
	opts.SettingsFile = settingsFile()
	settings, err := ReadSettings()
	if err != nil {
		return opts, err
	}
	opts.Environments = settings.Environments
	return opts, nil
}

// Watch are the flags for restarts when files change.
type Watch struct {
	Globs  []string
	Calls  int
	All    bool
	Tools  []string
	Poll   bool
	Before string
}

// Register adds the flags.
func (w *Watch) Register(cmd *cobra.Command) {
	w.RegisterFiles(cmd, "restart the server when a file that matches `GLOB` changes, and print what changed in its responses; !GLOB excludes files; may be repeated")
	f := cmd.Flags()
	f.IntVar(&w.Calls, "watch-calls", replay.DefaultCalls, "with --watch: re-send the last `N` different requests")
	f.BoolVar(&w.All, "watch-all", false, "with --watch: also re-send calls of tools that are not known to be read-only, and other requests that may have side effects")
	f.StringArrayVar(&w.Tools, "watch-tool", nil, "with --watch: re-send calls of the tool `NAME`, even if it has side effects; may be repeated")
}

// RegisterFiles adds the flags for the files and the build. about is the help of --watch.
func (w *Watch) RegisterFiles(cmd *cobra.Command, about string) {
	f := cmd.Flags()
	f.StringArrayVar(&w.Globs, "watch", nil, about)
	f.StringVar(&w.Before, "watch-run", "", "with --watch: first run this `COMMAND` in the shell; restart only if it succeeds")
	f.BoolVar(&w.Poll, "watch-poll", false, "with --watch: check the files every second, where the system does not report changes")
}

// Check rejects invalid flags.
func (w *Watch) Check(cmd *cobra.Command) error {
	if len(w.Globs) == 0 {
		for _, name := range []string{"watch-run", "watch-calls", "watch-all", "watch-tool", "watch-poll"} {
			if cmd.Flags().Changed(name) {
				return console.Usagef("--%s requires --watch", name)
			}
		}
	}
	if w.Calls < 0 {
		return console.Usagef("--watch-calls %d: must not be negative", w.Calls)
	}
	return nil
}

// ExpandedHint is for arguments before the first -- that may be an unquoted glob.
func ExpandedHint(cmd *cobra.Command) string {
	if f := cmd.Flags().Lookup("watch"); f == nil || !f.Changed {
		return ""
	}
	return "quote the glob, which the shell has expanded, as in --watch '*.go'"
}
