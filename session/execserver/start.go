package execserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/executor"
)

// start starts the process of a remote. If the connection is lost before the answer, a read
// shows whether it was started; if not, it is started again.
func (r *remote) start(ctx context.Context, params wire.StartParams, result any) error {
	for {
		if err := r.s.connected(ctx); err != nil {
			return err
		}
		err := r.s.call(ctx, wire.MethodStart, params, result, false)
		if errors.Is(err, errCut) {
			var known bool
			if known, err = r.isKnown(ctx); !known && err == nil {
				continue
			}
		}
		if err != nil {
			r.s.forget(r)
			return err
		}
		r.mu.Lock()
		r.started = true
		r.mu.Unlock()
		return nil
	}
}

// isKnown reports whether the server has the process. Missed steps are read.
func (r *remote) isKnown(ctx context.Context) (bool, error) {
	var got wire.ReadResult
	err := r.s.call(ctx, wire.MethodRead, wire.ReadParams{ProcessID: r.id}, &got, true)
	if refused := new(wire.Error); errors.As(err, &refused) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, r.catchUp(got)
}

// envPolicy returns the policy of Codex: without one, nothing is inherited.
func envPolicy(p executor.EnvPolicy, goos string) *wire.EnvPolicy {
	policy := &wire.EnvPolicy{Inherit: "all", IgnoreExcludes: true, Exclude: []string{}, Set: map[string]string{}, IncludeOnly: []string{}}
	switch p {
	case executor.EnvNone:
		return nil
	case executor.EnvClient:
		policy.IncludeOnly = executor.ClientEnvNames(goos)
	}
	return policy
}

// windows is the system on which Codex has no shell for the scripts of a guard.
const windows = "windows"

func fileURI(dir string) string {
	if !strings.HasPrefix(dir, "/") {
		dir = "/" + strings.ReplaceAll(dir, `\`, "/") // C:/x
	}
	return (&url.URL{Scheme: "file", Path: dir}).String()
}

// fail returns the error of a start.
func (p *process) fail(ctx context.Context, phase string, err error) *executor.StartError {
	if known, ok := errors.AsType[*executor.StartError](err); ok {
		return known
	}
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) && !errors.Is(err, errSilent) {
		return executor.StartCancelledBy(ctx, phase)
	}
	e := &executor.StartError{Code: executor.StartFailed, Hop: p.ex.opts.Placement, Phase: phase, Err: err}
	refused, isRefused := errors.AsType[*wire.Error](err)
	switch {
	case errors.Is(err, errSilent):
		e.Code = executor.StartTimeout
	case p.s.failure() != nil:
		e.Code = executor.LostClosed
	case isRefused:
		p.explain(e, refused)
	}
	return e
}

// explain takes the cause of a start that the server has refused from its data, or from what
// Codex says: of a missing program it says the same as of a missing folder.
func (p *process) explain(e *executor.StartError, refused *wire.Error) {
	var data wire.StartFailure
	if len(refused.Data) > 0 && json.Valid(refused.Data) && framing.Unmarshal(refused.Data, &data) == nil && data.Code != "" {
		e.Code, e.Hint = executor.StartCode(data.Code), data.Hint
		return
	}
	if strings.Contains(refused.Message, "No such file") {
		e.Code = executor.StartNotFound
		e.Err = fmt.Errorf("%s or the directory %s: %w", p.base.Exec.Argv[0], p.dir(), refused)
	}
}

// dir returns the working directory, as a URI.
func (p *process) dir() string {
	if p.base.Cmd.Dir == "" {
		return p.s.env.Home
	}
	return fileURI(p.base.Cmd.Dir)
}
