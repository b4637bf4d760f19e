package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is the version of the program's interface and of what it writes.
const version = "0.1.0"

// versionLine is what mcpdbg version prints.
func versionLine() string {
	line := fmt.Sprintf("mcpdbg %s %s/%s %s", version, runtime.GOOS, runtime.GOARCH, runtime.Version())
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				line += " " + s.Value
			}
		}
	}
	return line
}
