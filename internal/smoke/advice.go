package smoke

import (
	"context"
	"time"

	"mcpdbg/session"
	"mcpdbg/session/diagnosis/cause"
)

// adviceTimeout limits the time for finding a cause.
const adviceTimeout = 5 * time.Second

// advise adds a hint if the failure itself has none: the one that a person sees
// who opens the session.
func (c *check) advise() {
	r := &c.result
	if r.Hint != "" || r.Cause != CauseHandshake && r.Cause != CauseProtocol && r.Cause != CauseTimeout {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), adviceTimeout)
	defer cancel()
	r.Hint = advice(ctx, c.made.Session.Log())
	if r.Hint == "" && r.Cause == CauseTimeout {
		r.Hint = "increase --timeout"
	}
}

// advice returns the hint of the likeliest cause that has one.
func advice(ctx context.Context, src session.Source) string {
	for _, v := range cause.Find(ctx, src) {
		if v.Advice != "" {
			return v.Advice
		}
	}
	return ""
}
