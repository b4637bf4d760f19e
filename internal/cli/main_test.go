package cli

import (
	"testing"

	"mcpdbg/internal/cli/clitest"
)

func TestMain(m *testing.M) {
	clitest.Main(m, clitest.Entry{Main: Main, Execute: Execute},
		clitest.Role{Variable: bridgeTo, Run: serveBridge}, clitest.Role{Variable: conformanceClient, Run: conform})
}
