//go:build !linux

package recordings

import (
	"errors"
	"os"
)

// errQuota is the error for an exhausted quota.
var errQuota = errors.New("quota exceeded")

// allocate does nothing: only Linux can reserve space without changing the size of
// the file.
func allocate(*os.File, int64, int64) error { return errors.ErrUnsupported }

// syncData syncs the file's data, and the metadata needed to read it, to disk.
func syncData(f *os.File) error { return f.Sync() }
