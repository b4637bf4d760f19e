// Package testhome gives the tests of a package folders of their own in place of the
// user's, so that no test reads or changes what belongs to the user.
//
//	func TestMain(m *testing.M) { testhome.Main(m) }
package testhome

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Tools is the variable with the folder that .ci/run fetches tools into.
const Tools = "MCPDBG_CI_TOOLS"

// Main runs the tests with folders of their own, and ends the process.
func Main(m *testing.M) { os.Exit(Run(m.Run)) }

// Run is Main without the end of the process: it returns the exit code.
func Run(tests func() int) int {
	dir, err := os.MkdirTemp("", "mcpdbg-home-*")
	if err == nil {
		err = errors.Join(keep(), move(dir))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := tests()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// keep names the caches of programs that tests run, outside of the new folders.
func keep() error {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil // there are none, nor below
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return nil
	}
	var errs []error
	for name, path := range map[string]string{
		"GOPATH":           filepath.Join(home, "go"),
		"GOCACHE":          filepath.Join(cache, "go-build"),
		"GOENV":            filepath.Join(config, "go", "env"),
		"npm_config_cache": filepath.Join(home, ".npm"),
		Tools:              filepath.Join(cache, "mcpdbg-ci"),
	} {
		if os.Getenv(name) == "" {
			errs = append(errs, os.Setenv(name, path))
		}
	}
	return errors.Join(errs...)
}

func move(dir string) error {
	var errs []error
	for name, folder := range map[string]string{
		"HOME": "", "XDG_CONFIG_HOME": ".config", "XDG_CACHE_HOME": ".cache", "XDG_STATE_HOME": ".local/state", "XDG_DATA_HOME": ".local/share",
		"USERPROFILE": "", "AppData": "AppData/Roaming", "LocalAppData": "AppData/Local", // on Windows
	} {
		errs = append(errs, os.Setenv(name, filepath.Join(dir, filepath.FromSlash(folder))))
	}
	return errors.Join(errs...)
}
