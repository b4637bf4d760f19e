//go:build soak && linux

package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"mcpdbg/internal/tools/pty"
)

// A screen is the program with its interface, in a terminal that changes its size.
type screen struct {
	*pty.Terminal
	lab          *lab
	rng          *rand.Rand
	mark, record string
}

// title is on the screen at every size that has room for panes.
const title = "Exchanges"

// newScreen starts the program against a server that sends rate messages a second.
func newScreen(l *lab, rng *rand.Rand, binary string, rate int) (*screen, error) {
	mark := newMark()
	record := filepath.Join(l.dir, "screen-"+mark+".jsonl")
	cmd := exec.Command(binary, append([]string{"--record", record, "--"}, busy(rate)...)...)
	cmd.Env = append(os.Environ(), markName+"="+mark, "XDG_STATE_HOME="+filepath.Join(l.dir, "state"))
	terminal, err := pty.Start(cmd, 120, 36)
	return &screen{terminal, l, rng, mark, record}, err
}

// run changes the size of the terminal again and again, then quits.
func (s *screen) run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := s.resize(); err != nil {
			s.lab.fail("screen", err)
			break
		}
		s.lab.count("resize")
		time.Sleep(time.Duration(s.rng.Int64N(int64(2 * time.Second))))
	}
	if err := s.quit(); err != nil {
		s.lab.fail("screen", err)
	}
}

// resize changes the size a few times at once, also to one without room for
// anything, and waits until the screen is redrawn.
func (s *screen) resize() error {
	for range s.rng.IntN(4) {
		if err := s.Resize(uint16(1+s.rng.IntN(30)), uint16(1+s.rng.IntN(10))); err != nil {
			return err
		}
		time.Sleep(time.Duration(s.rng.Int64N(int64(50 * time.Millisecond))))
	}
	columns, lines := uint16(80+s.rng.IntN(120)), uint16(24+s.rng.IntN(40))
	s.Forget()
	if err := s.Resize(columns, lines); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), waitLimit)
	defer cancel()
	if err := s.Until(ctx, title); err != nil {
		return fmt.Errorf("at %d by %d: %w: %q", columns, lines, err, s.Shown())
	}
	return nil
}

// quit ends the program as a person does, and checks its recording.
func (s *screen) quit() error {
	if err := s.Type("\x03"); err != nil {
		return err
	}
	if err := s.Wait(); err != nil {
		return err
	}
	if err := allGone(s.mark); err != nil {
		return err
	}
	if finished, err := s.lab.verify(s.record); err != nil || !finished {
		return fmt.Errorf("the recording of the screen is finished: %t: %w", finished, orNone(err))
	}
	return nil
}
