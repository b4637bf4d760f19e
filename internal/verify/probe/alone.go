package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mcpdbg/framing"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

// alone takes one step in its own process, after a handshake if needed.
func (t *part) alone(ctx context.Context, name string, era mcp.Era, handshake bool, do func(*process, context.Context) verdict) {
	step := verify.Step{Name: name}
	if name == verify.StepVersion {
		step.Era = era.String()
	}
	if ctx.Err() != nil {
		t.add(step, notChecked("stopped: "+context.Cause(ctx).Error()), 0)
		return
	}
	label := name
	if step.Era != "" {
		label += "-" + step.Era
	}
	p, err := t.start(ctx, label, era)
	if err != nil {
		step.Unstarted = true
		t.add(step, notChecked("the server could not be started: "+err.Error()), 0)
		return
	}
	defer p.end(ctx)
	open := p.made.Session.Open
	if !handshake {
		open = p.made.Session.Start
	}
	begin := time.Now()
	var v verdict
	if err := open(ctx); err == nil {
		v = do(p, ctx)
	} else {
		v = notChecked("the server could not be started: " + err.Error())
		step.Unstarted = true
	}
	step.DurationMS = wording.Milliseconds(time.Since(begin))
	t.add(step, v, p.number)
}

// badLine sends a line that is not JSON. The server must not end; it may ignore it or
// respond with -32700.
func (p *process) badLine(ctx context.Context) verdict {
	s := p.made.Session
	p.provoked = badLineProvokes
	from := s.Log().Len()
	n, err := s.SendBytes(ctx, []byte(`{"jsonrpc":"2.0","id":"mcpdbg-bad-line","method":`+"\n"))
	if err != nil {
		return p.requestFailed(ctx, err).at(n)
	}
	// A busy server may be slow to read on.
	err = verify.Ping(ctx, s, session.CallOptions{Timeout: max(p.opts.StepTimeout, p.firstBy())})
	var answer *session.RPCError
	switch {
	case err != nil && stopped(ctx):
		return notChecked("stopped: " + context.Cause(ctx).Error())
	case errors.Is(err, session.ErrEnded):
		return failed("the bad line ended the server: " + err.Error()).at(n)
	case err != nil && !errors.As(err, &answer):
		return failed("the server no longer responds after the bad line: " + err.Error()).at(n)
	}
	code, responded := errorSince(s.Log(), from)
	switch {
	case !responded:
		return passed("ignored, and the server responds to the next request").at(n)
	case code != mcp.CodeParse:
		return doubtful(fmt.Sprintf("responded with the error %d instead of -32700 or nothing", code)).at(n)
	}
	return passed("error -32700").at(n)
}

// badLineProvokes reports whether a problem only repeats the verdict: the response cannot
// have an id, and a server that it ended may exit in any way.
func badLineProvokes(f *diagnosis.Problem) bool {
	return f.Rule.ID == "RPC10" && f.Severity == diagnosis.Info || f.Rule.Side == diagnosis.Process
}

// errorSince returns the first error response without a request since a row.
func errorSince(src session.Source, from int) (code int, found bool) {
	for _, row := range session.RowsFrom(src, from) {
		if row.Kind != session.KindStdout || row.Msg != framing.ErrorResponse || row.Paired() {
			continue
		}
		e, err := src.Entry(row, 0)
		if err != nil {
			continue
		}
		var answer session.RPCError
		if json.Unmarshal(e.Msg.Error.Of(e.Payload), &answer) == nil {
			return answer.Code, true
		}
	}
	return 0, false
}

const unsupported = "2099-01-01"

// firstBy returns the rest of the startup timeout.
func (p *process) firstBy() time.Duration {
	return max((p.opts.StartupTimeout - time.Since(p.began)).Truncate(100*time.Millisecond), time.Millisecond)
}

