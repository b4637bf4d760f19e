//go:build !linux

package watchdog

// Program is empty: this kind of watchdog exists only on Linux.
const Program = ""
