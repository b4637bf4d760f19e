package flags

import (
	"cmp"
	"os"
)

// manifests are the files that describe a project in the current directory.
var manifests = []string{"server.json", "package.json", "pyproject.toml", "go.mod", "Cargo.toml"}

// Source returns the file that problems of servers are reported for: their config file,
// or the manifest of the project here, or "".
func Source(t *Target) string { return cmp.Or(t.Config.File, manifest()) }

func manifest() string {
	for _, name := range manifests {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			return name
		}
	}
	return ""
}
