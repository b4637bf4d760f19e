//go:build unix

package guard

import (
	"os"
	"testing"

	"mcpdbg/session/exectest"
)

func TestMain(m *testing.M) {
	if exectest.HelperMain() {
		return
	}
	os.Exit(m.Run())
}
