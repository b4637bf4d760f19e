package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/live"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// A fallback is the real server that answers requests that were not recorded. The first
// such request starts it, in a recorded session.
type fallback struct {
	env    *console.Env
	target flags.Target
	argv   []string

	mu     sync.Mutex
	l      *live.Session
	failed error // why it is unavailable
}

// newFallback checks the flags of mock --passthrough. It starts nothing.
func newFallback(env *console.Env, t flags.Target) (*fallback, error) {
	t, argv, err := flags.Choose(env, t)
	if err != nil {
		return nil, err
	}
	if len(argv) == 0 {
		return nil, console.Usagef("--passthrough: put the real server's command after --, or use --config FILE")
	}
	return &fallback{env: env, target: t, argv: argv}, nil
}

// useEra selects the recording's era, unless a flag is set.
func (r *fallback) useEra(era mcp.Era) {
	if !r.target.Given("era") && r.target.Protocol == "" {
		r.target.Era = era.String()
	}
}

func (r *fallback) ask(ctx context.Context, method string, params []byte) (result, failure []byte, err error) {
	l, err := r.session(ctx)
	if err != nil {
		return nil, nil, err
	}
	resp, err := l.Request(ctx, method, params, session.CallOptions{})
	if err != nil || resp.Error == nil {
		return resp.Result, nil, err
	}
	failure, err = json.Marshal(resp.Error)
	return nil, failure, err
}

// The first call starts the server. A failed start is not retried.
func (r *fallback) session(ctx context.Context) (*live.Session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.l != nil || r.failed != nil {
		return r.l, r.failed
	}
	l, err := live.Prepare(ctx, r.env, r.target, r.argv, r.env.Prompter())
	if err != nil {
		r.failed = err
		return nil, err
	}
	r.l = l
	if err := l.Open(ctx); err != nil {
		r.failed = fmt.Errorf("the real server: %w", err)
	}
	return r.l, r.failed
}

// end prints where the recording is, if the server was started.
func (r *fallback) end(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.l == nil {
		return nil
	}
	report, err := r.l.End(ctx)
	live.ReportEnd(r.env, r.l, true, report, nil)
	return errors.Join(r.failed, err)
}
