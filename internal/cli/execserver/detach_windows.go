package execserver

import (
	"context"
	"errors"

	"mcpdbg/internal/cli/console"
)

// Without sockets there is nothing to connect to.
func detach(context.Context, *console.Env, options) error { return errors.ErrUnsupported }
