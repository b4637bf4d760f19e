package uitest

import (
	"fmt"
	"strings"
	"testing"
)

// A Sheet collects frames for one golden file.
type Sheet struct{ text strings.Builder }

// Add adds a frame under a name.
func (s *Sheet) Add(name, frame string) { fmt.Fprintf(&s.text, "-- %s --\n%s\n", name, frame) }

// Golden compares the frames with a file in testdata.
func (s *Sheet) Golden(t *testing.T, name string) {
	t.Helper()
	Golden(t, name, strings.TrimSuffix(s.text.String(), "\n"))
}

// EverySize paints what is open at many sizes, from the smallest at which the shell
// shows views, and checks the frames.
func (r *Room) EverySize() {
	r.T.Helper()
	w, h := r.screen.Width, r.screen.Height
	for width := 40; width < 200; width += 23 {
		for height := 10; height < 50; height += 11 {
			r.Resize(width, height)
			RequireExact(r.T, r.Frame(), width, height)
		}
	}
	r.Resize(w, h)
}
