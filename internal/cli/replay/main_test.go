package replay_test

import (
	"testing"

	"mcpdbg/internal/cli"
	"mcpdbg/internal/cli/clitest"
)

func TestMain(m *testing.M) {
	clitest.Main(m, clitest.Entry{Main: cli.Main, Execute: cli.Execute})
}
