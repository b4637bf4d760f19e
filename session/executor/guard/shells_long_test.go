//go:build linux && long

package guard

import "testing"

// The tests of the guard that otherwise run with one shell, with each.
func TestLongGuardLease(t *testing.T)  { underPosixShells(t, guardEndsAfterItsLease) }
func TestLongGuardClocks(t *testing.T) { underPosixShells(t, guardLeavesNoClock) }
