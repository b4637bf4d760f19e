//go:build !linux

package cli

import "os"

// marked finds nobody: only Linux tells of other processes' variables.
func marked(string) []*os.Process { return nil }
