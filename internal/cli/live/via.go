package live

import (
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/session/executor"
	"mcpdbg/session/via"
)

// through returns the executor that starts servers through the prefix of a target, or the
// client of an engine that their command begins with, over below. It closes below.
func through(t *flags.Target, below executor.Foundation) (executor.Executor, error) {
	exec, err := via.New(via.Options{Words: t.Via, Below: below, Host: t.SSH.Dest, Plain: t.ViaPlain, Lease: t.Lease()})
	if err != nil {
		_ = below.Close() // nothing was started
		return nil, console.Usagef("--via: %v", err)
	}
	return exec, nil
}
