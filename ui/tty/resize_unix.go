//go:build unix

package tty

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// OnResize calls changed after changes of the terminal's size, from now until ctx
// is done. The library begins to listen only after its first frame.
func OnResize(ctx context.Context, changed func()) {
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	go func() {
		defer signal.Stop(resized)
		for {
			select {
			case <-resized:
				changed()
			case <-ctx.Done():
				return
			}
		}
	}()
}