// The response is the first of the process, so that its time is that of the start.
func (p *process) unsupportedVersion(ctx context.Context) verdict {
	client := `{"name":"mcpdbg","version":"0"}`
	method := mcp.MethodInitialize
	params := fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{},"clientInfo":%s}`, unsupported, client)
	if p.era == mcp.Modern {
		method = mcp.MethodDiscover
		params = fmt.Sprintf(`{"_meta":{%q:%q,%q:{},%q:%s}}`, mcp.MetaProtocolVersion, unsupported, mcp.MetaClientCapabilities, mcp.MetaClientInfo, client)
	}
	var n uint64
	resp, err := p.made.Session.Request(ctx, method, []byte(params), session.CallOptions{
		Timeout: p.firstBy(), Bare: true, OnSent: func(sent uint64) { n = sent },
	})
	switch {
	case errors.Is(err, session.ErrTimeout) && !stopped(ctx):
		return notChecked(fmt.Sprintf("no response within %v of the start (--startup-timeout)", p.opts.StartupTimeout)).at(n)
	case err != nil:
		return p.requestFailed(ctx, err).at(n)
	case p.era == mcp.Modern:
		return modernVersion(resp).at(n)
	}
	return legacyVersion(resp).at(n)
}

func legacyVersion(resp session.Response) verdict {
	if resp.Error != nil {
		if resp.Error.Code == mcp.CodeInvalidParams || resp.Error.Code == mcp.CodeUnsupportedVersion {
			return passed(fmt.Sprintf("error %d", resp.Error.Code))
		}
		return doubtful(fmt.Sprintf("responded with the %v, instead of a supported revision or -32602", resp.Error))
	}
	var result struct {
		Version string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(resp.Result, &result) // without one, the version is empty
	switch {
	case result.Version == unsupported:
		return failed("accepted the revision " + unsupported)
	case !mcp.IsLegacy(result.Version):
		return failed(fmt.Sprintf("responded with the unknown revision %.40q", result.Version))
	}
	return passed("offered " + result.Version)
}

// The error must name the supported revisions.
func modernVersion(resp session.Response) verdict {
	switch {
	case resp.Error == nil:
		return failed("accepted the revision " + unsupported)
	case resp.Error.Code != mcp.CodeUnsupportedVersion:
		return failed(fmt.Sprintf("responded with the %v, instead of -32022", resp.Error))
	}
	var data struct {
		Supported []string `json:"supported"`
	}
	_ = json.Unmarshal(resp.Error.Data, &data) // without them, the list is empty
	if len(data.Supported) == 0 {
		return failed("the error -32022 does not name the supported revisions")
	}
	return passed("error -32022 with the supported revisions")
}

func (p *process) stdinEOF(ctx context.Context) verdict {
	if err := p.made.Session.CloseStdin(); err != nil {
		return notChecked("stdin could not be closed: " + err.Error())
	}
	return p.exits(ctx, "stdin was closed", doubtful)
}

func (p *process) terminate(ctx context.Context) verdict {
	if err := p.made.Session.Stop(ctx, executor.StepTerm, executor.ScopeGroup); err != nil {
		return notChecked("SIGTERM could not be sent: " + err.Error())
	}
	return p.exits(ctx, "SIGTERM", failed)
}

func (p *process) exits(ctx context.Context, after string, late func(string) verdict) verdict {
	limit := p.opts.exitTime()
	begin := time.Now()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.made.Session.ExitedChan():
	case <-timer.C:
		return late(fmt.Sprintf("still running %v after %s", limit, after))
	case <-ctx.Done():
		return notChecked("stopped: " + context.Cause(ctx).Error())
	}
	took := time.Since(begin).Round(time.Millisecond)
	info := p.made.Session.Status().Process
	switch {
	case info.Failure != nil:
		return notChecked(info.Failure.Error())
	case info.Exit != nil && session.EndedFromOutside(info.Exit.By):
		return notChecked(session.DescribeEnd(*info.Exit))
	case session.EndUnknown(info.Exit) != "":
		return notChecked(session.EndUnknown(info.Exit))
	case info.Exit == nil:
		return passed(fmt.Sprintf("exited after %v", took))
	}
	return passed(fmt.Sprintf("%s after %v", session.DescribeExit(*info.Exit), took))
}
