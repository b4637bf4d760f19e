package smoke

import (
	"context"

	"mcpdbg/session"
	"mcpdbg/session/verdict"
)

// advise finds out what to try if the failure itself does not say: what a person
// is told who looks at the session.
func (c *check) advise() {
	r := &c.result
	if r.Hint != "" || r.Cause != CauseHandshake && r.Cause != CauseProtocol && r.Cause != CauseTimeout {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lintPatience)
	defer cancel()
	r.Hint = advice(ctx, c.made.Session.Log())
	if r.Hint == "" && r.Cause == CauseTimeout {
		r.Hint = "--timeout gives it longer"
	}
}

// advice is that of the likeliest cause that has one.
func advice(ctx context.Context, src session.Source) string {
	tracker := verdict.New(src)
	for more := true; more && ctx.Err() == nil; {
		more = tracker.Advance(4096)
	}
	for _, v := range tracker.Now(nil) {
		if v.Try != "" {
			return v.Try
		}
	}
	return ""
}
