//go:build unix

package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

// TestTerminalIsRestoredAfterSignals: however many signals end the interface, the
// terminal is restored.
func TestTerminalIsRestoredAfterSignals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fault, signals string
		codes          []int
	}{
		{"", "-TERM", []int{143}},
		{"ignores-eof-term", "-HUP -INT", []int{129, 130}},
		{"ignores-eof-term", "-HUP -INT -TERM", []int{129, 130, 143}},
	} {
		t.Run(c.signals, func(t *testing.T) {
			t.Parallel()
			const script = `before=$(stty -g); "$@"; code=$?; after=$(stty -g); [ "$before" = "$after" ] && echo "same settings, code $code."; exec sleep 60`
			s := clitest.InTerminal(t, 120, 36, append([]string{clitest.Need(t, "sh"), "-c", script, "sh", clitest.Binary()}, clitest.Against(c.fault)...)...)
			s.Until("LIVE", "ready")
			require.Equal(t, "1", s.Show("#{alternate_on}"))
			var kill strings.Builder // one shell for all, so that they come at once
			for signal := range strings.FieldsSeq(c.signals) {
				fmt.Fprintf(&kill, "kill %s $pid 2>/dev/null || true; ", signal) // an earlier signal may have ended it
			}
			s.Tmux("run-shell", fmt.Sprintf(`for pid in $(ps -o pid= --ppid %s); do %s done`, s.Show("#{pane_pid}"), &kill))
			shown := s.Until("same settings, code ")
			code := 0
			_, err := fmt.Sscanf(shown[strings.Index(shown, "settings, code"):], "settings, code %d.", &code)
			require.NoError(t, err, shown)
			require.Contains(t, c.codes, code, shown)
			for _, mode := range []string{"alternate_on", "mouse_any_flag", "mouse_sgr_flag"} {
				require.Equal(t, "0", s.Show("#{"+mode+"}"), mode)
			}
			require.Equal(t, "1", s.Show("#{cursor_flag}"))
		})
	}
}
