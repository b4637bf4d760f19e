//go:build !linux

package cli

import "os"

// marked returns nothing: only Linux shows the variables of other processes.
func marked(string) []*os.Process { return nil }
