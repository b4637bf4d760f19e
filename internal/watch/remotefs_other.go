//go:build !linux

package watch

// remoteFS returns "": remote file systems are not recognized on this system.
func remoteFS(string) string { return "" }
