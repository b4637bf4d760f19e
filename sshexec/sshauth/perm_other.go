//go:build !unix

package sshauth

import "io/fs"

// tooOpen is always false on systems where permissions do not protect a file.
func tooOpen(fs.FileInfo) bool { return false }
