package cli

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

// A screen is the program in a terminal of tmux, with its own tmux server.
type screen struct {
	t      *testing.T
	socket string
	mark   string // that all processes of the program inherit
}

// onScreen runs the program in a terminal of the given size.
func onScreen(t *testing.T, columns, lines int, args ...string) *screen {
	t.Helper()
	return inTerminal(t, columns, lines, append([]string{binary}, args...)...)
}

// inTerminal runs any program in a terminal of the given size.
func inTerminal(t *testing.T, columns, lines int, argv ...string) *screen {
	t.Helper()
	need(t, "tmux")
	dir, err := os.MkdirTemp("", "tmux") //nolint:usetesting // a socket's path has to be short
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &screen{t: t, socket: filepath.Join(dir, "s"), mark: t.TempDir()}
	command := []string{"start-server", ";", "set-option", "-g", "remain-on-exit", "on", ";", // keeps the final output readable
		"new-session", "-d", "-x", fmt.Sprint(columns), "-y", fmt.Sprint(lines),
		"-e", "XDG_STATE_HOME=" + s.mark, "-e", markName + "=" + s.mark, "-e", "TERM=tmux-256color"}
	s.tmux(append(command, argv...)...)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), waitLimit)
		defer cancel()
		_ = s.client(ctx, "kill-server").Run() // it may have gone with its last window
		for _, p := range marked(s.mark) {
			_ = p.Kill()
		}
	})
	return s
}

func (s *screen) tmux(args ...string) string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), waitLimit)
	defer cancel()
	out, err := s.client(ctx, args...).CombinedOutput()
	require.NoError(s.t, err, "tmux %q: %s", args, out)
	return string(out)
}

// client returns a command to the tmux server of the terminal.
func (s *screen) client(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "tmux", append([]string{"-f", "/dev/null", "-S", s.socket}, args...)...)
	cmd.WaitDelay = holding
	return cmd
}

// keys presses keys, as tmux names them.
func (s *screen) keys(keys ...string) {
	s.t.Helper()
	s.tmux(append([]string{"send-keys"}, keys...)...)
}

// until waits until all texts are on the screen, and returns it.
func (s *screen) until(texts ...string) string {
	s.t.Helper()
	return s.untilTrue(fmt.Sprintf("%q", texts), func(shown string) bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(shown, text) })
	})
}

// untilGone waits until a text is not on the screen.
func (s *screen) untilGone(text string) {
	s.t.Helper()
	s.untilTrue(fmt.Sprintf("a screen without %q", text), func(shown string) bool { return !strings.Contains(shown, text) })
}

// untilTrue waits until the screen satisfies a condition, and returns it.
func (s *screen) untilTrue(wanted string, isIt func(shown string) bool) string {
	s.t.Helper()
	for begin := time.Now(); ; <-time.After(20 * time.Millisecond) {
		shown := s.tmux("capture-pane", "-p")
		if isIt(shown) {
			return shown
		}
		require.Less(s.t, time.Since(begin), waitLimit, "%s did not come; the screen:\n%s", wanted, shown)
	}
}

// untilEnded waits until the program has ended.
func (s *screen) untilEnded() {
	s.t.Helper()
	for begin := time.Now(); strings.TrimSpace(s.tmux("display-message", "-p", "#{pane_dead}")) != "1"; <-time.After(20 * time.Millisecond) {
		require.Less(s.t, time.Since(begin), waitLimit, "the program did not end; the screen:\n%s", lazy(func() string { return s.tmux("capture-pane", "-p") }))
	}
}

// lazy is formatted when it is printed.
type lazy func() string

func (l lazy) String() string { return l() }

// quit leaves the program, even with a pending call, and checks that no process
// was leaked.
func (s *screen) quit() {
	s.t.Helper()
	s.keys("Q")
	s.untilEnded()
	require.Contains(s.t, s.tmux("capture-pane", "-p", "-S", "-"), "mcpdbg: recorded to") // it may have scrolled away
	require.Empty(s.t, marked(s.mark), "leaked processes")
}

func TestScreenWithDemo(t *testing.T) {
	for _, size := range []struct{ columns, lines int }{{120, 36}, {80, 24}} {
		t.Run(fmt.Sprintf("%dx%d", size.columns, size.lines), func(t *testing.T) {
			s := onScreen(t, size.columns, size.lines, "demo", "--era", "legacy")
			s.until("LIVE  ready  demo server (local)", "handshake", "q quit")

			s.keys("c") // compose a call of a slow tool
			s.until("Compose")
			s.keys("C-u")
			s.keys("-l", `{"jsonrpc":"2.0","id":"mine","method":"tools/call","params":{"name":"echo","arguments":{"message":"from the composer"}}}`)
			s.keys("C-s")
			s.until(`"mine"`, "tools/call", "from the composer")

			s.tmux("resize-window", "-x", "100", "-y", "30")
			s.until("Exchanges", "Detail")

			s.keys("f")
			s.keys("-l", "method:initialize dir:in")
			s.keys("Enter")
			s.until("1 of ", "filter method:initialize")
			s.keys("f", "C-u", "Enter")

			s.keys("K")
			s.until("Shutdown sequence")
			s.keys("Enter")
			s.until("exit 0")
			s.keys("C-r")
			s.until("ready", "mcp-stdio-2")
			s.quit()
		})
	}
}

// A second key skips the rest of the shutdown sequence.
func TestScreenKillsAStubbornServer(t *testing.T) {
	s := onScreen(t, 120, 36, against("ignores-eof-term")...)
	s.until("ready")
	s.keys("K")
	s.until("Shutdown sequence")
	s.keys("Enter")
	s.until("LIVE  stopping")
	s.keys("K")
	s.until("ENDED  signal KILL", "the server ended after KILL")
	s.quit()
}

func TestScreenShowsWhyAServerDoesNotStart(t *testing.T) {
	s := onScreen(t, 120, 36, against("dies-at-start")...)
	s.until("exit 3", "DEMO_API_KEY is not set", "Hint:", "-e DEMO_API_KEY=VALUE")
	s.keys("Escape")
	s.untilGone("Hint:") // or the two keys are one: alt+q
	s.quit()
}

func TestScreenShowsLagHoldAndGap(t *testing.T) {
	s := onScreen(t, 120, 36, against("writer:20000x2048", "--collector-delay", "20ms")...)
	s.keys("5", "z") // the events, on the whole screen
	s.until("lagged", "held")
	s.keys("z")
	s.quit()

	s = onScreen(t, 120, 36, against("writer:20000x2048", "--collector-delay", "20ms", "--overrun", "drop")...)
	s.keys("5", "z")
	s.until("gap", "LOST")
	s.keys("z")
	s.quit()
}

// A real server from npm: handshake, messages and stderr.
func TestScreenWithServerEverything(t *testing.T) {
	t.Parallel()
	s := onScreen(t, 120, 36, realServers[0].command(t)...)
	s.until("ready", "handshake", "2025-11-25 legacy", "Starting default (STDIO) server")
	s.quit()
}
