//go:build !unix

package sshconfig

import "os/exec"

// detach does nothing, as there are no sessions.
func detach(*exec.Cmd) {}
