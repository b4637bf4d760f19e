//go:build !unix

package watch

import "os/exec"

// ownSession does nothing: only the command itself is killed.
func ownSession(*exec.Cmd) {}
