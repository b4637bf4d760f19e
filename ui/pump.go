package ui

import (
	"time"

	"mcpdbg/ui/kit"
)

// A changing signals its changes, as session.Source and grid.Source do.
type changing interface{ Changed() <-chan struct{} }

// pump calls ring when the log has changed, at most once a frame, until gone is
// closed. It waits for ring to return.
func pump(gone <-chan struct{}, source changing, ring func()) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		// Taken before ring reads the log, so that later changes close it.
		news := source.Changed()
		ring()
		pause.Reset(kit.FrameInterval)
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
