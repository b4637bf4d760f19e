package target

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// projectFiles are the config files of a project, relative to its folder.
var projectFiles = []string{
	".mcp.json",
	".vscode/mcp.json",
	".cursor/mcp.json",
	".codex/config.toml",
	".gemini/settings.json",
	".zed/settings.json",
	"server.json",
}

const maxParents = 40

// Discover reads all config files that exist in the known places: those of the
// project first, from the current directory up to the one with .git, then the
// user's own. An unreadable file is in the list, with Err; a well-formed file
// without servers is not.
func Discover(opts Options) []File {
	opts = opts.filled()
	var files []File
	seen := map[string]bool{}
	for _, path := range append(projectPlaces(opts), userPlaces(opts)...) {
		if seen[path] {
			continue
		}
		seen[path] = true
		file, err := Read(path, opts)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrNoServers) {
			continue
		}
		file.Err = err
		files = append(files, file)
	}
	return files
}

// projectPlaces returns the files of the project that the current directory is in. The
// home directory is not a project of directories below it.
func projectPlaces(opts Options) []string {
	var places []string
	dir := opts.Cwd
	for range maxParents {
		if dir == "" || samePath(dir, opts.Home) && dir != opts.Cwd {
			break
		}
		for _, name := range projectFiles {
			places = append(places, filepath.Join(dir, filepath.FromSlash(name)))
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil || filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	return places
}

func userPlaces(opts Options) []string {
	opts = opts.filled()
	home := func(elem ...string) string { return filepath.Join(append([]string{opts.Home}, elem...)...) }
	fromEnv := func(name, otherwise string) string {
		if dir, ok := opts.LookupEnv(name); ok && filepath.IsAbs(dir) {
			return dir
		}
		return otherwise
	}
	var apps, zed string // settings folders
	switch opts.GOOS {
	case "darwin":
		apps, zed = home("Library", "Application Support"), home(".config", "zed")
	case "windows":
		apps = fromEnv("APPDATA", home("AppData", "Roaming"))
		zed = filepath.Join(apps, "Zed")
	default:
		apps = fromEnv("XDG_CONFIG_HOME", home(".config"))
		zed = filepath.Join(apps, "zed")
	}
	places := []string{
		filepath.Join(fromEnv("CLAUDE_CONFIG_DIR", opts.Home), ".claude.json"),
		filepath.Join(apps, "Claude", "claude_desktop_config.json"),
		filepath.Join(codexHome(opts), "config.toml"),
		home(".cursor", "mcp.json"),
		home(".gemini", "settings.json"),
		home(".codeium", "windsurf", "mcp_config.json"),
		filepath.Join(zed, "settings.json"),
	}
	for _, code := range []string{"Code", "Code - Insiders", "VSCodium"} {
		places = append(places, filepath.Join(apps, code, "User", "mcp.json"))
	}
	return places
}
