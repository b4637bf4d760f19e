package workspace

import (
	"time"

	"mcpdbg/session/executor"
)

// A Sample is the process tree as it was a moment ago.
type Sample struct {
	Tree    []executor.Descendant
	At      time.Time
	Err     error
	Running bool // a command is taking the next sample
	Ended   bool // it was taken after the end of the process
}
