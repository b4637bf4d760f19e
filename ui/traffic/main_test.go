package traffic

import (
	"testing"

	"mcpdbg/internal/testhome"
)

func TestMain(m *testing.M) { testhome.Main(m) }
