package probe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcpdbg/internal/verify"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/mcp"
)

// A stepTimeout is the cause of a step's context.
type stepTimeout time.Duration

func errStep(d time.Duration) error { return stepTimeout(d) }

func (d stepTimeout) Error() string {
	return fmt.Sprintf("no response after %v", time.Duration(d))
}

// stopped ignores the limit of the step.
func stopped(ctx context.Context) bool {
	var late stepTimeout
	return ctx.Err() != nil && !errors.As(context.Cause(ctx), &late)
}

func (p *process) request(ctx context.Context, method, params string, n *uint64) (session.Response, error) {
	opts := session.CallOptions{Timeout: p.opts.StepTimeout, OnSent: func(sent uint64) { *n = sent }}
	return p.made.Session.Request(ctx, method, []byte(params), opts)
}

func (p *process) unknownMethod(ctx context.Context) verdict {
	var n uint64
	resp, err := p.request(ctx, "mcpdbg/unknown", "", &n)
	switch {
	case err != nil:
		return p.requestFailed(ctx, err).at(n)
	case resp.Error == nil:
		return failed("responded with a result instead of the error -32601").at(n)
	case resp.Error.Code != mcp.CodeMethodNotFound:
		return doubtful(fmt.Sprintf("responded with the %v, instead of -32601", resp.Error)).at(n)
	}
	return passed("error -32601").at(n)
}

// acceptsCursor is the rule about what bogusCursor provokes.
const acceptsCursor = "PAG03"

func (p *process) bogusCursor(ctx context.Context) verdict {
	server := p.made.Session.Status().Server
	declared := verify.Declared(&server)
	if len(declared) == 0 {
		return notApplicable("the server has no lists")
	}
	var n uint64
	resp, err := p.request(ctx, declared[0].Method, `{"cursor":"mcpdbg-bogus-cursor"}`, &n)
	switch {
	case err != nil:
		return p.requestFailed(ctx, err).at(n)
	case resp.Error == nil:
		p.provoked = func(found *diagnosis.Problem) bool { return found.Rule.ID == acceptsCursor }
		return doubtful(declared[0].Method + " responded with a result instead of the error -32602").at(n)
	case resp.Error.Code != mcp.CodeInvalidParams:
		return doubtful(fmt.Sprintf("%s responded with the %v, instead of -32602", declared[0].Method, resp.Error)).at(n)
	}
	return passed("error -32602").at(n)
}

type slowCall struct {
	tool   string
	params string
	took   time.Duration
}

const (
	// slowEnough: a faster call would respond before it reads the cancellation.
	slowEnough = 200 * time.Millisecond
	// cancelAfter is when it is cancelled.
	cancelAfter = 100 * time.Millisecond
	// crossing is how long after it a response may be on its way.
	crossing = 100 * time.Millisecond
	// lateExtra is how much longer than the call took the wait is.
	lateExtra = 500 * time.Millisecond
)

// isBetter: slow enough, better by far, and not slower than that.
func (c *slowCall) isBetter(than *slowCall) bool {
	const byFar = 2 * slowEnough
	switch {
	case c.took <= slowEnough:
		return false
	case than.took < byFar:
		return c.took > than.took
	}
	return c.took >= byFar && c.took < than.took
}

var errCancelled = errors.New("mcpdbg checks cancellation")

func (p *process) cancellation(ctx context.Context, slow slowCall) verdict {
	switch {
	case p.opts.NoCalls:
		return notChecked("no calls (--no-calls)")
	case slow.tool == "":
		return notChecked(fmt.Sprintf("no call took longer than %v", slowEnough))
	case slow.took+lateExtra > p.opts.StepTimeout:
		return notChecked(fmt.Sprintf("the call of %s takes %v, too long for --step-timeout", slow.tool, slow.took.Round(time.Millisecond)))
	}
	calling, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var n uint64
	sent := make(chan struct{})
	opts := session.CallOptions{Timeout: p.opts.StepTimeout, OnSent: func(entry uint64) {
		if n == 0 { // the first round
			n = entry
			close(sent)
		}
	}}
	go func() {
		select {
		case <-sent:
			_ = pause(calling, cancelAfter)
		case <-calling.Done():
		}
		cancel(errCancelled)
	}()
	_, err := p.made.Session.Request(calling, mcp.MethodToolsCall, []byte(slow.params), opts)
	switch {
	case stopped(ctx):
		return notChecked("stopped: " + context.Cause(ctx).Error())
	case err == nil:
		return notChecked("the call of " + slow.tool + " was faster this time").at(n)
	case !errors.Is(err, errCancelled):
		return p.requestFailed(ctx, err).at(n)
	}
	return p.afterCancel(ctx, slow, n)
}

// The response must not come.
func (p *process) afterCancel(ctx context.Context, slow slowCall, n uint64) verdict {
	src := p.made.Session.Log()
	began := src.Now()
	late, err := p.awaitResponse(ctx, n, slow.took+lateExtra)
	switch {
	case err != nil:
		return p.requestFailed(ctx, err).at(n)
	case late >= 0 && late-began < crossing.Microseconds():
		return notChecked("the response crossed the cancellation").at(n)
	case late >= 0:
		took := time.Duration(late-began) * time.Microsecond
		text := fmt.Sprintf("%s responded all the same, %v after the cancellation", slow.tool, took.Round(time.Millisecond))
		if p.era == mcp.Modern {
			return failed(text).at(n)
		}
		return doubtful(text).at(n)
	}
	if err := verify.Ping(ctx, p.made.Session, session.CallOptions{Timeout: p.opts.StepTimeout}); err != nil {
		return failed("after the cancellation: " + err.Error()).at(n)
	}
	return passed("no response to the cancelled call of " + slow.tool).at(n)
}

// awaitResponse returns -1 if none comes within the time.
func (p *process) awaitResponse(ctx context.Context, n uint64, within time.Duration) (int64, error) {
	src := p.made.Session.Log()
	row := rowOf(src, n)
	timer := time.NewTimer(within)
	defer timer.Stop()
	for {
		changed := src.Changed()
		if request, ok := session.RowAt(src, row); ok && request.Paired() {
			if response, ok := session.PartnerOf(src, request); ok {
				return response.T, nil
			}
		}
		select {
		case <-changed:
		case <-p.made.Session.ExitedChan():
			return -1, errors.New("the server ended")
		case <-timer.C:
			return -1, nil
		case <-ctx.Done():
			return -1, context.Cause(ctx)
		}
	}
}

// Entries are few and it is one of the last.
func rowOf(src session.Source, n uint64) int {
	for number := src.Len() - 1; number >= 0; number-- {
		row, ok := session.RowAt(src, number)
		if !ok || row.Kind != session.KindStdin {
			continue
		}
		if e, err := src.Entry(row, 0); err == nil && e.N == n {
			return number
		}
	}
	return -1
}

// ours is about messages that this program sent wrong on purpose.
func ours(src session.Source, f diagnosis.Problem) bool {
	row, ok := session.RowAt(src, f.Row)
	return f.Rule.Side == diagnosis.Client || ok && row.Kind == session.KindStdin
}
