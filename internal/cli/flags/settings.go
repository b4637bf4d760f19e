package flags

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"mcpdbg/internal/cli/exit"
	"mcpdbg/internal/input"
	"mcpdbg/session/target"
	"mcpdbg/ui"
)

// settingsFile returns the path of the user's settings: config.toml in
// $XDG_CONFIG_HOME/mcpdbg, by default in ~/.config/mcpdbg; on macOS and Windows
// in the system's folder for configuration. It need not exist.
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

// ReadSettings reads the user's settings, which are empty without a file.
func ReadSettings() (ui.Settings, error) {
	file := settingsFile()
	data, err := input.ReadRegular(file)
	if errors.Is(err, fs.ErrNotExist) {
		return ui.Settings{}, nil
	}
	if err != nil {
		return ui.Settings{}, exit.Usagef("settings: %v", err)
	}
	settings, err := ui.ParseSettings(file, data)
	if err != nil {
		return ui.Settings{}, exit.WithHint(exit.Usagef("settings: %v", err), "mcpdbg keys to list the actions and their keys")
	}
	return settings, nil
}

// TargetOptions returns the options to read config files with, including the
// hosts of Codex's environments, from the table [environments] of the settings.
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
