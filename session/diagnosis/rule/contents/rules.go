package contents

import (
	"slices"

	"mcpdbg/session/mcp"
)

// Rules are the rules of this package, in the order of their ids.
var Rules = slices.Concat(schemaRules, requestRules, toolRules)

// The revisions since a feature exists.
var (
	since20250618 = []string{mcp.V20250618, mcp.V20251125, mcp.V20260728}
	since20251125 = []string{mcp.V20251125, mcp.V20260728}
)
