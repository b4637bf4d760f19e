package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"mcpdbg/internal/input"
	"mcpdbg/session/target"
	"mcpdbg/ui"
)

// settingsFile is where the person's settings of this program are:
// config.toml in $XDG_CONFIG_HOME/mcpdbg, by default in ~/.config/mcpdbg; on
// macOS and Windows in the folder that the system has for it. It need not exist.
func settingsFile() string {
	dir := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) { // the XDG Base Directory Specification: to be ignored
		var err error
		if dir, err = os.UserConfigDir(); err != nil {
			return ""
		}
	}
	return filepath.Join(dir, "mcpdbg", "config.toml")
}

// readSettings reads the person's settings; without a file there are none.
func readSettings() (ui.Settings, error) {
	file := settingsFile()
	data, err := input.ReadRegular(file)
	if errors.Is(err, fs.ErrNotExist) {
		return ui.Settings{}, nil
	}
	if err != nil {
		return ui.Settings{}, usagef("settings: %v", err)
	}
	settings, err := ui.ParseSettings(file, data)
	if err != nil {
		return ui.Settings{}, withHint(usagef("settings: %v", err), "mcpdbg keys lists the actions and their keys")
	}
	return settings, nil
}

// targetOptions are what config files refer to, here: with the hosts of Codex's
// environments, from the table [environments] of the settings.
func targetOptions() (target.Options, error) {
	opts := target.Here()
	opts.SettingsFile = settingsFile()
	settings, err := readSettings()
	if err != nil {
		return opts, err
	}
	opts.Environments = settings.Environments
	return opts, nil
}
