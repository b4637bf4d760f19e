//go:build long && unix

package sshconfig

import "testing"

// TestLongOracle is TestOracle on more configurations.
func TestLongOracle(t *testing.T) { oracle(t, 100, 10, 400) }
