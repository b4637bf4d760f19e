//go:build !linux

package watchdog

// Program is empty: there is no watchdog of this kind here.
const Program = ""
