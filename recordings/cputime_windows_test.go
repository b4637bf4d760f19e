package recordings

import (
	"testing"
	"time"
)

func cpuTime(testing.TB) time.Duration { return 0 } // not measured here
