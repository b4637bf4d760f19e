package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// A fallback is the real server that answers what was not recorded. It is
// started when the first such request comes, in a session that is recorded as
// any other.
type fallback struct {
	a      *app
	target targetFlags
	argv   []string

	mu     sync.Mutex
	l      *live
	failed error // why it can't be asked
}

// real checks the flags of mock --passthrough; nothing is started.
func (a *app) real(t targetFlags) (*fallback, error) {
	t, argv, err := a.choose(t)
	if err != nil {
		return nil, err
	}
	if len(argv) == 0 {
		return nil, usagef("--passthrough: name the real server's command after --, or its config file with --config")
	}
	return &fallback{a: a, target: t, argv: argv}, nil
}

// like has the server speak the era of the recording, unless a flag names one.
func (r *fallback) like(era mcp.Era) {
	if !r.target.given("era") && r.target.protocol == "" {
		r.target.era = era.String()
	}
}

// ask is mock.Options.Ask.
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

// session is the one with the real server, which it starts. A start that fails
// is not tried again.
func (r *fallback) session(ctx context.Context) (*live, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.l != nil || r.failed != nil {
		return r.l, r.failed
	}
	l, err := r.a.prepare(ctx, r.target, r.argv, r.a.prompter())
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

// end ends the real server, if it was started, and says where its recording is.
func (r *fallback) end(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.l == nil {
		return nil
	}
	report, err := r.l.end(ctx)
	r.a.reportEnd(r.l, true, report, nil)
	return errors.Join(r.failed, err)
}
