package host_test

import (
	"fmt"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/host"
	"mcpdbg/ui/uitest"
)

// TestCopyIsSafe checks that no content of a message does or hides anything
// where it is pasted.
func TestCopyIsSafe(t *testing.T) {
	for _, text := range uitest.Hostile {
		for _, lines := range []bool{false, true} {
			msg := host.Clipboard("x", "", text, "", lines).(host.Result)
			require.NoError(t, msg.Err)
			for _, r := range fmt.Sprint(msg.Then(host.Context{})()) {
				ours := r == '\t' || r == '\n' && lines
				require.False(t, !ours && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)), "%q", r)
			}
		}
	}
}
