//go:build !linux

package recordings

import (
	"errors"
	"os"
)

var errQuota = errors.New("quota exceeded")

// Only Linux can reserve space without changing the size.
func allocate(*os.File, int64, int64) error { return errors.ErrUnsupported }

func syncData(f *os.File) error { return f.Sync() }
