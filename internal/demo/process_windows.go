package demo

import (
	"errors"
	"fmt"
	"os"
)

// errNeedsUnix is the error of kinds that this system does not support.
var errNeedsUnix = errors.New("this kind needs a Unix system")

// ignoreSignals fails: Windows has no signals to ignore.
func ignoreSignals() error { return errNeedsUnix }

// newSession fails: Windows has no such sessions.
func newSession() error { return errNeedsUnix }

func deathBy(name string) (func(), error) {
	if name == "panic" {
		return func() { panic("a tool has crashed, as it was asked to") }, nil
	}
	return nil, fmt.Errorf("%w, with a parameter other than panic", errNeedsUnix)
}

// DieBy ends the process with exit code 1: Windows has no signals to die by.
func DieBy(string) { os.Exit(1) }
