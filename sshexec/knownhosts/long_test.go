//go:build unix && long

package knownhosts_test

import "testing"

func TestLongAgreesWithSSH(t *testing.T) { agreeWithSSH(t, 2, 600) }
func TestLongSteersAsSSH(t *testing.T)   { steerAsSSH(t, 60) }
