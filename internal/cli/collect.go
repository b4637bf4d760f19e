package cli

import (
	"os"
	"runtime"
	"runtime/debug"
)

// firstGoal is the target, in percent of the live heap, until the first garbage
// collection: 16 MiB instead of 4 MiB.
const firstGoal = 400

// delayCollection delays the first garbage collection. Before its first frame the
// interface allocates more than the 4 MiB after which Go collects garbage, of which
// little is live; five collections took as long as everything else. From the first
// collection on the target is Go's own.
func delayCollection() {
	if os.Getenv("GOGC") != "" {
		return // the user's choice
	}
	before := debug.SetGCPercent(firstGoal)
	runtime.AddCleanup(new([16]byte), func(percent int) { debug.SetGCPercent(percent) }, before)
}
