package home

import (
	"context"
	"io"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/tui"
)

// Show is the program without arguments.
func Show(ctx context.Context, env *console.Env) error {
	if env.Terminal {
		return tui.ShowHome(ctx, env)
	}
	h := tui.Discover()
	_, err := io.WriteString(env.Stdout, homeText(&h))
	return err
}
