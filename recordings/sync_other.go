//go:build !linux

package recordings

import "os"

// syncData brings the file's data, and what is needed to read it, to the disk.
func syncData(f *os.File) error { return f.Sync() }
