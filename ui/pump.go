package ui

import (
	"time"
)

// framePause is how long a pump waits after it has rung: the screen is painted
// thirty times a second at most, however fast the log grows.
const framePause = time.Second / 30

// A changing tells that it has changed, as session.Source and grid.Source do.
type changing interface{ Changed() <-chan struct{} }

// pump calls ring when the log has changed, once a frame at most, until gone is
// closed. It never calls again before ring has returned.
func pump(gone <-chan struct{}, source changing, ring func()) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		// Taken before ring looks at the log: what comes after that closes it.
		news := source.Changed()
		ring()
		pause.Reset(framePause)
		select {
		case <-news:
		case <-gone:
			return
		}
		select {
		case <-pause.C:
		case <-gone:
			return
		}
	}
}
