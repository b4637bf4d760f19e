//go:build linux && long

package via

import "testing"

func TestLongKilledPrograms(t *testing.T) { killedProgramsLeaveNoServer(t, 200) }
