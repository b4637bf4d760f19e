package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pelletier/go-toml/v2"

	"mcpdbg/session/target"
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

// targetOptions are what config files refer to, here: with the hosts of Codex's
// environments, from the table [environments] of the settings.
func targetOptions() (target.Options, error) {
	opts := target.Here()
	opts.SettingsFile = settingsFile()
	data, err := readFile(opts.SettingsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return opts, nil
	}
	if err != nil {
		return opts, usagef("settings: %v", err)
	}
	var settings struct {
		Environments map[string]string `toml:"environments"`
	}
	if err := toml.Unmarshal(data, &settings); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, column := at.Position()
			return opts, usagef("settings: %s:%d:%d: %v", opts.SettingsFile, line, column, err)
		}
		return opts, usagef("settings: %s: %v", opts.SettingsFile, err)
	}
	opts.Environments = settings.Environments
	return opts, nil
}
