//go:build unix

package tty

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// OnResize records changes of the terminal's size from now on. listen calls changed after
// each until ctx is done: the library listens only after its first frame.
func OnResize(ctx context.Context, changed func()) (listen func()) {
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	return func() {
		defer signal.Stop(resized)
		for {
			select {
			case <-resized:
				changed()
			case <-ctx.Done():
				return
			}
		}
	}
}
