//go:build unix

package serve

import "golang.org/x/sys/unix"

// signalNumber returns 0 for an unknown signal.
func signalNumber(name string) int { return int(unix.SignalNum("SIG" + name)) }
