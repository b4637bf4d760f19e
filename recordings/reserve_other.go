//go:build !linux

package recordings

import (
	"errors"
	"os"
)

// errQuota is the error for a quota that is used up, where space is reserved.
var errQuota = errors.New("quota exceeded")

// allocate reserves space for a part of a file, which only Linux does without
// making the file longer.
func allocate(*os.File, int64, int64) error { return errors.ErrUnsupported }
