package tap

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/wording"
	"mcpdbg/session/target"
	"mcpdbg/session/target/edit"
)

// EditEntry wraps an entry of a config file for restarts under its client, or unwraps one
// that is wrapped. Without write it only returns the change, with values masked, and what
// it means; otherwise it returns what was done.
func EditEntry(ctx context.Context, env *console.Env, e *target.Entry, write bool) (string, error) {
	c := choice{settling: settling}
	ed, err := c.editor(env)
	if err != nil {
		return "", err
	}
	ed.Flags, ed.DryRun = []string{"--live"}, !write
	act, verb := ed.Wrap, "wrapped "
	if e.Tap != nil {
		act, verb = ed.Unwrap, "unwrapped "
	}
	change, err := act(ctx, edit.KeyOf(e))
	if err != nil {
		return "", hinted(err)
	}
	facts, _ := e.Client.Facts()
	picksUp := fmt.Sprintf("%s picks this up %s", e.Client, facts.Rereads)
	switch {
	case write:
		select {
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-time.After(c.settling):
		}
		return verb + where(e) + "; " + picksUp, hinted(ed.Holds(&change))
	case e.Tap != nil:
		return diff(&change) + "\n\n" + picksUp + ".", nil
	}
	return strings.Join([]string{
		diff(&change), "", picksUp + ".",
		"From then on the real messages of this server are recorded, with all secrets in them, in " + wording.Path(filepath.Join(ed.State, "recordings")) + ".",
		"Only you can read these files. The newest 20 sessions, and 200 MiB, are kept by default; mcpdbg rec redact makes a copy to share.",
		"Errors quote the last line of the server's stderr to the client, and the model behind it.",
		"Run mcpdbg unwrap --all before you remove mcpdbg: a wrapped server does not start without it.",
	}, "\n"), nil
}

// Unwrappable returns why an entry cannot be wrapped, "" if it can.
func Unwrappable(e *target.Entry) string {
	if refused := edit.Refusal(e, false); e.Tap == nil && refused != nil {
		return refused.Why
	}
	return ""
}
