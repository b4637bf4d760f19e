package clitest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A Screen is the program in a terminal of its own tmux server.
type Screen struct {
	t      *testing.T
	socket string
	Mark   string // that all processes of the program inherit
}

// OnScreen runs the program in a terminal of this size.
func OnScreen(t *testing.T, columns, lines int, args ...string) *Screen {
	t.Helper()
	return InTerminal(t, columns, lines, append([]string{Binary()}, args...)...)
}

// InTerminal is OnScreen for any program.
func InTerminal(t *testing.T, columns, lines int, argv ...string) *Screen {
	t.Helper()
	Need(t, "tmux")
	dir, err := os.MkdirTemp("", "tmux") //nolint:usetesting // a socket's path has to be short
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &Screen{t: t, socket: filepath.Join(dir, "s"), Mark: t.TempDir()}
	command := []string{"start-server", ";", "set-option", "-g", "remain-on-exit", "on", ";", // keeps the final output readable
		"new-session", "-d", "-x", fmt.Sprint(columns), "-y", fmt.Sprint(lines),
		"-e", "XDG_STATE_HOME=" + s.Mark, "-e", MarkName + "=" + s.Mark, "-e", "TERM=tmux-256color"}
	s.Tmux(append(command, argv...)...)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), WaitLimit)
		defer cancel()
		_ = s.client(ctx, "kill-server").Run() // it may have gone with its last window
		for _, p := range Marked(s.Mark) {
			_ = p.Kill()
		}
	})
	return s
}

// Tmux returns the output of a tmux command.
func (s *Screen) Tmux(args ...string) string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), WaitLimit)
	defer cancel()
	out, err := s.client(ctx, args...).CombinedOutput()
	require.NoError(s.t, err, "tmux %q: %s", args, out)
	return string(out)
}

func (s *Screen) client(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "tmux", append([]string{"-f", "/dev/null", "-S", s.socket}, args...)...)
	cmd.WaitDelay = holding
	return cmd
}

// Keys presses keys, as tmux names them.
func (s *Screen) Keys(keys ...string) {
	s.t.Helper()
	s.Tmux(append([]string{"send-keys"}, keys...)...)
}

// Until waits for all texts, and returns the screen.
func (s *Screen) Until(texts ...string) string {
	s.t.Helper()
	return s.UntilTrue(fmt.Sprintf("%q", texts), func(shown string) bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(shown, text) })
	})
}

// UntilGone waits until a text is gone.
func (s *Screen) UntilGone(text string) {
	s.t.Helper()
	s.UntilTrue(fmt.Sprintf("a screen without %q", text), func(shown string) bool { return !strings.Contains(shown, text) })
}

// UntilTrue waits for a condition, and returns the screen.
func (s *Screen) UntilTrue(wanted string, isIt func(shown string) bool) string {
	s.t.Helper()
	for begin := time.Now(); ; <-time.After(20 * time.Millisecond) {
		shown := s.Tmux("capture-pane", "-p")
		if isIt(shown) {
			return shown
		}
		require.Less(s.t, time.Since(begin), WaitLimit, "%s did not come; the screen:\n%s", wanted, shown)
	}
}

// UntilEnded waits until the program has ended.
func (s *Screen) UntilEnded() {
	s.t.Helper()
	for begin := time.Now(); strings.TrimSpace(s.Tmux("display-message", "-p", "#{pane_dead}")) != "1"; <-time.After(20 * time.Millisecond) {
		require.Less(s.t, time.Since(begin), WaitLimit, "the program did not end; the screen:\n%s", Lazy(func() string { return s.Tmux("capture-pane", "-p") }))
	}
}

// Quit leaves the program, even with a pending call, and checks that it leaked no
// process.
func (s *Screen) Quit() {
	s.t.Helper()
	s.Keys("Q")
	s.UntilEnded()
	require.Contains(s.t, s.Tmux("capture-pane", "-p", "-S", "-"), "mcpdbg: recorded to") // it may have scrolled away
	require.Empty(s.t, Marked(s.Mark), "leaked processes")
}

// Show returns what tmux knows about the terminal.
func (s *Screen) Show(format string) string {
	s.t.Helper()
	return strings.TrimSpace(s.Tmux("display-message", "-p", format))
}
