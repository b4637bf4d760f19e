package smoke_test

import (
	"testing"

	"mcpdbg/internal/demo/demotest"
)

func TestMain(m *testing.M) { demotest.Main(m) }
