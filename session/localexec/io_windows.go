package localexec

import (
	"errors"
	"os"
)

// readNow is never called: pipes have no read deadline on Windows, so no pump
// flushes.
func readNow(*os.File, []byte) (int, error) { return 0, errors.ErrUnsupported }

// newTryWriter returns nil: anonymous pipes do not support non-blocking writes.
func newTryWriter(*os.File) func([]byte) (int, error) { return nil }
