//go:build !linux

package localexec

import (
	"errors"
	"os"
)

// newUnpolled fails: the cost of polling a pipe is one of Linux.
func newUnpolled() (outputReader, *os.File, error) { return nil, nil, errors.ErrUnsupported }
