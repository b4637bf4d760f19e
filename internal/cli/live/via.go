package live

import (
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/session/executor"
)

// through returns the executor that starts servers through the prefix of a target, on the
// place of inner, which it closes with itself. Without a prefix that is inner.
func through(t *flags.Target, inner executor.Executor) (executor.Executor, error) {
	if len(t.Via) == 0 {
		return inner, nil
	}
	_ = inner.Close() // nothing was started
	return nil, console.Usagef("--via: not supported yet")
}
