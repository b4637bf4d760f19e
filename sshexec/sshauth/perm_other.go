//go:build !unix

package sshauth

import "io/fs"

// Permissions do not protect a file on these systems.
func tooOpen(fs.FileInfo) bool { return false }
