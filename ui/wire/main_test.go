package wire

import (
	"testing"

	"mcpdbg/internal/testhome"
)

func TestMain(m *testing.M) { testhome.Main(m) }
