// Package filelock makes processes take turns. A lock is that of a file which stays, and
// ends with the process that has it.
package filelock

import (
	"context"
	"os"
	"time"
)

const interval = 10 * time.Millisecond

// Take creates a file, if it does not exist, and waits for its lock. Closing the file ends
// the lock. On a file system without locks every process gets it.
func Take(ctx context.Context, path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err := context.Cause(ctx)
		locked := false
		if err == nil {
			locked, err = try(f)
		}
		if locked {
			return f, nil
		}
		if err == nil {
			select {
			case <-time.After(interval):
				continue
			case <-ctx.Done():
				err = context.Cause(ctx)
			}
		}
		_ = f.Close()
		return nil, err
	}
}
